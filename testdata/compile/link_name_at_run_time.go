// A link's name that was computed.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.One(dyn, TodoOwner, UserID) // ERROR cannot use dyn .*as exosql.constant
// OK var _ = exosql.One("user", TodoOwner, UserID)
