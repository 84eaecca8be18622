package check

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// loose refuses columns of which = does not mean what it says: a value that was
// read finds other rows too, and a scope over it would let in a tenant whose name
// differs in its case only, or is the same number. Of a view, live is nil.
func (c *Checker) loose(t *decl.Table, live *schema.Table, cols []schema.Column) {
	for _, col := range t.Cols {
		x := c.find(cols, col.Name)
		if x == nil {
			continue
		}
		f := Finding{Kind: LooseEquality, Table: t.Name, Column: col.Name, Warning: !c.uses[t].granted}
		plain := strings.SplitN(x.Type, "(", 2)[0]
		switch {
		case x.Loose && c.live.Engine == schema.SQLite:
			f.Problem = fmt.Sprintf("has the collation %s, for which different texts are equal", x.Collation)
			f.Fix = "a definition without COLLATE " + x.Collation + ", or with COLLATE BINARY (SQLite can't change a column)"
		case x.Loose:
			f.Problem = fmt.Sprintf("has the collation %s, which is not deterministic: different texts are equal", x.Collation)
			f.Fix = fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN %s TYPE %s COLLATE "C"`, quoteName(t.Name), quoteName(col.Name), x.Type)
			if live == nil {
				f.Fix = fmt.Sprintf(`a definition of the view with %s COLLATE "C"`, quoteName(col.Name))
			}
		case col.Kind == exo.TypeText && c.live.Engine == schema.SQLite && numeric(live.Affinity(x)):
			// A tenant 1e3 would be let in to the rows of 1000.
			f.Problem = fmt.Sprintf("is declared text, and SQLite compares %s as numbers: 1000, 1e3 and 1000.0 are equal", x.Type)
			f.Fix = "a definition with the type TEXT (SQLite can't change a column)"
			if to := goType(x); to != "" && to != "string" {
				f.Fix += ", or a field of type " + to
			}
		case col.Enum != nil && c.live.Engine == schema.Postgres && (plain == "citext" || plain == "character" || plain == "bpchar"):
			f.Problem = fmt.Sprintf("is %s in the database, and with OneOf it is compared as such: different texts are equal", x.Type)
			f.Fix = fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE text", quoteName(t.Name), quoteName(col.Name))
		default:
			continue
		}
		c.add(f)
	}
}

// numeric reports whether SQLite takes texts that look like numbers for them.
func numeric(affinity string) bool { return affinity != "TEXT" && affinity != "BLOB" }
