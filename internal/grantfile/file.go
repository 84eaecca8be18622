package grantfile

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/grantfile/access"
	"github.com/exoagent/exoagent/internal/grantfile/budgets"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// maxFile is the most bytes of a grant file.
const maxFile = 4 << 20 // a file of 2,000 tables has 1.1 MB

// SchemaURL is the published schema of the file's format. Editors complete and check with it.
const SchemaURL = "https://raw.githubusercontent.com/exoagent/exoagent/main/docs/exo.schema.json"

// Version is the version of the file's format, in its field `exo`.
const Version = 1

// File is the content of a grant file, as Parse returns it. It has no authority.
type File struct {
	Name      string // the file's name in errors
	Reviewed  bool   // a person has read the file; if false, nothing is served
	Preset    string // the name of the preset, or ""
	Databases []Database
	Claims    []Claim // the claims that a principal must have
	Facets    []Facet
	Grants    []Grant
	Services  []services.Service // services, which programs find by name, like grants
	Limits    exo.Limits
	Bounds    exoeval.Bounds
	Zone      string
	Record    string        // the file or folder for the record of runs, or ""
	RecordDB  Secret        // the place of the URL of the record's database, instead of Record; zero if there is none
	RecordKey Secret        // the place of the signing key of a record in a folder or a database; zero for a file
	Keep      time.Duration // how long a record in a folder or a database can be read; 0 for ever
	Replies   bool          // a record in a folder or a database keeps replies for exo replay
	Witnessed bool          // irreversible effects wait until the record's witness has the entries about them
	Admits    []Name        // labels that results may carry
	Distrust  string        // how long a chat distrusts what outsiders wrote: one of Distrusts, or ""
	Models    []Name        // the models to which exo ask and exo repl may show results; nil for all
	Serve     Serve
	Approvals Approvals
	Budgets   budgets.Budgets
	Access    access.Access
	Wall      string // the wall around the processes of served programs: a Wall constant

	record   string // the file's own text for Record
	recordAt Pos
	declared map[string]string // the tags of `labels`, each in the spelling that shows package value its kind; nil if the file declares none

	aliases map[string]*Facet // facets by name; check makes the map when all Facets are known
	places  map[[2]string][]*Facet
}

// Database is a database that facets use.
type Database struct {
	Name
	URL    Secret
	Schema []string // the schemas in which names are looked up, in order; only on PostgreSQL
	// Witness stores the ID of each run that changes the database in that database, see exosql.OpenOptions.
	Witness bool
	// Undo is how long the database keeps what runs change, see exosql.OpenOptions; 0 keeps nothing. UndoURL is the place of the URL for exo undo.
	Undo     time.Duration
	UndoURL  Secret
	Replicas []Secret // the places of the URLs of replicas, see exosql.OpenOptions
	Cursors  Secret   // the key of cursors, so that a cursor works in each process with this key; if its Kind is "", each process has its own key
}

// Facet declares the columns of one table that programs see, and the rows that they may reach.
type Facet struct {
	Name            // the programs' name for a row
	Database Name   // the table's database; an empty Text means the only database
	Table    Name   // the table's name in the database
	Label    []Name // the label of the rows, for all facets of the table
	Admits   []Name // programs that have read these labels may decide what is inserted, changed and deleted
	Key      []Name // the columns that identify a row; nil for the database's own key
	Columns  []Column
	Links    []Link
	Measures []Measure
	Scope    Scope
	Insert   []Name
	Update   []Name
	Delete   *Pos     // nil if programs can't delete
	Undo     Name     // which runs a person may undo: own or any; "": none
	Wary     bool     // a program that has read what outsiders wrote can't delete
	Approve  *Approve // nil if no change waits for a person
	Effects  []Name
	Search   []Name
	Pin      Name // the digest of the table when a person pinned it; an empty Text means no pin
}

// Column is a column that programs see.
type Column struct {
	Name            // the column's name in the database
	As       Name   // the column's name in programs
	Type     Name   // a type of exo, if the database stores another type
	Elem     string // the type of the items, for a list
	Doc      string
	OneOf    []Name
	Label    []Name
	Admits   []Name // programs that have read these labels may write the column
	Readers  Readers
	Trusted  bool   // a program that has read what outsiders wrote can't write it
	MaxBytes int    // the largest size of a labelled value; 0 if not given
	ISO      bool   // a time is stored as a text of one form; see exosql's StoredISO
	Stored   string // the form in which SQLite stores the values; see exosql's Stored
	Indexed  bool   // sets AllowUnscopedLookup of exosql.Column
}

// Readers declare who may read a labelled value: see ReadBy of exosql.
type Readers struct {
	Kind    Name   // the kind of principals with ids in Columns; an empty Text means none
	Columns []Name // columns of the same table
}

// Link is a link that programs follow.
type Link struct {
	Name
	To         Name   // the facet that the link leads to
	Columns    []Name // columns of the table; none means the columns of the only foreign key between the two tables
	References []Name // columns of the other table
	One        *bool  // the link leads to at most one row; nil: as the foreign key says
	Doc        string
}

// Grant is an object, with the name by which a program begins.
type Grant struct {
	Name
	Facet Name
	Where *Expr // narrows the facet's scope; nil if there is no condition
}

// Parse reads a grant file. It reads no database, environment or other file. The argument name is the file's path: errors contain it, and relative paths in
// the file begin at its folder.
func Parse(name string, text []byte) (*File, error) { return parse(name, text, &reader{}) }

func parse(name string, text []byte, r *reader) (*File, error) {
	f := &File{Name: name}
	r.Dir = filepath.Dir(name)
	if len(text) > maxFile {
		r.At(Pos{Line: 1, Column: 1}, "the file has more than %d bytes, the most that a grant file can have: divide it into several files", maxFile)
		return nil, r.Err(name)
	}
	var doc yaml.Node
	if err := strict.Load(text, &doc); err != nil {
		r.At(strict.PosOfError(err), "%s", strict.Shortened(err))
		return nil, r.Err(name)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || isNull(doc.Content[0]) {
		r.At(Pos{Line: 1, Column: 1}, "the file is empty: `exo init -force -db URL %s` drafts one", name)
		return nil, r.Err(name)
	}
	r.Plain(doc.Content[0])
	if len(r.List) > 0 {
		return nil, r.Err(name)
	}
	f.read(r, doc.Content[0])
	f.check(r)
	if err := r.Err(name); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) read(r *reader, root *yaml.Node) {
	r.Fields(entry{Key: root, Value: root}, "the file", f.keys(r))
	for _, missing := range []struct {
		name string
		none bool
	}{{"databases", len(f.Databases) == 0}, {"facets", len(f.Facets) == 0}, {"grants", len(f.Grants) == 0}} {
		alone := len(f.Services) > 0 && len(f.Databases)+len(f.Facets)+len(f.Grants) == 0 // a file with only services needs no database
		if missing.none && !alone && len(r.List) == 0 {
			r.At(posOf(root), "`%s` is missing or empty, and so the file grants nothing: add it, or draft a file with `exo init -db URL`", missing.name)
		}
	}
}

// readRecord reads the path of a record, or the keys of one that is a folder or in a database.
func (f *File) readRecord(r *reader, e entry) {
	if e.Value.Kind != yaml.MappingNode {
		f.Record = r.Text(e.Value, "record")
	} else if r.Fields(e, "record", f.recordKeys(r)); (f.Record == "") == (f.RecordDB.Kind == "") {
		r.At(posOf(e.Value), "record: want the path of a file, or `{ folder: PATH, key: file:PATH }`, or `{ database: env:NAME, key: file:PATH }`")
	}
	if f.recordAt = posOf(e.Value); f.Record != "" {
		f.record, f.Record = f.Record, beside(r.Dir, f.Record)
	}
}

func (f *File) databases(r *reader, n *yaml.Node) {
	for _, e := range r.Entries(n, "databases") {
		d := Database{Name: e.Named()}
		r.Short(e, "the database "+e.Name, d.keys(r))
		f.Databases = append(f.Databases, d)
	}
}

func (f *File) facets(r *reader, n *yaml.Node) {
	for _, e := range r.Entries(n, "facets") {
		x := Facet{Name: e.Named(), Table: e.Named()}
		r.Fields(e, "the facet "+e.Name, x.keys(r))
		f.Facets = append(f.Facets, x)
	}
}

// columns reads a list of names, or a map. An item of the list may be a map from one name to its options.
func (r *reader) columns(n *yaml.Node) (out []Column) {
	var all []entry
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if c.Kind == yaml.MappingNode {
				all = append(all, r.Entries(c, "columns")...)
			} else if s := r.Text(c, "columns"); s != "" {
				all = append(all, entry{Name: s, Key: c, Value: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: c.Line, Column: c.Column}})
			}
		}
	default:
		all = r.Entries(n, "columns")
	}
	for _, e := range all {
		c := Column{Name: e.Named()}
		if e.Name == "*" {
			r.At(e.Pos(), "columns: `*` is no column: name each column, so that one that the database gets later stays hidden")
			continue
		}
		if slices.ContainsFunc(out, func(o Column) bool { return o.Text == c.Text }) {
			r.At(e.Pos(), "the column `%s` is listed twice: remove one of the two", e.Name)
		}
		r.Fields(e, "the column "+e.Name, c.keys(r))
		out = append(out, c)
	}
	return out
}

// readers reads one kind of principal, with the columns of the ids.
func (r *reader) readers(n *yaml.Node) (out Readers) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		r.At(posOf(n), "readers: want one kind of person, and the column with the id of the person who may read the value, like `readers: { member: id }`")
		return out
	}
	for _, e := range r.Entries(n, "readers") {
		out = Readers{e.Named(), r.Names(e.Value, "readers."+e.Name)}
	}
	return out
}

// columnType reads a type, or a list of one type. The second result is the type of the items.
func (r *reader) columnType(n *yaml.Node) (Name, string) {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 1 {
		return Name{Text: value.TypeList, Pos: posOf(n)}, r.Text(n.Content[0], "type")
	}
	return r.Name(n, "type"), ""
}

func (r *reader) links(n *yaml.Node) (out []Link) {
	for _, e := range r.Entries(n, "links") {
		l := Link{Name: e.Named()}
		what := "the link " + e.Name
		r.Short(e, what, l.keys(r))
		if len(l.Columns) != len(l.References) {
			r.At(l.Pos, "%s: `columns` and `references` need the same number of columns, since the link compares them in pairs", what)
		}
		if len(l.Columns) > 0 && l.One == nil {
			r.At(l.Pos, "%s: add `one: true` if the link leads to at most one row, or else `one: false`", what)
		}
		out = append(out, l)
	}
	return out
}

func (f *File) grants(r *reader, n *yaml.Node) {
	for _, e := range r.Entries(n, "grants") {
		g := Grant{Name: e.Named()}
		if err := exoeval.CheckName(e.Name); err != nil {
			r.At(g.Pos, "%s", strings.TrimPrefix(err.Error(), "exoeval: "))
		}
		r.Short(e, "the grant "+e.Name, g.keys(r))
		f.Grants = append(f.Grants, g)
	}
}

// check compares the names in the file with each other.
func (f *File) check(r *reader) {
	var facets, databases []string
	f.aliases, f.places = map[string]*Facet{}, map[[2]string][]*Facet{}
	for i := range f.Facets {
		x := &f.Facets[i]
		facets = append(facets, x.Text)
		if f.aliases[x.Text] == nil {
			f.aliases[x.Text] = x
		}
	}
	for _, d := range f.Databases {
		databases = append(databases, d.Text)
	}
	for i := range f.Facets {
		x := &f.Facets[i]
		switch {
		case x.Database.Text == "" && len(databases) > 1:
			r.At(x.Pos, "the facet %s has no `database`, and the file has %d: add `database: NAME`, with one of %s", x.Text, len(databases), strings.Join(databases, ", "))
		case x.Database.Text == "" && len(databases) == 1:
			x.Database.Text = databases[0]
		case x.Database.Text != "" && !slices.Contains(databases, x.Database.Text):
			r.At(x.Database.Pos, "there is no database `%s`%s", x.Database.Text, or(x.Database.Text, databases))
		}
		f.places[x.place()] = append(f.places[x.place()], x)
	}
	for i := range f.Facets {
		f.checkFacet(r, &f.Facets[i], facets)
	}
	for _, g := range f.Grants {
		if g.Facet.Text != "" && f.facet(g.Facet.Text) == nil {
			r.At(g.Facet.Pos, "there is no facet `%s`%s", g.Facet.Text, or(g.Facet.Text, facets))
		}
		f.checkClaims(r, g.Where)
	}
	for _, s := range f.Services {
		if slices.ContainsFunc(f.Grants, func(g Grant) bool { return g.Text == s.Text }) {
			r.At(s.Pos, "the service `%s` has the name of a grant: give one of the two another name", s.Text)
		}
	}
	f.checkTags(r)
	f.checkColumns(r)
	f.checkServe(r)
	f.checkApprovals(r)
	f.checkSinks(r)
	f.expand(r)
}

// checkFacet compares the names that a facet has with those of the other facets and of its own columns.
func (f *File) checkFacet(r *reader, x *Facet, facets []string) {
	for _, l := range x.Links {
		if l.To.Text == "" {
			continue
		}
		to := f.facet(l.To.Text)
		if to == nil {
			r.At(l.To.Pos, "there is no facet `%s`%s", l.To.Text, or(l.To.Text, facets))
		} else if to.Database.Text != x.Database.Text {
			r.At(l.To.Pos, "the facet `%s` is in another database than `%s`: take this link out, since a link stays in one database", l.To.Text, x.Text)
		}
	}
	if v := x.Scope.Via; v != nil {
		from := f.facet(v.Facet)
		var links []string
		if from != nil {
			for _, l := range from.Links {
				links = append(links, l.Text)
			}
		}
		switch {
		case from == nil:
			r.At(v.Pos, "there is no facet `%s`%s", v.Facet, or(v.Facet, facets))
		case from.link(v.Link) == nil:
			r.At(v.Pos, "the facet %s has no link `%s`%s", v.Facet, v.Link, or(v.Link, links))
		default:
			if to := f.facet(from.link(v.Link).To.Text); to != nil && to.place() != x.place() {
				r.At(v.Pos, "scope: the link %s.%s leads to the table %s: want a link that leads to %s, the table of this facet", v.Facet, v.Link, to.Table.Text, x.Table.Text)
			}
		}
	}
	f.checkClaims(r, x.Scope.Rows)
	seen := map[string]bool{}
	for _, c := range x.Columns {
		seen[c.Text] = true
	}
	x.checkMeasures(r)
	for _, right := range [][]Name{x.Insert, x.Update, x.Search, x.measured()} {
		for _, c := range right {
			if !seen[c.Text] {
				r.At(c.Pos, "`%s` is not among the columns that the facet %s shows%s", c.Text, x.Text, or(c.Text, texts(columnsOf(x))))
			}
		}
	}
}

// checkColumns compares the declarations of facets of one table. Either all facets declare the same about the table and its columns, or only
// one facet declares it.
func (f *File) checkColumns(r *reader) {
	said := map[string]*Column{}
	for i := range f.Facets {
		x := &f.Facets[i]
		if l := f.rowLabel(x); len(x.Label) > 0 && !value.NewLabel(texts(x.Label)...).Equal(value.NewLabel(texts(l)...)) {
			r.At(x.Label[0].Pos, "`label` differs from the one on line %d, for rows of the same table %s: write `label` only once, or the same twice", l[0].Line, x.Table.Text)
		}
		if k := f.key(x); len(x.Key) > 0 && !slices.Equal(texts(x.Key), texts(k)) {
			r.At(x.Key[0].Pos, "`key` differs from the one on line %d, for the same table %s: write `key` only once, or the same twice", k[0].Line, x.Table.Text)
		}
		for j := range x.Columns {
			c := &x.Columns[j]
			key := x.Database.Text + "\x00" + x.Table.Text + "\x00" + c.Text
			if had := said[key]; had != nil && !c.bare() && !had.same(*c) {
				r.At(c.Pos, "the options of the column %s differ from those on line %d, for the same column of the table %s: write the options only once", c.Text, had.Line, x.Table.Text)
			} else if had == nil && !c.bare() {
				said[key] = c
			}
		}
	}
}

// rowLabel returns the label of the rows, from the first facet of the same table that has one.
func (f *File) rowLabel(x *Facet) []Name {
	for _, y := range f.places[x.place()] {
		if len(y.Label) > 0 {
			return y.Label
		}
	}
	return nil
}

// bare reports whether a column has a name and no options.
func (c Column) bare() bool { return c.same(Column{Name: c.Name}) }

func (c Column) same(o Column) bool { return reflect.DeepEqual(c.spec(), o.spec()) }

// described returns a column with its options, from the facet of the table that has them.
func (f *File) described(x *Facet, c Column) Column {
	for _, y := range f.places[x.place()] {
		for _, o := range y.Columns {
			if o.Text == c.Text && !o.bare() {
				return o
			}
		}
	}
	return c
}

// DeleteTrusted is the value of `delete` for programs that have not read what outsiders wrote: they may delete rows.
const DeleteTrusted = "trusted"

func (f *File) facet(alias string) *Facet { return f.aliases[alias] }

func (x *Facet) link(name string) *Link {
	for i := range x.Links {
		if x.Links[i].Text == name {
			return &x.Links[i]
		}
	}
	return nil
}

// Writes reports whether a facet lets programs change rows.
func (x *Facet) Writes() bool { return len(x.Insert)+len(x.Update) > 0 || x.Delete != nil }

// Writes reports whether programs may change anything.
func (f *File) Writes() bool {
	return slices.ContainsFunc(f.Facets, func(x Facet) bool { return x.Writes() }) || slices.ContainsFunc(f.Services, func(s services.Service) bool { return s.Acting() })
}

// TableOf returns the table of a grant, or "" if there is no grant of this name.
func (f *File) TableOf(grant string) string {
	for _, g := range f.Grants {
		if g.Text == grant {
			return f.facet(g.Facet.Text).Table.Text
		}
	}
	return ""
}

// ToolOptions returns the options of a principal's tool, without a record. Its stores refuse every use, until Stores.Into of package stores
// replaces them by the stores of the file.
func (f *File) ToolOptions(p Principal) codemode.Options {
	o := codemode.Options{Limits: f.Limits, Bounds: f.Bounds, Zone: f.Zone, Principal: p.Name()}
	if f.Approves() {
		o.Review = &review.Keeper{}
	}
	if len(f.Budgets.All) > 0 {
		o.Budgets = &budget.Set{}
	}
	if f.Access.Store.Kind != "" {
		o.Revoked = &revoke.List{}
	}
	o.Admits = f.admits(func(claim string) string { return fmt.Sprint(p.values[claim]) })
	return o
}

// StoredForms returns all values of `stored`.
func StoredForms() (out []string) {
	for _, kind := range []string{value.TypeTime, value.TypeDate, value.TypeBool} {
		for _, f := range cellform.Of(kind) {
			if !slices.Contains(out, string(f)) {
				out = append(out, string(f))
			}
		}
	}
	return out
}
