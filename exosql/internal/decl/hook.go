package decl

import (
	"context"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// A Hook is code of the host that is asked before rows of a table are written: see exosql.Table.BeforeWrite.
type Hook func(context.Context, *RowWrite) error

// WriteKind is what a write does with rows.
type WriteKind uint8

const (
	_ WriteKind = iota
	Inserts
	Updates
	Deletes
)

// RowWrite is one row that is inserted, or an update or a delete, as hooks see it.
type RowWrite struct {
	Kind   WriteKind
	Run    exo.Run
	Facet  string
	Given  []Given
	Filled []Given
	Table  *Table
	Rows   int64 // that were written; not known before
}

// An After is code of the host that is called with what was written, once it is committed: see exosql.Table.AfterCommit.
type After func(context.Context, []RowWrite) error

// After adds one.
func (t *Table) After(f After) {
	t.change()
	t.Afters = append(t.Afters, f)
}

// Given is a value that a column is given.
type Given struct {
	Col        *Column
	Value      value.Value
	Calculated bool // of each row by the database: there is no Value
}

// Of finds what a column is given.
func (w *RowWrite) Of(c *Column) *Given {
	for i := range w.Given {
		if w.Given[i].Col == c {
			return &w.Given[i]
		}
	}
	return nil
}

// Hook adds a hook, and the columns that it may fill.
func (t *Table) Hook(h Hook, fills []*Column) {
	t.change()
	for _, c := range fills {
		switch {
		case c == nil || c.Table != t:
			panic(fmt.Sprintf("exosql: BeforeWrite of table %s: a column that it fills is of another table, or was not declared", t.Name))
		case !slices.Contains(t.Fills, c):
			t.Fills = append(t.Fills, c)
		}
	}
	own := slices.Clone(fills)
	t.Hooks = append(t.Hooks, func(ctx context.Context, w *RowWrite) error {
		before := len(w.Filled)
		if err := h(ctx, w); err != nil {
			return err
		}
		for i, f := range w.Filled[before:] {
			switch {
			case f.Col == nil:
				return fail.Errorf(fail.Internal, "", "a hook of table %s fills a zero Assignment", t.Name)
			case !slices.Contains(own, f.Col):
				return fail.Errorf(fail.Internal, "", "a hook of table %s fills %s, which BeforeWrite does not name", t.Name, f.Col.Name)
			case w.Kind == Deletes:
				return fail.Errorf(fail.Internal, "", "a hook of table %s fills %s of rows that are deleted", t.Name, f.Col.Name)
			case slices.ContainsFunc(w.Filled[:before+i], func(o Given) bool { return o.Col == f.Col }):
				return fail.Errorf(fail.Internal, "", "hooks of table %s fill %s twice", t.Name, f.Col.Name)
			}
			if err := f.Col.Storable(f.Value); err != nil {
				return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a hook fills %w", err)}
			}
			if w.Of(f.Col) != nil { // what was given is refused, not replaced in silence
				return fail.Errorf(fail.Denied, "", "`%s` is filled in; leave it out", f.Col.Guest)
			}
		}
		return nil
	})
}

// Storable refuses what a column is declared not to hold: of what a program gives, the catalogue sees to it.
func (c *Column) Storable(v value.Value) error {
	switch {
	case v.IsZero():
		return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "the value can't be kept in a database: text must be valid and without NUL, numbers finite, decimals written like \"-12.5\", days real, years 1 to 9999, JSON one document that is not null (SetNull stores NULL)")
	case v.IsNull() && !c.Null:
		return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "the column is declared as never NULL: NewNullable declares one that may be")
	case c.Kind == value.TypeList && !c.Nulls && slices.ContainsFunc(elementsOf(v), value.Value.IsNull):
		return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "an element of the array is NULL, which a slice of pointers can hold")
	case len(c.Enum) == 0:
		return nil
	}
	all := []value.Value{v}
	if c.Kind == value.TypeList {
		all = elementsOf(v)
	}
	for _, v := range all {
		if !v.IsNull() && !slices.Contains(c.Enum, v.Text()) {
			return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "%.100q is none of its values %q", v.Text(), c.Enum)
		}
	}
	return nil
}

func elementsOf(list value.Value) (out []value.Value) {
	for i := range list.Len() {
		out = append(out, list.At(i))
	}
	return out
}
