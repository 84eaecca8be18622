package schema

import (
	"slices"
	"strings"
)

// String returns the name for messages: schema.name, or name alone.
func (n Name) String() string {
	if n.Schema == "" {
		return n.Name
	}
	return n.Schema + "." + n.Name
}

// Is reports whether two names are the same for the engine: SQLite ignores the case of the letters A to Z.
func (e Engine) Is(a, b string) bool {
	if e != SQLite {
		return a == b
	}
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) { // compare without copying, since each name of a definition is compared with all others
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

// Table returns the table with a name, or nil. A name without a schema is looked up along Path; as in the database, a view of the same name in an
// earlier schema hides the table. If nothing has that name, the text schema.name finds the table in that schema of Path.
func (d *Database) Table(n Name) *Table { return find(d, n, d.Tables, tableName, d.Views, viewName) }

func tableName(t *Table) Name { return t.Name }
func viewName(v *View) Name   { return v.Name }

// key returns the same text for all names that mean the same to the engine.
func (e Engine) key(n Name) Name {
	if e == SQLite {
		return Name{asciiFold(n.Schema), asciiFold(n.Name)}
	}
	return n
}

// Finder returns a function like Table that is fast for many names. It does not see later changes to the database's tables and views.
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

// View returns the view with a name, or nil. It looks names up like Table.
func (d *Database) View(n Name) *View { return find(d, n, d.Views, viewName, d.Tables, tableName) }

// find looks a name up along the path, among tables or among views. An object of the other kind with that name, in an earlier schema, hides later ones.
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

// qualified returns names with a schema that a text like sales.customer may mean, if nothing is named by the whole text. The schema must be in
// Path.
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

// Spell returns the shortest text that finds a table or view as a Name without a schema: its name, or schema.name if another table or view with
// the name comes first.
func (d *Database) Spell(n Name) string {
	if n.Schema == "" {
		return n.Name
	}
	if x := d.Rows(Name{Name: n.Name}); x != nil && x.Name == n {
		return n.Name
	}
	return n.String()
}

// Where describes, for an error, the schemas in which names without a schema are looked up. On SQLite it is "".
func (d *Database) Where() string {
	if d.Engine != Postgres {
		return ""
	}
	return " in the search path (" + strings.Join(d.Path, ", ") + ")"
}

// Rows returns the table or the view with a name, or nil. A view is returned as a table with columns and nothing else.
func (d *Database) Rows(n Name) *Table {
	if v := d.View(n); v != nil {
		return &Table{Name: v.Name, Comment: v.Comment, Columns: v.Columns, Extension: v.Extension}
	}
	return d.Table(n)
}

// Left returns the entry of a table or view that is left out, or nil if there is none for the name.
func (d *Database) Left(n Name) *LeftOut {
	for i := range d.LeftOut {
		if d.Engine.Is(d.LeftOut[i].Name.Name, n.Name) {
			return &d.LeftOut[i]
		}
	}
	return nil
}

// ColumnNames returns the names of the columns, in their order.
func (t *Table) ColumnNames() (out []string) {
	for i := range t.Columns {
		out = append(out, t.Columns[i].Name)
	}
	return out
}

// Column returns the column with a name in the engine's form, including SQLite's hidden rowid, or nil.
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

// RowKey returns columns whose values identify each row, or nil. It is the first of Keys in which no column can be NULL and each has a type with an
// order, or else SQLite's rowid. It is nil if other PostgreSQL tables inherit from the table, since its keys don't cover their rows.
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

// Keys returns the column lists that are unique in the table's rows: the primary key, unique constraints, and unique indexes over columns alone
// without a condition.
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

// columns returns the leading parts of the index that are columns.
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
