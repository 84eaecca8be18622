package schema

import (
	"slices"
	"strings"
)

// String is the name as it is written in messages: schema.name, or name alone.
func (n Name) String() string {
	if n.Schema == "" {
		return n.Name
	}
	return n.Schema + "." + n.Name
}

// Is reports whether two names of the engine are the same: SQLite's ignore the
// case of the letters A to Z.
func (e Engine) Is(a, b string) bool {
	if e != SQLite {
		return a == b
	}
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) { // without a copy: each name of a definition is compared with all the others
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func asciiFold(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Table finds a table by its name; without a schema it is looked up along Path, where a view of the name that comes first
// hides it, as it does for the database. It is nil if there is none.
func (d *Database) Table(n Name) *Table {
	t := find(d, n, d.Tables, func(t *Table) Name { return t.Name })
	if t != nil && d.hidden(n, t.Name, find(d, n, d.Views, func(v *View) Name { return v.Name })) {
		return nil
	}
	return t
}

// hidden reports whether the name means the view and not the table.
func (d *Database) hidden(n, table Name, view *View) bool {
	return view != nil && n.Schema == "" && d.Engine == Postgres && slices.Index(d.Path, view.Name.Schema) < slices.Index(d.Path, table.Schema)
}

// key is the name that names which mean the same have in common.
func (e Engine) key(n Name) Name {
	if e == SQLite {
		return Name{asciiFold(n.Schema), asciiFold(n.Name)}
	}
	return n
}

// finder is Table for many names: it looks at each table once.
func (d *Database) finder() func(Name) *Table {
	all := map[Name]*Table{}
	for _, t := range d.Tables {
		if k := d.Engine.key(t.Name); all[k] == nil {
			all[k] = t
		}
	}
	views := map[Name]bool{}
	for _, v := range d.Views {
		views[v.Name] = true
	}
	return func(n Name) *Table {
		if n.Schema != "" || d.Engine != Postgres {
			return all[d.Engine.key(n)]
		}
		for _, s := range d.Path {
			if t := all[Name{s, n.Name}]; t != nil || views[Name{s, n.Name}] {
				return t
			}
		}
		return nil
	}
}

// View finds a view like Table finds a table.
func (d *Database) View(n Name) *View {
	v := find(d, n, d.Views, func(v *View) Name { return v.Name })
	if t := find(d, n, d.Tables, func(t *Table) Name { return t.Name }); v != nil && t != nil && !d.hidden(n, t.Name, v) && n.Schema == "" && d.Engine == Postgres {
		return nil
	}
	return v
}

func find[T any](d *Database, n Name, all []*T, name func(*T) Name) *T {
	in := []string{n.Schema}
	if n.Schema == "" && d.Engine == Postgres {
		in = d.Path
	}
	for _, s := range in {
		for _, x := range all {
			if m := name(x); d.Engine.Is(m.Schema, s) && d.Engine.Is(m.Name, n.Name) {
				return x
			}
		}
	}
	return nil
}

// Column finds a column by its name as the engine keeps it; nil if there is none.
func (t *Table) Column(name string) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// Keys are the columns of all that is unique in every row: the primary key, unique
// constraints, and unique indexes over columns alone that have every row.
func (t *Table) Keys() [][]string {
	var out [][]string
	if t.PrimaryKey != nil {
		out = append(out, t.PrimaryKey.Columns)
	}
	for _, k := range t.Uniques {
		out = append(out, k.Columns)
	}
	for _, i := range t.Indexes {
		if cols := i.columns(); i.Unique && i.Where == "" && !i.Invalid && len(cols) == len(i.Parts) {
			out = append(out, cols)
		}
	}
	return out
}

// columns are the leading parts of the index that are columns.
func (i *Index) columns() []string {
	var out []string
	for _, p := range i.Parts {
		if p.Column == "" {
			break
		}
		out = append(out, p.Column)
	}
	return out
}
