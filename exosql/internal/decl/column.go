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

// Column is a declared column of a table.
type Column struct {
	Table     *Table
	Index     int
	Name      string // Name is the name in the database
	Guest     string // Guest is the name in programs
	Kind      string // Kind is a scalar type of exo, or value.TypeList
	Elem      string // Elem is the type of a list's elements
	Nulls     bool   // Nulls: an element of a list may be null
	Null, Key bool
	Enum      []string // Enum are the only values of a text, or of a list's elements
	Doc       string
	Label     value.Label
	Trust     bool        // Trust: a run that has read outsiders' words can't write the column
	Admits    value.Label // Admits are further labels of values that programs may write into the column
	Readers   *Readers    // Readers are those who may read a labelled value; if nil, the label alone decides
	Bytes     int         // Bytes bounds a labelled value's size; 0 means the bound of sealed.Size
	Stored    cellform.Form

	UnscopedLookup bool // UnscopedLookup: an engine may search for a value before it checks the scope

	// Needed means that a new row needs a value, since the database has no default. It is set when a
	// catalogue is compared with the declaration. Needed only makes descriptions show the column as
	// required.
	Needed atomic.Bool
	// Equals describes for programs which texts of the column are equal, if different ones can be. It is set together with Needed.
	Equals atomic.Pointer[string]
	Scoped atomic.Bool // Scoped: in some grant the scope gives the column of each new row its value, and a program can't give it
}

// Iso reports whether the column's times need no conversion: on SQLite texts in the order of time, on PostgreSQL nothing finer than a millisecond.
func (c *Column) Iso() bool { return c.Stored == cellform.ISO }

// Change must be called before a column is changed. It panics if the column is in use or was never declared.
func (c *Column) Change() {
	if c == nil {
		panic("exosql: this Column was not declared: make it with NewColumn, NewKey or NewNullable")
	}
	c.Table.change()
}

// doc returns the text that a table's description has for the column.
func (c *Column) doc() string {
	if words := c.Equals.Load(); words != nil && *words != "" {
		return strings.TrimSpace(*words + " " + c.Doc)
	}
	return c.Doc
}

// Charge returns the size that limits count for each sealed value of the column, or 0 if it has no label. The size is the same for
// all values. Otherwise the moment at which a limit is reached would reveal the size of a value that the program may not read.
func (c *Column) Charge() int {
	switch {
	case c.Label.Secrecy().Empty():
		return 0
	case c.Bytes > 0:
		return c.Bytes
	}
	return sealed.Size(c.Kind)
}

// exprType returns the type of the expression that is just this column.
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
