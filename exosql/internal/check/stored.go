package check

import (
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// maxName is how many bytes a value of PostgreSQL's type name has.
const maxName = 63

// StoredOtherwise reports whether a column would hold another text than the one that it is given, without an error: PostgreSQL cuts
// spaces off what is too long for varchar(n), does not tell char(n) with spaces at its end from one without, and cuts a name. What
// belongs to a tenant "acme " would be that of a tenant "acme".
func StoredOtherwise(live *schema.Database, c *decl.Column, v value.Value) bool {
	text := v.Text()
	if text == "" || live.Engine != schema.Postgres {
		return false
	}
	t := live.Table(schema.Name{Name: c.Table.Name})
	if t == nil || t.Column(c.Name) == nil {
		return true // what it is now nobody knows
	}
	switch typ := t.Column(c.Name).Type; {
	case strings.HasPrefix(typ, "character"), typ == "bpchar":
		return strings.HasSuffix(text, " ")
	case typ == "name":
		return len(text) > maxName
	}
	return false
}
