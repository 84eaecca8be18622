// A link with the facet of another table.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewFacet(Users, "user", exosql.Via(UserTodos, exosql.NewFacet(Users, "u2", UserID))) // ERROR Facet\[.*User\].*does not match|mismatch
// OK var _ = exosql.NewFacet(Users, "user", exosql.Via(UserTodos, exosql.NewFacet(Todos, "todo", TodoID)))
