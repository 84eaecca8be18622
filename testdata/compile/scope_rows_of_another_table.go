// A scope with a condition on another table.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.ScopeRows(Todos, UserID.Eq(1)) // ERROR Predicate\[.*User\].*does not match|mismatch
// OK var _ = exosql.ScopeRows(Todos, TodoOwner.Eq(1))
