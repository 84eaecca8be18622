// Package draft drafts a grant file, exo.yaml, from the catalogue of a database, for a person to read and to change.
//
//	d, err := draft.New(live, draft.Options{Name: "shop", URL: "env:SHOP_URL"})
//	text := d.Text(nil)
//
// A draft grants less than a person would. It leaves out tables without a key, and tables without a column that shows the owner of a row. It
// also leaves out columns with names that sound like secrets, persons or free text. Comments give the reasons. Package draft reads no rows:
// the catalogue has facts about cells (schema.Column.Cells). The draft begins with `reviewed: false`.
package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/naming"
	names "github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Options are for New.
type Options struct {
	Name    string            // Name is the name of the database in the file
	URL     string            // URL is where the URL of the database is, in the words of a grant file
	Schemas []string          // Schemas are PostgreSQL's schemas for unqualified names; nil means the database's own
	About   string            // About describes the database in a comment
	Tenant  string            // Tenant is the table of tenants; "" chooses the likeliest, and None means that there is none
	Out     map[string]string // Out has tables to leave out, each with the reason
}

// None as Options.Tenant means that the database has one tenant: every user may reach every row.
const None = "none"

// Draft is a grant file before it is written as text.
type Draft struct {
	Tenant  *Tenant  // nil if none was found, or if there is only one tenant
	Tenants []Tenant // all tables that could be the table of tenants, the likeliest first
	Facets  []*Facet // all tables, in the order of their names

	opt  Options
	live *schema.Database
	refs []*reference
}

// Facet is what programs would see of a table.
type Facet struct {
	Table string // the table's name in the file
	Alias string
	Out   string // why the table is left out; "" if it is granted
	Kind  string // the kind of the reason, for the summary

	table   *schema.Table
	columns []column
	links   []link
	rows    string // the scope as a condition; "" if the scope is via a link, or shared
	via     *reference
	note    string // how the draft found the owner of the rows
	grant   string
	one     string // the name for one row; many is the name for several rows
	many    string
	prefix  string // the first word of all column names
}

type column struct {
	name, doc string
	as        string   // the column's name for programs; "" if programs use the name in the database
	typ       string   // for a column without a type in the database: a type with which the column could be granted
	out       string   // why the column is left out
	oneOf     []string // the only possible values
	stored    string   // the form in which SQLite stores the values
	note      string   // how the draft found that form
}

// link is a link in the terms of the grant file.
type link struct {
	name, to            string
	columns, references []string // nil for the columns of the only foreign key between the two tables
	one, usual          bool     // usual reports that the foreign key itself shows whether the link leads to one row
	guess               bool     // no foreign key declares the link
}

// reference is a foreign key between two tables of the draft.
type reference struct {
	from, to            *Facet
	place               int // the index of from among the facets: see ways
	columns, references []string
	sure                bool // every row of from refers to a row of to
	unique              bool // at most one row of from refers to each row of to
	short               bool // the only reference between the two tables, so the file may leave out its columns
	guess               bool // guessed from a column's name, without a foreign key
	there, back         string
}

// New drafts the grant file of a database.
func New(live *schema.Database, o Options) (*Draft, error) {
	d := &Draft{opt: o, live: live}
	made := dynamic.NewForFile(live)
	tables := map[*Facet]*dynamic.Table{}
	for _, t := range live.Tables {
		f := &Facet{Table: live.Spell(t.Name), table: t}
		d.Facets = append(d.Facets, f)
		f.leave("something is wrong in them", o.Out[f.Table])
		f.leave(unfit(live, t))
		if f.Out == "" || t.Virtual {
			dt, err := made.Table(f.Table)
			if err != nil {
				f.leave("something is wrong in them", grantfile.Reason(err))
				continue
			}
			tables[f] = dt
		}
	}
	for _, v := range live.Views {
		if name := live.Spell(v.Name); utf8.ValidString(name) {
			f := &Facet{Table: name, table: live.Rows(v.Name)}
			f.leave("views", viewOut)
			tables[f], _ = made.Table(f.Table) // so that comments about columns use the same names as comments about tables
			d.Facets = append(d.Facets, f)
		}
	}
	for _, l := range live.LeftOut {
		if utf8.ValidString(l.Name.Name) {
			f := &Facet{Table: l.Name.Name, table: &schema.Table{Name: l.Name}}
			f.leave(l.Kind(), l.Reason())
			d.Facets = append(d.Facets, f)
		}
	}
	slices.SortFunc(d.Facets, func(a, b *Facet) int { return strings.Compare(a.Table, b.Table) })
	d.nameFacets(tables)
	d.readReferences(tables)
	if err := d.findTenant(); err != nil {
		return nil, err
	}
	d.findScopes()
	d.nameLinks()
	d.nameGrants()
	return d, nil
}

const viewOut = "a view, of which nothing says who owns the rows: give it a scope, and a `key` if it is to be read in pages"

// leave leaves a table out for the reason why. It changes nothing if why is empty, or if the table already has a reason.
func (f *Facet) leave(kind, why string) {
	if f.Out == "" && why != "" {
		f.Kind, f.Out = kind, why
	}
}

// unfit returns why programs can't use the rows of a table.
func unfit(live *schema.Database, t *schema.Table) (kind, why string) {
	odd := func(c schema.Column) bool { return !utf8.ValidString(c.Name) }
	switch {
	case t.Name.Name == "":
		return "something is wrong in them", "it has no name"
	case !utf8.ValidString(t.Name.Name) || slices.ContainsFunc(t.Columns, odd):
		return "something is wrong in them", "its name or that of a column is no text in UTF-8, which a file can't hold"
	case t.Schema != "" && live.Engine == schema.Postgres && !slices.Contains(live.Path, t.Schema):
		return otherSchemas, fmt.Sprintf("it is in the schema %s, in which names are not looked up", t.Schema)
	case t.Schema != "" && live.Rows(schema.Name{Name: live.Spell(t.Name)}).Name != t.Name:
		return "something is wrong in them", "another table is called " + t.Name.String() + " as a whole"
	case t.Extension != "":
		return "parts of extensions", "it is part of the extension " + t.Extension
	case t.PartitionOf != nil:
		return "partitions", "it is a partition of " + t.PartitionOf.Name
	case t.Virtual:
		return "virtual tables", "it is a virtual table: a module decides what its rows are"
	}
	return "", ""
}

// nameFacets gives each facet its name and the columns that package dynamic accepts.
func (d *Draft) nameFacets(tables map[*Facet]*dynamic.Table) {
	taken := map[string]bool{}
	for i, f := range d.Facets {
		name := f.table.Name.Name
		f.one, f.many = latin(name, naming.Singular(name), "table", i), latin(name, naming.Plural(name), "tables", i)
		f.Alias = claim(taken, func(n string) bool {
			if names.ReservedName(n) || names.Keyword(n) {
				return false
			}
			return !slices.ContainsFunc(f.table.Columns, func(c schema.Column) bool { return naming.Lower(c.Name) == n })
		}, f.one, naming.Lower(naming.Singular(f.Table)), f.one+"Row")
		f.prefix = prefix(f.table)
		var shown []string
		listed := d.live.Listed(f.table)
		var odd []int // columns with names that programs can't use
		for i := range f.table.Columns {
			c := &f.table.Columns[i]
			x := column{name: c.Name, doc: c.Comment, out: shows(f.table, c, len(f.table.Columns))}
			if v := d.live.View(f.table.Name); v != nil && x.out == "" {
				x.out = made(d.live, v, c)
			}
			if c.Unreadable {
				x.out = unreadable
			}
			if t := tables[f]; t != nil {
				if _, err := t.Facet(f.Alias, append(slices.Clone(shown), c.Name)...); err != nil {
					x.out, odd = cmp.Or(x.out, grantfile.Reason(err)), append(odd, i)
				}
			}
			if c.Kind == schema.Unknown && d.live.Engine == schema.SQLite {
				x.typ = string(schema.Text)
			}
			if x.out == "" {
				shown = append(shown, c.Name)
			}
			if x.oneOf = listed[c.Name]; x.oneOf == nil && c.Kind == schema.Text {
				x.oneOf = d.live.Values(c)
			}
			x.stored, x.note = held(c)
			f.columns = append(f.columns, x)
		}
		if n := d.nameOdd(f, odd); len(shown)+n == 0 {
			f.leave("no column is left", "each of its columns is left out")
		}
	}
}

// held returns the form of a column's cells, from a sample. It returns a form only if all cells have it, or if programs could not read most
// cells without it.
func held(c *schema.Column) (form, note string) {
	if c.Cells == nil || c.Cells.Held == 0 {
		return "", ""
	}
	form, n := c.Cells.Form(c.Kind)
	switch all := c.Cells.Held; {
	case n == all:
		return form, fmt.Sprintf("so are the %d cells that were looked at", all)
	case form != "" && c.Cells.Plain < n:
		return form, fmt.Sprintf("so are %d of the %d cells that were looked at, and programs can't read the others", n, all)
	case c.Cells.Plain < all:
		return "", fmt.Sprintf("%d of the %d cells that were looked at are in a form that programs can't read", all-c.Cells.Plain, all)
	}
	return "", ""
}

// nameOdd renames columns with names that programs can't use. It returns the number of columns that got a name.
func (d *Draft) nameOdd(f *Facet, odd []int) (named int) {
	taken := map[string]bool{f.Alias: true}
	for i := range f.columns {
		if !slices.Contains(odd, i) {
			taken[naming.Lower(f.columns[i].name)] = true
		}
	}
	for _, i := range odd {
		x := &f.columns[i]
		if x.name == "*" { // in a grant file * means all columns
			continue
		}
		plain := latin(x.name, x.name, "column", i)
		x.as = claim(taken, func(n string) bool { return !names.ReservedName(n) }, plain, plain+"Value")
		var specs []dynamic.ColumnSpec
		var all []string
		for j, c := range f.columns {
			if c.out == "" || j == i {
				specs, all = append(specs, dynamic.ColumnSpec{Name: c.name, As: c.as, Type: c.typ}), append(all, c.name)
			}
		}
		t, err := dynamic.NewForFile(d.live).Table(f.Table, specs...)
		if err == nil {
			_, err = t.Facet(f.Alias, all...)
		}
		kept := columnKind(x.out) != "" || x.typ != "" // the draft leaves the column out in any case, until a person grants it
		switch {
		case err != nil && !kept:
			x.as, x.out = "", grantfile.Reason(err)
		case err != nil || kept && x.as == names.Camel(x.name):
			x.as = ""
		case !kept:
			x.out = ""
			named++
		}
	}
	return named
}

// latin returns the argument made: a name for programs, made from the database's name. If that name has no Latin letters or digits, latin
// returns kind and a number.
func latin(name, made, kind string, i int) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }) {
		return fmt.Sprint(kind, i+1)
	}
	return naming.Lower(made)
}

// prefix returns the first word of all columns of a table, if they share it: usr for usr_id, usr_name and usr_tenant_id.
func prefix(t *schema.Table) string {
	first := ""
	for i, c := range t.Columns {
		ws := naming.Words(c.Name)
		if len(ws) < 2 || i > 0 && !strings.EqualFold(ws[0], first) {
			return ""
		}
		first = strings.ToLower(ws[0])
	}
	if len(t.Columns) < 3 || first == "is" || first == "id" {
		return ""
	}
	return first
}

// bare returns the words of a column's name in lower case, without the table's prefix.
func (f *Facet) bare(column string) []string {
	ws := naming.Words(strings.ToLower(strings.Join(naming.Words(column), "_")))
	if f.prefix != "" && len(ws) > 1 && ws[0] == f.prefix {
		return ws[1:]
	}
	return ws
}

// readReferences finds the foreign keys that links can follow. If a table declares no foreign keys, it guesses them from the names of columns.
func (d *Draft) readReferences(tables map[*Facet]*dynamic.Table) {
	between := map[[2]*Facet]int{}
	of, called := map[*schema.Table]*Facet{}, map[string][]*Facet{}
	for _, f := range d.Facets {
		of[f.table] = f
		one := strings.ToLower(strings.Join(naming.Words(naming.Singular(f.table.Name.Name)), "_"))
		called[one] = append(called[one], f)
	}
	pair := func(a, b *Facet) [2]*Facet {
		if a.Table > b.Table {
			a, b = b, a
		}
		return [2]*Facet{a, b}
	}
	add := func(r *reference) bool {
		r.sure = true
		for _, c := range r.columns {
			r.sure = r.sure && r.from.table.Column(c).NotNull
		}
		r.unique = slices.ContainsFunc(r.from.table.Keys(), func(key []string) bool {
			return !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(r.columns, c) })
		})
		if r.unique && r.guess { // both facets may be one table, or two halves of one
			return false
		}
		try := fmt.Sprintf("x%d", len(d.refs))
		from, to := tables[r.from], tables[r.to]
		_, there := from.Link(dynamic.LinkSpec{Name: try + "a", Columns: r.columns, To: to, References: r.references, One: true})
		_, back := to.Link(dynamic.LinkSpec{Name: try + "b", Columns: r.references, To: from, References: r.columns})
		if there != nil || back != nil {
			return false
		}
		d.refs = append(d.refs, r)
		return true
	}
	for _, f := range d.Facets {
		for _, k := range f.table.ForeignKeys {
			to := of[d.live.Table(k.Table)]
			if to == nil {
				continue
			}
			between[pair(f, to)]++
			refs := k.References
			if len(refs) == 0 && to.table.PrimaryKey != nil {
				refs = to.table.PrimaryKey.Columns
			}
			r := &reference{from: f, to: to, columns: d.spelled(f, k.Columns), references: d.spelled(to, refs)}
			if r.columns == nil || len(r.columns) != len(r.references) || f.Out != "" || to.Out != "" {
				continue
			}
			if add(r) {
				r.short = slices.Equal(r.columns, k.Columns) && (len(k.References) == 0 || slices.Equal(r.references, k.References))
			}
		}
		if len(f.table.ForeignKeys) > 0 || f.Out != "" {
			continue
		}
		for i := range f.table.Columns {
			if to := d.guess(f, &f.table.Columns[i], called); to != nil {
				add(&reference{from: f, to: to, guess: true, columns: []string{f.table.Columns[i].Name}, references: to.table.PrimaryKey.Columns})
			}
		}
	}
	for _, r := range d.refs {
		r.short = r.short && between[pair(r.from, r.to)] == 1
	}
}

// guess returns the table that a column names, in the style of Rails: project_id refers to projects. If another column chooses the table
// (owner_type for owner_id), guess returns nil.
func (d *Draft) guess(f *Facet, c *schema.Column, called map[string][]*Facet) *Facet {
	ws := f.bare(c.Name)
	n := len(ws) - 1
	if n < 1 || ws[n] != "id" && ws[n] != "uuid" || claimType(c.Kind) == "" {
		return nil
	}
	role := strings.Join(ws[:n], "_")
	for i := range f.table.Columns {
		if other := strings.Join(f.bare(f.table.Columns[i].Name), "_"); other == role+"_type" || other == role+"_kind" {
			return nil
		}
	}
	found := called[role]
	if len(found) == 0 && tenantWords[role] { // org_id may refer to organizations
		for name, fs := range called {
			if strings.HasPrefix(name, role) && weight(name) == 2 {
				found = append(found, fs...)
			}
		}
	}
	if len(found) == 0 { // account_id in crm_lead may refer to crm_account
		if table := naming.Words(f.table.Name.Name); len(table) > 1 {
			found = called[strings.ToLower(table[0])+"_"+role]
		}
	}
	if len(found) != 1 || found[0] == f || found[0].Out != "" || found[0].table.PrimaryKey == nil || len(found[0].table.PrimaryKey.Columns) != 1 {
		return nil
	}
	to := found[0]
	key := to.table.Column(to.table.PrimaryKey.Columns[0])
	if key == nil || key.Kind != c.Kind || key.Enum != nil {
		return nil
	}
	if k := strings.Join(to.bare(key.Name), "_"); k != "id" && k != "uuid" && k != strings.Join(ws, "_") {
		return nil
	}
	return to
}

// spelled returns the names in the table's own spelling, because SQLite's foreign keys may use other capitals. It returns nil if the table lacks one.
func (d *Draft) spelled(f *Facet, names []string) (out []string) {
	for _, n := range names {
		i := slices.IndexFunc(f.table.Columns, func(c schema.Column) bool { return d.live.Engine.Is(c.Name, n) })
		if i < 0 {
			return nil
		}
		out = append(out, f.table.Columns[i].Name)
	}
	return out
}

// nameLinks names the links of each reference, in both directions, between granted facets.
func (d *Draft) nameLinks() {
	taken, shared := map[*Facet]map[string]bool{}, map[*Facet]map[string]int{}
	for _, f := range d.Facets {
		taken[f], shared[f] = map[string]bool{f.Alias: true}, map[string]int{}
		for _, c := range f.columns {
			taken[f][naming.Lower(c.name)], taken[f][c.as] = true, true
		}
	}
	ways := map[[2]*Facet]int{}
	for _, r := range d.refs {
		ways[[2]*Facet{r.from, r.to}]++
		for _, c := range r.columns {
			shared[r.from][c]++
		}
	}
	for _, r := range d.refs {
		if r.from.Out != "" || r.to.Out != "" {
			continue
		}
		one, many := r.to.one, r.from.many
		role := r.role(one, shared[r.from])
		if r.unique {
			many = r.from.one
		}
		upper := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
		by := many + "By" + upper(role)
		r.there = claim(taken[r.from], naming.Linkable, role, role+upper(one), role+"Row")
		backs := []string{many, by}
		if r.from == r.to || ways[[2]*Facet{r.from, r.to}] > 1 && role != one {
			backs = []string{by}
		}
		r.back = claim(taken[r.to], naming.Linkable, append(backs, by+"Rows")...)
		there := link{name: r.there, to: r.to.Alias, columns: r.columns, references: r.references, one: true, usual: true, guess: r.guess}
		back := link{name: r.back, to: r.from.Alias, columns: r.references, references: r.columns, one: r.unique, usual: !r.unique, guess: r.guess}
		if r.short {
			there.columns = nil
			if r.from != r.to {
				back.columns = nil
			}
		}
		r.from.links = append(r.from.links, there)
		r.to.links = append(r.to.links, back) // back comes after the other link, because from and to may be the same table
	}
}

// role returns a reference's name for the row that it refers to: assignee for assignee_id. Of several columns it uses the one that no other
// reference shares and that is not named like the target: author_id in (tenant_id, author_id).
func (r *reference) role(one string, shared map[string]int) string {
	column := r.columns[0]
	if len(r.columns) > 1 {
		best := -1
		for i, c := range r.columns {
			score := 0
			if shared[c] == 1 {
				score += 2
			}
			if !strings.EqualFold(c, r.references[i]) {
				score++
			}
			switch {
			case score > best:
				column, best = c, score
			case score == best:
				column = ""
			}
		}
		if column == "" || best == 0 {
			return one
		}
	}
	return role(r.from.bare(column), one)
}

// role returns the name for a row that the words of a key's column suggest.
func role(ws []string, one string) string {
	for len(ws) > 0 && slices.Contains([]string{"id", "uuid", "fk", "key", "code"}, ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	if len(ws) == 0 {
		return one
	}
	return naming.Lower(strings.Join(ws, "_"))
}

// nameGrants grants each facet under its table's name.
func (d *Draft) nameGrants() {
	taken := map[string]bool{}
	for _, f := range d.Facets {
		if f.Out == "" {
			f.grant = claim(taken, func(n string) bool { return !names.ReservedName(n) && !names.Keyword(n) }, f.many, naming.Lower(naming.Plural(f.Table)), f.many+"Rows")
		}
	}
}

// claim returns the first wanted name that is free and that the function ok accepts. If there is no such name, it adds a number to the last wanted name.
func claim(taken map[string]bool, ok func(string) bool, wanted ...string) string {
	last := ""
	for _, w := range wanted {
		last = w[:min(len(w), 90)]
		if !taken[last] && ok(last) {
			taken[last] = true
			return last
		}
	}
	for n := 2; ; n++ {
		if w := fmt.Sprint(last, n); !taken[w] && ok(w) {
			taken[w] = true
			return w
		}
	}
}

// Elsewhere returns the schemas in which names must be looked up, so that tables of other schemas are found, too. It returns nil if all
// tables are already found.
func (d *Draft) Elsewhere() (in []string) {
	for _, f := range d.Facets {
		if s := f.table.Schema; f.Kind == otherSchemas && !slices.Contains(in, s) {
			in = append(in, s)
		}
	}
	if len(in) == 0 {
		return nil
	}
	slices.Sort(in)
	var path []string
	for _, s := range d.live.Path { // the draft does not mention a schema without tables
		if slices.ContainsFunc(d.live.Tables, func(t *schema.Table) bool { return t.Schema == s }) {
			path = append(path, s)
		}
	}
	return append(path, in...)
}

// otherSchemas is the reason for tables in schemas where names are not looked up.
const otherSchemas = "in other schemas"

// unbound returns why the row-level security of a facet's table does not apply to the reading role. It returns "" if it applies, or if there is none.
func (d *Draft) unbound(f *Facet) string {
	if !f.table.RowSecurity {
		return ""
	}
	return d.live.Role.Unbound(f.table)
}

// Granted returns the number of granted tables.
func (d *Draft) Granted() (n int) {
	for _, f := range d.Facets {
		if f.Out == "" {
			n++
		}
	}
	return n
}
