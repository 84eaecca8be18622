// The scope of a grant can't be left out.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.Grant(db, Users) // ERROR not enough arguments
// OK var _ = exosql.Grant(db, Users, exosql.AllRows[User]())
