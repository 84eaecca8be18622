// An enumeration of another type.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = TodoTitle.OneOf(1, 2) // ERROR cannot use 1 .*as string
// OK var _ = TodoTitle.OneOf("a", "b")
