// Nor can it be nil.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Grant(db, Users, nil) // ERROR cannot use nil as exosql.Predicate
// OK var _ = exosql.Grant(db, Users, UserID.Eq(1))
