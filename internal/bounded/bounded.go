// Package bounded reads foreign data up to a number of bytes.
package bounded

import "io"

// Reader reads from another reader and fails beyond a number of bytes. If it just ended there, half an answer could be mistaken for a whole one.
type Reader struct {
	from   io.Reader
	left   int64
	beyond func() error
	failed error
}

// New makes a Reader that returns at most so many bytes as most says. beyond makes the error for longer data, and is called once.
func New(from io.Reader, most int64, beyond func() error) *Reader {
	return &Reader{from: from, left: most, beyond: beyond}
}

// Read implements io.Reader. It returns all bytes that fit before it returns the error.
func (r *Reader) Read(b []byte) (int, error) {
	if r.failed != nil || len(b) == 0 {
		return 0, r.failed
	}
	if int64(len(b))-1 > r.left { // one byte more shows whether the data continue
		b = b[:r.left+1]
	}
	n, err := r.from.Read(b)
	if int64(n) > r.left {
		n, r.failed = int(r.left), r.beyond()
		err = r.failed
	}
	r.left -= int64(n)
	return n, err
}
