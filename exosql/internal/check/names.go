package check

import (
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file names tables: in effects, in statements, and as declarations do.

// Called is a table in the name of an effect: with its schema, unless it is what the name alone means on the search path. Who allows an effect
// on one table has allowed none on a table of another schema that has, or gets, the same name.
func (c *Checker) Called(t *schema.Table) string {
	quoted := func(s string) string {
		if strings.Contains(s, ".") { // which parts the schema from the table, and the table from its trigger
			return sqlname.Quote(s)
		}
		return s
	}
	if t.Schema == "" || c.TableOf(schema.Name{Name: t.Name.Name}) == t {
		return quoted(t.Name.Name)
	}
	return quoted(t.Schema) + "." + quoted(t.Name.Name)
}

// InFull is a table as a statement names it that a person runs: with its schema, since that person's search path may lack it.
func InFull(t *schema.Table) string { return sqlname.Path(t.Schema, t.Name.Name) }

// declared is InFull for a declared table. One that is missing would be made in the first schema of the search path.
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

// IsOf reports whether a declaration is of a table of the catalogue, or of one of another schema with the same name where it says no schema.
func (c *Checker) IsOf(o *decl.Table, t *schema.Table) bool {
	return c.Live.Engine.Is(o.Bare(), t.Name.Name) && (o.Schema == "" || o.Schema == t.Schema)
}
