package frame

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// Values and messages cross in exo's canonical encoding, with three tags
// more: for objects, and for rows whose cells one side already has.
const (
	TagObject = wire.FirstExtension + iota // to the worker: the number of an object, and its type
	TagSame                                // to the host: the number of rows that it sent
	TagHeld                                // to the worker: rows whose cells stay in the host until they are fetched
)

// reader reads a frame. After the first error its methods return zero values; a caller
// checks done once, at the end.
type reader struct{ value.Decoder }

// read returns a reader whose texts are parts of the frame, without a copy.
func read(s string) reader { return reader{value.Decoder{Reader: wire.NewReader(s)}} }

// done returns the error of a frame. It is an error if the frame has bytes left.
func (r *reader) done() error {
	if err := r.Done(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// short reads a text for people and logs, of at most limit bytes.
func (r *reader) short(limit int) string {
	s := r.UTF8()
	if len(s) > limit {
		r.Fail("a text that is too long")
		return ""
	}
	return s
}

// ErrPanic is the error if decoding a frame panicked: our own mistake, which the host survives.
var ErrPanic = fmt.Errorf("%w: reading it failed", ErrMalformed)

func recovered(err *error) {
	if recover() != nil {
		*err = ErrPanic
	}
}
