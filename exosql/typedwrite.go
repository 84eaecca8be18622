package exosql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// Assignment is a value for a column of T, to be written; [Column.Set] and [Column.SetNull] make one. The zero
// Assignment is refused by whatever it is given to.
type Assignment[T any] struct {
	col *decl.Column
	v   value.Value
}

// Set assigns v to the column.
func (c *Column[T, V]) Set(v V) Assignment[T] {
	if c.core() == nil {
		return Assignment[T]{}
	}
	return Assignment[T]{c.c, toStored(v)}
}

// SetNull assigns NULL to the column. One that was not declared by [NewNullable] refuses it when it is written.
func (c *Column[T, V]) SetNull() Assignment[T] { return Assignment[T]{c.core(), value.Null()} }

// Insert adds a row and reads it as it is then. A column that the scope fixes is filled in and can't be given; one
// that is left out has the default of the database. Behind [Follow] the row is inserted through the link: one
// row has to be there, whose key is filled in.
//
// A relation writes by the same rules as programs: a row is in scope before and after, and a key that is written, by a column of
// a declared link, leads to a row in scope, so that the grant needs a scope of that table. What the
// database does besides has to be known, see [Table.Permit]. The rights of facets are for programs: Go code may
// write every column, though no key of a row that is there, and errors tell it what the database says.
//
// Each call is a transaction of its own (SERIALIZABLE on PostgreSQL, tried again where others were in its way), or part of
// the [Tx] that the relation is In. After an error that does not wrap [exo.ErrNothingDone], nobody knows whether the
// transaction was kept.
func (r Relation[T]) Insert(ctx context.Context, values ...Assignment[T]) (row T, err error) {
	v, err := r.write(ctx, language.Insert, values)
	if err != nil {
		return row, err
	}
	rows, err := r.t.scan(v.Rows())
	if err != nil {
		return row, err
	}
	if len(rows) != 1 {
		return row, &fail.Error{Kind: fail.Internal, Err: errors.New("exosql: an insert gave no row")}
	}
	return rows[0], nil
}

// InsertMany adds rows, all or none, and gives their number: see [Relation.Insert].
func (r Relation[T]) InsertMany(ctx context.Context, rows ...[]Assignment[T]) (int64, error) {
	v, err := r.write(ctx, language.InsertMany, rows...)
	return v.Int(), err
}

// Update changes the rows of the relation, and gives their number: see [Relation.Insert] for the rules. Which rows are meant has to
// be said by Where, Limit or Search behind the Grant or Follow: Where([AllRows]) if all are. What
// these say need not hold afterwards; what Grant, its scopes and Follow say must, so their columns can't be changed.
func (r Relation[T]) Update(ctx context.Context, values ...Assignment[T]) (int64, error) {
	v, err := r.write(ctx, language.Update, values)
	return v.Int(), err
}

// Delete deletes the rows of the relation, and gives their number. Which rows are meant has to be said as for [Relation.Update].
func (r Relation[T]) Delete(ctx context.Context) (int64, error) {
	v, err := r.write(ctx, language.Delete, nil)
	return v.Int(), err
}

// Permit says what a write of Go code may do beyond the rows that it names, as [Facet.Permit] says it of programs. No write runs on a table
// that would do more.
func (t *Table[T]) Permit(known ...Permission) *Table[T] {
	t.must("Permit").Permit(permissions(known)...)
	return t
}

// write checks what is given, and writes it.
func (r Relation[T]) write(ctx context.Context, method string, rows ...[]Assignment[T]) (value.Value, error) {
	op := "exosql: " + map[string]string{language.Insert: "Insert", language.InsertMany: "InsertMany", language.Update: "Update", language.Delete: "Delete"}[method]
	if r.r == nil {
		return value.Int(0), undone(op, decl.ErrZeroRelation)
	}
	var given []value.Value
	for _, row := range rows {
		fields, err := fieldsOf(r.r.Table, row)
		if err != nil {
			return value.Int(0), undone(op, err)
		}
		given = append(given, value.RecordValue(fields...))
	}
	v, err := r.db.write(ctx, r.tx, r.r, method, writing.GivenRows(given...))
	if err != nil {
		if e, ok := errors.AsType[*fail.Error](err); ok && e.Op == "" {
			err = &fail.Error{Op: op, Kind: e.Kind, Msg: e.Message(), Err: e.Err}
		}
		return value.Int(0), fail.Classify(op, err)
	}
	return v, nil
}

// undone returns err as an error that wraps exo.ErrNothingDone, so that a program or the host's code may go on after it. No text is in it twice.
func undone(op string, err error) error {
	e := fail.AsError(op, err)
	return &fail.Error{Op: cmp.Or(e.Op, op), Kind: e.Kind, Msg: e.Message(), Err: left{e.Err, err}}
}

// left is the cause of an error after which nothing is left of a change. Its text is that of why, the cause in the error of: the rest of
// the error's text comes before it.
type left struct{ why, of error }

func (l left) Error() string {
	if l.why == nil || errors.Is(l.why, exo.ErrNothingDone) {
		return exo.ErrNothingDone.Error()
	}
	return l.why.Error()
}

func (l left) Unwrap() []error { return []error{exo.ErrNothingDone, l.of} }

// fieldsOf are assignments to columns of t as they are given to the compiler.
func fieldsOf[T any](t *decl.Table, values []Assignment[T]) (fields []value.Field, err error) {
	for i, a := range values {
		switch {
		case a.col == nil:
			return nil, fail.Errorf(fail.Invalid, "", "a zero Assignment was given, or one of a Column that was not declared: Column.Set makes one")
		case a.col.Table != t:
			return nil, fail.Errorf(fail.Invalid, "", "a value for %s.%s was given for table %s", a.col.Table.Name, a.col.Name, t.Name)
		case slices.ContainsFunc(values[:i], func(b Assignment[T]) bool { return b.col == a.col }):
			return nil, fail.Errorf(fail.Invalid, "", "%s.%s is given twice", t.Name, a.col.Name)
		}
		if err := a.col.Storable(a.v); err != nil {
			return nil, err
		}
		fields = append(fields, value.Field{Name: writing.HostColumn(a.col), Value: a.v})
	}
	return fields, nil
}

// write answers a chain of typed calls that writes.
func (db *DB) write(ctx context.Context, tx *Tx, r *decl.Relation, method string, given writing.Given) (_ value.Value, err error) {
	begun := false
	defer func() {
		if err != nil && !begun {
			err = undone("", err)
		}
	}()
	if r.Err != nil {
		return value.Value{}, r.Err
	}
	if err := db.ready(); err != nil {
		return value.Value{}, err
	}
	ss, err := scope.Chain(r)
	if err != nil {
		return value.Value{}, &fail.Error{Kind: fail.Denied, Err: err}
	}
	if len(given.Rows) == 0 && method == language.Delete {
		given = writing.GivenRows(value.Value{})
	}
	t := writing.NewTypedWrite(r, ss, method)
	if given, err = beforeTyped(ctx, t, given); err != nil {
		return value.Value{}, err
	}
	t.Give(given.Sets)
	w, ok := db.writes.Get(t.Key)
	if !ok {
		made, err := t.Compile(db.engine(ctx))
		if err != nil {
			return value.Value{}, err
		}
		w = db.writes.Add(t.Key, &keptWrite{Writing: made})
	}
	if err := db.typedWritable(ctx, w.Writing, given.Sets); err != nil {
		return value.Value{}, err
	}
	by, err := db.settings(rowsec.Settings(t.Grant(), t.Vals))
	if err != nil {
		return value.Value{}, err
	}
	a := &asked{m: t.M, vals: [][]value.Value{t.Vals}, by: by, given: given}
	var v value.Value
	begun = true
	err = db.inUnit(ctx, tx, func(u *unit) (err error) {
		a.unit = u
		x := newChanging(ctx, a, w.Writing)
		if v, err = x.run.Do(); err == nil {
			x.wrote(decl.RowWrite{Run: exo.Run{Clock: time.Now()}}, v)
		}
		if x.run.New != nil {
			v = value.RowsValue(x.run.New)
		}
		return err
	})
	return v, err
}

// inUnit runs f in a unit of work of its own, which is kept if f does not fail; with a Tx it is a part of that.
func (db *DB) inUnit(ctx context.Context, tx *Tx, f func(*unit) error) error {
	u, err := db.newUnit(ctx, tx)
	if err != nil {
		return undone("", err)
	}
	if err = f(u); err == nil {
		err = u.Prepare(ctx)
	}
	if err != nil {
		return undone("", errors.Join(err, u.Rollback(context.WithoutCancel(ctx))))
	}
	if err := u.Commit(ctx); err != nil {
		return fail.Classify("", err)
	}
	db.settleTyped(ctx, u.settling)
	return nil
}

// inTx runs f in a Tx; without one f gets nil.
func (db *DB) inTx(ctx context.Context, tx *Tx, f func(*unit) error) error {
	if tx == nil {
		return f(nil)
	}
	return db.inUnit(ctx, tx, f)
}

// typedWritable refuses what would reach beyond the scope, like writable, but for what Go code may learn.
func (db *DB) typedWritable(ctx context.Context, w *writing.Writing, sets [][]string) error {
	live, _, err := db.catalogue(ctx)
	if err != nil {
		return err
	}
	of, err := writeOf(w.Grant, w.Facet, nil)
	if err != nil {
		return err
	}
	of.Depends(w.Grant, nil)
	of.Trusted = true
	of.Rights = decl.Rights{Delete: w.Kind == writing.Deletes, Permits: w.Facet.Rights.Permits}
	cols := writing.HostColumns(w.Table, sets)
	if w.Kind == writing.Inserts {
		of.Rights.Insert = cols
	} else {
		of.Rights.Update = cols
	}
	if err := writing.Writable(live, of); err != nil {
		return &fail.Error{Kind: fail.Denied, Err: fmt.Errorf("%w; see exosql.Table.Permit", err)}
	}
	return nil
}
