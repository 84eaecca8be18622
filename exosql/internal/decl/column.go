package decl

import (
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Column is a declared column.
type Column struct {
	Table *Table
	Index int
	Name  string // in the database
	Guest string // in programs
	Kind  string // a scalar type of exo, or exo.TypeList
	Elem  string // of a list: the type of its elements
	Nulls bool   // of a list: an element may be null
	Null  bool
	Key   bool
	Enum  []string
	Doc   string
	Label exo.Label
	Iso   bool // of times on SQLite: stored in scalar.TimeFormat, so text order is time order

	Indexed bool // may be looked up before the scope is
}

// Change panics where a column can't be described any more, or never was declared.
func (c *Column) Change() {
	if c == nil {
		panic("exosql: a Column that was not declared: it is made by NewColumn, NewKey or NewNullable")
	}
	c.Table.change()
}

// Camel is the name of a column in programs, unless it is given another.
func Camel(s string) string {
	parts := strings.Split(s, "_")
	out := parts[0]
	for _, p := range parts[1:] {
		if p != "" {
			out += strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return out
}

// exprType is the type of a column's expression.
func (c *Column) exprType() *exo.Type {
	t := &exo.Type{Name: language.ColumnInterfaces[c.Kind], Args: map[string]*exo.Type{"of": {Name: c.Kind, Null: c.Null, Enum: c.Enum}}}
	if c.Kind == exo.TypeList {
		item := &exo.Type{Name: c.Elem}
		t.Args["of"].Args, t.Args["item"] = map[string]*exo.Type{"of": item}, item
	}
	return t
}
