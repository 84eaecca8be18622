// A relation that nobody granted.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Relation[User]{r: nil} // ERROR unknown field r|cannot refer to unexported
// OK var _ = exosql.Relation[User]{}
