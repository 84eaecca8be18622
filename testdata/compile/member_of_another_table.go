// A facet of one table with another one's column.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewFacet(Users, "user", TodoDone) // ERROR Column\[.*Todo, bool\].*(does not implement|does not match).*Member\[.*User\]
// OK var _ = exosql.NewFacet(Users, "user", UserName)
