package repl

import (
	"io"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// MaxImages is how many changed rows WriteChanges shows. Use it for OpenOptions.Images.
const MaxImages = screen.MaxImages

// WriteChanges writes what a program would change, or has changed, like a terminal does but without
// colours. admits are the labels that may be shown, the same as for the program's result. kept is a text that
// follows each number of changes, like ", not kept".
func WriteChanges(out io.Writer, all []exosql.Changes, admits value.Label, kept string) {
	screen.Screen{}.Changed(out, all, admits, kept)
}
