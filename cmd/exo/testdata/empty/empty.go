// Package empty declares nothing that can be compared.
package empty

import "github.com/exoagent/exoagent/exosql"

// Options is a variable that is no declaration.
var Options = exosql.OpenOptions{Conns: 1}
