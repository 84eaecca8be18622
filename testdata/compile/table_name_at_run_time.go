// A table's name that was computed.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewTable[User](dyn) // ERROR cannot use dyn .*as exosql.constant
// OK var _ = exosql.NewTable[User]("users")
