// A link that does not begin at the relation's table.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Follow(me, Children) // ERROR Link\[.*Todo, .*Todo\].*does not match|mismatch
// OK var _ = exosql.Follow(me, UserTodos)
