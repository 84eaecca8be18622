package exosql

import (
	"context"
	"errors"
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Relation is a capability to the rows of one table that its grant reaches. It is immutable, and every method narrows. Every query on the zero
// Relation is an error.
type Relation[T any] struct {
	r  *decl.Relation
	t  *Table[T]
	db *DB
	tx *unit.Tx // tx is nil outside of a transaction
}

// Grant makes a relation of the rows of t that scope matches. Every query on it stays within these rows. The scope can't be left out: pass AllRows
// to mean all rows. others give the scopes of further tables: see Scope. If the DB, Table or Predicate is nil or zero, every query is an error.
func Grant[T any](db *DB, t *Table[T], scope Predicate[T], others ...Scope) Relation[T] {
	r := &decl.Relation{Kind: decl.StepGrant, Pred: scope.p}
	for _, o := range others {
		r.Scopes = append(r.Scopes, o.s)
	}
	r.Table = t.core()
	switch {
	case r.Table == nil:
		r.Err = &fail.Error{Kind: fail.Denied, Err: errors.New("exosql: Grant: " + zeroTable)}
	case db == nil:
		r.Err = &fail.Error{Kind: fail.Denied, Err: answer.ErrNotOpened}
	case r.Table.Schema != "" && db.core().Ready() == nil && db.db.Dialect == sqlast.SQLite:
		r.Err = &fail.Error{Op: r.Table.Name, Kind: fail.Denied, Err: fmt.Errorf("exosql: SQLite has no schemas, and an attached database is not read: declare the table without InSchema(%q)", r.Table.Schema)}
	case scope.p == nil:
		r.Err = &fail.Error{Op: r.Table.Name, Kind: fail.Denied, Err: errors.New("exosql: Grant got the zero Predicate, which matches no row; use AllRows if you mean every row")}
	case scope.p.Err != nil:
		r.Err = scope.p.Err
	default:
		r.Err = scope.p.Of(r.Table)
	}
	return Relation[T]{r, t, db, nil}
}

func (r Relation[T]) step(s decl.Relation) Relation[T] {
	if r.r == nil {
		return r
	}
	s.Table, s.Prev = r.r.Table, r.r
	if s.Err == nil {
		s.Err = r.r.Err
	}
	return Relation[T]{&s, r.t, r.db, r.tx}
}

// Where keeps the rows that p matches. After Limit it filters the rows that Limit left, and never adds others.
func (r Relation[T]) Where(p Predicate[T]) Relation[T] {
	s := decl.Relation{Kind: decl.StepWhere, Pred: p.p}
	if p.p != nil {
		if s.Err = p.p.Err; s.Err == nil && r.r != nil {
			s.Err = p.p.Of(r.r.Table)
		}
	}
	return r.step(s)
}

// OrderBy sorts the rows. A further call sorts rows that are equal so far. If a limit makes the order matter, the key breaks ties, in the direction
// of the last term.
func (r Relation[T]) OrderBy(terms ...Order[T]) Relation[T] {
	s := decl.Relation{Kind: decl.StepOrder}
	for _, o := range terms {
		if o.col == nil {
			s.Err = fail.Errorf(fail.Invalid, "orderBy", "a zero Order was given: make one with Column.Asc or Column.Desc")
			break
		}
		if language.OperatorOn()[language.ColumnInterfaces[o.col.Kind]]["asc"] == nil {
			s.Err = fail.Errorf(fail.Invalid, "orderBy", "%s.%s is JSON or an array, which has no order: sort by another column", o.col.Table.Name, o.col.Name)
			break
		}
		if r.r != nil && o.col.Table != r.r.Table {
			s.Err = fail.Errorf(fail.Invalid, "orderBy", "%[1]s.%[2]s is no column of table %[3]s: sort by a column of that table", o.col.Table.Name, o.col.Name, r.r.Table.Name)
			break
		}
		s.Order = append(s.Order, decl.Ordering{Col: o.col, Desc: o.desc})
	}
	return r.step(s)
}

// Limit keeps at most n rows. A negative n is an error.
func (r Relation[T]) Limit(n int64) Relation[T] { return r.step(countStep(decl.StepLimit, n)) }

// Offset skips n rows; a negative n is an error. For a page, call Offset and then Limit. After Limit, Offset skips some of the rows that Limit
// left.
func (r Relation[T]) Offset(n int64) Relation[T] { return r.step(countStep(decl.StepOffset, n)) }

func countStep(kind decl.StepKind, n int64) decl.Relation {
	s := decl.Relation{Kind: kind, N: n}
	if n < 0 {
		op := "exosql: Limit"
		if kind == decl.StepOffset {
			op = "exosql: Offset"
		}
		s.Err = fail.Errorf(fail.Invalid, op, "%d is negative: want 0 or more", n)
	}
	return s
}

// Follow returns the rows that the link reaches from rows of r, each once. They are in the scope of their table: the one given to Grant, or else
// the rows that the first link to the table reaches. A link back to the granted table reaches only granted rows: from "the user with id 1" a
// self-link finds only that user. Grant all users of the tenant instead, and narrow with Where. A table that only one link reaches needs no scope:
// its rows are all those that the link reaches, of any owner. If a foreign key can point out of the tenant (task.assignee_id), give the table
// a scope.
func Follow[A, B any](r Relation[A], l Link[A, B]) Relation[B] {
	if r.r == nil || l.l == nil {
		return Relation[B]{}
	}
	err := r.r.Err
	if err == nil && l.l.From != r.r.Table {
		err = fail.Errorf(fail.Invalid, "exosql: Follow", "the link %s leads from table %s, and the relation is of table %s: follow a link from that table", l.l.Name, l.l.From.Name, r.r.Table.Name)
	}
	return Relation[B]{&decl.Relation{Err: err, Kind: decl.StepFollow, Table: l.l.To, Prev: r.r, Link: l.l}, l.to, r.db, r.tx}
}

// All reads the rows. Without Limit or Offset, rows that OrderBy does not sort come in the engine's order, which may depend on rows out of scope.
func (r Relation[T]) All(ctx context.Context) ([]T, error) {
	rows, err := r.read(ctx, plan.RunAll)
	if err != nil {
		return nil, err
	}
	return r.t.scan(rows)
}

// First reads the first row. ok is false if there is no row.
func (r Relation[T]) First(ctx context.Context) (row T, ok bool, err error) {
	rows, err := r.read(ctx, plan.RunFirst)
	if err != nil || rows.Len() == 0 {
		return row, false, err
	}
	all, err := r.t.scan(rows)
	if err != nil {
		return row, false, err
	}
	return all[0], true, nil
}

// Count counts the rows.
func (r Relation[T]) Count(ctx context.Context) (int64, error) {
	if r.r == nil {
		return 0, decl.ErrZeroRelation
	}
	v, err := r.db.core().Read(ctx, r.tx, r.r, plan.RunCount)
	if err != nil {
		return 0, err
	}
	return v.Int(), nil
}

func (r Relation[T]) read(ctx context.Context, kind plan.RunKind) (*value.Rows, error) {
	if r.r == nil {
		return nil, decl.ErrZeroRelation
	}
	v, err := r.db.core().Read(ctx, r.tx, r.r, kind)
	if err != nil {
		return nil, err
	}
	return v.Rows(), nil
}

// Page reads at most size rows, in the relation's order, which ends with the key. Pass "" as after for the first page, and then the result next of the page
// before. next is "" at the end. Rows added or removed between two pages move no other row. If an index serves the order, a late page is as fast as the first. A
// cursor is encrypted, so anybody may see it. It works only for this relation with the same scopes and conditions; otherwise the error is
// [ErrCursor]. See OpenOptions.CursorKey.
func (r Relation[T]) Page(ctx context.Context, size int64, after string) (rows []T, next string, err error) {
	if r.r == nil {
		return nil, "", decl.ErrZeroRelation
	}
	v, next, err := r.db.core().Page(ctx, r.tx, r.r, size, after)
	if err != nil {
		return nil, "", err
	}
	rows, err = r.t.scan(v.Rows())
	return rows, next, err
}

// scan converts rows with all columns of the table to Ts.
func (t *Table[T]) scan(rows *value.Rows) ([]T, error) {
	out, in := make([]T, rows.Len()), rows.Reader()
	for i := range out {
		cells := in.Cells(i)
		for c, set := range t.sets {
			if !set(&out[i], cells[c]) {
				col := t.t.Cols[c]
				return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a value of the column %s.%s does not fit its field: declare a larger type, or for an array with NULL a slice of pointers", t.t.Name, col.Name)}
			}
		}
	}
	return out, nil
}
