package frame

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// Values and messages cross in exo's canonical encoding. Three more tags are for objects, and for rows whose cells one side already has.
const (
	TagObject = wire.FirstExtension + iota // to the worker: an object's number and its type
	TagSame                                // to the host: the number of rows that the host sent
	TagHeld                                // to the worker: rows whose cells stay in the host until they are fetched
)

// reader reads a frame. After the first error its methods return zero values, so a caller checks done once, at the end.
type reader struct{ value.Decoder }

// read returns a reader for s. Its texts are parts of the frame, without a copy.
func read(s string) reader { return reader{value.Decoder{Reader: wire.NewReader(s)}} }

// done returns the error of a frame. Unread bytes are an error, too.
func (r *reader) done() error {
	if err := r.Done(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// short reads a text of at most limit bytes, for people and logs. A longer text is an error of the frame.
func (r *reader) short(limit int) string {
	s := r.UTF8()
	if len(s) > limit {
		r.Fail("the worker sent a text longer than the limit")
		return ""
	}
	return s
}

// ErrPanic is the error if decoding a frame panicked. The mistake is ours, and the host survives it.
var ErrPanic = fmt.Errorf("%w: the reader panicked", ErrMalformed)

func recovered(err *error) {
	if recover() != nil {
		*err = ErrPanic
	}
}
