package check

import (
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file writes the names of tables for permissions, for statements, and for comparisons with declarations.

// Called returns a table's name for a permission. It includes the schema, unless the search path finds the
// table by its name. So a permission never extends to a table of another schema with the same name.
func (c *Checker) Called(t *schema.Table) string {
	quoted := func(s string) string {
		if strings.Contains(s, ".") { // a dot separates schema from table, and table from trigger
			return sqlname.Quote(s)
		}
		return s
	}
	if t.Schema == "" || c.TableOf(schema.Name{Name: t.Name.Name}) == t {
		return quoted(t.Name.Name)
	}
	return quoted(t.Schema) + "." + quoted(t.Name.Name)
}

// InFull returns a table's name for a statement that a person runs. It includes the schema, since that person's search path may lack it.
func InFull(t *schema.Table) string { return sqlname.Path(t.Schema, t.Name.Name) }

// declared returns the full name of a declared table. If the table is missing, its schema is the first of the search path, where it would be created.
func (c *Checker) declared(t *decl.Table) string {
	if live := c.Live.Rows(schema.Name{Name: t.Name}); live != nil {
		return InFull(live)
	}
	in := t.Schema
	if in == "" && len(c.Live.Path) > 0 {
		in = c.Live.Path[0]
	}
	return sqlname.Path(in, t.Bare())
}

// IsOf reports whether o may declare the table t of the catalogue. If o has no schema, only the names are compared.
func (c *Checker) IsOf(o *decl.Table, t *schema.Table) bool {
	return c.Live.Engine.Is(o.Bare(), t.Name.Name) && (o.Schema == "" || o.Schema == t.Schema)
}
