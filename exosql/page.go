package exosql

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/cursor"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// ErrCursor is why a cursor is refused, be it forged, or of another query, constant, principal, grant or key: all look alike.
var ErrCursor error = fail.Errorf(fail.Invalid, "page", "the cursor is no longer valid, or is of another query: begin at the first page, and change nothing but the cursor from page to page")

// page is how many rows a page has, and what is told of it.
type page struct {
	size int64
	from []value.Value // the values by which it begins; nil: it is the first one
	next []value.Value // the values of its last row by which the next page begins; nil: it is the last one
}

func newPage(size int64) (*page, error) {
	if size < 1 {
		return nil, fail.Errorf(fail.Invalid, "page", "the number of rows of a page must be at least 1; got %d", size)
	}
	return &page{size: size}, nil
}

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

// inRecord is rows as they can stand within a reply: packed ones only where each cell is a scalar.
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

// use is what a cursor of a query is good for: the statement of its first page with every value that is bound in it, so the
// query's constants and the scopes of its grants, for one principal. How many rows a page has may change.
func (db *DB) use(api string, p exo.Principal, first *plan.Plan, bound []value.Value) cursor.Use {
	var e value.Encoder
	for _, text := range []string{api, string(p), first.Text} { // each with its length, so that none runs into the next
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

// sealCursor is the text of a position, "" for none.
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
		return "", fail.Errorf(fail.Limit, "page", "the last row of the page is sorted by values of more than %d bytes together, too many for a cursor; order by something shorter, like a part of a text", cursor.MaxPosition)
	}
	return text, err
}

// openCursor are the values of a cursor.
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

// positionOf is what a statement depends on in the values of a cursor.
func positionOf(after []value.Value) compile.Position {
	if after == nil {
		return nil
	}
	at := make(compile.Position, len(after))
	for i, v := range after {
		switch at[i] = compile.AtValue; v.Type() {
		case value.TypeNull:
			at[i] = compile.AtNull
		case value.TypeList:
			at[i] = compile.AtCell
		}
	}
	return at
}

// appendPosition adds the same to the key of a plan.
func appendPosition(key []byte, after []value.Value) []byte {
	if after == nil {
		return key
	}
	return append(append(append(key, "after "...), positionOf(after)...), ' ')
}

// Page reads at most size rows in their order, which ends in the key. after is "" for the first page, and then what the page before gave
// as next, which is "" at the end. Rows that come or go between two pages move no other, and where an index serves the order, a late page
// is as fast as the first. A cursor may be shown to anybody: it is encrypted, and good for this relation alone, with the
// values of its scopes and conditions; else the error is [ErrCursor]. See OpenOptions.CursorKey.
func (r Relation[T]) Page(ctx context.Context, size int64, after string) (rows []T, next string, err error) {
	if r.r == nil {
		return nil, "", decl.ErrZeroRelation
	}
	v, next, err := r.db.relationPage(ctx, r.tx, r.r, size, after)
	if err != nil {
		return nil, "", err
	}
	rows, err = r.t.scan(v.Rows())
	return rows, next, err
}

// relationPage answers a chain of typed calls that ends in a page.
func (db *DB) relationPage(ctx context.Context, tx *Tx, r *decl.Relation, size int64, text string) (_ value.Value, next string, err error) {
	if r.Err != nil {
		return value.Value{}, "", r.Err
	}
	if err := db.ready(); err != nil {
		return value.Value{}, "", err
	}
	of, err := newPage(size)
	if err != nil {
		return value.Value{}, "", err
	}
	ss, err := scope.Chain(r)
	if err != nil {
		return value.Value{}, "", &fail.Error{Op: r.Table.Name, Kind: fail.Denied, Err: err}
	}
	s := compile.NewChain(r, ss, plan.RunPage, value.Int(size))
	p, err := db.chain(ctx, s.Key, &s, nil)
	if err != nil {
		return value.Value{}, "", err
	}
	vals := [][]value.Value{s.Vals}
	bound, err := p.Bind(nil, vals, nil, utc)
	if err != nil {
		return value.Value{}, "", err
	}
	use := db.use("typed", "", p, bound)
	if text != "" {
		at, err := db.openCursor(use, text, p.After)
		if err != nil {
			return value.Value{}, "", err
		}
		of.from = at
		if p, err = db.chain(ctx, appendPosition(s.Key, at), &s, positionOf(at)); err != nil {
			return value.Value{}, "", err
		}
		if bound, err = p.Bind(nil, vals, at, utc); err != nil {
			return value.Value{}, "", err
		}
	}
	by, err := db.settings(rowsec.Settings(s.Grant(), s.Vals))
	if err != nil {
		return value.Value{}, "", err
	}
	var v value.Value
	err = db.inTx(ctx, tx, func(u *unit) (err error) {
		v, err = db.query(ctx, u, p, bound, by, nil, nil, of)
		return err
	})
	if err != nil {
		return value.Value{}, "", err
	}
	next, err = db.sealCursor(use, of.next)
	return v, next, err
}
