package postgres

import (
	"encoding/binary"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// records is an array of records as the server sends it: of each cell its type and its bytes, nil for NULL.
func records(rows ...[]any) (b []byte) {
	u := func(n uint32) { b = binary.BigEndian.AppendUint32(b, n) }
	for _, n := range []uint32{1, 0, pgtype.RecordOID, uint32(len(rows)), 1} {
		u(n)
	}
	for _, cells := range rows {
		if cells == nil {
			u(1<<32 - 1)
			continue
		}
		size := 4
		for i := 1; i < len(cells); i += 2 {
			size += 8 + len(cells[i].([]byte))
		}
		u(uint32(size))
		u(uint32(len(cells) / 2))
		for i := 0; i < len(cells); i += 2 {
			u(cells[i].(uint32))
			if x := cells[i+1].([]byte); x == nil {
				u(1<<32 - 1)
			} else {
				u(uint32(len(x)))
				b = append(b, x...)
			}
		}
	}
	return b
}

func twoCells() *plan.Cell {
	return &plan.Cell{Kind: value.TypeRows, Rows: &plan.Rows{Shape: &value.Shape{Names: []string{"n", "s"}}, Cells: []plan.Cell{{Kind: value.TypeInt, Name: "n"}, {Kind: value.TypeText, Name: "s", Null: true}}}}
}

// TestRowsOfARecord: a cell of a row within a row is decoded by the type that it has there, and what is none of the
// declared kind, or no array of such records, is an error.
func TestRowsOfARecord(t *testing.T) {
	num, text := uint32(pgtype.Int4OID), uint32(pgtype.TextOID)
	seven := []byte{0, 0, 0, 7}
	d := rowsDecoderOf(twoCells())
	v, n, err := d.decode(records([]any{num, seven, text, []byte("a")}, []any{uint32(pgtype.Int8OID), append(make([]byte, 7), 8), text, []byte(nil)}), &plan.Misfits{})
	if b, _ := v.AppendJSON(nil); err != nil || n != 2 || string(b) != `[{"n":7,"s":"a"},{"n":8,"s":null}]` {
		t.Errorf("%s %d %v", b, n, err)
	}
	if v, n, err := d.decode([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0xc9}, &plan.Misfits{}); err != nil || n != 0 || v.Len() != 0 {
		t.Errorf("no rows: %v %d %v", v, n, err)
	}
	for name, x := range map[string]struct {
		b    []byte
		kind fail.Kind
	}{
		"a row beyond the bound": {records([]any{num, seven, text, []byte("a")}, nil), fail.Limit},
		"NULL":                   {records([]any{num, []byte(nil), text, []byte("a")}), fail.Internal},
		"a text":                 {records([]any{text, seven, text, []byte("a")}), fail.Internal},
		"a short number":         {records([]any{num, seven[:3], text, []byte("a")}), fail.Internal},
		"a NUL":                  {records([]any{num, seven, text, []byte{0}}), fail.Internal},
	} {
		if v, _, err := d.decode(x.b, &plan.Misfits{}); fail.KindOf(err) != x.kind {
			t.Errorf("%s: %v %v", name, v, err)
		}
	}
	for name, b := range map[string][]byte{"nothing": {}, "one cell": records([]any{num, seven}), "of numbers": append([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23}, make([]byte, 8)...)} {
		if v, _, err := d.decode(b, &plan.Misfits{}); err == nil {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// TestRowsOfAnyServer: whatever a server sends, nothing is read beyond it.
func TestRowsOfAnyServer(t *testing.T) {
	good := records([]any{uint32(pgtype.Int4OID), []byte{0, 0, 0, 7}, uint32(pgtype.TextOID), []byte("abc")}, []any{uint32(pgtype.Int4OID), []byte{0, 0, 0, 7}, uint32(pgtype.TextOID), []byte("abc")})
	rapid.Check(t, func(t *rapid.T) {
		b := append([]byte(nil), good[:rapid.IntRange(0, len(good)).Draw(t, "cut")]...)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			if len(b) > 0 {
				b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "to")
			}
		}
		_, n, err := rowsDecoderOf(twoCells()).decode(b, &plan.Misfits{})
		if err == nil && n > len(b) {
			t.Fatal(n)
		}
	})
}
