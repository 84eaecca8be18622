package fence

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression at its first call. Each worker process
// initialises every package of its host and judges no plan, so compiling at start would be a waste.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
