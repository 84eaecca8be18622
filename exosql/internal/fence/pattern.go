package fence

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression when it is first called. Each worker process
// initialises all packages of its host but judges no plan, so it should not compile them at its start.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
