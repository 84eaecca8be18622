// A value of another type than the column's.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = UserID.Eq("1") // ERROR cannot use "1".*as int64
// OK var _ = UserID.Eq(1)
