package schema

import (
	"slices"
	"strconv"
	"strings"
)

// finish puts everything into the order that doc.go promises, and writes SQLite's names in the spelling of their definitions.
func (d *Database) finish() {
	byName := func(a, b Name) int {
		if c := strings.Compare(a.Schema, b.Schema); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	}
	slices.SortFunc(d.Tables, func(a, b *Table) int { return byName(a.Name, b.Name) })
	slices.SortFunc(d.Views, func(a, b *View) int { return byName(a.Name, b.Name) })
	slices.SortFunc(d.Enums, func(a, b *Enum) int { return byName(a.Name, b.Name) })
	slices.SortFunc(d.Domains, func(a, b *Domain) int { return byName(a.Name, b.Name) })
	d.Tables, d.Views, d.Enums, d.Domains = orNil(d.Tables), orNil(d.Views), orNil(d.Enums), orNil(d.Domains)
	for _, x := range d.Domains {
		slices.SortFunc(x.Checks, byText)
	}
	find := d.Finder()
	for _, t := range d.Tables {
		for i := range t.ForeignKeys {
			d.resolve(&t.ForeignKeys[i], find)
		}
		slices.SortStableFunc(t.Uniques, func(a, b Key) int { return byColumns(a.Columns, b.Columns, a.Name, b.Name) })
		slices.SortStableFunc(t.ForeignKeys, func(a, b ForeignKey) int {
			if c := byColumns(a.Columns, b.Columns, a.Name, b.Name); c != 0 {
				return c
			}
			return slices.Compare(a.rest(), b.rest())
		})
		slices.SortStableFunc(t.Indexes, func(a, b Index) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(t.Checks, byText)
		slices.SortStableFunc(t.Triggers, func(a, b Trigger) int { return strings.Compare(a.Name, b.Name) })
		slices.SortStableFunc(t.Policies, func(a, b Policy) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(t.Rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
		t.Uniques, t.Indexes, t.ForeignKeys, t.Checks, t.Triggers, t.Policies, t.Rules = orNil(t.Uniques), orNil(t.Indexes), orNil(t.ForeignKeys), orNil(t.Checks), orNil(t.Triggers), orNil(t.Policies), orNil(t.Rules)
		for i := range t.Policies {
			slices.Sort(t.Policies[i].Roles)
		}
	}
}

// rest returns the properties in which two foreign keys of the same columns may differ.
func (f *ForeignKey) rest() []string {
	return append([]string{f.Table.Schema, f.Table.Name, string(f.OnDelete), string(f.OnUpdate), strconv.FormatBool(f.Deferrable)}, f.References...)
}

func byText(a, b Check) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return strings.Compare(a.Expr, b.Expr)
}

// orNil turns an empty list into nil, so that equal catalogues are deeply equal.
func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

func byColumns(a, b []string, n, m string) int {
	if c := slices.Compare(a, b); c != 0 {
		return c
	}
	return strings.Compare(n, m)
}

// resolve spells the target of a foreign key as the target table's own definition does. If the foreign key names no columns, resolve fills in the target's primary key.
func (d *Database) resolve(f *ForeignKey, find func(Name) *Table) {
	to := find(f.Table)
	if to == nil {
		return
	}
	f.Table = to.Name
	if len(f.References) == 0 && to.PrimaryKey != nil && len(to.PrimaryKey.Columns) == len(f.Columns) {
		f.References = slices.Clone(to.PrimaryKey.Columns)
	}
	for i, r := range f.References {
		for _, c := range to.Columns {
			if d.Engine.Is(c.Name, r) {
				f.References[i] = c.Name
			}
		}
	}
}
