package bounded

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReader: what fits is read whole, and a byte more is an error and never an end, however it arrives. The twin, io.LimitReader, ends.
func TestReader(t *testing.T) {
	large := errors.New("too large")
	for _, c := range []struct{ size, most int64 }{{0, 0}, {1, 0}, {10, 10}, {11, 10}, {5000, 10}, {5000, 5000}, {10, math.MaxInt64}} {
		for name, in := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "by halves": iotest.HalfReader, "with its end": iotest.DataErrReader,
		} {
			text := strings.Repeat("x", int(c.size))
			calls := 0
			r := New(in(strings.NewReader(text)), c.most, func() error { calls++; return large })
			b, err := io.ReadAll(r)
			if fits := c.size <= c.most; fits != (err == nil) || !fits && (err != large || calls != 1) || int64(len(b)) != min(c.size, c.most) {
				t.Errorf("%d of %d %s: %d bytes, %v, %d calls", c.size, c.most, name, len(b), err, calls)
			}
			if n, again := r.Read(make([]byte, 10)); n != 0 || err != nil && again != err {
				t.Errorf("%d of %d %s: read on: %d, %v", c.size, c.most, name, n, again)
			}
		}
	}
	if b, err := io.ReadAll(io.LimitReader(bytes.NewReader(make([]byte, 11)), 10)); err != nil || len(b) != 10 {
		t.Errorf("the twin reads half as the whole: %d bytes, %v", len(b), err)
	}
}
