// Package exoagent is the front door of its module: it has nothing of its own, and imports what every host does. So
// one command gives a module all that a host is built of, with the checksums:
//
//	go get github.com/exoagent/exoagent@latest
//
// Begin with packages exosql, which declares and grants rows, and codemode, which makes a tool of grants.
package exoagent

import (
	_ "github.com/exoagent/exoagent/codemode"
	_ "github.com/exoagent/exoagent/exosql"
)
