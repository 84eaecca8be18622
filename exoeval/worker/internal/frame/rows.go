package frame

import (
	"errors"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// RowsLog numbers rows when they cross to the worker, in the same order
// on both sides. It extends the encoding of plain values for replies.
type RowsLog struct {
	rows  []*value.Rows
	Index map[*value.Rows]int
	sizes []int        // sizes of text, for rows that came back
	Held  map[int]Held // by number, the rows whose cells have not crossed

	typ   func(id uint32) *message.Type    // the host's: the type of an object
	typed func(id uint32, t *message.Type) // the worker's: notes the type of an object
}

// Held is what a worker knows about rows without their cells.
type Held struct {
	Rows, Text int // the number of rows, and the bytes of text in them
}

// Add gives a number to rows that are sent or received.
func (l *RowsLog) Add(r *value.Rows) {
	if l.Index == nil {
		l.Index = map[*value.Rows]int{}
	}
	l.Index[r] = len(l.rows)
	l.rows = append(l.rows, r)
}

// Hold notes that the cells of the last added rows stay in the host.
func (l *RowsLog) Hold(h Held) {
	if l.Held == nil {
		l.Held = map[int]Held{}
	}
	l.Held[len(l.rows)-1] = h
}

// Release returns the rows of number n, whose cells are to be sent. A second call for the same rows fails.
func (l *RowsLog) Release(n uint64) (*value.Rows, bool) {
	if _, ok := l.Held[int(n)]; !ok || n >= uint64(len(l.rows)) {
		return nil, false
	}
	delete(l.Held, int(n))
	return l.rows[n], true
}

// size returns the bytes of text in the rows of number n. ok is false for
// rows that no honest worker returns as a number. It must count as the
// conversion of a result counts, or an honest result could be too large.
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

// These values in sizes are no number of bytes.
const unknown, notPlain = -1, -2

// maxInline is the most cells that cross with the reply. More cells cross
// when the program reads one of them: most programs return rows and never do.
const maxInline = 300

// holds reports whether rows stay in the host: if there are many, and all cells are plain,
// so that the program's side can count them by their number and the size of their text.
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

// Append writes the worker's knowledge of an object, or of rows
// that stay in the host. Other rows are encoded with their cells.
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

// Rows adds rows that come with their cells.
func (l *RowsLog) Rows(r *value.Rows) bool {
	l.Add(r)
	return true
}

// Read reads what Append writes. Only a host sends it.
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

var errValue = errors.New("an unknown tag of a value")

// homeward extends the encoding for a result: rows that the worker got go back as their number.
type homeward RowsLog

// Append implements value.Encoder.
func (h *homeward) Append(b []byte, v value.Value) ([]byte, bool) {
	if v.Type() == value.TypeRef { // a reference is never sent to the host
		return append(b, 0), true
	}
	n, ok := h.Index[v.Rows()]
	if !ok {
		return b, false
	}
	return wire.AppendCount(append(b, TagSame), n), true
}

// maxSame bounds the text of rows that return as numbers, because a number costs
// the sender nothing. It is more than the conversion in an honest worker admits.
const maxSame = 40 << 20

// Returned reads rows that return to the host as their number.
type Returned struct {
	Sent  *RowsLog
	same  int // bytes of text in these rows
	Given int // cells of these rows
}

// Rows refuses rows that the worker made: an honest result has records instead.
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
	// Count the rows each time. If a list has one array a
	// thousand times, it is small here and huge as text.
	x.Given += rows.Len() * rows.Shape.Width()
	text, ok := x.Sent.size(n)
	if x.same += text; !ok || x.same > maxSame || x.Given > MaxItems {
		return v, 0, errors.New("the worker returned more rows than a result may have, or rows that the host did not send to it")
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

// DecodeCells reads cells in the worker.
func DecodeCells(s string, into *value.Rows, rows int) error {
	r := read(s)
	r.Values = 1 << 40
	if r.PlainCells(into); into.Len() != rows { // only rows of scalars are announced: see holds
		r.Fail("another number of rows than was announced")
	}
	return r.done()
}
