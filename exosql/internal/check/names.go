package check

import (
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file names tables: in permissions, in statements, and as declarations name them.

// Called returns a table's name for a permission: with its schema, unless the name alone finds it on the search
// path. So a permission for one table is none for a table of another schema that has, or gets, the same name.
func (c *Checker) Called(t *schema.Table) string {
	quoted := func(s string) string {
		if strings.Contains(s, ".") { // a dot separates the schema from the table, and the table from its trigger
			return sqlname.Quote(s)
		}
		return s
	}
	if t.Schema == "" || c.TableOf(schema.Name{Name: t.Name.Name}) == t {
		return quoted(t.Name.Name)
	}
	return quoted(t.Schema) + "." + quoted(t.Name.Name)
}

// InFull returns a table's name for a statement that a person runs: with its schema, which that person's search path may lack.
func InFull(t *schema.Table) string { return sqlname.Path(t.Schema, t.Name.Name) }

// declared is InFull for a declared table. A missing table would be created in the first schema of the search path.
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

// IsOf reports whether a declaration may be of a table of the catalogue. If it has no schema, only the names are compared.
func (c *Checker) IsOf(o *decl.Table, t *schema.Table) bool {
	return c.Live.Engine.Is(o.Bare(), t.Name.Name) && (o.Schema == "" || o.Schema == t.Schema)
}
