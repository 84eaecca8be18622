package writing

// This file compares what programs may change with the rights of PostgreSQL's role, without which each such change would fail.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Rights implements check.Writes.
func (c *Checker) Rights() (out []string) {
	for _, f := range c.rights(false) {
		out = append(out, f.grants...)
	}
	return out
}

// denied reports the writes that the role may not do.
func (c *Checker) denied() {
	role := sqlname.Plain(c.Live.Role.Name)
	for _, f := range c.rights(true) {
		c.Add(check.Finding{Kind: check.NotWritable, Table: f.of.Table.Name, Facet: f.of.Alias,
			Problem: fmt.Sprintf("programs may change rows through the facet %s, but the role %s lacks rights for that: such changes fail", f.of.Alias, c.Live.Role.Name),
			Fix:     strings.Join(f.grants, role+"; ") + role})
	}
}

// needing is a facet, with statements that give a role the rights for its writes, each without the role.
type needing struct {
	of     *decl.Facet
	grants []string
}

// rights returns the facets whose writes need rights. If lacking is set, it returns only those for which the role lacks rights.
func (c *Checker) rights(lacking bool) (out []*needing) {
	for _, w := range c.writes {
		for _, right := range w.rights(c.TableOf(schema.Name{Name: w.Table.Name}), lacking) {
			i := slices.IndexFunc(out, func(f *needing) bool { return f.of == w.Facet })
			if i < 0 {
				i, out = len(out), append(out, &needing{of: w.Facet})
			}
			if grant := "GRANT " + right + " TO "; !slices.Contains(out[i].grants, grant) {
				out[i].grants = append(out[i].grants, grant)
			}
		}
	}
	return out
}

// rights returns the rights that a role of PostgreSQL needs for a write. If lacking is set, it returns only those that the role does not have.
// Which columns a hook fills is known only when the hook runs, so no role is refused for these.
func (w Write) rights(t *schema.Table, lacking bool) (out []string) {
	if t == nil {
		return nil
	}
	if lacking {
		w.Filled = nil
	}
	lacks := func(x *schema.Column, right string) bool { return !lacking || slices.Contains(x.Unwritable, right) }
	add := func(right string, names []string) {
		var cols, sequences []string
		for i := range t.Columns {
			x := &t.Columns[i]
			if slices.Contains(names, x.Name) && lacks(x, right) {
				cols = append(cols, x.Name)
			} else if right == "INSERT" && x.Sequence != "" && !slices.Contains(names, x.Name) && lacks(x, "USAGE") {
				sequences = append(sequences, "USAGE ON SEQUENCE "+x.Sequence)
			}
		}
		if len(cols) > 0 {
			out = append(out, fmt.Sprintf("%s (%s) ON %s", right, sqlname.List(cols), check.InFull(t)))
		}
		out = append(out, sequences...)
	}
	if len(w.Rights.Insert) > 0 && w.Inserts {
		add("INSERT", w.inserted())
	}
	if len(w.Rights.Update) > 0 {
		add("UPDATE", slices.Concat(decl.Names(w.Rights.Update), decl.Names(w.Filled)))
	}
	if w.Rights.Delete && (!lacking || t.Writable != nil && !slices.Contains(t.Writable, "DELETE")) {
		out = append(out, "DELETE ON "+check.InFull(t))
	}
	return out
}

// inserted returns the columns to which an insert gives values.
func (w Write) inserted() []string {
	out := slices.Concat(decl.Names(w.Rights.Insert), decl.Names(w.Fixed), decl.Names(w.Filled))
	for _, l := range w.Through {
		out = append(out, decl.Names(l.Ends())...)
	}
	return out
}
