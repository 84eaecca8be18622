package engine

import (
	"strings"
)

// Arena copies texts out of the engine's memory, many into one allocation. What
// is kept of it keeps at most a chunk more alive than itself.
type Arena struct {
	b    *strings.Builder
	size int
}

const chunk = 16 << 10 // bytes

// Keep is a copy of b.
func (a *Arena) Keep(b []byte) string {
	if len(b) > chunk/4 {
		return string(b)
	}
	if a.b == nil || a.b.Cap()-a.b.Len() < len(b) {
		// Another one, never a larger one: growing would copy what is there.
		a.size = min(max(2*a.size, 256), chunk)
		a.b = &strings.Builder{}
		a.b.Grow(max(a.size, len(b)))
	}
	from := a.b.Len()
	a.b.Write(b)
	return a.b.String()[from:]
}
