package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// view checks the declaration of a view. The database does not know whether the declared key is unique. If two
// rows have the same key, pages miss rows, which is the only harm. A view without a key is declared Keyless.
func (c *Checker) view(t *decl.Table, v *schema.View) {
	c.columns(t, v.Columns, nil, true)
	c.loose(t, nil, v.Columns)
	c.readable(t, v.Columns)
	c.unset(Finding{Kind: NotReadable, Table: t.Name, Warning: !c.uses[t].granted}, "the view", "the view", v.Unset)
	for _, n := range v.Reads {
		if !v.Materialized {
			c.handler(t, c.TableOf(n))
		}
	}
	if len(t.Keys) > 0 {
		c.Add(Finding{Kind: NoKey, Table: t.Name, Problem: fmt.Sprintf("is a view: nothing makes its key (%s) unique", strings.Join(decl.Names(t.Keys), ", ")), Warning: true,
			Fix: "a key that you know to be unique in the view, or " + t.Reader.NoKey()})
	} else if !t.Keyless {
		c.Add(Finding{Kind: NoKey, Table: t.Name, Problem: "has no key in its declaration: rows with equal values have no fixed order", Warning: !c.uses[t].granted, Fix: t.Reader.NoKey() + ", or " + t.Reader.Key("columns that are unique together")})
	}
	c.viewLabels(t, v)
	if len(v.Bypasses) == 0 {
		return
	}
	names := scalar.Each(v.Bypasses, func(n schema.Name) string { return n.Name })
	f := Finding{Kind: RowSecurity, Table: t.Name, Fix: fmt.Sprintf("ALTER VIEW %s SET (security_invoker = true); the same for the views that it reads (PostgreSQL 15)", c.declared(t)),
		Problem: fmt.Sprintf("is a view that reads %s with the rights of its owner: row-level security does not restrict queries of it", strings.Join(names, ", "))}
	if v.Materialized {
		f.Problem = fmt.Sprintf("is a materialized view of %s: the view has every row that was visible to the role that refreshed it, and row-level security does not restrict its readers", strings.Join(names, ", "))
		f.Fix = "a declaration of the tables behind the view, and a grant of these"
	}
	c.Add(f)
}

// viewLabels refuses a view that reads a labelled declaration, unless a column of the view or its rows have that label. The catalogue does not know
// which column shows the labelled one, so the host declares it. viewLabels only warns of functions that a view calls, since these may read any table.
func (c *Checker) viewLabels(t *decl.Table, v *schema.View) {
	have := t.Label
	for _, col := range t.Cols {
		have = have.Join(col.Label)
	}
	for _, o := range c.tables {
		x := c.TableOf(schema.Name{Name: o.Name})
		if x == nil || !o.Labelled() || !c.Shows(t, x) {
			continue
		}
		needs := o.Label
		for _, col := range o.Cols {
			needs = needs.Join(col.Label)
		}
		missing := slices.DeleteFunc(needs.Tags(), func(tag string) bool { return slices.Contains(have.Tags(), tag) })
		if len(missing) == 0 {
			continue
		}
		c.Add(Finding{Kind: LabelMismatch, Table: t.Name, Warning: !c.uses[t].granted || !slices.Contains(v.Reads, x.Name),
			Problem: fmt.Sprintf("is a view that reads %s, whose declaration has the label %s: programs could read the labelled values through the view", o.Name, strings.Join(missing, ", ")),
			Fix:     fmt.Sprintf("the label (%s) on the columns of the view that show it, or on its rows", t.Reader.Label(missing))})
	}
}

// Disinherit returns the fix for a parent table that needs a key unique among all its rows: to detach its heirs.
func (c *Checker) Disinherit(parent *schema.Table) string {
	for _, t := range c.Live.Tables {
		if slices.Contains(t.Inherits, parent.Name) {
			return fmt.Sprintf("ALTER TABLE %s NO INHERIT %s", InFull(t), InFull(parent))
		}
	}
	return fmt.Sprintf("ALTER TABLE … NO INHERIT %s, for each table that inherits from it", InFull(parent))
}
