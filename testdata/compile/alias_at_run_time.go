// An alias that was computed.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewFacet(Users, dyn, UserID) // ERROR cannot use dyn .*as exosql.constant
// OK var _ = exosql.NewFacet(Users, "user", UserID)
