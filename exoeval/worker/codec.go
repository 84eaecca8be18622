package worker

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
)

// Tags of values in frames. Each value has one spelling.
const (
	tagNone = iota
	tagNull
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagText
	tagTime
	tagList
	tagRecord
	tagRows
	tagRef  // to the worker: a number, and what can be done with it
	tagSame // to the host: rows that it sent, by their number
	tagHeld // to the worker: rows that stay with the host until they are fetched
)

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendInt(b []byte, i int64) []byte { return binary.AppendVarint(b, i) }

func appendCount(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

// decoder reads the parts of a frame. After the first error everything it
// gives is zero; whoever uses it asks for err once, at the end.
type decoder struct {
	s     string
	at    int
	items int  // values that may still come
	own   bool // texts are copies, not parts of the frame
	err   error
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s at byte %d", errFrame, why, d.at)
		d.at = len(d.s)
	}
}

// done is the verdict on a frame: nothing may be left of it.
func (d *decoder) done() error {
	if d.err == nil && d.at != len(d.s) {
		d.fail("more than its parts")
	}
	return d.err
}

func (d *decoder) byte() byte {
	if d.at >= len(d.s) {
		d.fail("it ends early")
		return 0
	}
	d.at++
	return d.s[d.at-1]
}

func (d *decoder) uint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		c := d.byte()
		if d.err != nil || c == 0 && shift > 0 || shift == 63 && c > 1 {
			d.fail("a number that is too long")
			return 0
		}
		x |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return x
		}
	}
	d.fail("a number that is too long")
	return 0
}

func (d *decoder) int() int64 {
	u := d.uint()
	return int64(u>>1) ^ -int64(u&1)
}

// upTo is a number that is no more than limit.
func (d *decoder) upTo(limit uint64) int {
	u := d.uint()
	if u > limit {
		d.fail("a number that is too large")
		return 0
	}
	return int(u)
}

// count is how many parts follow, of at least size bytes each: never more than
// the rest of the frame can hold, so it is safe to allocate for.
func (d *decoder) count(size int) int {
	n := d.uint()
	if n > uint64((len(d.s)-d.at)/size) { // what is left once the number itself was read
		d.fail("more parts than there is room for")
		return 0
	}
	return int(n)
}

// errPanic is a mistake of ours that a frame has found. The host survives that, too.
var errPanic = fmt.Errorf("%w: reading it failed", errFrame)

func recovered(err *error) {
	if recover() != nil {
		*err = errPanic
	}
}

func (d *decoder) bool() bool { return d.upTo(1) == 1 }

// text is part of the frame's own memory, unless own.
func (d *decoder) text() string {
	n := d.count(1)
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

// utf8 is text that is checked here, since nothing after it does.
func (d *decoder) utf8() string {
	s := d.text()
	if !utf8.ValidString(s) {
		d.fail("bytes that are no text")
		return ""
	}
	return s
}

func (d *decoder) bits() uint64 {
	if len(d.s)-d.at < 8 {
		d.fail("it ends early")
		return 0
	}
	var x uint64
	for i := range 8 {
		x |= uint64(d.s[d.at+i]) << (8 * i)
	}
	d.at += 8
	return x
}

func appendShape(b []byte, s *exo.Shape) []byte {
	b = appendCount(b, len(s.Names))
	for i, n := range s.Names {
		b = appendText(b, n)
		if sub := s.Sub(i); sub != nil {
			b = appendShape(append(b, 1), sub)
		} else {
			b = append(b, 0)
		}
	}
	return b
}

func (d *decoder) shape(depth int) *exo.Shape {
	if depth > maxDepth {
		d.fail("a shape that is nested too deeply")
		return &exo.Shape{}
	}
	n := d.count(2)
	s := &exo.Shape{Names: make([]string, n)}
	for i := range s.Names {
		s.Names[i] = d.text()
		if d.bool() {
			if s.Subs == nil {
				s.Subs = make([]*exo.Shape, n)
			}
			s.Subs[i] = d.shape(depth + 1)
		}
	}
	return s
}

// scalar reads what stands behind a tag of a value without parts. Values are
// made by the constructors, which refuse what no value may hold.
func (d *decoder) scalar(tag byte) (v exo.Value) {
	switch tag {
	case tagNull:
		return exo.Null()
	case tagFalse:
		return exo.Bool(false)
	case tagTrue:
		return exo.Bool(true)
	case tagInt:
		return exo.Int(d.int())
	case tagFloat:
		v = exo.Float(math.Float64frombits(d.bits()))
	case tagText:
		v = exo.Text(d.text())
	case tagTime:
		v = exo.Time(time.UnixMilli(d.int()))
	}
	if v.Kind() == exo.NoValue {
		d.fail("no such value")
	}
	return v
}

func appendScalar(b []byte, v *exo.Value) []byte {
	switch v.Kind() {
	case exo.KindNull:
		return append(b, tagNull)
	case exo.KindBool:
		if v.Bool() {
			return append(b, tagTrue)
		}
		return append(b, tagFalse)
	case exo.KindInt:
		return appendInt(append(b, tagInt), v.Int())
	case exo.KindFloat:
		return binary.LittleEndian.AppendUint64(append(b, tagFloat), math.Float64bits(v.Float()))
	case exo.KindText:
		return appendText(append(b, tagText), v.Text())
	case exo.KindTime:
		return appendInt(append(b, tagTime), v.Time().UnixMilli())
	}
	return append(b, tagNone)
}
