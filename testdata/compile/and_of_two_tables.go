// Conditions on two tables do not combine.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.And(UserID.Eq(1), TodoID.Eq(1)) // ERROR Predicate\[.*Todo\].*does not match|mismatch
// OK var _ = exosql.And(UserID.Eq(1), UserName.Eq("a"))
