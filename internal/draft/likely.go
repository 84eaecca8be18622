package draft

// This file finds a scope to suggest, in a comment, for a table that is left out. Removing a # needs less thought than writing a scope. So a
// table with rows that may have an owner is never suggested as shared.

import (
	"slices"

	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/schema"
)

// unknownScope replaces a scope that the draft does not know. The file is refused until a person writes a scope.
const unknownScope = "# write whose its rows are, by a column of its own or a link to it; or shared, if every principal may see every row"

// likelyScope returns the scope to suggest for a table that is left out.
func (d *Draft) likelyScope(f *Facet) string {
	if d.opt.Tenant == None {
		return "shared"
	}
	if column := d.tenantColumn(f); column != "" && d.Tenant != nil {
		return scope(condition(column, d.Tenant.Claim))
	}
	if d.everybodys(f, map[*Facet]bool{}) {
		return "shared"
	}
	return unknownScope
}

// tenantColumn returns the column that shows, by its foreign key or its name, which tenant owns a row, or "".
func (d *Draft) tenantColumn(f *Facet) string {
	if t := d.Tenant; t != nil {
		if f == t.facet {
			return t.Column
		}
		if l := t.leads[f]; l != nil {
			i := slices.IndexFunc(l.columns, func(c string) bool { return f.called(c) == t.usual })
			return l.columns[max(i, 0)]
		}
		for _, c := range f.table.Columns { // a view, for instance, may show such a column of a table
			for other, l := range t.leads {
				if slices.ContainsFunc(l.columns, func(name string) bool { return other.called(name) == f.called(c.Name) && f.called(c.Name) != "id" }) {
					return c.Name
				}
			}
		}
		for _, k := range f.table.ForeignKeys {
			if t.facet != nil && k.Table == t.facet.table.Name && len(k.Columns) == 1 {
				return k.Columns[0]
			}
		}
	}
	for _, c := range f.table.Columns {
		ws := f.bare(c.Name)
		if n := len(ws) - 1; d.Tenant == nil && n > 0 && (ws[n] == "id" || ws[n] == "uuid") && (tenantWords[ws[n-1]] || actorWords[naming.Singular(ws[n-1])]) {
			return c.Name
		}
	}
	return ""
}

// everybodys reports whether a table's rows seem to have no owner. Neither the table nor any table that it depends on may have a tenant column. A table
// depends on those that it refers to, is a part of, inherits from, or reads as a view. The argument seen has the tables that were checked.
func (d *Draft) everybodys(f *Facet, seen map[*Facet]bool) bool {
	if seen[f] {
		return true
	}
	seen[f] = true
	if f.Out == "" || d.tenantColumn(f) != "" {
		return false // a granted table has a scope, so its rows have owners
	}
	behind := slices.Clone(f.table.Inherits)
	if f.table.PartitionOf != nil {
		behind = append(behind, *f.table.PartitionOf)
	}
	for _, k := range f.table.ForeignKeys {
		behind = append(behind, k.Table)
	}
	if v := d.live.View(f.table.Name); v != nil {
		if v.Calls {
			return false // a view that calls functions may read any table
		}
		behind = append(behind, v.Reads...)
	}
	for _, r := range d.refs {
		if r.from == f {
			behind = append(behind, r.to.table.Name)
		}
	}
	return !slices.ContainsFunc(behind, func(n schema.Name) bool {
		i := slices.IndexFunc(d.Facets, func(o *Facet) bool { return d.live.Engine.Is(o.table.Name.Name, n.Name) && o.table.Schema == n.Schema })
		return i < 0 || !d.everybodys(d.Facets[i], seen)
	})
}
