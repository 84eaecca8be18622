// A predicate with text in it.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Predicate[User]{p: nil} // ERROR unknown field p|cannot refer to unexported
// OK var _ = exosql.Predicate[User]{}
