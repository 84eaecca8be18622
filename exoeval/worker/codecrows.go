package worker

import (
	"errors"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// rowsLog numbers rows as they cross to the worker, alike on both sides. It is how
// replies differ from plain values, for those who write and those who read them.
type rowsLog struct {
	rows  []*value.Rows
	index map[*value.Rows]int
	sizes []int        // known for those that came back
	held  map[int]held // those whose cells have not crossed, by number

	typ   func(id uint32) *message.Type    // the host's: of an object
	typed func(id uint32, t *message.Type) // the worker's: it learns of an object
}

// held is what a worker knows of rows whose cells it does not have.
type held struct {
	rows, text int // how many; bytes of text in them
}

// add numbers rows that are sent, or that came.
func (l *rowsLog) add(r *value.Rows) {
	if l.index == nil {
		l.index = map[*value.Rows]int{}
	}
	l.index[r] = len(l.rows)
	l.rows = append(l.rows, r)
}

// hold notes that the cells of the rows added last stay where they are.
func (l *rowsLog) hold(h held) {
	if l.held == nil {
		l.held = map[int]held{}
	}
	l.held[len(l.rows)-1] = h
}

// release gives the rows of number n to be fetched, which is so once.
func (l *rowsLog) release(n uint64) (*value.Rows, bool) {
	if _, ok := l.held[int(n)]; !ok || n >= uint64(len(l.rows)) {
		return nil, false
	}
	delete(l.held, int(n))
	return l.rows[n], true
}

// size is how many bytes of text are in the rows of number n; ok is false for
// rows that no honest worker gives back as a number. It counts what the conversion
// of a result counts: by another measure an honest result would be too large.
func (l *rowsLog) size(n int) (text int, ok bool) {
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
func holds(r *value.Rows) (h held, ok bool) {
	if r.Len()*r.Shape.Width() <= maxInline {
		return h, false
	}
	if h.text, ok = r.Plain(); !ok {
		return h, false
	}
	h.rows = r.Len()
	return h, true
}

// Append writes what the worker is to know of an object, and rows that stay here. Other
// rows cross as they are.
func (l *rowsLog) Append(b []byte, v value.Value) ([]byte, bool) {
	if v.Type() == value.TypeRef {
		e := value.Encoder{B: wire.AppendUint(append(b, tagObject), uint64(v.Number()))}
		message.WriteType(&e, l.typ(v.Number()))
		return e.B, true
	}
	r := v.Rows()
	l.add(r)
	h, ok := holds(r)
	if !ok {
		return b, false
	}
	l.hold(h)
	e := value.Encoder{B: append(b, tagHeld)}
	e.Shape(r.Shape)
	long := h.text << 1
	if v.Wide() {
		long |= 1
	}
	return wire.AppendCount(wire.AppendCount(e.B, h.rows), long), true
}

// Rows takes rows that come as they are.
func (l *rowsLog) Rows(r *value.Rows) bool {
	l.add(r)
	return true
}

// Read reads what Append writes. Only a host sends any.
func (l *rowsLog) Read(tag byte, rest string) (value.Value, int, error) {
	d := read(rest)
	switch tag {
	case tagObject:
		v := d.Ref()
		l.typed(v.Number(), message.ReadType(&d.Decoder))
		return v, d.At(), d.Err()
	case tagHeld:
		r := &value.Rows{Shape: d.Shape()}
		l.add(r)
		h := held{rows: d.UpTo(1 << 31), text: d.UpTo(1 << 41)}
		r.Long, h.text = h.text&1 == 1, h.text>>1
		l.hold(h)
		return value.RowsValue(r), d.At(), d.Err()
	}
	return value.Value{}, 0, errValue
}

var errValue = errors.New("no such value")

// homeward is how a result differs from a plain value: rows that came to the worker go
// back as their number.
type homeward rowsLog

// Append implements value.Encoder.
func (h *homeward) Append(b []byte, v value.Value) ([]byte, bool) {
	if v.Type() == value.TypeRef { // no reference ever goes to the host
		return append(b, 0), true
	}
	n, ok := h.index[v.Rows()]
	if !ok {
		return b, false
	}
	return wire.AppendCount(append(b, tagSame), n), true
}

// maxSame bounds the text of rows that come as numbers, which cost the sender nothing. It is
// above what the conversion of an honest worker admits.
const maxSame = 40 << 20

// returned reads rows that come back to the host as their number.
type returned struct {
	sent  *rowsLog
	same  int // bytes of text in them
	given int // their cells
}

// Rows refuses rows that the worker made: a result has records instead.
func (x *returned) Rows(*value.Rows) bool { return false }

func (x *returned) Read(tag byte, rest string) (v value.Value, read int, err error) {
	d := wire.NewReader(rest)
	n := d.UpTo(uint64(len(x.sent.rows)))
	switch {
	case tag != tagSame:
		return v, 0, errValue
	case d.Err() != nil || n == len(x.sent.rows):
		return v, 0, errors.New("rows that were never sent")
	}
	rows := x.sent.rows[n]
	// Counted each time: a list of one array a thousand times over is small here,
	// and huge as text.
	x.given += rows.Len() * rows.Shape.Width()
	text, ok := x.sent.size(n)
	if x.same += text; !ok || x.same > maxSame || x.given > maxItems {
		return v, 0, errors.New("more rows than a result holds, or other ones")
	}
	return value.RowsValue(rows), d.At(), nil
}

// appendFetch asks for the cells of the rows of number n.
func appendFetch(b []byte, n int) []byte {
	return end(wire.AppendCount(begin(b, frameFetch), n))
}

func decodeFetch(s string) (n uint64, err error) {
	r := read(s)
	n = r.Uint()
	return n, r.done()
}

func appendCells(b []byte, r *value.Rows) []byte {
	e := value.Encoder{B: begin(b, frameCells)}
	e.Cells(r)
	return end(e.B)
}

// decodeCells is the worker's.
func decodeCells(s string, into *value.Rows, rows int) error {
	r := read(s)
	r.Values = 1 << 40
	if r.PlainCells(into); into.Len() != rows { // only rows of scalars are announced: see holds
		r.Fail("another number of rows than was announced")
	}
	return r.done()
}
