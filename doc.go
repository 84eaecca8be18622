// Package exoagent has no code. It imports the packages that every host needs, so that one command adds them all to a host's module:
//
//	go get github.com/exoagent/exoagent@latest
//
// Begin with packages exosql, which declares and grants rows, and codemode, which makes a tool of grants.
package exoagent

import (
	_ "github.com/exoagent/exoagent/codemode"
	_ "github.com/exoagent/exoagent/exosql"
)
