// An order by another table's column.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = me.OrderBy(TodoTitle.Asc()) // ERROR Order\[.*Todo\]
// OK var _ = me.OrderBy(UserName.Asc())
