package exosql

import (
	"context"
	"errors"
	"fmt"

	"github.com/exoagent/exoagent/exo"
)

// Relation is a capability to the rows of one table that its grant reaches. It
// is immutable; every method narrows. The zero Relation answers each query with an error.
type Relation[T any] struct {
	r *relation
	t *Table[T]
}

// relation is the untyped core: a grant, or one step from another relation.
type relation struct {
	db     *DB
	err    error
	table  *table
	prev   *relation // what this step narrows
	kind   stepKind
	pred   *pred   // stepGrant, stepWhere
	scopes []Scope // stepGrant
	link   *link   // stepFollow: prev is of another table
	order  []ordering
	n      int64 // stepLimit, stepOffset
	slot   int   // of a shaper's copy: of n
}

type ordering struct {
	col  *column
	desc bool
}

type stepKind uint8

const (
	stepGrant stepKind = iota
	stepWhere
	stepOrder
	stepLimit
	stepOffset
	stepFollow
)

var errZeroRelation = &exo.Error{Kind: exo.Denied, Msg: "this relation was never granted"}

// Grant makes the relation of those rows of t for which scope holds, on behalf
// of whoever it is handed to. The scope can't be left out; AllRows is long on
// purpose. others fix the scopes of further tables: see Scope.
func Grant[T any](db *DB, t *Table[T], scope Predicate[T], others ...Scope) Relation[T] {
	r := &relation{db: db, kind: stepGrant, pred: scope.p, scopes: others}
	switch {
	case t == nil || db == nil:
		return Relation[T]{}
	case scope.p == nil:
		r.err = &exo.Error{Op: t.t.name, Kind: exo.Denied, Err: errors.New("exosql: granted with the zero Predicate")}
	case scope.p.err != nil:
		r.err = scope.p.err
	}
	r.table = t.t
	return Relation[T]{r, t}
}

func (r Relation[T]) step(s relation) Relation[T] {
	if r.r == nil {
		return r
	}
	s.db, s.table, s.prev = r.r.db, r.r.table, r.r
	if s.err == nil {
		s.err = r.r.err
	}
	return Relation[T]{&s, r.t}
}

// Where keeps the rows for which p holds. After Limit it filters the rows that
// Limit left, and never brings others in.
func (r Relation[T]) Where(p Predicate[T]) Relation[T] {
	s := relation{kind: stepWhere, pred: p.p}
	if p.p != nil {
		s.err = p.p.err
	}
	return r.step(s)
}

// OrderBy sorts the rows; further calls sort within equals. Ties are broken by
// the key where a limit makes the order count.
func (r Relation[T]) OrderBy(terms ...Order[T]) Relation[T] {
	s := relation{kind: stepOrder}
	for _, o := range terms {
		if o.col == nil {
			s.err = exo.Errorf(exo.Invalid, "orderBy", "a zero Order was given")
			break
		}
		if operatorOn()[columnInterfaces[o.col.kind]]["asc"] == nil {
			s.err = exo.Errorf(exo.Invalid, "orderBy", "%s.%s is JSON or an array, which has no order", o.col.table.name, o.col.name)
			break
		}
		s.order = append(s.order, ordering(o))
	}
	return r.step(s)
}

// Limit keeps at most n rows; a negative n is an error.
func (r Relation[T]) Limit(n int64) Relation[T] { return r.step(countStep(stepLimit, n)) }

// Offset skips n rows; a negative n is an error. A page is Offset and then Limit:
// after Limit it skips some of the rows that Limit left.
func (r Relation[T]) Offset(n int64) Relation[T] { return r.step(countStep(stepOffset, n)) }

func countStep(kind stepKind, n int64) relation {
	s := relation{kind: kind, n: n}
	if n < 0 {
		op := "exosql: Limit"
		if kind == stepOffset {
			op = "exosql: Offset"
		}
		s.err = exo.Errorf(exo.Invalid, op, "%d is negative", n)
	}
	return s
}

// Follow returns the rows that the link reaches from rows of r, each once, and
// within the scope of their table: the one that the grant declares, or the link by
// which the chain came to the table first. A link that leads back to the granted
// table stays within the grant's predicate, so a self-link from "the user with id
// 1" reaches nobody else: grant the tenant's users, and narrow with Where.
func Follow[A, B any](r Relation[A], l Link[A, B]) Relation[B] {
	if r.r == nil || l.l == nil {
		return Relation[B]{}
	}
	return Relation[B]{&relation{db: r.r.db, err: r.r.err, kind: stepFollow, table: l.l.to, prev: r.r, link: l.l}, l.to}
}

// All reads the rows. Without Limit or Offset, rows that no OrderBy tells apart come in
// an order that is the engine's and may depend on rows out of scope.
func (r Relation[T]) All(ctx context.Context) ([]T, error) {
	rows, err := r.read(ctx, runAll)
	if err != nil {
		return nil, err
	}
	return r.t.scan(rows)
}

// First reads the first row; ok is false when there is none.
func (r Relation[T]) First(ctx context.Context) (row T, ok bool, err error) {
	rows, err := r.read(ctx, runFirst)
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
		return 0, errZeroRelation
	}
	v, err := r.r.run(ctx, runCount)
	if err != nil {
		return 0, err
	}
	return v.Int(), nil
}

func (r Relation[T]) read(ctx context.Context, kind runKind) (*exo.Rows, error) {
	if r.r == nil {
		return nil, errZeroRelation
	}
	v, err := r.r.run(ctx, kind)
	if err != nil {
		return nil, err
	}
	return v.Rows(), nil
}

// scan turns rows of all the table's columns into Ts.
func (t *Table[T]) scan(rows *exo.Rows) ([]T, error) {
	w := len(t.t.cols)
	out := make([]T, rows.Len())
	for i := range out {
		for c, set := range t.sets {
			if !set(&out[i], rows.Cells[i*w+c]) {
				col := t.t.cols[c]
				return nil, &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: the field of %s.%s can't hold a value of the column: it is too large for it, or an array with a NULL", t.t.name, col.name)}
			}
		}
	}
	return out, nil
}

// grant is the step that began the chain.
func (r *relation) grant() *relation {
	for r.prev != nil {
		r = r.prev
	}
	return r
}
