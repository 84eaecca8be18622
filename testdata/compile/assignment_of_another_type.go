// A value of another type than the column's.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = TodoDone.Set("yes") // ERROR cannot use "yes"
// OK var _ = TodoDone.Set(true)
