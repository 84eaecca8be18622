package check

import (
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// maxName is the most bytes that a value of PostgreSQL's type name can have.
const maxName = 63

// StoredOtherwise reports whether a column would silently store another text than v. PostgreSQL cuts
// spaces that exceed varchar(n), ignores spaces at the end of char(n), and cuts values of type name.
// Such a column would turn rows of a tenant "acme " into rows of the tenant "acme".
func StoredOtherwise(live *schema.Database, c *decl.Column, v value.Value) bool {
	text := v.Text()
	if text == "" || live.Engine != schema.Postgres {
		return false
	}
	t := live.Table(schema.Name{Name: c.Table.Name})
	if t == nil || t.Column(c.Name) == nil {
		return true // the column's type in the database is unknown
	}
	switch typ := t.Column(c.Name).Type; {
	case strings.HasPrefix(typ, "character"), typ == "bpchar":
		return strings.HasSuffix(text, " ")
	case typ == "name":
		return len(text) > maxName
	}
	return false
}
