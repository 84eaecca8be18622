package repl

import (
	"fmt"
	"io"
	"time"

	"github.com/exoagent/exoagent/internal/spin"
)

// spinAfter is how long something may take before it is worth a word.
const spinAfter = 200 * time.Millisecond

// spin starts a spinner; on a plain screen it shows nothing. Nothing else may be written while it spins.
func (s screen) spin(out io.Writer, what string) *spin.Spinner {
	if !s.live {
		return &spin.Spinner{}
	}
	return spin.Start(out, spinAfter, func(frame string, took time.Duration) string {
		return s.paint(cyan, frame) + " " + s.paint(dim, fmt.Sprintf("%s, %.1f s; Ctrl-C stops it", what, took.Seconds()))
	})
}
