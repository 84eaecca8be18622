// A condition on another table's rows.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = me.Where(TodoDone.Eq(false)) // ERROR exosql.Predicate\[.*Todo\].*exosql.Predicate\[.*User\]
// OK var _ = me.Where(UserName.Eq("a"))
