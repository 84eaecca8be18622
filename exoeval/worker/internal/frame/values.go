package frame

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// Values and messages cross in exo's canonical encoding, with three tags added to it: for
// objects, and for rows of which one side already has the cells.
const (
	TagObject = wire.FirstExtension + iota // to the worker: the number of an object, and what can be done with it
	TagSame                                // to the host: rows that it sent, by their number
	TagHeld                                // to the worker: rows that stay with the host until they are fetched
)

// reader reads a frame. After the first error its methods return zero values; a caller
// checks done once, at the end.
type reader struct{ value.Decoder }

// read is a reader whose texts are parts of the frame.
func read(s string) reader { return reader{value.Decoder{Reader: wire.NewReader(s)}} }

// done is the verdict on a frame: nothing may be left of it.
func (r *reader) done() error {
	if err := r.Done(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// short is a text that people and logs will read.
func (r *reader) short(limit int) string {
	s := r.UTF8()
	if len(s) > limit {
		r.Fail("a text that is too long")
		return ""
	}
	return s
}

// ErrPanic is a mistake of ours that a frame has found. The host survives that, too.
var ErrPanic = fmt.Errorf("%w: reading it failed", ErrMalformed)

func recovered(err *error) {
	if recover() != nil {
		*err = ErrPanic
	}
}
