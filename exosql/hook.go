package exosql

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// WriteKind is the kind of a write: an insert, an update or a delete.
type WriteKind = decl.WriteKind

const (
	Inserts WriteKind = decl.Inserts
	Updates WriteKind = decl.Updates
	Deletes WriteKind = decl.Deletes
)

// Write describes one write to a hook: one inserted row, or one update or delete of any number of rows. [Table.BeforeWrite] gets it before the
// write runs, and [Table.AfterCommit] after the commit.
type Write[T any] struct {
	Kind  WriteKind
	Run   exo.Run // Run is the run of the program, with Principal and Clock; for Go code only Clock is set, to the time of the call
	Facet string  // Facet is the alias of the facet that gives the program its rights; "" for Go code
	Row   T       // Row has the given values in their fields, and zero in all others; changing it has no effect
	Rows  int64   // Rows is the number of written rows; 0 in BeforeWrite

	w *decl.RowWrite
}

// BeforeWrite calls f before each write to t, by programs through any facet of t and by Go code: once for each inserted row, and once for an update
// or a delete. f is trusted code of the host. It gets the values that the caller gave, without those that the scope or a link fills in. An error of f
// stops the whole write before anything is written. f may [Write.Fill] only the columns in fills, even columns that programs can't see or write;
// the row must be in scope afterwards. Hooks run in the order of their declaration, for this declaration of the table alone. BeforeWrite panics if
// the table is in use already.
//
// A program reads the error's text if f returns an *[fail.Error] of Kind Invalid or Denied without an Op, like fail.Errorf(fail.Invalid, "", …).
// The text must name no column that the facet hides. Any other error, and a panic, appears to the program as an internal error. Go code gets the
// error itself.
//
// f must obey its context. f must have no effect of its own, because the write may be refused later, be undone with its run, or be repeated in
// another transaction. f must not write to the DB's database, where the program's transaction may hold locks.
func (t *Table[T]) BeforeWrite(f func(ctx context.Context, w *Write[T]) error, fills ...Member[T]) *Table[T] {
	d := t.must("BeforeWrite")
	if f == nil {
		panic("exosql: BeforeWrite of table " + d.Name + ": the function is nil: pass one")
	}
	var cols []*decl.Column
	for _, m := range fills {
		cols = append(cols, columnOf(m))
	}
	d.Hook(func(ctx context.Context, r *decl.RowWrite) error {
		w, err := t.hookWrite(r)
		if err != nil {
			return err
		}
		return f(ctx, w)
	}, cols)
	return t
}

// hookWrite makes the Write that a hook gets.
func (t *Table[T]) hookWrite(r *decl.RowWrite) (*Write[T], error) {
	w := &Write[T]{Kind: r.Kind, Run: r.Run, Facet: r.Facet, Rows: r.Rows, w: r}
	for _, g := range r.Given {
		if !g.Calculated && !t.sets[g.Col.Index](&w.Row, g.Value) {
			want := map[bool]string{true: "a list of smaller numbers, without null", false: "a smaller number"}[g.Col.Kind == value.TypeList]
			return nil, fail.Errorf(fail.Invalid, "", "`%s` can't have this value: write %s", g.Col.Guest, want)
		}
	}
	return w, nil
}

// AfterCommit calls f after rows of t were written and all is committed: once for each run, each [Tx], and each call of Go code outside a Tx. f
// gets the writes to t in order, in the form of BeforeWrite, with the columns that those hooks filled. It gets no write that found no row, and not
// the keys by which an update found rows. f is trusted code of the host. It can't change what was written or how the run ends: its error or panic
// goes to [OpenOptions.HookFailed] and into the record of the run. All hooks of all tables are called, in the order in which the tables were first
// written. AfterCommit panics if the table is in use already.
//
// In a run, f is called after the record has the commit and before held effects act. It is called at most once. f is not called for a write that
// was rolled back, was refused or has an unknown outcome, and not again when a transaction is repeated. f is not called if the process is killed
// between the commit and the call. So data that must not be lost belongs into the transaction, as a row of a table.
//
// f must obey its context, which does not end with the context of the call. It may read and write the database by Go code.
func (t *Table[T]) AfterCommit(f func(ctx context.Context, writes []Write[T]) error) *Table[T] {
	d := t.must("AfterCommit")
	if f == nil {
		panic("exosql: AfterCommit of table " + d.Name + ": the function is nil: pass one")
	}
	d.After(func(ctx context.Context, rows []decl.RowWrite) error {
		writes := make([]Write[T], len(rows))
		for i := range rows {
			w, err := t.hookWrite(&rows[i])
			if err != nil {
				return err
			}
			writes[i] = *w
		}
		return f(ctx, writes)
	})
	return t
}

// columnOf returns the column of a member, or nil if the member is no column.
func columnOf[T any](m Member[T]) *decl.Column {
	c, ok := m.(interface{ core() *decl.Column })
	if !ok {
		return nil
	}
	return c.core()
}

// Gives reports whether the write gives the column a value, NULL, or an expression that the database calculates. Row has the value.
func (w *Write[T]) Gives(c Member[T]) bool {
	return w != nil && w.w != nil && w.w.Of(columnOf(c)) != nil
}

// Calculates reports whether an update calculates the column from each row that it finds, so that no value is known.
func (w *Write[T]) Calculates(c Member[T]) bool {
	if w == nil || w.w == nil {
		return false
	}
	g := w.w.Of(columnOf(c))
	return g != nil && g.Calculated
}

// Fill sets columns that the write does not set and that [Table.BeforeWrite] lists in fills. The write is refused if it sets such a column itself,
// or if a value does not fit. It is also refused if a column is filled twice or is not listed.
func (w *Write[T]) Fill(values ...Assignment[T]) {
	if w == nil || w.w == nil {
		return
	}
	for _, a := range values {
		w.w.Filled = append(w.w.Filled, decl.Given{Col: a.col, Value: a.v})
	}
}
