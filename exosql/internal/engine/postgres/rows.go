package postgres

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// rowsDecoder decodes an array of records, which are rows within a row. A record has the type of
// each of its cells, so they are decoded like the cells of the result.
type rowsDecoder struct {
	of    *plan.Rows
	cells []cellDecoder
}

// cellDecoder is the decoder for the type that a cell had in the last row.
type cellDecoder struct {
	oid    uint32
	decode decoder
	rows   *rowsDecoder
}

// rowsDecoderOf makes the decoder of the rows in a cell. It returns nil for a cell without rows.
func rowsDecoderOf(c *plan.Cell) *rowsDecoder {
	if c.Rows == nil {
		return nil
	}
	d := &rowsDecoder{of: c.Rows, cells: make([]cellDecoder, len(c.Rows.Cells))}
	for i := range d.cells {
		d.cells[i].rows = rowsDecoderOf(&c.Rows.Cells[i])
	}
	return d
}

var errRecord = errors.New("exosql: the server returned a list of rows in an unknown form: check that the URL leads to PostgreSQL itself")

// decode decodes an array of records, and returns the number of rows. It never reads beyond b, whatever the server sends.
func (d *rowsDecoder) decode(b []byte, m *plan.Misfits) (value.Value, int, error) {
	out := d.of.Begin(m)
	total, err := d.records(b, out)
	if err != nil {
		return value.Value{}, 0, err
	}
	return out.Value(), total, nil
}

func (d *rowsDecoder) records(b []byte, out *plan.NestedRows) (total int, err error) {
	r := &reader{b: b}
	dimensions := r.uint32()
	r.uint32() // skip whether the array has a NULL
	if of := r.uint32(); r.bad || of != pgtype.RecordOID || dimensions > 1 {
		return 0, errRecord
	}
	if dimensions == 0 {
		return 0, nil
	}
	n := r.uint32()
	r.uint32() // skip the first index
	for range n {
		record, null := r.sized()
		switch {
		case r.bad:
			return 0, errRecord
		case null: // a null record means too many rows (see sqlast.Nested)
			return 0, plan.ErrTooManyRows()
		}
		more, err := d.record(&reader{b: record}, out)
		if err != nil {
			return 0, err
		}
		total += 1 + more
	}
	return total, nil
}

// record decodes one row. more counts the rows that it contains.
func (d *rowsDecoder) record(r *reader, out *plan.NestedRows) (more int, err error) {
	if n := r.uint32(); r.bad || int(n) != len(d.cells) {
		return 0, errRecord
	}
	for i := range d.cells {
		c, at := out.Next(), &d.cells[i]
		oid := r.uint32()
		b, null := r.sized()
		if r.bad {
			return 0, errRecord
		}
		if null {
			if err := out.Null(); err != nil {
				return 0, err
			}
			continue
		}
		if oid != at.oid || at.decode == nil {
			if at.oid, at.decode = oid, decoderOf(c, oid); at.decode == nil {
				return 0, c.Contradicts(fmt.Sprintf("PostgreSQL's type %d", oid))
			}
		}
		var v value.Value
		if at.rows != nil {
			var n int
			if v, n, err = at.rows.decode(b, out.Misfits()); err != nil {
				return 0, err
			}
			more += n
		} else {
			v = at.decode(b)
		}
		if err := out.Add(v); err != nil {
			return 0, err
		}
	}
	return more, nil
}

// reader reads the protocol's binary forms.
type reader struct {
	b   []byte
	bad bool // bad: the text ended too early
}

func (r *reader) uint32() uint32 {
	if len(r.b) < 4 {
		r.bad = true
		return 0
	}
	x := binary.BigEndian.Uint32(r.b)
	r.b = r.b[4:]
	return x
}

// sized reads a length and the value after it. A negative length means NULL.
func (r *reader) sized() (b []byte, null bool) {
	n := int32(r.uint32())
	switch {
	case r.bad || n < 0:
		return nil, true
	case int(n) > len(r.b):
		r.bad = true
		return nil, false
	}
	b, r.b = r.b[:n:n], r.b[n:]
	return b, false
}
