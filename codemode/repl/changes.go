package repl

import (
	"io"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// MaxImages is for OpenOptions.Images: how many changed rows WriteChanges shows.
const MaxImages = screen.MaxImages

// WriteChanges writes what a program would change, or has changed, as a terminal without colours shows it. admits are the labels that the
// screen may show: those of the program's result.
func WriteChanges(out io.Writer, all []exosql.Changes, admits value.Label, kept string) {
	screen.Screen{}.Changed(out, all, admits, kept)
}
