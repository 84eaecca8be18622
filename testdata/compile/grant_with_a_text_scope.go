// Nor text.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Grant(db, Users, "id = 1") // ERROR cannot use "id = 1"
// OK var _ = exosql.Grant(db, Users, UserID.Eq(1))
