// Members are sealed: nobody outside adds one.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

type mine struct{}

var _ exosql.Member[User] = mine{} // ERROR missing method addTo|unexported method
// OK var _ exosql.Member[User] = UserName
