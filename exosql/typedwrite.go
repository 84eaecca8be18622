package exosql

import (
	"context"
	"errors"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// Assignment is a value to be written to a column of T; [Column.Set] and [Column.SetNull] make one. Every write refuses the zero Assignment.
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

// SetNull assigns NULL to the column. The write is refused if the column was not declared by [NewNullable].
func (c *Column[T, V]) SetNull() Assignment[T] { return Assignment[T]{c.core(), value.Null()} }

// Insert adds a row and returns it as stored. A column that the scope fixes is filled in and can't be given. A column that is left out gets the
// database's default. After [Follow] there must be one parent row, and the new row gets its key.
//
// A relation writes by the same rules as programs. A row must be in scope before and after the write. A key that is written, in a column of a
// declared link, must refer to a row in scope, so the grant needs a scope of that table. Side effects, such as triggers, need [Table.Permit]. The
// rights of facets bind only programs: Go code may write every column, except the key of an existing row, and its errors have the database's own
// text.
//
// Each call is a transaction of its own (SERIALIZABLE on PostgreSQL, repeated after conflicts), or part of the [Tx] of [Relation.InTx]. After an
// error that does not wrap [exo.ErrNothingDone] it is unknown whether the transaction was kept.
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
		return row, &fail.Error{Kind: fail.Internal, Err: fail.Named("exosql: the database returned no row for an insert: look for a trigger or a rule that removes new rows")}
	}
	return rows[0], nil
}

// InsertMany adds rows, all or none, and returns their number: see [Relation.Insert].
func (r Relation[T]) InsertMany(ctx context.Context, rows ...[]Assignment[T]) (int64, error) {
	v, err := r.write(ctx, language.InsertMany, rows...)
	return v.Int(), err
}

// Update changes the rows of the relation and returns their number: see [Relation.Insert] for the rules. After Grant or Follow, a Where, Limit or
// Search must name the rows: Where([AllRows]) for all. A changed row may stop matching these conditions. It must still match the grant, its scopes
// and the link of Follow, so their columns can't be changed.
func (r Relation[T]) Update(ctx context.Context, values ...Assignment[T]) (int64, error) {
	v, err := r.write(ctx, language.Update, values)
	return v.Int(), err
}

// Delete deletes the rows of the relation and returns their number. As for [Relation.Update], Where, Limit or Search must name the rows.
func (r Relation[T]) Delete(ctx context.Context) (int64, error) {
	v, err := r.write(ctx, language.Delete, nil)
	return v.Int(), err
}

// Permit lists side effects of writes of Go code that the host accepts, as [Facet.Permit] does for programs. A table whose writes have any other
// side effect can't be written.
func (t *Table[T]) Permit(known ...Permission) *Table[T] {
	t.must("Permit").Permit(permissions(known)...)
	return t
}

// write checks the assignments, and writes their values.
func (r Relation[T]) write(ctx context.Context, method string, rows ...[]Assignment[T]) (value.Value, error) {
	op := "exosql: " + map[string]string{language.Insert: "Insert", language.InsertMany: "InsertMany", language.Update: "Update", language.Delete: "Delete"}[method]
	if r.r == nil {
		return value.Int(0), unit.Undone(op, decl.ErrZeroRelation)
	}
	var given []value.Value
	for _, row := range rows {
		fields, err := fieldsOf(r.r.Table, row)
		if err != nil {
			return value.Int(0), unit.Undone(op, err)
		}
		given = append(given, value.RecordValue(fields...))
	}
	v, err := r.db.core().Write(ctx, r.tx, r.r, method, writing.GivenRows(given...))
	if err != nil {
		if e, ok := errors.AsType[*fail.Error](err); ok && e.Op == "" {
			err = &fail.Error{Op: op, Kind: e.Kind, Msg: e.Message(), Err: e.Err}
		}
		return value.Int(0), fail.Classify(op, err)
	}
	return v, nil
}

// fieldsOf converts assignments to columns of t into the form that the compiler reads.
func fieldsOf[T any](t *decl.Table, values []Assignment[T]) (fields []value.Field, err error) {
	for i, a := range values {
		switch {
		case a.col == nil:
			return nil, fail.Errorf(fail.Invalid, "", "an Assignment has no column: make it by Set of a column that NewColumn declared")
		case a.col.Table != t:
			return nil, fail.Errorf(fail.Invalid, "", "the value is for %s.%s, and the relation is of table %s: set columns of that table", a.col.Table.Name, a.col.Name, t.Name)
		case slices.ContainsFunc(values[:i], func(b Assignment[T]) bool { return b.col == a.col }):
			return nil, fail.Errorf(fail.Invalid, "", "%s.%s is given twice: set it once", t.Name, a.col.Name)
		}
		if err := a.col.Storable(a.v); err != nil {
			return nil, err
		}
		fields = append(fields, value.Field{Name: writing.HostColumn(a.col), Value: a.v})
	}
	return fields, nil
}
