package scalar

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression at its first call. A package that compiles one in a variable does so in each worker of a
// host, too, at its start.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
