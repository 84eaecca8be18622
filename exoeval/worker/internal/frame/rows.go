package frame

import (
	"errors"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// RowsLog gives numbers to rows when they cross to the worker, in the same order on both sides. For replies it extends the encoding of plain values.
type RowsLog struct {
	rows  []*value.Rows
	Index map[*value.Rows]int
	sizes []int        // the sizes of rows' texts, to count rows that come back
	Held  map[int]Held // rows whose cells have not crossed, by number

	typ   func(id uint32) *message.Type    // the host's function that returns the type of an object
	typed func(id uint32, t *message.Type) // the worker's function that notes the type of an object
}

// Held is what a worker knows about rows without cells.
type Held struct {
	Rows, Text int // the number of rows, and the bytes of their texts
}

// Add gives the next number to rows that are sent or received.
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

// Release returns the rows of number n, to send their cells. A second call for the same rows fails.
func (l *RowsLog) Release(n uint64) (*value.Rows, bool) {
	if _, ok := l.Held[int(n)]; !ok || n >= uint64(len(l.rows)) {
		return nil, false
	}
	delete(l.Held, int(n))
	return l.rows[n], true
}

// size returns the bytes of text in the rows of number n. ok is false for rows that no honest worker returns as a number. size counts like the
// conversion of a result. Otherwise an honest result could be refused as too large.
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

// These values in sizes are marks instead of a number of bytes.
const unknown, notPlain = -1, -2

// maxInline is the most cells that cross with the reply. A larger number crosses when the program reads a cell, because most programs return
// rows and never read one.
const maxInline = 300

// holds reports whether rows stay in the host: there are many, and all cells are plain. The program's side can count such rows by their number
// and the size of their texts.
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

// Append writes an object, or rows that stay in the host, as the worker needs them. It returns false for other rows, which are encoded with
// their cells.
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

// Rows gives a number to rows that come with their cells, and accepts them.
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

var errValue = errors.New("the worker sent a value of an unknown kind")

// homeward extends the encoding for a result: rows that came from the host are encoded as only their number.
type homeward RowsLog

// Append implements value.Encoder.
func (h *homeward) Append(b []byte, v value.Value) ([]byte, bool) {
	if v.Type() == value.TypeRef { // no reference is sent to the host
		return append(b, 0), true
	}
	n, ok := h.Index[v.Rows()]
	if !ok {
		return b, false
	}
	return wire.AppendCount(append(b, TagSame), n), true
}

// maxSame bounds the bytes of text in rows that a worker returns by number: a hostile worker could send the same number a million times. An
// honest worker's conversion admits less.
const maxSame = 40 << 20

// Returned reads rows that a worker returns by their number.
type Returned struct {
	Sent  *RowsLog
	same  int // the bytes of text in these rows
	Given int // the cells of these rows
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
		return v, 0, errors.New("the worker returned rows that the host never sent")
	}
	rows := x.Sent.rows[n]
	// Count the rows each time: a list that has one array a thousand times is small here and huge as text.
	x.Given += rows.Len() * rows.Shape.Width()
	text, ok := x.Sent.size(n)
	if !ok {
		return v, 0, errors.New("the worker referred to rows with lists or records, which a worker must send whole")
	}
	if x.same += text; x.same > maxSame || x.Given > MaxItems {
		return v, 0, errors.New("the worker returned more rows than a result may have")
	}
	return value.RowsValue(rows), d.At(), nil
}

// AppendFetch asks for the cells of the rows with number n.
func AppendFetch(b []byte, n int) []byte { return End(wire.AppendCount(Begin(b, KindFetch), n)) }

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

// DecodeCells reads cells in the worker, for the rows in the parameter into. It fails unless they are as many rows as the host announced.
func DecodeCells(s string, into *value.Rows, rows int) error {
	r := read(s)
	r.Values = 1 << 40
	if r.PlainCells(into); into.Len() != rows { // the host announces only rows of scalars: see holds
		r.Fail("the host sent another number of rows than it announced")
	}
	return r.done()
}
