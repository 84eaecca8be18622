package fence

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first asked for: each worker initialises every
// package of its host, and judges no plan.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
