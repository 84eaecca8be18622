package draft

// This file describes a draft's grants as programs name them, for commands that write programs.

import (
	"cmp"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Shown is a table that a draft grants, as programs see it.
type Shown struct {
	Grant   string // Grant is the name with which a program begins
	Row     string // Row is the programs' name for one row
	Table   string // Table is the name in the database
	Own     string // Own is the database's column with the tenant of a row; "" if a link leads to the tenant, or every row is shared
	Columns []ShownColumn
	Links   []ShownLink
}

// ShownColumn is a column of a Shown.
type ShownColumn struct {
	Name   string
	Kind   schema.Kind
	Listed bool // Listed reports that the few possible values are known
	Key    bool // Key reports that the column is part of a key or of a foreign key
}

// ShownLink is a link of a Shown.
type ShownLink struct {
	Name string
	To   string // To is the Row of the other Shown
	One  bool   // One reports that the link leads to at most one row
}

// Shown returns the granted tables in the order of their names.
func (d *Draft) Shown() (out []Shown) {
	for _, f := range d.Facets {
		if f.Out != "" {
			continue
		}
		s := Shown{Grant: f.grant, Row: f.Alias, Table: f.Table}
		if t := d.Tenant; t != nil && f == t.facet {
			s.Own = t.Column
		} else if t != nil && t.leads[f] != nil {
			s.Own = t.leads[f].columns[0] // there is one column, because a table with several is left out
		}
		keys := map[string]bool{}
		for _, r := range d.refs {
			if r.from == f {
				for _, c := range r.columns {
					keys[c] = true
				}
			}
		}
		for _, c := range f.table.RowKey() {
			keys[c] = true
		}
		for _, c := range f.columns {
			if c.out == "" {
				s.Columns = append(s.Columns, ShownColumn{
					Name: cmp.Or(c.as, scalar.Camel(c.name)), Kind: cmp.Or(schema.Kind(c.typ), f.table.Column(c.name).Kind),
					Listed: c.oneOf != nil, Key: keys[c.name],
				})
			}
		}
		for _, l := range f.links {
			s.Links = append(s.Links, ShownLink{l.name, l.to, l.one})
		}
		out = append(out, s)
	}
	return out
}
