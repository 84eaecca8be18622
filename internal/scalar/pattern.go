package scalar

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression at its first call. If a variable of a package had it compiled, each worker of a host
// would compile it when it starts, too.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
