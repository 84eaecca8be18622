// A link between keys of two types.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Many("todos", UserName, TodoOwner) // ERROR type \*exosql.Column\[.*Todo, int64\].*does not match|mismatch
// OK var _ = exosql.Many("todos", UserID, TodoOwner)
