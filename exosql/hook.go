package exosql

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// WriteKind is what a write does with rows.
type WriteKind = decl.WriteKind

const (
	Inserts WriteKind = decl.Inserts
	Updates WriteKind = decl.Updates
	Deletes WriteKind = decl.Deletes
)

// Write describes a write to a hook: one row that is inserted, or an update or a delete, whatever rows it finds.
// See [Table.BeforeWrite], before anything of it is done, and [Table.AfterCommit].
type Write[T any] struct {
	Kind  WriteKind
	Run   exo.Run // the run of the program, with Principal and Clock; for Go code only Clock is set, to the time of the call
	Facet string  // the alias of the facet whose rights the program uses; "" for Go code
	Row   T       // the given values in their fields, and zero in all others; a change of it changes nothing
	Rows  int64   // how many rows were written; 0 before

	w *decl.RowWrite
}

// BeforeWrite has f called before rows of t are written, by programs through any facet of t and by Go code: for
// each row of an insert, and once for an update or a delete. f is trusted code of the host. It sees what is given, without
// what the scope or a link fills in. An error refuses the whole write, of which nothing is done then. f may [Write.Fill] the columns that fills
// names, whether programs may write or see them or not; the row has to be in scope afterwards like
// any other. Hooks are called in the order of their declaration, and belong to this declaration of the table
// alone. BeforeWrite panics once the table is in use.
//
// A program reads the text of the error if f returns an *[fail.Error] of Kind Invalid or Denied without an Op, as
// fail.Errorf(fail.Invalid, "", …) makes it, whose text has no name of a column that the facet does not show. It reads of every
// other error that it is internal, as of a panic. Go code gets the error itself.
//
// f must heed its context and do nothing else: the write may be refused after it, undone with its run, or tried anew in
// another transaction. It must not write to the database of the DB, which the program's transaction may have locked.
func (t *Table[T]) BeforeWrite(f func(ctx context.Context, w *Write[T]) error, fills ...Member[T]) *Table[T] {
	d := t.must("BeforeWrite")
	if f == nil {
		panic("exosql: BeforeWrite of table " + d.Name + ": the function is nil")
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
			return nil, fail.Errorf(fail.Invalid, "", "`%s` can't have this value: it is too large, or a list with null in it", g.Col.Guest)
		}
	}
	return w, nil
}

// AfterCommit has f called when rows of t have been written and all of it is committed: once for a run, once for a [Tx], and once for a call of Go
// code that is in none. f gets each write in order, as BeforeWrite gets it, with what those hooks filled; it gets no write that found no row, nor the
// keys by which an update found rows. f is trusted code of the host. Nothing that it does changes what was written or how the run ends: an error or a
// panic of it goes to [OpenOptions.HookFailed] and into the record of the run. All hooks of all tables are called, those of the first written table
// first. AfterCommit panics once the table is in use.
//
// In a run f is called when the record says that it is committed, and before held effects act. It is called
// at most once: never for what was rolled back, refused, or has an unknown outcome, never again when a transaction is tried anew, and
// not at all if the process is killed between the commit and the call. What must not be lost belongs into the transaction, as a row of a table.
//
// f must heed its context, which does not end with that of the call. It may read and write the database by Go code.
func (t *Table[T]) AfterCommit(f func(ctx context.Context, writes []Write[T]) error) *Table[T] {
	d := t.must("AfterCommit")
	if f == nil {
		panic("exosql: AfterCommit of table " + d.Name + ": the function is nil")
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

// columnOf is the column that a member is, or nil.
func columnOf[T any](m Member[T]) *decl.Column {
	c, ok := m.(interface{ core() *decl.Column })
	if !ok {
		return nil
	}
	return c.core()
}

// Gives reports whether the write gives the column: a value, which Row has, NULL, or what the database calculates.
func (w *Write[T]) Gives(c Member[T]) bool {
	return w != nil && w.w != nil && w.w.Of(columnOf(c)) != nil
}

// Calculates reports whether an update calculates the column of each row that it finds: the value is not known.
func (w *Write[T]) Calculates(c Member[T]) bool {
	if w == nil || w.w == nil {
		return false
	}
	g := w.w.Of(columnOf(c))
	return g != nil && g.Calculated
}

// Fill gives columns that the write does not give, and that [Table.BeforeWrite] names. The write is refused if it gives one of them
// itself, or if the hook fills anything else, fills a column twice, or fills it with what it is declared not to hold.
func (w *Write[T]) Fill(values ...Assignment[T]) {
	if w == nil || w.w == nil {
		return
	}
	for _, a := range values {
		w.w.Filled = append(w.w.Filled, decl.Given{Col: a.col, Value: a.v})
	}
}
