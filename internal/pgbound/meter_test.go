package pgbound

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

// TestMeter: messages are told apart however they are cut, and a request forgives the
// notices before it, not the settings.
func TestMeter(t *testing.T) {
	message := func(kind byte, size int) []byte {
		b := append([]byte{kind}, byte((size+4)>>24), byte((size+4)>>16), byte((size+4)>>8), byte(size+4))
		return append(b, bytes.Repeat([]byte{'S'}, size)...) // a body that looks like headers
	}
	for name, c := range map[string]struct {
		kind byte
		ask  bool
		ok   bool
	}{"rows": {'D', false, true}, "notices": {'N', false, false}, "notices between requests": {'N', true, true}, "settings between requests": {'S', true, false}} {
		m := &meter{to: io.Discard}
		var err error
		for range 3 {
			m.from = iotest.OneByteReader(bytes.NewReader(message(c.kind, maxNotice/2)))
			if _, err = io.Copy(io.Discard, m); err != nil {
				break
			}
			if c.ask {
				if _, err := (asked{m}).Write([]byte("Q")); err != nil {
					t.Fatal(err)
				}
			}
		}
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
