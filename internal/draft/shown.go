package draft

// This file describes the grants of a draft in the words of programs, for commands that write programs of their own.

import (
	"cmp"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Shown is a table that a draft grants, as programs see it.
type Shown struct {
	Grant   string // the name that a program begins with
	Row     string // what programs call one row
	Table   string // in the database
	Own     string // the column of the database with the tenant of a row; "": the tenant is found by a link, or every row is shared
	Columns []ShownColumn
	Links   []ShownLink
}

// ShownColumn is a column of a Shown.
type ShownColumn struct {
	Name   string
	Kind   schema.Kind
	Listed bool // its possible values are known, and few
	Key    bool // the column is part of a key or of a foreign key
}

// ShownLink is a link of a Shown.
type ShownLink struct {
	Name string
	To   string // Shown.Row
	One  bool   // the link leads to at most one row
}

// Shown lists the granted tables, in the order of their names.
func (d *Draft) Shown() (out []Shown) {
	for _, f := range d.Facets {
		if f.Out != "" {
			continue
		}
		s := Shown{Grant: f.grant, Row: f.Alias, Table: f.Table}
		if t := d.Tenant; t != nil && f == t.facet {
			s.Own = t.Column
		} else if t != nil && t.leads[f] != nil {
			s.Own = t.leads[f].columns[0] // with several columns the table would be left out
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
