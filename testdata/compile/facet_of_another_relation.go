// A facet of one table for a relation of another.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewFacet(Todos, "todo", TodoID).Of(me) // ERROR Relation\[.*User\].*Relation\[.*Todo\]
// OK var _ = exosql.NewFacet(Users, "user", UserID).Of(me)
