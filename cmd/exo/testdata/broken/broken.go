// Package broken does not compile.
package broken

import "github.com/exoagent/exoagent/exosql"

var Users = exosql.NewTable[user]("users")
