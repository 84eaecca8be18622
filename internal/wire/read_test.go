package wire

import (
	"strings"
	"testing"
)

// Each bound of the reader refuses on its own, just beyond what it admits.
func TestReaderBounds(t *testing.T) {
	for _, c := range []struct {
		what, bad, good string
		read            func(d *Reader)
	}{
		{"a count of what has no room", "\x03" + strings.Repeat("x", 23), "\x03" + strings.Repeat("x", 24), func(d *Reader) {
			d.Count(8)
			d.Skip(len(d.Rest()))
		}},
		{"a text that ends early", "\x02x", "\x01x", func(d *Reader) { d.Text() }},
		{"a skip that ends early", "x", "xx", func(d *Reader) { d.Skip(2) }},
		{"a number spelled twice", "\x81\x00", "\x81\x01", func(d *Reader) { d.Uint() }},
		{"a number of ten bytes", strings.Repeat("\xff", 9) + "\x02", strings.Repeat("\xff", 9) + "\x01", func(d *Reader) { d.Uint() }},
		{"a number beyond its limit", "\x08", "\x07", func(d *Reader) { d.UpTo(7) }},
		{"neither true nor false", "\x02", "\x01", func(d *Reader) { d.Bool() }},
		{"bytes that are not valid UTF-8", "\x01\xff", "\x01x", func(d *Reader) { d.UTF8() }},
		{"seven bytes of eight", "1234567", "12345678", func(d *Reader) { d.Bits() }},
		{"the rest", "\x00x", "\x00", func(d *Reader) { d.Uint() }},
		{"nothing", "", "x", func(d *Reader) { d.Byte() }},
	} {
		for _, s := range []string{c.bad, c.good} {
			d := NewReader(s)
			c.read(&d)
			if err := d.Done(); (err != nil) != (s == c.bad) {
				t.Errorf("%s, %q: %v", c.what, s, err)
			}
		}
	}
}
