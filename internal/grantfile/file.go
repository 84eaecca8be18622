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
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/cellform"
)

// maxFile is how many bytes a grant file may have.
const maxFile = 4 << 20 // of 2,000 tables: 1.1 MB

// SchemaURL is where the schema of the file's format is published: editors complete and check with it.
const SchemaURL = "https://raw.githubusercontent.com/exoagent/exoagent/main/docs/exo.schema.json"

// Version is the version of the file's format: its field `exo`.
const Version = 1

// File is the content of a grant file. Parse makes it. It has no authority.
type File struct {
	Name      string // its name in errors
	Reviewed  bool   // a person has read it: if false, nothing is served
	Preset    string // "": none
	Databases []Database
	Claims    []Claim // the claims that a principal must have
	Facets    []Facet
	Grants    []Grant
	Limits    exo.Limits
	Bounds    exoeval.Bounds
	Zone      string
	Record    string        // the file that the record of runs is appended to, or its folder; "": none
	RecordDB  Secret        // where the URL of the record's database is, in Record's place; zero: it is in none
	RecordKey Secret        // where the signing key of the record in a folder or a database is; zero: it is a file
	Keep      time.Duration // how long the record in a folder or a database can be read; 0: for good
	Replies   bool          // the record, in a folder or a database, keeps replies for exo replay
	Witnessed bool          // what can't be undone waits until the record's witness has it
	Admits    []Name        // labels that results may carry
	Distrust  string        // how long a chat is wary of what outsiders wrote: one of Distrusts; "": not given
	Models    []Name        // the models to which exo ask and exo repl may show results; nil: any
	Serve     Serve
	Approvals Approvals
	Wall      string // the wall around the processes of served programs: a Wall constant

	record   string // Record as it is written in the file
	recordAt Pos
	declared map[string]string // the tags of `labels`, in the spelling by which package value knows their kinds; nil: the file declares none

	aliases map[string]*Facet // made by check, when all Facets are known
	places  map[[2]string][]*Facet
}

// Database is a database of facets.
type Database struct {
	Name
	URL    Secret
	Schema []string // of PostgreSQL: where names are looked up, in order
	// Witness: each run that changes the database stores its ID there, see exosql.OpenOptions.
	Witness bool
	// Undo is how long what runs change is kept, see exosql.OpenOptions; 0: it is not. UndoURL is where the URL by which exo undo connects is.
	Undo    time.Duration
	UndoURL Secret
}

// Facet declares the columns of one table that programs see, and the rows that they may reach.
type Facet struct {
	Name            // what programs call one row
	Database Name   // Text "": the only one
	Table    Name   // in the database
	Label    []Name // of its rows, for all facets of the table
	Admits   []Name // programs that have read these labels may decide what is inserted, changed and deleted
	Key      []Name // the columns that identify a row; nil: the database's own key
	Columns  []Column
	Links    []Link
	Measures []Measure
	Scope    Scope
	Insert   []Name
	Update   []Name
	Delete   *Pos     // nil: programs can't
	Wary     bool     // a program that has read what outsiders wrote can't delete
	Approve  *Approve // nil: no change waits for a person
	Effects  []Name
	Search   []Name
	Pin      Name // the digest of the table when a person looked; Text "": not pinned
}

// Column is a column that programs see.
type Column struct {
	Name            // in the database
	As       Name   // in programs
	Type     Name   // a type of exo, if the database stores another
	Elem     string // the type of a list's items
	Doc      string
	OneOf    []Name
	Label    []Name
	Admits   []Name // programs that have read these labels may write the column
	Readers  Readers
	Trusted  bool   // a program that has read what outsiders wrote can't write it
	MaxBytes int    // the largest size of a labelled value; 0: not given
	ISO      bool   // a time is stored as text, in one form; see exosql's StoredISO
	Stored   string // the form in which SQLite stores it; see exosql's Stored
	Indexed  bool   // see exosql.Column's AllowUnscopedLookup
}

// Readers declare who may read a labelled value: see exosql's ReadBy.
type Readers struct {
	Kind    Name   // the kind of the principals with ids in the columns; Text "": not given
	Columns []Name // of the same table
}

// Link is a link that programs follow.
type Link struct {
	Name
	To         Name   // a facet
	Columns    []Name // of the table; none: the columns of the only foreign key between the two tables
	References []Name // of the other
	One        *bool  // nil: as in the foreign key
	Doc        string
}

// Grant is an object under the name with which a program begins.
type Grant struct {
	Name
	Facet Name
	Where *Expr // narrows the facet's scope; nil: no condition
}

// Parse reads a grant file. It does not look at databases, the environment or other files. name is
// the file's path: errors contain it, and relative paths in the file begin at its folder.
func Parse(name string, text []byte) (*File, error) { return parse(name, text, &reader{}) }

func parse(name string, text []byte, r *reader) (*File, error) {
	f := &File{Name: name}
	r.dir = filepath.Dir(name)
	if len(text) > maxFile {
		r.at(Pos{1, 1}, "the file has %d bytes, and the limit is %d", len(text), maxFile)
		return nil, r.err(name)
	}
	var doc yaml.Node
	if err := load(text, &doc); err != nil {
		r.at(posOfError(err), "this is no YAML: %s", shortened(err))
		return nil, r.err(name)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || isNull(doc.Content[0]) {
		r.at(Pos{1, 1}, "the file is empty; `exo init` writes one")
		return nil, r.err(name)
	}
	r.plain(doc.Content[0])
	if len(r.list) > 0 {
		return nil, r.err(name)
	}
	f.read(r, doc.Content[0])
	f.check(r)
	if err := r.err(name); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) read(r *reader, root *yaml.Node) {
	version := false
	r.fields(root, "the file", map[string]func(entry){
		"exo": func(e entry) {
			version = true
			if e.value.Value != fmt.Sprint(Version) {
				r.at(posOf(e.value), "exo: this program reads version %d of the file's format, not %s", Version, kindOf(e.value))
			}
		},
		"reviewed":  func(e entry) { f.Reviewed = r.bool(e.value, "reviewed") },
		"preset":    func(e entry) { f.preset(r, e.value) },
		"databases": func(e entry) { f.databases(r, e.value) },
		"principal": func(e entry) { f.principal(r, e.value) },
		"facets":    func(e entry) { f.facets(r, e.value) },
		"grants":    func(e entry) { f.grants(r, e.value) },
		"limits":    func(e entry) { f.limits(r, e.value) },
		"zone":      func(e entry) { f.Zone = r.text(e.value, "zone") },
		"record": func(e entry) {
			if e.value.Kind == yaml.MappingNode {
				r.fields(e.value, "record", map[string]func(entry){
					"folder":   func(e entry) { f.Record = r.text(e.value, "folder") },
					"database": func(e entry) { f.RecordDB = r.secret(e.value, "database") },
					"key":      func(e entry) { f.RecordKey = r.secret(e.value, "key") },
					"keep":     func(e entry) { f.Keep = r.days(e.value, "keep") },
					"replies":  func(e entry) { f.Replies = r.bool(e.value, "replies") },
					"witness": func(e entry) {
						if f.Witnessed = r.text(e.value, "witness") == "required"; !f.Witnessed {
							r.at(posOf(e.value), "witness: want `required`, so that commits wait for the record's witness; without this line they don't")
						}
					},
				})
				if (f.Record == "") == (f.RecordDB.Kind == "") || f.RecordKey.Kind == "" || f.RecordKey.Kind == "sqlite" || f.RecordDB.Kind == "sqlite" {
					r.at(posOf(e.value), "record: want a file, or `folder` or `database` with `key`, which names the place of the signing key: env:NAME or file:PATH. `database` names the place of a PostgreSQL database's URL in the same way")
				}
			} else {
				f.Record = r.text(e.value, "record")
			}
			if f.recordAt = posOf(e.value); f.Record != "" {
				f.record, f.Record = f.Record, beside(r.dir, f.Record)
			}
		},
		"labels": func(e entry) { f.labels(r, e.value) },
		"admits": func(e entry) { f.Admits = r.names(e.value, "admits") },
		"models": func(e entry) { f.models(r, e.value) },
		"distrust": func(e entry) {
			if f.Distrust = r.text(e.value, "distrust"); f.Distrust != "" && !slices.Contains(Distrusts, f.Distrust) {
				r.at(posOf(e.value), "distrust: want one of %s, not `%s`", strings.Join(Distrusts, ", "), f.Distrust)
			}
		},
		"serve":     func(e entry) { f.serve(r, e.value) },
		"wall":      func(e entry) { f.wall(r, e.value) },
		"approvals": func(e entry) { f.approvals(r, e) },
	})
	if !version {
		r.at(posOf(root), "`exo: %d` is missing: the version of this file's format", Version)
	}
	for _, missing := range []struct {
		name string
		none bool
	}{{"databases", len(f.Databases) == 0}, {"facets", len(f.Facets) == 0}, {"grants", len(f.Grants) == 0}} {
		if missing.none && len(r.list) == 0 {
			r.at(posOf(root), "`%s` is missing: a file without grants nothing", missing.name)
		}
	}
	if _, err := time.LoadLocation(f.Zone); err != nil || f.Zone == "Local" {
		r.at(posOf(root), "zone: there is no time zone %q; want an IANA name like Europe/Berlin", f.Zone)
	}
}

func (f *File) databases(r *reader, n *yaml.Node) {
	for _, e := range r.entries(n, "databases") {
		d := Database{Name: Name{e.name, e.pos()}}
		if e.value.Kind == yaml.ScalarNode {
			d.URL = r.secret(e.value, "databases."+e.name)
		} else {
			r.fields(e.value, "databases."+e.name, map[string]func(entry){
				"url":      func(e entry) { d.URL = r.secret(e.value, "url") },
				"schema":   func(e entry) { d.Schema = texts(r.names(e.value, "schema")) },
				"witness":  func(e entry) { d.Witness = r.bool(e.value, "witness") },
				"undo":     func(e entry) { d.Undo = r.days(e.value, "undo") },
				"undo_url": func(e entry) { d.UndoURL = r.secret(e.value, "undo_url") },
			})
			if d.URL.Kind == "" && len(r.list) == 0 {
				r.at(d.Pos, "the database %s has no `url`", e.name)
			}
		}
		f.Databases = append(f.Databases, d)
	}
}

func (f *File) facets(r *reader, n *yaml.Node) {
	for _, e := range r.entries(n, "facets") {
		x := Facet{Name: Name{e.name, e.pos()}, Table: Name{e.name, e.pos()}}
		what := "the facet " + e.name
		scoped := false
		r.fields(e.value, what, map[string]func(entry){
			"table":    func(e entry) { x.Table = Name{r.text(e.value, "table"), posOf(e.value)} },
			"database": func(e entry) { x.Database = Name{r.text(e.value, "database"), posOf(e.value)} },
			"columns":  func(e entry) { x.Columns = r.columns(e.value) },
			"links":    func(e entry) { x.Links = r.links(e.value) },
			"measures": func(e entry) { x.Measures = r.measures(e.value) },
			"scope":    func(e entry) { x.Scope, scoped = r.scope(e.value), true },
			"insert":   func(e entry) { x.Insert = r.names(e.value, "insert") },
			"update":   func(e entry) { x.Update = r.names(e.value, "update") },
			"delete": func(e entry) {
				at := posOf(e.value)
				if x.Wary = e.value.Kind == yaml.ScalarNode && e.value.Tag == "!!str" && e.value.Value == DeleteTrusted; x.Wary || r.boolOr(e.value, "delete", DeleteTrusted) {
					x.Delete = &at
				}
			},
			"approve": func(e entry) { x.Approve = r.approve(e) },
			"effects": func(e entry) { x.Effects = r.names(e.value, "effects") },
			"label":   func(e entry) { x.Label = r.names(e.value, "label") },
			"admits":  func(e entry) { x.Admits = r.names(e.value, "admits") },
			"key":     func(e entry) { x.Key = r.names(e.value, "key") },
			"search":  func(e entry) { x.Search = r.names(e.value, "search") },
			"pin":     func(e entry) { x.Pin = Name{r.text(e.value, "pin"), posOf(e.value)} },
		})
		empty := e.value.Kind == yaml.MappingNode || isNull(e.value) // another type was already reported
		if len(x.Columns) == 0 && empty {
			r.at(x.Pos, "%s shows no `columns`", what)
		}
		if !scoped && empty {
			r.at(x.Pos, "%s has no `scope`: say which rows may be reached, like `org_id = $principal.org`, `via project.tasks`, or `shared` for every row", what)
		}
		f.Facets = append(f.Facets, x)
	}
}

// columns reads a list of names, or a map. An item of the list may be a map of one name to its options.
func (r *reader) columns(n *yaml.Node) (out []Column) {
	var all []entry
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if c.Kind == yaml.MappingNode {
				all = append(all, r.entries(c, "columns")...)
			} else if s := r.text(c, "columns"); s != "" {
				all = append(all, entry{s, c, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: c.Line, Column: c.Column}})
			}
		}
	default:
		all = r.entries(n, "columns")
	}
	for _, e := range all {
		c := Column{Name: Name{e.name, e.pos()}}
		if e.name == "*" {
			r.at(e.pos(), "there is no wildcard: name each column, so that a column that is added later stays hidden")
			continue
		}
		if slices.ContainsFunc(out, func(o Column) bool { return o.Text == c.Text }) {
			r.at(e.pos(), "the column `%s` is given twice", e.name)
		}
		what := "the column " + e.name
		r.fields(e.value, what, map[string]func(entry){
			"as":        func(e entry) { c.As = Name{r.text(e.value, "as"), posOf(e.value)} },
			"type":      func(e entry) { c.Type, c.Elem = r.columnType(e.value) },
			"doc":       func(e entry) { c.Doc = r.text(e.value, "doc") },
			"one_of":    func(e entry) { c.OneOf = r.names(e.value, "one_of") },
			"label":     func(e entry) { c.Label = r.names(e.value, "label") },
			"admits":    func(e entry) { c.Admits = r.names(e.value, "admits") },
			"readers":   func(e entry) { c.Readers = r.readers(e.value) },
			"trusted":   func(e entry) { c.Trusted = r.bool(e.value, "trusted") },
			"max_bytes": func(e entry) { c.MaxBytes = r.bytes(e.value, "max_bytes") },
			"iso":       func(e entry) { c.ISO = r.bool(e.value, "iso") },
			"stored": func(e entry) {
				if c.Stored = r.text(e.value, "stored"); c.Stored != "" && !slices.Contains(StoredForms(), c.Stored) {
					r.at(posOf(e.value), "stored: want one of %s", strings.Join(StoredForms(), ", "))
				}
			},
			"indexed": func(e entry) { c.Indexed = r.bool(e.value, "indexed") },
		})
		out = append(out, c)
	}
	return out
}

// readers reads one kind of principal, with one or several columns for the ids.
func (r *reader) readers(n *yaml.Node) (out Readers) {
	if n.Kind != yaml.MappingNode {
		r.at(posOf(n), "readers: want the kind of the readers, and the column with the reader's id, like `readers: { member: id }`")
		return out
	}
	all := r.entries(n, "readers")
	for _, e := range all {
		out = Readers{Name{e.name, e.pos()}, r.names(e.value, "readers."+e.name)}
	}
	if len(all) != 1 {
		r.at(posOf(n), "readers: want the kind of the readers, and the column with the reader's id, like `readers: { member: id }`")
	}
	return out
}

// columnType reads a type, or a list of one type.
func (r *reader) columnType(n *yaml.Node) (Name, string) {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 1 {
		return Name{value.TypeList, posOf(n)}, r.text(n.Content[0], "type")
	}
	return Name{r.text(n, "type"), posOf(n)}, ""
}

func (r *reader) links(n *yaml.Node) (out []Link) {
	for _, e := range r.entries(n, "links") {
		l := Link{Name: Name{e.name, e.pos()}}
		if e.value.Kind == yaml.ScalarNode {
			l.To = Name{r.text(e.value, "links."+e.name), posOf(e.value)}
		} else {
			what := "the link " + e.name
			r.fields(e.value, what, map[string]func(entry){
				"to":         func(e entry) { l.To = Name{r.text(e.value, "to"), posOf(e.value)} },
				"columns":    func(e entry) { l.Columns = r.names(e.value, "columns") },
				"references": func(e entry) { l.References = r.names(e.value, "references") },
				"one":        func(e entry) { one := r.bool(e.value, "one"); l.One = &one },
				"doc":        func(e entry) { l.Doc = r.text(e.value, "doc") },
			})
			if l.To.Text == "" {
				r.at(l.Pos, "%s has no `to`: the facet that it leads to", what)
			}
			if (len(l.Columns) == 0) != (len(l.References) == 0) || len(l.Columns) != len(l.References) {
				r.at(l.Pos, "%s: `columns` and `references` need the same number of columns", what)
			}
			if len(l.Columns) > 0 && l.One == nil {
				r.at(l.Pos, "%s: with `columns` add `one: true` if it leads to at most one row, or else `one: false`", what)
			}
		}
		out = append(out, l)
	}
	return out
}

func (f *File) grants(r *reader, n *yaml.Node) {
	for _, e := range r.entries(n, "grants") {
		g := Grant{Name: Name{e.name, e.pos()}}
		if err := exoeval.CheckName(e.name); err != nil {
			r.at(g.Pos, "%s", strings.TrimPrefix(err.Error(), "exoeval: "))
		}
		if e.value.Kind == yaml.ScalarNode {
			g.Facet = Name{r.text(e.value, "grants."+e.name), posOf(e.value)}
		} else {
			r.fields(e.value, "the grant "+e.name, map[string]func(entry){
				"facet": func(e entry) { g.Facet = Name{r.text(e.value, "facet"), posOf(e.value)} },
				"where": func(e entry) {
					if s := r.text(e.value, "where"); s != "" {
						g.Where = r.expr(e.value)
					}
				},
			})
			if g.Facet.Text == "" {
				r.at(g.Pos, "the grant %s has no `facet`", e.name)
			}
		}
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
			r.at(x.Pos, "the facet %s has no `database`, and the file has %d", x.Text, len(databases))
		case x.Database.Text == "" && len(databases) == 1:
			x.Database.Text = databases[0]
		case x.Database.Text != "" && !slices.Contains(databases, x.Database.Text):
			r.at(x.Database.Pos, "there is no database `%s`%s", x.Database.Text, or(x.Database.Text, databases))
		}
		f.places[x.place()] = append(f.places[x.place()], x)
	}
	for i := range f.Facets {
		x := &f.Facets[i]
		for _, l := range x.Links {
			if l.To.Text == "" {
				continue
			}
			to := f.facet(l.To.Text)
			if to == nil {
				r.at(l.To.Pos, "there is no facet `%s`%s", l.To.Text, or(l.To.Text, facets))
			} else if to.Database.Text != x.Database.Text {
				r.at(l.To.Pos, "the facet `%s` is in another database: a link must stay in one database", l.To.Text)
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
				r.at(v.Pos, "there is no facet `%s`%s", v.Facet, or(v.Facet, facets))
			case from.link(v.Link) == nil:
				r.at(v.Pos, "the facet %s has no link `%s`%s", v.Facet, v.Link, or(v.Link, links))
			default:
				if to := f.facet(from.link(v.Link).To.Text); to != nil && to.place() != x.place() {
					r.at(v.Pos, "the link %s.%s leads to the table %s, not to %s", v.Facet, v.Link, to.Table.Text, x.Table.Text)
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
					r.at(c.Pos, "`%s` is not among the columns that the facet %s shows%s", c.Text, x.Text, or(c.Text, columnNames(x)))
				}
			}
		}
	}
	for _, g := range f.Grants {
		if g.Facet.Text != "" && f.facet(g.Facet.Text) == nil {
			r.at(g.Facet.Pos, "there is no facet `%s`%s", g.Facet.Text, or(g.Facet.Text, facets))
		}
		f.checkClaims(r, g.Where)
	}
	f.checkTags(r)
	f.checkColumns(r)
	f.checkServe(r)
	f.checkApprovals(r)
	f.expand(r)
}

// checkColumns compares what several facets of one table declare about it and about a column. It is
// one table, so they must declare the same, or one of them declares it for all.
func (f *File) checkColumns(r *reader) {
	said := map[string]*Column{}
	for i := range f.Facets {
		x := &f.Facets[i]
		if l := f.rowLabel(x); len(x.Label) > 0 && !value.NewLabel(texts(x.Label)...).Equal(value.NewLabel(texts(l)...)) {
			r.at(x.Label[0].Pos, "the label of the rows differs from line %d: both are rows of the table %s, so write it once", l[0].Line, x.Table.Text)
		}
		if k := f.key(x); len(x.Key) > 0 && !slices.Equal(texts(x.Key), texts(k)) {
			r.at(x.Key[0].Pos, "the key differs from line %d: both are of the table %s, so write it once", k[0].Line, x.Table.Text)
		}
		for j := range x.Columns {
			c := &x.Columns[j]
			key := x.Database.Text + "\x00" + x.Table.Text + "\x00" + c.Text
			if had := said[key]; had != nil && !c.bare() && !had.same(*c) {
				r.at(c.Pos, "the options of the column %s differ from line %d: it is one column of the table %s, so write them once", c.Text, had.Line, x.Table.Text)
			} else if had == nil && !c.bare() {
				said[key] = c
			}
		}
	}
}

// rowLabel returns the label of the rows from the first facet of the same table that has one.
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

func (c Column) same(o Column) bool {
	return reflect.DeepEqual(c.spec(), o.spec())
}

// described returns a column with its options, from whichever facet of its table has them.
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

// DeleteTrusted is the value of `delete` that lets programs delete rows unless they have read what outsiders wrote.
const DeleteTrusted = "trusted"

func columnNames(x *Facet) (out []string) {
	for _, c := range x.Columns {
		out = append(out, c.Text)
	}
	return out
}

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

// Writes reports whether any facet lets programs change rows.
func (f *File) Writes() bool {
	return slices.ContainsFunc(f.Facets, func(x Facet) bool { return x.Writes() })
}

// TableOf returns the table of a grant; "" if nothing is granted under the name.
func (f *File) TableOf(grant string) string {
	for _, g := range f.Grants {
		if g.Text == grant {
			return f.facet(g.Facet.Text).Table.Text
		}
	}
	return ""
}

// ToolOptions returns the options of a principal's tool, without its record. If changes wait for a person, no run commits with these options
// alone: package pending has the Review that takes their place.
func (f *File) ToolOptions(p Principal) codemode.Options {
	o := codemode.Options{Limits: f.Limits, Bounds: f.Bounds, Zone: f.Zone, Principal: p.Name()}
	if f.Approves() {
		o.Review = &review.Keeper{}
	}
	o.Admits = f.admits(func(claim string) string { return fmt.Sprint(p.values[claim]) })
	return o
}

// StoredForms are all forms of stored.
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
