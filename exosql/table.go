package exosql

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// constant is unexported, so only untyped constants convert to it. A name that is computed at run time does not compile (after go-safeweb's
// safesql).
type constant string

// Table describes a table with rows that scan into T. It carries no authority.
type Table[T any] struct {
	t    *decl.Table
	sets []func(*T, value.Value) bool // sets has, for each column, the function that stores a value in the column's field and reports whether the value fits

	bound fields
}

// NewTable declares a table by its name in the database.
func NewTable[T any](name constant) *Table[T] {
	if name == "" {
		panic("exosql: NewTable: the name is empty: want the table's name in the database")
	}
	if err := decl.Reserved(string(name)); err != nil {
		panic("exosql: NewTable: " + err.Error())
	}
	return &Table[T]{t: &decl.Table{ID: decl.TableIDs.Add(1), Name: string(name)}}
}

// InSchema names the PostgreSQL schema of the table, if the search path has another table of this name before it. The schema must be on the search path
// too: [Check] reads no other. Errors, like grant files, then write schema.name. InSchema returns the table, and panics after a query ran. SQLite has no
// schemas: [Grant] refuses such a table there.
func (t *Table[T]) InSchema(schema constant) *Table[T] {
	to := t.must("InSchema")
	switch {
	case schema == "":
		panic("exosql: table " + to.Name + ": InSchema got an empty name: pass the name of a schema")
	case to.Schema != "":
		panic(fmt.Sprintf("exosql: table %s: InSchema(%q) comes after another InSchema: call InSchema once", to.Name, string(schema)))
	}
	to.SetSchema(string(schema))
	return t
}

// WithLabel labels the fact that a row exists: who visited a doctor, what outsiders sent in. A program that queries the table at all, even by a
// count or a link, has the label from then on. Column.WithLabel differs: it labels values, and not programs that only pass them on. A program with
// the label may still insert and delete rows of this table and change all its columns. The label applies to all facets of the table. WithLabel
// returns the table, and panics after a tool was made of the table, or a query ran.
func (t *Table[T]) WithLabel(tags ...string) *Table[T] {
	to := t.must("WithLabel")
	if len(tags) == 0 || slices.Contains(tags, "") {
		panic("exosql: table " + to.Name + ": WithLabel needs at least one tag, and none may be empty")
	}
	for _, tag := range value.NewLabel(tags...).Unnamed() {
		panic(fmt.Sprintf("exosql: WithLabel(%q) of %s names readers, and the label of a table can't have any, so write the tag without them", tag, to.Name))
	}
	to.AddLabel(value.NewLabel(tags...))
	return t
}

// Keyless declares a table or a view without a key. Programs may read it, but not write it or read it in pages. Rows with equal values come in no
// fixed order. Keyless returns the table, and panics if the table has a key, or after a query ran.
func (t *Table[T]) Keyless() *Table[T] {
	t.must("Keyless").SetKeyless()
	return t
}

// Name returns the table's name in the database; "" for a nil or zero Table.
func (t *Table[T]) Name() string {
	if t.core() == nil {
		return ""
	}
	return t.t.Name
}

// core returns the declaration inside, or nil for a table that NewTable did not make.
func (t *Table[T]) core() *decl.Table {
	if t == nil {
		return nil
	}
	return t.t
}

const zeroTable = "the Table is nil or zero: make one with NewTable"

// must returns the declaration inside a table, and panics for a nil or zero Table. what names the declaration that needs the table.
func (t *Table[T]) must(what string) *decl.Table {
	if t.core() == nil {
		panic("exosql: " + what + ": " + zeroTable)
	}
	return t.t
}
