// Package empty declares nothing that can be compared.
package empty

import "github.com/exoagent/exoagent/exosql"

// Options are options.
var Options = exosql.OpenOptions{Conns: 1}
