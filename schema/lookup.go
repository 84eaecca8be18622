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
// hides it, as it does for the database. Where none is called so, schema.name finds it in that schema of Path. It is nil if there is none.
func (d *Database) Table(n Name) *Table { return find(d, n, d.Tables, tableName, d.Views, viewName) }

func tableName(t *Table) Name { return t.Name }
func viewName(v *View) Name   { return v.Name }

// key is the name that names which mean the same have in common.
func (e Engine) key(n Name) Name {
	if e == SQLite {
		return Name{asciiFold(n.Schema), asciiFold(n.Name)}
	}
	return n
}

// Finder is Table for many names: it looks at each table once. What changes in the database's tables and views afterwards is not found.
func (d *Database) Finder() func(Name) *Table {
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
		for _, q := range d.qualified(n) {
			if t := all[q]; t != nil || views[q] {
				return t
			}
		}
		return nil
	}
}

// View finds a view like Table finds a table.
func (d *Database) View(n Name) *View { return find(d, n, d.Views, viewName, d.Tables, tableName) }

// find looks along the path, up to what is of the other kind and has the name.
func find[T, O any](d *Database, n Name, all []*T, name func(*T) Name, others []*O, other func(*O) Name) *T {
	in := []string{n.Schema}
	if n.Schema == "" && d.Engine == Postgres {
		in = d.Path
	}
	for _, s := range in {
		is := func(m Name) bool { return d.Engine.Is(m.Schema, s) && d.Engine.Is(m.Name, n.Name) }
		if i := slices.IndexFunc(all, func(x *T) bool { return is(name(x)) }); i >= 0 {
			return all[i]
		}
		if slices.ContainsFunc(others, func(x *O) bool { return is(other(x)) }) {
			return nil
		}
	}
	for _, q := range d.qualified(n) {
		if x := find(d, q, all, name, others, other); x != nil {
			return x
		}
	}
	return nil
}

// qualified are the names with a schema of the path that a name without one may mean where nothing is called so as a whole: sales.customer.
func (d *Database) qualified(n Name) (out []Name) {
	if n.Schema != "" || d.Engine != Postgres {
		return nil
	}
	for _, s := range d.Path {
		if rest, ok := strings.CutPrefix(n.Name, s+"."); ok && rest != "" {
			out = append(out, Name{s, rest})
		}
	}
	return out
}

// Spell is the shortest text by which a Name without a schema finds a table or view: its name, or schema.name where another one of the
// name comes first.
func (d *Database) Spell(n Name) string {
	if n.Schema == "" {
		return n.Name
	}
	if x := d.Rows(Name{Name: n.Name}); x != nil && x.Name == n {
		return n.Name
	}
	return n.String()
}

// Where says for an error in which schemas names without one are looked up; "" on SQLite.
func (d *Database) Where() string {
	if d.Engine != Postgres {
		return ""
	}
	return " in the search path (" + strings.Join(d.Path, ", ") + ")"
}

// Rows finds what a name means that rows can be read of: a table, or a view as a table that has columns and nothing else; nil if there is neither.
func (d *Database) Rows(n Name) *Table {
	if v := d.View(n); v != nil {
		return &Table{Name: v.Name, Comment: v.Comment, Columns: v.Columns, Extension: v.Extension}
	}
	return d.Table(n)
}

// Left is the reason why a table or view of this name is left out; nil: none of this name is.
func (d *Database) Left(n Name) *LeftOut {
	for i := range d.LeftOut {
		if d.Engine.Is(d.LeftOut[i].Name.Name, n.Name) {
			return &d.LeftOut[i]
		}
	}
	return nil
}

// ColumnNames are the names of the columns, in their order.
func (t *Table) ColumnNames() (out []string) {
	for i := range t.Columns {
		out = append(out, t.Columns[i].Name)
	}
	return out
}

// Column finds a column by its name as the engine keeps it, also SQLite's hidden rowid; nil if there is none.
func (t *Table) Column(name string) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 && t.RowID && name == rowID {
		return &Column{Name: rowID, Type: "INTEGER", Kind: Int, NotNull: true, Identity: ByDefault}
	}
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

const rowID = "rowid"

// RowKey returns columns that are unique in every row: the first of Keys whose columns are never NULL and of types that
// have an order, else SQLite's rowid; nil if there is none. PostgreSQL's heirs are beyond the keys of their table.
func (t *Table) RowKey() []string {
	for _, key := range t.Keys() {
		if !t.Inherited && !slices.ContainsFunc(key, func(name string) bool {
			c := t.Column(name)
			return c == nil || !c.NotNull || c.Kind == "" || c.Kind == JSON || c.Kind == List
		}) {
			return key
		}
	}
	if t.RowID {
		return []string{rowID}
	}
	return nil
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
