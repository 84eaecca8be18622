package dynamic

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Declarations are those of one database.
type Declarations struct {
	live   *schema.Database
	tables map[string]*Table
}

// New begins declarations from a catalogue; see exosql.DB's Catalog.
func New(live *schema.Database) *Declarations {
	return &Declarations{live: live, tables: map[string]*Table{}}
}

// Table is a declared table.
type Table struct {
	d    *Declarations
	t    *decl.Table
	cols map[string]*decl.Column
}

// Column says more of a column than the catalogue does. All but Name may be zero.
type Column struct {
	Name      string   // in the database
	As        string   // in programs; otherwise the name in camel case
	Type      string   // a type of exo (exo.TypeTime, …), where SQLite holds it in another: a time in a TEXT column
	Doc       string   // a line for the model
	OneOf     []string // the only values of a text column
	Label     []string // tags of every value
	StoredISO bool     // see exosql.Column's StoredISO
	Indexed   bool     // see exosql.Column's Indexed
}

// Table declares a table of the catalogue, once, with all its columns of known types.
func (d *Declarations) Table(name string, more ...Column) (*Table, error) {
	live := d.live.Table(schema.Name{Name: name})
	if live == nil {
		var names []string
		for _, t := range d.live.Tables {
			names = append(names, t.Name.Name)
		}
		return nil, wrong(name, "there is no such table; there are %s", list(names))
	}
	if d.tables[name] != nil {
		return nil, wrong(name, "the table is declared twice")
	}
	t := &Table{d, &decl.Table{ID: decl.TableIDs.Add(1), Name: name}, map[string]*decl.Column{}}
	says := map[string]Column{}
	for _, m := range more {
		if live.Column(m.Name) == nil {
			return nil, wrong(name+"."+m.Name, "there is no such column; there are %s", list(columnNames(live)))
		}
		if _, twice := says[m.Name]; twice {
			return nil, wrong(name+"."+m.Name, "the column is described twice")
		}
		says[m.Name] = m
	}
	for i := range live.Columns {
		x := &live.Columns[i]
		c, err := t.column(live, x, says[x.Name])
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		t.t.Add(c)
		t.cols[c.Name] = c
	}
	d.tables[name] = t
	return t, nil
}

// column is nil for one of a type that nothing is known of and that nobody described.
func (t *Table) column(live *schema.Table, x *schema.Column, m Column) (*decl.Column, error) {
	at := t.t.Name + "." + x.Name
	c := &decl.Column{Table: t.t, Name: x.Name, Guest: decl.Camel(x.Name), Kind: string(x.Kind), Elem: string(x.Elem), Doc: m.Doc, Iso: m.StoredISO, Indexed: m.Indexed, Enum: slices.Clone(m.OneOf)}
	if m.Type != "" {
		c.Kind, c.Elem = m.Type, ""
	}
	c.Key = live.PrimaryKey != nil && slices.Contains(live.PrimaryKey.Columns, x.Name)
	c.Null = !x.NotNull && !c.Key
	if c.Kind == "" && m.Name == "" {
		return nil, nil
	}
	if c.Kind == "" {
		return nil, wrong(at, "the type %s is not known; give a Type that holds it", x.Type)
	}
	if m.Type != "" && !check.Holds(t.d.live, c, x) {
		return nil, wrong(at, "the column is %s and can't be declared %s", x.Type, m.Type)
	}
	if m.As != "" {
		if scalar.ReservedName(m.As) {
			return nil, wrong(at, "the column can't be named %q for programs", m.As)
		}
		c.Guest = m.As
	}
	if scalar.ReservedName(c.Guest) {
		c.Guest = "" // a facet that shows it asks for another name
	}
	if m.OneOf != nil && c.Kind != exo.TypeText {
		return nil, wrong(at, "OneOf needs a text column; it is %s", c.Kind)
	}
	if m.StoredISO && c.Kind != exo.TypeTime {
		return nil, wrong(at, "StoredISO needs a time column; it is %s", c.Kind)
	}
	if len(m.Label) > 0 {
		c.Label = exo.NewLabel(m.Label...)
	}
	return c, nil
}

func (t *Table) col(name string) (*decl.Column, error) {
	if c := t.cols[name]; c != nil {
		return c, nil
	}
	var names []string
	for _, c := range t.t.Cols {
		names = append(names, c.Name)
	}
	return nil, wrong(t.t.Name+"."+name, "there is no such column; there are %s", list(names))
}

// Link describes a link from the rows of one table to those of another whose columns are equal.
type Link struct {
	Name       string   // in programs
	Columns    []string // of the table
	To         *Table   //
	References []string // of To, as many as Columns
	One        bool     // it leads to at most one row
	Doc        string   // a line for the model
}

// Relationship is a declared link.
type Relationship struct{ l *decl.Link }

// Link declares a link. Columns that are compared have one type.
func (t *Table) Link(l Link) (*Relationship, error) {
	at := t.t.Name + "." + l.Name
	if l.To == nil || l.To.d != t.d {
		return nil, wrong(at, "the link leads to no table of these declarations")
	}
	if len(l.Columns) == 0 || len(l.Columns) != len(l.References) {
		return nil, wrong(at, "the link has %d columns and %d that they reference; want as many, and one or more", len(l.Columns), len(l.References))
	}
	var pairs []decl.Pair
	for i := range l.Columns {
		from, err := t.col(l.Columns[i])
		if err != nil {
			return nil, err
		}
		to, err := l.To.col(l.References[i])
		if err != nil {
			return nil, err
		}
		if from.Kind != to.Kind {
			return nil, wrong(at, "the types of the keys differ: %s.%s is %s and %s.%s is %s", t.t.Name, from.Name, from.Kind, l.To.t.Name, to.Name, to.Kind)
		}
		pairs = append(pairs, decl.Pair{From: from, To: to})
	}
	made, err := decl.NewLink(l.Name, l.One, pairs)
	if err != nil {
		return nil, wrap(at, err)
	}
	made.Doc = l.Doc
	return &Relationship{made}, nil
}

func columnNames(t *schema.Table) (out []string) {
	for i := range t.Columns {
		out = append(out, t.Columns[i].Name)
	}
	return out
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	slices.Sort(names)
	return schema.Printable(strings.Join(names, ", "))
}

func wrong(at, format string, args ...any) error {
	return exo.Errorf(exo.Invalid, schema.Printable(at), format, args...)
}

// wrap gives an error of the core the place that it is about.
func wrap(at string, err error) error {
	return &exo.Error{Op: schema.Printable(at), Kind: exo.Invalid, Msg: strings.TrimPrefix(err.Error(), "exosql: "), Err: err}
}
