package decl

import (
	"strings"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sealed"
)

// Column is a declared column.
type Column struct {
	Table   *Table
	Index   int
	Name    string // in the database
	Guest   string // in programs
	Kind    string // a scalar type of exo, or value.TypeList
	Elem    string // of a list: the type of its elements
	Nulls   bool   // of a list: an element may be null
	Null    bool
	Key     bool
	Enum    []string // the only values of a text, or of the elements of a list
	Doc     string
	Label   value.Label
	Trust   bool        // a run that has read what outsiders wrote can't write it
	Admits  value.Label // what a program has read of these labels may be written to it, which does not have them
	Readers *Readers    // who may read a labelled value; nil: whoever the label lets
	Bytes   int         // the most that a value of a labelled column takes; 0: see sealed.Size
	Stored  cellform.Form

	UnscopedLookup bool // may be looked up before the scope is

	// Needed: a new row needs a value, which the database does not give. It is set when a catalogue is compared with the declaration, and
	// decides nothing: descriptions show the column as required.
	Needed atomic.Bool
	// Equals says to programs which texts of the column are equal, where that is more than the same text. It is set with Needed.
	Equals atomic.Pointer[string]
	Scoped atomic.Bool // in some grant the scope gives it to each new row, and a program may not
}

// Iso reports whether times on SQLite are texts whose order is that of the times, and on PostgreSQL nothing is finer than a millisecond.
func (c *Column) Iso() bool { return c.Stored == cellform.ISO }

// Change panics where a column can't be described any more, or never was declared.
func (c *Column) Change() {
	if c == nil {
		panic("exosql: a Column that was not declared: it is made by NewColumn, NewKey or NewNullable")
	}
	c.Table.change()
}

// doc is what the description of a table says of the column.
func (c *Column) doc() string {
	if words := c.Equals.Load(); words != nil && *words != "" {
		return strings.TrimSpace(*words + " " + c.Doc)
	}
	return c.Doc
}

// Charge is what limits count for each value of the column that is shown sealed, whatever it holds: the size of what a
// program may not read must not show in when its limits run out. 0: the column has no label.
func (c *Column) Charge() int {
	switch {
	case c.Label.Secrecy().Empty():
		return 0
	case c.Bytes > 0:
		return c.Bytes
	}
	return sealed.Size(c.Kind)
}

// exprType is the type of a column's expression.
func (c *Column) exprType() *message.Type {
	of := &message.Type{Name: c.Kind, Null: c.Null, Enum: c.Enum}
	t := &message.Type{Name: language.ColumnInterfaces[c.Kind], Args: map[string]*message.Type{"of": of}}
	if c.Kind == value.TypeList {
		item := &message.Type{Name: c.Elem, Enum: c.Enum}
		of.Enum = nil
		t.Args["of"].Args, t.Args["item"] = map[string]*message.Type{"of": item}, item
	}
	return t
}

// Names are the columns' names in the database.
func Names(cols []*Column) []string {
	return scalar.Each(cols, func(c *Column) string { return c.Name })
}
