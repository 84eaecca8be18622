package frame

import (
	"errors"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// RowsLog numbers rows as they cross to the worker, alike on both sides. It is how
// replies differ from plain values, for those who write and those who read them.
type RowsLog struct {
	rows  []*value.Rows
	Index map[*value.Rows]int
	sizes []int        // known for those that came back
	Held  map[int]Held // those whose cells have not crossed, by number

	typ   func(id uint32) *message.Type    // the host's: of an object
	typed func(id uint32, t *message.Type) // the worker's: it learns of an object
}

// Held is what a worker knows of rows whose cells it does not have.
type Held struct {
	Rows, Text int // how many; bytes of text in them
}

// Add numbers rows that are sent, or that came.
func (l *RowsLog) Add(r *value.Rows) {
	if l.Index == nil {
		l.Index = map[*value.Rows]int{}
	}
	l.Index[r] = len(l.rows)
	l.rows = append(l.rows, r)
}

// Hold notes that the cells of the rows added last stay where they are.
func (l *RowsLog) Hold(h Held) {
	if l.Held == nil {
		l.Held = map[int]Held{}
	}
	l.Held[len(l.rows)-1] = h
}

// Release gives the rows of number n to be fetched; a second call fails.
func (l *RowsLog) Release(n uint64) (*value.Rows, bool) {
	if _, ok := l.Held[int(n)]; !ok || n >= uint64(len(l.rows)) {
		return nil, false
	}
	delete(l.Held, int(n))
	return l.rows[n], true
}

// size is how many bytes of text are in the rows of number n; ok is false for
// rows that no honest worker gives back as a number. It counts what the conversion
// of a result counts: by another measure an honest result would be too large.
func (l *RowsLog) size(n int) (text int, ok bool) {
	for len(l.sizes) < len(l.rows) {
		l.sizes = append(l.sizes, unknown)
	}
	if l.sizes[n] == unknown {
		if text, ok := l.rows[n].Plain(); ok {
			l.sizes[n] = text
		} else {
			l.sizes[n] = notPlain
		}
	}
	return l.sizes[n], l.sizes[n] != notPlain
}

// In place of sizes.
const unknown, notPlain = -1, -2

// maxInline is how many cells cross with the reply. More are fetched when the
// program looks at one: most programs return rows and never do.
const maxInline = 300

// holds says whether rows stay with the host: there are many, and all cells are
// plain, so that their number and the size of their text are all that the program's
// side needs to count them.
func holds(r *value.Rows) (h Held, ok bool) {
	if r.Len()*r.Shape.Width() <= maxInline {
		return h, false
	}
	if h.Text, ok = r.Plain(); !ok {
		return h, false
	}
	h.Rows = r.Len()
	return h, true
}

// Append writes what the worker is to know of an object, and rows that stay here. Other
// rows cross as they are.
func (l *RowsLog) Append(b []byte, v value.Value) ([]byte, bool) {
	if v.Type() == value.TypeRef {
		e := value.Encoder{B: wire.AppendUint(append(b, TagObject), uint64(v.Number()))}
		coding.WriteType(&e, l.typ(v.Number()))
		return e.B, true
	}
	r := v.Rows()
	l.Add(r)
	h, ok := holds(r)
	if !ok {
		return b, false
	}
	l.Hold(h)
	e := value.Encoder{B: append(b, TagHeld)}
	e.Shape(r.Shape)
	long := h.Text << 1
	if v.Wide() {
		long |= 1
	}
	return wire.AppendCount(wire.AppendCount(e.B, h.Rows), long), true
}

// Rows takes rows that come as they are.
func (l *RowsLog) Rows(r *value.Rows) bool {
	l.Add(r)
	return true
}

// Read reads what Append writes. Only a host sends any.
func (l *RowsLog) Read(tag byte, rest string) (value.Value, int, error) {
	d := read(rest)
	switch tag {
	case TagObject:
		v := d.Ref()
		l.typed(v.Number(), coding.ReadType(&d.Decoder))
		return v, d.At(), d.Err()
	case TagHeld:
		r := &value.Rows{Shape: d.Shape()}
		l.Add(r)
		h := Held{Rows: d.UpTo(1 << 31), Text: d.UpTo(1 << 41)}
		r.Long, h.Text = h.Text&1 == 1, h.Text>>1
		l.Hold(h)
		return value.RowsValue(r), d.At(), d.Err()
	}
	return value.Value{}, 0, errValue
}

var errValue = errors.New("no such value")

// homeward is how a result differs from a plain value: rows that came to the worker go
// back as their number.
type homeward RowsLog

// Append implements value.Encoder.
func (h *homeward) Append(b []byte, v value.Value) ([]byte, bool) {
	if v.Type() == value.TypeRef { // no reference ever goes to the host
		return append(b, 0), true
	}
	n, ok := h.Index[v.Rows()]
	if !ok {
		return b, false
	}
	return wire.AppendCount(append(b, TagSame), n), true
}

// maxSame bounds the text of rows that come as numbers, which cost the sender nothing. It is
// above what the conversion of an honest worker admits.
const maxSame = 40 << 20

// Returned reads rows that come back to the host as their number.
type Returned struct {
	Sent  *RowsLog
	same  int // bytes of text in them
	Given int // their cells
}

// Rows refuses rows that the worker made: a result has records instead.
func (x *Returned) Rows(*value.Rows) bool { return false }

func (x *Returned) Read(tag byte, rest string) (v value.Value, read int, err error) {
	d := wire.NewReader(rest)
	n := d.UpTo(uint64(len(x.Sent.rows)))
	switch {
	case tag != TagSame:
		return v, 0, errValue
	case d.Err() != nil || n == len(x.Sent.rows):
		return v, 0, errors.New("rows that were never sent")
	}
	rows := x.Sent.rows[n]
	// Counted each time: a list of one array a thousand times over is small here,
	// and huge as text.
	x.Given += rows.Len() * rows.Shape.Width()
	text, ok := x.Sent.size(n)
	if x.same += text; !ok || x.same > maxSame || x.Given > MaxItems {
		return v, 0, errors.New("more rows than a result holds, or other ones")
	}
	return value.RowsValue(rows), d.At(), nil
}

// AppendFetch asks for the cells of the rows of number n.
func AppendFetch(b []byte, n int) []byte {
	return End(wire.AppendCount(Begin(b, KindFetch), n))
}

func DecodeFetch(s string) (n uint64, err error) {
	r := read(s)
	n = r.Uint()
	return n, r.done()
}

func AppendCells(b []byte, r *value.Rows) []byte {
	e := value.Encoder{B: Begin(b, KindCells)}
	e.Cells(r)
	return End(e.B)
}

// DecodeCells is the worker's.
func DecodeCells(s string, into *value.Rows, rows int) error {
	r := read(s)
	r.Values = 1 << 40
	if r.PlainCells(into); into.Len() != rows { // only rows of scalars are announced: see holds
		r.Fail("another number of rows than was announced")
	}
	return r.done()
}
