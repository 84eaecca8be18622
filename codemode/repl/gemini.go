//go:build gemini

package repl

import _ "github.com/exoagent/exoagent/codemode/agent/gemini"
