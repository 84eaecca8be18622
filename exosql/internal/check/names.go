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

// Named is a table as a statement names it, with its schema if it needs one.
func (c *Checker) Named(t *schema.Table) string {
	if t.Schema == "" || c.TableOf(schema.Name{Name: t.Name.Name}) == t {
		return sqlname.Plain(t.Name.Name)
	}
	return sqlname.Path(t.Schema, t.Name.Name)
}

// Path is a declared table as a statement names it that a person reads.
func Path(t *decl.Table) string { return sqlname.Path(t.Schema, t.Bare()) }

// IsOf reports whether a declaration is of a table of the catalogue, or of one of another schema with the same name where it says no schema.
func (c *Checker) IsOf(o *decl.Table, t *schema.Table) bool {
	return c.Live.Engine.Is(o.Bare(), t.Name.Name) && (o.Schema == "" || o.Schema == t.Schema)
}
