// A value for a column of another table.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _, _ = me.Update(nil, TodoDone.Set(true)) // ERROR exosql.Assignment\[.*Todo\].*exosql.Assignment\[.*User\]
// OK var _, _ = me.Update(nil, UserName.Set("a"))
