package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Reader reads the parts of an encoding. After the first error it returns zeros. The caller asks Done for the error once, at the end.
type Reader struct {
	s   string
	at  int
	own bool
	err error
}

// NewReader returns a Reader of s. The texts that it reads are parts of s, so each keeps all of s in memory.
func NewReader(s string) Reader { return Reader{s: s} }

// NewOwner returns a Reader of s. The texts that it reads are copies, so none keeps s in memory.
func NewOwner(s string) Reader { return Reader{s: s, own: true} }

// Fail ends the reading with an error, unless there was one before.
func (d *Reader) Fail(why string) {
	if d.err == nil {
		d.Set(fmt.Errorf("%s at byte %d", why, d.at))
	}
}

// Set ends the reading with an existing error, unless there was one before.
func (d *Reader) Set(err error) {
	if d.err == nil {
		d.err = err
		d.at = len(d.s)
	}
}

// Err returns the reason why the reading ended early.
func (d *Reader) Err() error { return d.err }

// Done returns the error of the whole reading. Unread bytes are an error, too.
func (d *Reader) Done() error {
	if d.err == nil && d.at != len(d.s) {
		d.Fail("there are bytes after the last part")
	}
	return d.err
}

// At returns how many bytes were read.
func (d *Reader) At() int { return d.at }

// Rest returns the unread input. Skip skips n bytes of it.
func (d *Reader) Rest() string { return d.s[d.at:] }

func (d *Reader) Skip(n int) {
	if n < 0 || n > len(d.s)-d.at {
		d.Fail("the input ends early")
		return
	}
	d.at += n
}

// Byte reads one byte.
func (d *Reader) Byte() byte {
	if d.at >= len(d.s) {
		d.Fail("the input ends early")
		return 0
	}
	d.at++
	return d.s[d.at-1]
}

// Uint reads a number. It refuses any spelling but the shortest.
func (d *Reader) Uint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		c := d.Byte()
		if d.err != nil || c == 0 && shift > 0 || shift == 63 && c > 1 {
			d.Fail("a number is too long")
			return 0
		}
		x |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return x
		}
	}
	d.Fail("a number is too long")
	return 0
}

// Int reads a number that AppendInt wrote.
func (d *Reader) Int() int64 {
	u := d.Uint()
	return int64(u>>1) ^ -int64(u&1)
}

// UpTo reads a number and refuses one above limit.
func (d *Reader) UpTo(limit uint64) int {
	u := d.Uint()
	if u > limit {
		d.Fail("a number is too large")
		return 0
	}
	return int(u)
}

// Count reads how many parts follow, of at least size bytes each. It refuses more than the rest can contain. Nested counts may claim the same
// bytes, so callers allocate at most Ahead parts before they have read them.
func (d *Reader) Count(size int) int {
	n := d.Uint()
	if n > uint64((len(d.s)-d.at)/size) { // compare with the bytes after the number
		d.Fail("a count is larger than the rest of the input")
		return 0
	}
	return int(n)
}

// Ahead is how many parts a caller may allocate before it has read them.
const Ahead = 64

// Bool reads a byte that is 0 or 1.
func (d *Reader) Bool() bool { return d.UpTo(1) == 1 }

// Text reads a text, which may have any bytes.
func (d *Reader) Text() string {
	n := d.Count(1)
	if d.err != nil {
		return ""
	}
	s := d.s[d.at : d.at+n]
	d.at += n
	if d.own {
		return strings.Clone(s)
	}
	return s
}

// UTF8 reads a text and refuses invalid UTF-8.
func (d *Reader) UTF8() string {
	s := d.Text()
	if !utf8.ValidString(s) {
		d.Fail("a text is not valid UTF-8")
		return ""
	}
	return s
}

// Texts reads texts that AppendTexts wrote. It returns nil for no texts.
func (d *Reader) Texts() []string {
	n := d.Count(1)
	if n == 0 {
		return nil
	}
	ss := make([]string, 0, min(n, Ahead))
	for range n {
		if ss = append(ss, d.Text()); d.err != nil {
			return nil
		}
	}
	return ss
}

// Bits reads eight bytes, the lowest first.
func (d *Reader) Bits() uint64 {
	if len(d.s)-d.at < 8 {
		d.Fail("the input ends early")
		return 0
	}
	var x uint64
	for i := range 8 {
		x |= uint64(d.s[d.at+i]) << (8 * i)
	}
	d.at += 8
	return x
}
