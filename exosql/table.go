package exosql

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// constant is unexported, so only untyped constants convert to it: a name that
// was computed at run time does not compile (after go-safeweb's safesql).
type constant string

// Table describes a table whose rows scan into T. It carries no authority.
type Table[T any] struct {
	t    *decl.Table
	sets []func(*T, value.Value) bool // by column: puts a value into its field, if it fits

	bound fields
}

// NewTable declares a table by its name in the database.
func NewTable[T any](name constant) *Table[T] {
	if name == "" {
		panic("exosql: NewTable: empty name")
	}
	if err := decl.Reserved(string(name)); err != nil {
		panic("exosql: NewTable: " + err.Error())
	}
	return &Table[T]{t: &decl.Table{ID: decl.TableIDs.Add(1), Name: string(name)}}
}

// InSchema names the schema of PostgreSQL that the table is in, where the search path has another table of this name before it. The schema has to be
// on the search path, too: [Check] reads no other. Errors call the table schema.name then, as grant files do. It returns the table, and
// panics once a query ran. SQLite has no schemas: [Grant] refuses such a table there.
func (t *Table[T]) InSchema(schema constant) *Table[T] {
	to := t.must("InSchema")
	if schema == "" || to.Schema != "" {
		panic(fmt.Sprintf("exosql: InSchema(%q) of %s: write one schema", string(schema), to.Name))
	}
	to.SetSchema(string(schema))
	return t
}

// WithLabel labels the existence of the table's rows: who visited a doctor, what outsiders sent in. Every program that asks
// anything of the table, be it a count or a link to it, has the label from then on, as if it had computed with a labelled
// column: see Column.WithLabel, which labels values, and not the programs that only pass them on. Rows may be inserted and
// deleted, and all columns changed, by programs that have read what is so labelled. It holds for all facets of the table, and
// returns the table. It panics once a tool was made of the table, or a query ran.
func (t *Table[T]) WithLabel(tags ...string) *Table[T] {
	to := t.must("WithLabel")
	if len(tags) == 0 || slices.Contains(tags, "") {
		panic("exosql: WithLabel needs tags, none of them empty: " + to.Name)
	}
	for _, tag := range value.NewLabel(tags...).Unnamed() {
		panic(fmt.Sprintf("exosql: WithLabel(%q) of %s names readers, and the label of a table can't have any: write the tag without them", tag, to.Name))
	}
	to.AddLabel(value.NewLabel(tags...))
	return t
}

// Keyless declares that nothing makes the table's rows unique: a table or a view without a key. Programs read it, and
// neither write it nor read it in pages; rows that show the same come in either order. It returns the table, and panics
// where the table has a key, or once a query ran.
func (t *Table[T]) Keyless() *Table[T] {
	t.must("Keyless").SetKeyless()
	return t
}

// Name is the table's name in the database; that of a nil or zero Table is empty.
func (t *Table[T]) Name() string {
	if t.core() == nil {
		return ""
	}
	return t.t.Name
}

// core is nil for a table that NewTable did not make.
func (t *Table[T]) core() *decl.Table {
	if t == nil {
		return nil
	}
	return t.t
}

const zeroTable = "the Table is nil or zero: NewTable makes one"

// must is the core of a table that something is declared of; it panics where there is none.
func (t *Table[T]) must(what string) *decl.Table {
	if t.core() == nil {
		panic("exosql: " + what + ": " + zeroTable)
	}
	return t.t
}
