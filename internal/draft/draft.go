// Package draft drafts a grant file, exo.yaml, from the catalogue of a database, for a person to read and to change.
//
//	d, err := draft.New(live, draft.Options{Name: "shop", URL: "env:SHOP_URL"})
//	text := d.Text(nil)
//
// A draft grants less than a person would: a table whose rows are nobody's by a foreign key, and a column whose name sounds like secrets,
// persons or free text, stand in it as comments, with the reason. It reads no rows, and says `reviewed: false`.
package draft

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/naming"
	names "github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Options are for New.
type Options struct {
	Name    string            // of the database in the file
	URL     string            // where its URL is, as a grant file says it
	Schemas []string          // of PostgreSQL: where names are looked up; nil: as the database says
	About   string            // names the database in a comment
	Tenant  string            // the table of tenants; "": the likeliest; None
	Out     map[string]string // tables that are left out, with the reason
}

// None as Options.Tenant is a database of one tenant: everybody may reach every row.
const None = "none"

// Draft is a grant file before it is written.
type Draft struct {
	Tenant  *Tenant  // nil: none was found, or there is one tenant
	Tenants []Tenant // all tables that could be it, the likeliest first
	Facets  []*Facet // of all tables, in the order of their names

	opt  Options
	live *schema.Database
	refs []*reference
}

// Facet is what programs are to see of a table.
type Facet struct {
	Table string
	Alias string
	Out   string // why it is left out; "": it is not

	table   *schema.Table
	columns []column
	links   []link
	rows    string // the scope as a condition; "": via, or shared
	via     *reference
	note    string // how its rows were found to be somebody's
	grant   string
}

type column struct {
	name, doc string
	out       string   // why it is left out
	oneOf     []string // its only values
}

type link struct {
	name, text string // what the file says of it
}

// reference is a foreign key between two tables of the draft.
type reference struct {
	from, to   *Facet
	place      int // of from among the facets: see ways
	columns    []string
	references []string
	sure       bool // no row is without
	unique     bool // at most one row leads to each
	short      bool // it is the only one between the two, so the file need not say its columns
	there      string
	back       string
}

// New drafts the grant file of a database.
func New(live *schema.Database, o Options) (*Draft, error) {
	d := &Draft{opt: o, live: live}
	made := dynamic.New(live)
	tables := map[*Facet]*dynamic.Table{}
	for _, t := range live.Tables {
		f := &Facet{Table: t.Name.Name, table: t, Out: o.Out[t.Name.Name]}
		d.Facets = append(d.Facets, f)
		if why := unfit(live, t); why != "" && f.Out == "" {
			f.Out = why
		}
		if dt, err := made.Table(f.Table); err != nil && f.Out == "" {
			f.Out = message(err)
		} else if err == nil {
			tables[f] = dt
		}
	}
	for _, v := range live.Views {
		if live.View(schema.Name{Name: v.Name.Name}) == v && utf8.ValidString(v.Name.Name) {
			d.Facets = append(d.Facets, &Facet{Table: v.Name.Name, table: live.Rows(v.Name), Out: viewOut})
		}
	}
	for _, l := range live.LeftOut {
		if utf8.ValidString(l.Name.Name) {
			d.Facets = append(d.Facets, &Facet{Table: l.Name.Name, table: &schema.Table{Name: l.Name}, Out: l.Reason()})
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

const viewOut = "a view, and nothing says whose its rows are: give it a scope, and a `key` if it is to be read in pages"

// unfit says why programs can't be given rows of a table.
func unfit(live *schema.Database, t *schema.Table) string {
	odd := func(c schema.Column) bool { return !utf8.ValidString(c.Name) }
	switch {
	case !utf8.ValidString(t.Name.Name) || slices.ContainsFunc(t.Columns, odd):
		return "its name or that of a column is no text in UTF-8, which a file can't hold"
	case live.Table(schema.Name{Name: t.Name.Name}) != t:
		return "another table of this name comes before it in the search path"
	case t.Extension != "":
		return "it is part of the extension " + t.Extension
	case t.PartitionOf != nil:
		return "it is a partition of " + t.PartitionOf.Name
	case t.Virtual:
		return "it is a virtual table: a module decides what its rows are"
	}
	return ""
}

// message is an error without its place, for a comment of the file.
func message(err error) string {
	if e := (*exo.Error)(nil); asError(err, &e) && e.Message() != "" {
		return strings.ReplaceAll(e.Message(), "ColumnSpec.As", "`as`") // as the file says it
	}
	return err.Error()
}

// nameFacets gives each facet its name and its columns, as package dynamic takes them.
func (d *Draft) nameFacets(tables map[*Facet]*dynamic.Table) {
	taken := map[string]bool{}
	for _, f := range d.Facets {
		one := naming.Lower(naming.Singular(f.Table))
		f.Alias = claim(taken, func(n string) bool {
			if names.ReservedName(n) || names.Keyword(n) {
				return false
			}
			return !slices.ContainsFunc(f.table.Columns, func(c schema.Column) bool { return naming.Lower(c.Name) == n })
		}, one, one+"Row")
		var shown []string
		listed := d.live.Listed(f.table)
		for i := range f.table.Columns {
			c := &f.table.Columns[i]
			x := column{name: c.Name, doc: c.Comment, out: sensitive(c)}
			if t := tables[f]; t != nil && x.out == "" {
				if _, err := t.Facet(f.Alias, append(slices.Clone(shown), c.Name)...); err != nil {
					x.out = message(err)
				}
			}
			if c.Unreadable {
				x.out = "the role of the database may not read it"
			}
			if x.out == "" {
				shown = append(shown, c.Name)
			}
			if x.oneOf = listed[c.Name]; x.oneOf == nil && c.Kind == schema.Text {
				x.oneOf = d.live.Values(c)
			}
			f.columns = append(f.columns, x)
		}
		if len(shown) == 0 && f.Out == "" {
			f.Out = "each of its columns is left out"
		}
	}
}

// readReferences finds the foreign keys that links can follow.
func (d *Draft) readReferences(tables map[*Facet]*dynamic.Table) {
	between := map[[2]*Facet]int{}
	of := map[*schema.Table]*Facet{}
	for _, f := range d.Facets {
		of[f.table] = f
	}
	pair := func(a, b *Facet) [2]*Facet {
		if a.Table > b.Table {
			a, b = b, a
		}
		return [2]*Facet{a, b}
	}
	for _, f := range d.Facets {
		for _, k := range f.table.ForeignKeys {
			to := of[d.live.Table(k.Table)]
			if to == nil {
				continue
			}
			between[pair(f, to)]++
			r := &reference{from: f, to: to, sure: true}
			refs := k.References
			if len(refs) == 0 && to.table.PrimaryKey != nil {
				refs = to.table.PrimaryKey.Columns
			}
			r.columns, r.references = d.spelled(f, k.Columns), d.spelled(to, refs)
			if r.columns == nil || len(r.columns) != len(r.references) || f.Out != "" || to.Out != "" {
				continue
			}
			for _, c := range r.columns {
				r.sure = r.sure && f.table.Column(c).NotNull
			}
			r.unique = slices.ContainsFunc(f.table.Keys(), func(key []string) bool {
				return !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(r.columns, c) })
			})
			try := fmt.Sprintf("x%d", len(d.refs))
			_, there := tables[f].Link(dynamic.LinkSpec{Name: try + "a", Columns: r.columns, To: tables[to], References: r.references, One: true})
			_, back := tables[to].Link(dynamic.LinkSpec{Name: try + "b", Columns: r.references, To: tables[f], References: r.columns})
			if there == nil && back == nil {
				r.short = slices.Equal(r.columns, k.Columns) && (len(k.References) == 0 || slices.Equal(r.references, k.References))
				d.refs = append(d.refs, r)
			}
		}
	}
	for _, r := range d.refs {
		r.short = r.short && between[pair(r.from, r.to)] == 1
	}
}

// spelled are columns as their table has them: SQLite's foreign keys may have other capitals.
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

// nameLinks names the links that each reference makes, there and back, between facets that are not left out.
func (d *Draft) nameLinks() {
	taken := map[*Facet]map[string]bool{}
	for _, f := range d.Facets {
		taken[f] = map[string]bool{f.Alias: true}
		for _, c := range f.columns {
			taken[f][naming.Lower(c.name)] = true
		}
	}
	ways := map[[2]*Facet]int{}
	for _, r := range d.refs {
		ways[[2]*Facet{r.from, r.to}]++
	}
	for _, r := range d.refs {
		if r.from.Out != "" || r.to.Out != "" {
			continue
		}
		one := naming.Lower(naming.Singular(r.to.Table))
		role := role(r.columns, one)
		many := naming.Lower(naming.Plural(r.from.Table))
		if r.unique {
			many = naming.Lower(naming.Singular(r.from.Table))
		}
		by := many + "By" + strings.ToUpper(role[:1]) + role[1:]
		r.there = claim(taken[r.from], naming.Linkable, role, role+strings.ToUpper(one[:1])+one[1:], role+"Row")
		backs := []string{many, by}
		if r.from == r.to || ways[[2]*Facet{r.from, r.to}] > 1 && role != one {
			backs = []string{by}
		}
		r.back = claim(taken[r.to], naming.Linkable, append(backs, by+"Rows")...)
		r.from.links = append(r.from.links, link{r.there, r.text(r.to, r.columns, r.references, true, r.short, true)})
		r.to.links = append(r.to.links, link{r.back, r.text(r.from, r.references, r.columns, r.unique, r.short && r.from != r.to, false)})
	}
}

// text is what the file says of a link. one is the default of a short one.
func (r *reference) text(to *Facet, columns, references []string, isOne, short, one bool) string {
	switch {
	case short && isOne == one:
		return to.Alias
	case short:
		return fmt.Sprintf("{ to: %s, one: %t }", to.Alias, isOne)
	}
	return fmt.Sprintf("{ to: %s, columns: [%s], references: [%s], one: %t }", to.Alias, scalars(columns), scalars(references), isOne)
}

// role is what the columns of a foreign key call the row that it leads to: assignee of assignee_id.
func role(columns []string, one string) string {
	if len(columns) != 1 {
		return one
	}
	ws := naming.Words(columns[0])
	for len(ws) > 0 && slices.Contains([]string{"id", "uuid", "fk", "key", "code"}, strings.ToLower(ws[len(ws)-1])) {
		ws = ws[:len(ws)-1]
	}
	if len(ws) == 0 {
		return one
	}
	return naming.Lower(strings.Join(ws, "_"))
}

// nameGrants grants each facet, under the name of its table.
func (d *Draft) nameGrants() {
	taken := map[string]bool{}
	for _, f := range d.Facets {
		if f.Out == "" {
			many := naming.Lower(naming.Plural(f.Table))
			f.grant = claim(taken, func(n string) bool { return !names.ReservedName(n) && !names.Keyword(n) }, many, many+"Rows")
		}
	}
}

// claim takes the first of the wanted names that is free and that ok admits, or the last one with a number.
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

// unbound says why the policies of a facet's table do not apply to who reads it; "": they do, or there are none.
func (d *Draft) unbound(f *Facet) string {
	if !f.table.RowSecurity {
		return ""
	}
	return d.live.Role.Unbound(f.table)
}

// Granted are the tables that are not left out.
func (d *Draft) Granted() (n int) {
	for _, f := range d.Facets {
		if f.Out == "" {
			n++
		}
	}
	return n
}
