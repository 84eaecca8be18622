package grantfile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Options are for Declare; nil means the defaults.
type Options struct {
	// Env looks up the variables that the file names; nil means os.Getenv.
	Env func(string) string
	// Databases are databases that are already open, by their names in the file. Declare neither opens nor closes them.
	Databases map[string]*exosql.DB
	// Images is OpenOptions.Images of the databases that Declare opens. If changes wait for a person, Declare uses a larger number.
	Images int
	// Unpinned turns off the comparison of pins. A command that writes pins sets it.
	Unpinned bool
}

// Declared is a grant file that agrees with its databases. It may be used by several goroutines at once.
type Declared struct {
	File *File
	// Witnesses are the databases that can report whether they kept a run.
	Witnesses []*exosql.DB
	// Names are the names of Witnesses in the file.
	Names []string
	// Unwitnessed reports that programs can change a database that can't report whether it kept a run. Under an older file it may have been able to
	// report that.
	Unwitnessed bool

	dbs    map[string]*exosql.DB
	opened []*exosql.DB
	live   map[string]*schema.Database
	find   map[string]func(schema.Name) *schema.Table // finds the tables of live
	tables map[[2]string]*dynamic.Table               // tables by database and name
	facets map[string]*dynamic.Facet
	links  map[string]*dynamic.Link // links by "facet.link"
	many   map[string]LinkKeys

	worlds    map[*string]*world  // worlds by the list of facets that they reach
	templates []*dynamic.Template // the templates of File.Grants, in their order
	grants    map[*dynamic.Template]*Grant
	claimed   map[string]condition // a condition on a claim of each kind: see bound.check

	services map[string]services.Opened
	box      *box // the outbox of the sinks among the services
	unpinned bool
	oldPins  []*Facet // facets that have a pin of an older form
}

// LinkKeys are the columns that a link compares, and whether the link leads to at most one row.
type LinkKeys struct {
	Columns, References []string
	One                 bool
}

// Declare opens the databases and compares the file with their catalogues. Close closes the databases.
func (f *File) Declare(ctx context.Context, opt *Options) (*Declared, error) {
	if opt == nil {
		opt = &Options{}
	}
	env := opt.Env
	if env == nil {
		env = os.Getenv
	}
	d := &Declared{File: f, dbs: map[string]*exosql.DB{}, live: map[string]*schema.Database{}, find: map[string]func(schema.Name) *schema.Table{},
		tables: map[[2]string]*dynamic.Table{}, facets: map[string]*dynamic.Facet{}, links: map[string]*dynamic.Link{}, many: map[string]LinkKeys{},
		worlds: map[*string]*world{}, grants: map[*dynamic.Template]*Grant{}, claimed: map[string]condition{}, unpinned: opt.Unpinned}
	p := &problems{}
	for _, x := range f.Databases {
		if db := opt.Databases[x.Text]; db != nil {
			d.dbs[x.Text] = db
		} else if err := d.open(ctx, x, env, max(opt.Images, f.images())); err != nil {
			p.At(x.URL.Pos, "the database %s: %s", x.Text, fileWords.Replace(Reason(err)))
		}
	}
	for i := range f.Facets {
		x := &f.Facets[i]
		d.Unwitnessed = d.Unwitnessed || x.Writes() && slices.ContainsFunc(f.Databases, func(db Database) bool { return db.Text == x.Database.Text && !db.marks() })
	}
	d.openServices(ctx, opt, p)
	err := p.Err(f.Name)
	if err == nil {
		err = d.declare(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// URLs returns the URL for programs' connections, and the one for exo undo.
func (x *Database) URLs(env func(string) string) (url, undo string, err error) {
	if url, err = x.connects(x.URL, env); err != nil || x.UndoURL.Kind == "" {
		return url, url, err
	}
	undo, err = x.connects(x.UndoURL, env)
	return url, undo, err
}

// Written returns the tables of a database that programs may change.
func (f *File) Written(live *schema.Database, database string) (out []schema.Name) {
	for _, x := range f.Facets {
		if len(x.Insert) == 0 && len(x.Update) == 0 && x.Delete == nil || x.Database.Text != database && (x.Database.Text != "" || len(f.Databases) > 1) {
			continue
		}
		if t := live.Finder()(schema.Name{Name: x.Table.Text}); t != nil {
			out = append(out, t.Name)
		}
	}
	return out
}

// Unkept lists databases that could not keep all changes of programs for exo undo, each with its tables that lack the trigger for that.
func (d *Declared) Unkept(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, x := range d.File.Databases {
		if x.Undo > 0 && d.live[x.Text] != nil {
			tables, err := d.dbs[x.Text].Unkept(ctx, d.File.Written(d.live[x.Text], x.Text)...)
			if err != nil {
				return nil, err
			}
			if tables != "" {
				out[x.Text] = tables
			}
		}
	}
	return out, nil
}

// Close closes the databases that Declare opened.
func (d *Declared) Close() error {
	var errs []error
	for _, s := range d.services {
		s.Close()
	}
	errs = append(errs, d.box.close())
	for _, db := range d.opened {
		errs = append(errs, db.Close())
	}
	return errors.Join(errs...)
}

// Reason returns the text of an error, without the Kind and the place of a *fail.Error.
func Reason(err error) string {
	if e, ok := errors.AsType[*fail.Error](err); ok && e.Message() != "" {
		return e.Message()
	}
	return err.Error()
}

// ofFacet puts the facet's name before an error that does not name it.
func ofFacet(name string, err error) string {
	return "the facet " + name + ": " + strings.TrimPrefix(Reason(err), "facet "+name+": ")
}

func (d *Declared) declare(ctx context.Context) error {
	f, p := d.File, &problems{}
	for name, db := range d.dbs {
		live, err := db.Catalog(ctx)
		if err != nil {
			return fmt.Errorf("the database %s: %w", name, err)
		}
		d.live[name], d.find[name] = live, live.Finder()
	}
	declarations := map[string]*dynamic.Declarations{}
	for name, live := range d.live {
		declarations[name] = dynamic.NewForFile(live)
	}
	for i := range f.Facets {
		x := &f.Facets[i]
		d.facet(declarations[x.Database.Text], x, p)
	}
	d.renew(p)
	if len(p.List) > 0 {
		return p.Err(f.Name)
	}
	for i := range f.Facets {
		for j := range f.Facets[i].Links {
			d.link(&f.Facets[i], &f.Facets[i].Links[j], p)
		}
	}
	for i := range f.Facets {
		d.conditions(&f.Facets[i], f.Facets[i].Scope.Rows, p)
	}
	for _, g := range f.Grants {
		if g.Where != nil {
			d.conditions(f.facet(g.Facet.Text), g.Where, p)
		}
	}
	if len(p.List) > 0 {
		return p.Err(f.Name)
	}
	example := d.bind(d.example(nil, nil))
	for i := range f.Grants { // links and scopes together need these further checks
		g := &f.Grants[i]
		t, err := d.template(g, example)
		if err != nil {
			p.At(g.Pos, "the grant %s: %s", g.Text, Reason(err))
			continue
		}
		d.templates, d.grants[t] = append(d.templates, t), g
	}
	return p.Err(f.Name)
}

// facet declares a facet's table, columns and rights. If a list of columns fails, facet tries each column alone, to find the place of the
// error.
func (d *Declared) facet(in *dynamic.Declarations, x *Facet, p *problems) {
	live := d.liveTable(x)
	if live == nil {
		d.missing(x, p)
		return
	}
	// Facets of one table are found by the table's name. SQLite also accepts other spellings of the name. Under a second spelling a facet would
	// show a column without the label that another facet gives it.
	if spelt := d.live[x.Database.Text].Spell(live.Name); spelt != x.Table.Text {
		p.At(x.Table.Pos, "the database %s spells the table `%s`: write it the same way", x.Database.Text, schema.Printable(spelt))
		return
	}
	before := len(p.List)
	for _, c := range slices.Concat(columnsOf(x), x.Key) {
		hasColumn(live, c, p)
	}
	facet, whole := d.whole(in, x)
	if whole != nil {
		for _, c := range x.Columns {
			if live.Column(c.Text) == nil {
				continue
			}
			if t, err := dynamic.NewForFile(d.live[x.Database.Text]).Table(x.Table.Text, d.File.described(x, c).spec()); err != nil {
				p.At(c.Pos, "the column %s: %s", c.Text, Reason(err))
			} else if _, err := t.Facet(x.Text, c.Text); err != nil {
				p.At(c.Pos, "the column %s: %s", c.Text, Reason(err))
			}
		}
	}
	d.checkPin(x, p)
	if len(p.List) > before {
		return
	}
	if whole != nil {
		p.At(whole.at, "%s", whole.text)
		return
	}
	d.rights(x, facet, p)
	d.facets[x.Text] = facet
}

// missing reports that the database has no table for a facet, and what it has instead.
func (d *Declared) missing(x *Facet, p *problems) {
	if l := d.live[x.Database.Text].Left(schema.Name{Name: x.Table.Text}); l != nil {
		p.At(x.Table.Pos, "the table `%s` is in the database %s, but %s", schema.Printable(x.Table.Text), x.Database.Text, l.Reason())
		return
	}
	var names []string
	in := d.live[x.Database.Text]
	var elsewhere []string // schemas that have a table with this name
	seen := func(n schema.Name) {
		names = append(names, in.Spell(n))
		if text := schema.Printable(n.Schema); (n.Name == x.Table.Text || n.String() == x.Table.Text) && !slices.Contains(elsewhere, text) {
			elsewhere = append(elsewhere, text)
		}
	}
	for _, t := range in.Tables {
		seen(t.Name)
	}
	for _, v := range in.Views {
		seen(v.Name)
	}
	where := or(x.Table.Text, printable(names))
	if in.Engine == schema.Postgres && !strings.HasPrefix(where, "; did") {
		where = in.Where() + where
	}
	if len(elsewhere) > 0 {
		where = fmt.Sprintf(" in %s, but one in the schema %s: write `schema: [%s]` next to the database's `url`", strings.Join(in.Path, ", "), strings.Join(elsewhere, " and in "), strings.Join(append(slices.Clone(in.Path), elsewhere[0]), ", "))
	}
	if other, _, ok := strings.Cut(x.Table.Text, "."); ok && in.Engine == schema.Postgres && len(elsewhere) == 0 && !slices.Contains(in.Path, other) {
		where = fmt.Sprintf(": names are looked up in %s. If %[3]s is a schema, write `schema: [%[2]s]` next to the database's `url`", strings.Join(in.Path, ", "), strings.Join(append(slices.Clone(in.Path), schema.Printable(other)), ", "), schema.Printable(other))
	}
	p.Of(exosql.MissingTable, x.Table.Pos, "the database %s has no table or view `%s`%s", x.Database.Text, schema.Printable(x.Table.Text), where)
}

// rights declares what programs and persons may do with the rows of a facet.
func (d *Declared) rights(x *Facet, facet *dynamic.Facet, p *problems) {
	each := func(names []Name, allow func(...string) error) {
		if len(names) == 0 {
			return
		}
		if err := allow(texts(names)...); err != nil {
			p.At(names[0].Pos, "%s", ofFacet(x.Text, err))
		}
	}
	each(x.Insert, facet.AllowInsert)
	each(x.Update, facet.AllowUpdate)
	for _, e := range x.Effects {
		if err := facet.Permit(e.Text); err != nil {
			p.At(e.Pos, "%s", ofFacet(x.Text, err))
		}
	}
	each(x.Search, facet.Search)
	each(x.Admits, facet.Admits)
	d.measures(x, facet, p)
	if x.Delete != nil {
		allow := facet.AllowDelete
		if x.Wary {
			allow = facet.AllowDeleteByTrusted
		}
		if err := allow(); err != nil {
			p.At(*x.Delete, "%s", ofFacet(x.Text, err))
		}
	}
	if a := d.File.rule(x); a != nil {
		if err := facet.Approve(*a); err != nil {
			p.At(x.Pos, "%s", ofFacet(x.Text, err))
		}
	}
	if of := map[string]exosql.UndoRuns{"own": exosql.UndoOwn, "any": exosql.UndoAny}[x.Undo.Text]; of > 0 {
		if !slices.ContainsFunc(d.File.Databases, func(y Database) bool { return y.Undo > 0 && (x.Database.Text == "" || x.Database.Text == y.Text) }) {
			p.At(x.Undo.Pos, "undo: the database of the facet %s keeps nothing that could be undone: write `undo: 7d` next to the database's `url`", x.Text)
		}
		if err := facet.AllowUndo(of); err != nil {
			p.At(x.Undo.Pos, "%s", ofFacet(x.Text, err))
		}
	}
}

// hasColumn reports whether a table has a column, and adds an error if not.
func hasColumn(t *schema.Table, column Name, p *problems) bool {
	has := t.Column(column.Text) != nil
	if !has {
		p.Of(exosql.MissingColumn, column.Pos, "the table %s has no column `%s`%s", schema.Printable(t.Name.Name), schema.Printable(column.Text), or(column.Text, printable(t.ColumnNames())))
	}
	return has
}

// misplaced is an error of a whole facet, with its place.
type misplaced struct {
	at   Pos
	text string
}

// whole declares a facet with all its columns.
func (d *Declared) whole(in *dynamic.Declarations, x *Facet) (*dynamic.Facet, *misplaced) {
	t, err := d.table(in, x)
	if err != nil {
		return nil, &misplaced{x.Table.Pos, fmt.Sprintf("the table %s: %s", x.Table.Text, Reason(err))}
	}
	facet, err := t.Facet(x.Text, texts(columnsOf(x))...)
	if err != nil {
		return nil, &misplaced{x.Pos, ofFacet(x.Text, err)}
	}
	return facet, nil
}

// table declares a facet's table, with the columns that all facets of the table describe.
func (d *Declared) table(in *dynamic.Declarations, x *Facet) (*dynamic.Table, error) {
	if t := d.tables[x.place()]; t != nil {
		return t, nil
	}
	t, err := in.Table(x.Table.Text, d.File.specs(x)...)
	if l := d.File.rowLabel(x); err == nil && l != nil {
		err = t.WithLabel(texts(l)...)
	}
	if err == nil {
		d.tables[x.place()] = t
	}
	return t, err
}

// liveTable returns the facet's table or view in the database's catalogue, or nil.
func (d *Declared) liveTable(x *Facet) *schema.Table {
	name := schema.Name{Name: x.Table.Text}
	if t := d.find[x.Database.Text](name); t != nil {
		return t
	}
	return d.live[x.Database.Text].Rows(name)
}

// place identifies the table of a facet by database and name.
func (x *Facet) place() [2]string { return [2]string{x.Database.Text, x.Table.Text} }

// specs returns each column of a table that one of the table's facets names, with its options.
func (f *File) specs(x *Facet) (out []dynamic.ColumnSpec) {
	seen := map[string]bool{}
	for _, y := range f.places[x.place()] {
		for _, c := range y.Columns {
			if !seen[c.Text] {
				seen[c.Text] = true
				out = append(out, f.described(y, c).spec())
			}
		}
	}
	for _, k := range f.key(x) {
		i := slices.IndexFunc(out, func(s dynamic.ColumnSpec) bool { return s.Name == k.Text })
		if i < 0 {
			i, out = len(out), append(out, dynamic.ColumnSpec{Name: k.Text})
		}
		out[i].Key = true
	}
	return out
}

// key returns the key of the table of x, from the first facet of the table that declares it.
func (f *File) key(x *Facet) []Name {
	for i := range f.Facets {
		if y := &f.Facets[i]; y.place() == x.place() && len(y.Key) > 0 {
			return y.Key
		}
	}
	return nil
}

func printable(names []string) []string {
	out := scalar.Each(names, schema.Printable)
	slices.Sort(out)
	return out
}

func columnsOf(x *Facet) []Name {
	return scalar.Each(x.Columns, func(c Column) Name { return c.Name })
}

func (c Column) spec() dynamic.ColumnSpec {
	s := dynamic.ColumnSpec{Name: c.Text, As: c.As.Text, Type: c.Type.Text, Elem: c.Elem, Doc: c.Doc, StoredISO: c.ISO, Stored: exosql.StoredForm(c.Stored), UnscopedLookup: c.Indexed}
	if len(c.OneOf) > 0 {
		s.OneOf = texts(c.OneOf)
	}
	if len(c.Label) > 0 {
		s.Label = texts(c.Label)
	}
	if c.Readers.Kind.Text != "" {
		s.Readers = dynamic.Readers{Kind: c.Readers.Kind.Text, Columns: texts(c.Readers.Columns)}
	}
	s.MaxBytes, s.Trusted, s.Admits = c.MaxBytes, c.Trusted, texts(c.Admits)
	return s
}

// link declares a link, by the columns in the file or the only foreign key between the two tables.
func (d *Declared) link(x *Facet, l *Link, p *problems) {
	to, found := d.File.facet(l.To.Text), d.keys(x, l)
	if len(found) != 1 {
		p.At(l.Pos, "%s", l.unclear(x, to, found))
		return
	}
	keys := found[0]
	from, target := d.liveTable(x), d.liveTable(to)
	for i := range l.Columns {
		if has := hasColumn(from, l.Columns[i], p); !hasColumn(target, l.References[i], p) || !has {
			return
		}
	}
	made, err := d.tables[x.place()].Link(dynamic.LinkSpec{Name: l.Text, Columns: keys.Columns, To: d.tables[to.place()], References: keys.References, One: keys.One, Doc: l.Doc})
	if err == nil {
		err = d.facets[x.Text].Add(made, d.facets[to.Text])
	}
	if err != nil {
		p.At(l.Pos, "the link %s: %s", l.Text, Reason(err))
		return
	}
	d.links[x.Text+"."+l.Text], d.many[x.Text+"."+l.Text] = made, keys
}

// unclear is the error of a link of x without columns, if the two tables have no foreign key, or several.
func (l *Link) unclear(x, to *Facet, found []LinkKeys) string {
	if len(found) == 0 {
		return fmt.Sprintf("the link %s: %s and %s have no foreign key between them: name the columns that the link compares, like `{ to: %s, columns: [A], references: [B], one: true }`, with a column A of %[2]s and a column B of %[3]s", l.Text, x.Table.Text, to.Table.Text, l.To.Text)
	}
	var known []string
	for _, k := range found {
		known = append(known, fmt.Sprintf("`{ to: %s, columns: [%s], references: [%s], one: %t }`", l.To.Text, strings.Join(k.Columns, ", "), strings.Join(k.References, ", "), k.One))
	}
	return fmt.Sprintf("the link %s: %s and %s have %d foreign keys between them: say which one the link follows, as %s", l.Text, x.Table.Text, to.Table.Text, len(found), strings.Join(known, " or "))
}

// keys returns what a link may compare: the columns in the file, or the columns of each foreign key between the two tables. If there is
// more than one such key, the file must name the columns.
func (d *Declared) keys(x *Facet, l *Link) []LinkKeys {
	if len(l.Columns) > 0 {
		return []LinkKeys{{texts(l.Columns), texts(l.References), l.One != nil && *l.One}}
	}
	found := d.foreignKeys(x, d.File.facet(l.To.Text))
	for i := range found {
		if l.One != nil {
			found[i].One = *l.One
		}
	}
	return found
}

// foreignKeys returns the foreign keys between two tables, as links from the first table.
func (d *Declared) foreignKeys(x, to *Facet) (out []LinkKeys) {
	from, target, find := d.liveTable(x), d.liveTable(to), d.find[x.Database.Text]
	if from == nil || target == nil {
		return nil
	}
	references := func(k schema.ForeignKey) []string {
		if t := find(k.Table); len(k.References) == 0 && t != nil && t.PrimaryKey != nil {
			return t.PrimaryKey.Columns
		}
		return k.References
	}
	for _, k := range from.ForeignKeys {
		if find(k.Table) == target {
			out = append(out, LinkKeys{k.Columns, references(k), true})
		}
	}
	if from == target {
		return out // for the link back, the file has to name columns
	}
	for _, k := range target.ForeignKeys {
		if find(k.Table) == from {
			out = append(out, LinkKeys{references(k), k.Columns, false})
		}
	}
	return out
}

// conditions checks each comparison of a condition alone against the columns of the facet's table, to find the place of an error.
func (d *Declared) conditions(x *Facet, e *Expr, p *problems) {
	if e == nil {
		return
	}
	table := d.liveTable(x)
	for _, leaf := range e.leaves() {
		if !hasColumn(table, leaf.Column, p) {
			continue
		}
		example := d.example(x, leaf)
		if err := d.tables[x.place()].Check(leaf.predicate(example)); err != nil {
			p.At(leaf.Column.Pos, "the condition on %s: %s%s", leaf.Column.Text, Reason(err), d.File.tried(leaf, example))
		}
		d.claims(x, leaf, table.Column(leaf.Column.Text))
	}
}

// tried names, for an error about a condition, the example of a claim that was compared. It returns "" for a condition without claims.
func (f *File) tried(leaf *Expr, example Principal) string {
	for _, v := range leaf.Values {
		if c := f.claim(v.Claim); c != nil {
			return fmt.Sprintf(" (%v is an example of the claim `%s`, which `principal` declares as %s)", example.values[v.Claim], v.Claim, c)
		}
	}
	return ""
}

// example returns a principal with values of the right types, to check scopes against columns. Some columns have only few values. A claim that
// is compared with one gets such a value, from the column of leaf or the first such column in the file.
func (d *Declared) example(x *Facet, leaf *Expr) Principal {
	p := d.File.example()
	if leaf != nil {
		d.sample(x, leaf, p)
		return p
	}
	for i := len(d.File.Facets) - 1; i >= 0; i-- {
		y := &d.File.Facets[i]
		for _, e := range y.Scope.conditions() {
			d.sample(y, e, p)
		}
	}
	for _, g := range d.File.Grants {
		if g.Where != nil {
			for _, e := range g.Where.leaves() {
				d.sample(d.File.facet(g.Facet.Text), e, p)
			}
		}
	}
	return p
}

func (d *Declared) sample(x *Facet, e *Expr, p Principal) {
	values := texts(d.File.described(x, Column{Name: e.Column}).OneOf)
	if c := d.liveTable(x).Column(e.Column.Text); len(values) == 0 && c != nil {
		values = d.live[x.Database.Text].Values(c)
	}
	if len(values) == 0 {
		return
	}
	for _, v := range e.Values {
		if c := d.File.claim(v.Claim); c != nil && c.Type == value.TypeText {
			p.values[v.Claim] = values[0]
			if c.List {
				p.values[v.Claim] = []any{values[0]}
			}
		}
	}
}

// RowLabels returns a line for each facet with rows that carry a label because of their scope. The line names the label and its origin.
func (d *Declared) RowLabels() (lines []string, err error) {
	grants, err := d.Grants(d.example(nil, nil))
	if err != nil {
		return nil, err
	}
	for _, g := range d.File.Grants {
		desc, err := grants[g.Text].Describe()
		if err != nil {
			return nil, err
		}
		for _, i := range desc.Interfaces {
			for _, tag := range slices.Sorted(maps.Keys(i.LabelBy)) {
				line := fmt.Sprintf("%s: every answer about it is labelled %s, because its scope reads %s", i.Name, tag, strings.Join(i.LabelBy[tag], " and "))
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// reached returns the facets that a program reaches from x by links, with x first.
func (d *Declared) reached(x *Facet) (out []*Facet) {
	for queue := []*Facet{x}; len(queue) > 0; queue = queue[1:] {
		if y := queue[0]; !slices.Contains(out, y) {
			out = append(out, y)
			for _, l := range y.Links {
				queue = append(queue, d.File.facet(l.To.Text))
			}
		}
	}
	return out
}

// Check compares the grants with the catalogues that Declare has read, like exosql.Findings. It adds each finding's place in the file.
func (d *Declared) Check() (findings []Finding, err error) {
	for _, name := range slices.Sorted(maps.Keys(d.dbs)) {
		var what []exosql.Declared
		for i, g := range d.File.Grants {
			if d.File.facet(g.Facet.Text).Database.Text == name {
				what = append(what, exosql.Granted(d.templates[i].Example()))
			}
		}
		if len(what) == 0 {
			continue
		}
		found, err := exosql.CatalogFindings(d.dbs[name], d.live[name], what...)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			// The file's author may not own the database, so a missing index is a warning. It costs time, but shows no row.
			f.Warning = f.Warning || f.Kind == exosql.NoIndex
			findings = append(findings, Finding{d.File.at(d.place(name, f)), f})
		}
	}
	return append(findings, d.File.labelDoubts()...), nil
}

// GrantPath is an access path, with the grants that use it.
type GrantPath struct {
	exosql.AccessPath
	Grants []string
}

// Access returns how the databases read the granted rows, from exosql.AccessPaths, each path once.
func (d *Declared) Access(ctx context.Context) (paths []GrantPath, err error) {
	for i, g := range d.File.Grants {
		found, err := exosql.AccessPaths(ctx, d.templates[i].Example())
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			at := slices.IndexFunc(paths, func(q GrantPath) bool { return p.String() == q.String() })
			if at < 0 {
				at, paths = len(paths), append(paths, GrantPath{AccessPath: p})
			}
			if of := &paths[at].Grants; !slices.Contains(*of, g.Text) {
				*of = append(*of, g.Text)
			}
		}
	}
	return paths, nil
}

// Roles returns the role of each PostgreSQL connection of the file.
func (d *Declared) Roles() map[string]schema.Role {
	out := map[string]schema.Role{}
	for name, live := range d.live {
		if live.Engine == schema.Postgres {
			out[name] = live.Role
		}
	}
	return out
}
