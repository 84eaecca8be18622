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

// Update changes the rows of the relation, and gives their number: see [Relation.Insert] for the rules. Where, Limit or Search
// behind the Grant or Follow must say which rows are meant: Where([AllRows]) if all are. What these say need not hold afterwards;
// what Grant, its scopes and Follow say must, so their columns can't be changed.
func (r Relation[T]) Update(ctx context.Context, values ...Assignment[T]) (int64, error) {
	v, err := r.write(ctx, language.Update, values)
	return v.Int(), err
}

// Delete deletes the rows of the relation, and gives their number. Which rows are meant has to be said as for [Relation.Update].
func (r Relation[T]) Delete(ctx context.Context) (int64, error) {
	v, err := r.write(ctx, language.Delete, nil)
	return v.Int(), err
}

// Permit says what a write of Go code may do beyond the rows that it names, as [Facet.Permit] does for programs. No write runs on a table
// that would do more.
func (t *Table[T]) Permit(known ...Permission) *Table[T] {
	t.must("Permit").Permit(permissions(known)...)
	return t
}

// write checks what is given, and writes it.
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
