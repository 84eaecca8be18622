package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxParts limits the parts and calls of a reply, and the elements of a Few.
const MaxParts = 1024

// MaxName limits the bytes of a tool's name. Names of codemode's tools have at most 64.
const MaxName = 256

// These are errors for replies that exceed these limits.
var (
	ManyCalls = fmt.Sprintf("the reply has more than %d calls, the limit: ask for less at once", MaxParts)
	LongName  = fmt.Sprintf("the model called a tool by a name of more than %d bytes, the limit", MaxName)
)

// Few is a JSON array of at most MaxParts elements. The limit is checked during decoding: otherwise
// three bytes of text could become a hundred bytes of memory.
type Few[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (f *Few[T]) UnmarshalJSON(text []byte) error {
	*f = nil
	d := json.NewDecoder(bytes.NewReader(text))
	switch t, err := d.Token(); {
	case err != nil:
		return err
	case t == nil:
		return nil
	case t != json.Delim('['):
		return errors.New("no array")
	}
	for d.More() {
		if len(*f) == MaxParts {
			return errors.New("too many elements")
		}
		var v T
		if err := d.Decode(&v); err != nil {
			return err
		}
		*f = append(*f, v)
	}
	return nil
}

// Bounded reads from From until Left bytes are used up. Then it fails.
type Bounded struct {
	From io.Reader
	Left int
}

// Refill allows the bytes of one more event.
func (b *Bounded) Refill() { b.Left = maxEvent }

// Read implements io.Reader.
func (b *Bounded) Read(p []byte) (int, error) {
	if b.Left <= 0 {
		return 0, errTooLong
	}
	n, err := b.From.Read(p[:min(len(p), b.Left)])
	b.Left -= n
	return n, err
}
