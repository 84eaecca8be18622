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
	Admits  value.Label // programs may write values with these labels into it, though it does not have them
	Readers *Readers    // who may read a labelled value; nil: the label alone decides
	Bytes   int         // the largest size of a value of a labelled column; 0: see sealed.Size
	Stored  cellform.Form

	UnscopedLookup bool // may be searched for before the scope

	// Needed: a new row needs a value, and the database has no default. It is set when a catalogue
	// is compared with the declaration. It only makes descriptions show the column as required.
	Needed atomic.Bool
	// Equals is a text for programs about which texts of the column are equal, if more than identical ones are. It is set with Needed.
	Equals atomic.Pointer[string]
	Scoped atomic.Bool // in some grant the scope sets it in each new row, and a program may not
}

// Iso reports whether times are texts on SQLite that sort as the times do, and on PostgreSQL have nothing finer than a millisecond.
func (c *Column) Iso() bool { return c.Stored == cellform.ISO }

// Change panics if the column can't be changed any more, or was never declared.
func (c *Column) Change() {
	if c == nil {
		panic("exosql: a Column that was not declared: it is made by NewColumn, NewKey or NewNullable")
	}
	c.Table.change()
}

// doc returns the column's text in the description of a table.
func (c *Column) doc() string {
	if words := c.Equals.Load(); words != nil && *words != "" {
		return strings.TrimSpace(*words + " " + c.Doc)
	}
	return c.Doc
}

// Charge returns the size that limits count for each sealed value of the column. It is the same for all values, since the
// moment at which limits run out must not reveal the size of a value that the program may not read. 0: the column has no label.
func (c *Column) Charge() int {
	switch {
	case c.Label.Secrecy().Empty():
		return 0
	case c.Bytes > 0:
		return c.Bytes
	}
	return sealed.Size(c.Kind)
}

// exprType returns the type of an expression that is the column.
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

// Names returns the columns' names in the database.
func Names(cols []*Column) []string {
	return scalar.Each(cols, func(c *Column) string { return c.Name })
}
