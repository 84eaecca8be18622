package answer

// This file answers messages that ask for a page. It seals and opens cursors.

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/cursor"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// ErrCursor is the only error for a cursor that is forged, or made for another query, constant, principal, grant or key. So an attacker does not learn which.
var ErrCursor error = fail.Errorf(fail.Invalid, "page", "the cursor is no longer valid, or belongs to another query: begin again at the first page, and change only the cursor from page to page")

// answerPage answers a message that asks for a page.
func (db *DB) answerPage(ctx context.Context, a asked) (_ value.Value, err error) {
	args := a.m.Root.Args
	if a.page, err = newPage(args[0].Lit.Int()); err != nil {
		return value.Value{}, err
	}
	first, err := db.plan(ctx, &a)
	if err != nil {
		return value.Value{}, err
	}
	bound, err := first.Bind(a.m.Args, a.vals, nil, a.m.Zone())
	if err != nil {
		return value.Value{}, err
	}
	use := db.use("guest", a.m.Run().Principal, first, bound)
	if len(args) > 1 && !args[1].Lit.IsNull() {
		if a.after, err = db.openCursor(use, args[1].Lit.Text(), first.After); err != nil {
			return value.Value{}, err
		}
		a.page.from = a.after
	}
	rows, err := db.run(ctx, &a)
	if err != nil {
		return value.Value{}, err
	}
	next := value.Null()
	if text, err := db.sealCursor(use, a.page.next); err != nil {
		return value.Value{}, err
	} else if text != "" {
		next = value.Text(text)
	}
	return value.RecordValue(value.Field{Name: "rows", Value: inRecord(rows)}, value.Field{Name: "next", Value: next}), nil
}

// inRecord returns rows in a form that a reply may contain: packed only if all cells are scalars.
func inRecord(v value.Value) value.Value {
	rs := v.Rows()
	if rs == nil {
		return v
	}
	if _, plain := rs.Plain(); plain {
		return v
	}
	list := make([]value.Value, rs.Len())
	for i := range list {
		list[i] = rs.Row(i)
	}
	return value.List(list...)
}

// use returns the purpose of a query's cursors: the statement of the first page and every bound value, for one principal.
// So a cursor is valid only with the query's constants and the scopes of its grants. Only the size of a page may differ.
func (db *DB) use(api string, p exo.Principal, first *plan.Plan, bound []value.Value) cursor.Use {
	var e value.Encoder
	for _, text := range []string{api, string(p), first.Text} { // each text has its length, so that two texts can't be read as two others
		e.B = append(binary.AppendUvarint(e.B, uint64(len(text))), text...)
	}
	for i, v := range bound {
		if !first.Args[i].OneMore {
			e.Value(v)
		}
	}
	e.Shape(first.Shape)
	return sha256.Sum256(e.B)
}

// sealCursor returns a position as the sealed text of a cursor, or "" for none.
func (db *DB) sealCursor(use cursor.Use, at []value.Value) (string, error) {
	if at == nil {
		return "", nil
	}
	position, err := value.List(at...).AppendBinary(nil)
	if err != nil {
		return "", err
	}
	text, err := db.cursors.Seal(use, position)
	if errors.Is(err, cursor.ErrLong) {
		return "", fail.Errorf(fail.Limit, "page", "the last row of the page is sorted by values of more than %d bytes together, too many for a cursor: order by something shorter, like t.column.slice(0, 100)", cursor.MaxPosition)
	}
	return text, err
}

// openCursor returns the values in the sealed text of a cursor.
func (db *DB) openCursor(use cursor.Use, text string, values int) ([]value.Value, error) {
	position, err := db.cursors.Open(use, text)
	if err != nil {
		return nil, ErrCursor
	}
	list, err := value.DecodeValue(string(position), 1+2*values)
	if err != nil || list.Len() != values {
		return nil, ErrCursor
	}
	at := make([]value.Value, values)
	for i := range at {
		at[i] = list.At(i)
	}
	return at, nil
}
