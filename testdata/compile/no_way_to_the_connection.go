// No method leads back to the database.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = db.Conn // ERROR db.Conn undefined
// OK var _ = db.Close
