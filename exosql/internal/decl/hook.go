package decl

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// A Hook is code of the host that is called before rows of a table are written: see exosql.Table.BeforeWrite.
type Hook func(context.Context, *RowWrite) error

// WriteKind is the kind of a write.
type WriteKind uint8

const (
	_ WriteKind = iota
	Inserts
	Updates
	Deletes
)

func (k WriteKind) String() string {
	return [...]string{"no write", "insert", "update", "delete"}[min(k, Deletes)]
}

// RowWrite is what hooks see: one row that is inserted, or one update or delete.
type RowWrite struct {
	Kind          WriteKind
	Run           exo.Run
	Facet         string
	Given, Filled []Given
	Table         *Table
	Rows          int64 // Rows counts the written rows; it is 0 before the write
}

// An After is code of the host that is called after a commit, with what was written: see exosql.Table.AfterCommit.
type After func(context.Context, []RowWrite) error

// After adds a hook that is called after each commit.
func (t *Table) After(f After) {
	t.change()
	t.Afters = append(t.Afters, f)
}

// Given is a new value that a write gives to a column.
type Given struct {
	Col        *Column
	Value      value.Value
	Calculated bool // Calculated: the database calculates the value for each row, so Value is empty
}

// Of returns what the write gives to a column, or nil if it gives nothing.
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
		case c == nil:
			panic(fmt.Sprintf("exosql: BeforeWrite of table %s: fills has an undeclared column: pass columns that NewColumn declared", t.Name))
		case c.Table != t:
			panic(fmt.Sprintf("exosql: BeforeWrite of table %s: fills has the column %s of table %s: pass columns of the first table", t.Name, c.Name, c.Table.Name))
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
				return fail.Errorf(fail.Internal, "", "a hook of table %s fills a zero Assignment: make one with Column.Set", t.Name)
			case !slices.Contains(own, f.Col):
				return fail.Errorf(fail.Internal, "", "a hook of table %s fills %s, which BeforeWrite does not name: add the column there", t.Name, f.Col.Name)
			case w.Kind == Deletes:
				return fail.Errorf(fail.Internal, "", "a hook of table %s fills %s in a row that is deleted: fill columns only before an insert or update", t.Name, f.Col.Name)
			case slices.ContainsFunc(w.Filled[:before+i], func(o Given) bool { return o.Col == f.Col }):
				return fail.Errorf(fail.Internal, "", "hooks of table %s fill %s twice: fill a column only once", t.Name, f.Col.Name)
			}
			if err := f.Col.Storable(f.Value); err != nil {
				return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a hook fills %w", err)}
			}
			if w.Of(f.Col) != nil { // a value that the program gives is refused, not replaced silently
				return fail.Errorf(fail.Denied, "", "`%s` is filled in automatically: leave it out", f.Col.Guest)
			}
		}
		return nil
	})
}

// wanted describes, for each type that has other values in Go too, the values that a database can store.
var wanted = map[string]string{
	value.TypeText: "valid UTF-8 without NUL", value.TypeFloat: "a finite number", value.TypeDecimal: `a decimal like "-12.5"`,
	value.TypeDate: "a day of the years 1 to 9999", value.TypeTime: "a time in the years 1 to 9999",
	value.TypeJSON: "one JSON document that is not null (SetNull stores NULL)",
}

// wants describes the values that a database can store in the column, or in the elements of its arrays.
func (c *Column) wants() string {
	return cmp.Or(wanted[c.Kind], wanted[c.Elem], "a value of the column's type")
}

// Storable refuses a value that the column's declaration does not allow. For a program's values, the catalogue does that.
func (c *Column) Storable(v value.Value) error {
	switch {
	case v.IsZero():
		return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "the value can't be stored: want %s", c.wants())
	case v.IsNull() && !c.Null:
		return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "the column is declared as never NULL: declare it with NewNullable to allow NULL")
	case c.Kind == value.TypeList && !c.Nulls && slices.ContainsFunc(elementsOf(v), value.Value.IsNull):
		return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "an element of the array is NULL: leave it out, or declare the column with a slice of pointers")
	case len(c.Enum) == 0:
		return nil
	}
	all := []value.Value{v}
	if c.Kind == value.TypeList {
		all = elementsOf(v)
	}
	for _, v := range all {
		if !v.IsNull() && !slices.Contains(c.Enum, v.Text()) {
			return fail.Errorf(fail.Invalid, c.Table.Name+"."+c.Name, "%.100q is not one of the column's values: want one of %q", v.Text(), c.Enum)
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
