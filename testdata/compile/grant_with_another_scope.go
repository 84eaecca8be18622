// Nor a condition on another table.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Grant(db, Users, TodoOwner.Eq(1)) // ERROR Predicate\[.*Todo\]
// OK var _ = exosql.Grant(db, Users, UserID.Eq(1))
