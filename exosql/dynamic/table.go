package dynamic

import (
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sealed"
	"github.com/exoagent/exoagent/internal/terms"
	"github.com/exoagent/exoagent/schema"
)

// Declarations has the declarations for one database.
type Declarations struct {
	live   *schema.Database
	tables map[string]*Table
	reader terms.Reader
}

// New begins declarations from a catalogue: see exosql.DB's Catalog. Without a catalogue each declaration is an error.
func New(live *schema.Database) *Declarations { return declarations(terms.Dynamic, live) }

// NewForFile begins declarations for a host whose users write grant files (docs/grantfile.md). Errors and findings use the words of grant files.
func NewForFile(live *schema.Database) *Declarations { return declarations(terms.File, live) }

func declarations(r terms.Reader, live *schema.Database) *Declarations {
	return &Declarations{live: live, tables: map[string]*Table{}, reader: r}
}

// Table is a declared table. It carries no authority.
type Table struct {
	d    *Declarations
	t    *decl.Table
	cols map[string]*decl.Column
	left map[string]error // left has, for each column that is not in cols, the reason why it is missing
}

func (t *Table) zero() bool { return t == nil || t.t == nil }

// ColumnSpec adds to the catalogue's description of a column. Every field but Name may be zero.
type ColumnSpec struct {
	Name           string            // Name is the column's name in the database
	As             string            // As is the column's name in programs; by default Name in camel case
	Type           string            // Type is a type of exo (value.TypeTime, …), if SQLite stores it in a column of another type, like a time in a TEXT column
	Elem           string            // Elem is the type of the elements, if Type is value.TypeList
	Doc            string            // Doc is a line for the model
	OneOf          []string          // OneOf are the only values of a text column; nil if any are allowed
	Label          []string          // Label are the tags of every value
	Readers        Readers           // Readers are those who may read a labelled value; zero means all whom its label admits
	Trusted        bool              // Trusted means that a program that has read outsiders' words can't write the column: see exosql.Column
	Admits         []string          // Admits are tags: programs may write values that they have read under these tags into the column, see exosql.Column
	MaxBytes       int               // MaxBytes is the most bytes of a labelled value (see the method of exosql.Column); 0 means 1 KiB
	StoredISO      bool              // StoredISO means that all times of the column have one exact form: see exosql.Column
	Stored         exosql.StoredForm // Stored is the form in which SQLite stores the values: see exosql.Column
	UnscopedLookup bool              // UnscopedLookup lets the database use an index on the column before it checks the scope: see AllowUnscopedLookup of exosql.Column
	Key            bool              // Key makes the column a part of the key, in place of the catalogue's key; for a view the catalogue has no key
}

// Readers describes the principals who may read a value: their kind, and the columns of the value's row with their ids. See ReadBy of exosql.Column.
type Readers struct {
	Kind    string   // Kind is the kind of the principals, like "member"
	Columns []string // Columns have the principals' ids; all of these principals may read the value
}

// Table declares a table or a view of the catalogue, once, with all its columns of known types. Its key is the columns in more whose field Key is true.
// Without such columns the key is one of the catalogue, of columns that are never NULL, or SQLite's rowid. Without any key the table is Keyless.
func (d *Declarations) Table(name string, more ...ColumnSpec) (*Table, error) {
	if d == nil || d.live == nil {
		return nil, wrong("dynamic.Declarations", "these Declarations have no catalogue: make them with New, and pass it a catalogue from DB.Catalog")
	}
	if err := decl.Reserved(name); err != nil {
		return nil, wrong(name, "%v", err)
	}
	live := d.live.Rows(schema.Name{Name: name})
	if live == nil {
		names := scalar.Each(d.live.Tables, func(t *schema.Table) string { return d.live.Spell(t.Name) })
		return nil, wrong(name, "there is no such table%s; there are %s", d.live.Where(), list(names))
	}
	if spelt := d.live.Spell(live.Name); spelt != name { // SQLite accepts other cases, and a second declaration might lack the labels of the first
		return nil, wrong(name, "the database spells the table %s: use that name", schema.Printable(spelt))
	}
	if d.tables[name] != nil {
		return nil, wrong(name, "the table is declared twice: declare it once")
	}
	t := &Table{d, &decl.Table{ID: decl.TableIDs.Add(1), Name: name, Reader: d.reader}, map[string]*decl.Column{}, map[string]error{}}
	if name != live.Name.Name || d.shared(live.Name) {
		t.t.Schema = live.Schema
	}
	says := map[string]ColumnSpec{}
	for _, m := range more {
		if live.Column(m.Name) == nil {
			return nil, wrong(name+"."+m.Name, "there is no such column; there are %s", list(live.ColumnNames()))
		}
		if _, twice := says[m.Name]; twice {
			return nil, wrong(name+"."+m.Name, "the column is described twice: describe it once")
		}
		says[m.Name] = m
	}
	var key []string
	for _, m := range more {
		if m.Key {
			key = append(key, m.Name)
		}
	}
	for of := live; key == nil && of != nil; of = d.whole(of) { // a key of the whole table is unique in each partition too
		key = of.RowKey()
	}
	for i := range live.Columns {
		x := &live.Columns[i]
		c, err := t.column(x, says[x.Name], slices.Contains(key, x.Name))
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		t.t.Add(c)
		t.cols[c.Name] = c
	}
	switch {
	case key == nil:
		t.t.SetKeyless()
	case len(t.t.Keys) == 0: // SQLite's rowid is hidden, so no facet can show it
		t.t.Add(&decl.Column{Table: t.t, Name: key[0], Kind: value.TypeInt, Key: true})
	}
	for _, m := range more {
		if err := t.readBy(m); err != nil {
			return nil, err
		}
	}
	if err := t.calculated(); err != nil {
		return nil, err
	}
	writing.Needs(d.live, t.t)
	d.tables[name] = t
	return t, nil
}

// shared reports whether another schema has a table or view of the same name. If so, statements name the schema of both, so that neither is
// mistaken for the other.
func (d *Declarations) shared(n schema.Name) bool {
	is := func(m schema.Name) bool { return m.Name == n.Name && m.Schema != n.Schema }
	return d.live.Engine == schema.Postgres && !strings.HasPrefix(n.Name, n.Schema+".") &&
		(slices.ContainsFunc(d.live.Tables, func(t *schema.Table) bool { return is(t.Name) }) || slices.ContainsFunc(d.live.Views, func(v *schema.View) bool { return is(v.Name) }))
}

// whole returns the table that t is a partition of, or nil.
func (d *Declarations) whole(t *schema.Table) *schema.Table {
	if t.PartitionOf == nil {
		return nil
	}
	return d.live.Table(*t.PartitionOf)
}

// calculated gives a generated column the labels of the columns from which the database calculates it. If those columns have one set of readers, and
// the generated column has no label of its own, it gets these readers too. Otherwise it has no single reader.
func (t *Table) calculated() error {
	for _, c := range t.t.Cols {
		var l value.Label
		var by []*decl.Readers
		for _, of := range check.Unlabelled(t.d.live, c, t.t.Cols) {
			tags := of.Label.Tags()
			if r := of.Readers; r != nil {
				tags = append(of.Label.Integrity().Tags(), r.About(of.Label)...)
			}
			if l = l.Join(value.NewLabel(tags...)); !of.Label.Secrecy().Empty() && !slices.ContainsFunc(by, func(r *decl.Readers) bool { return r.String() == of.Readers.String() }) {
				by = append(by, of.Readers)
			}
		}
		alone := c.Label.Secrecy().Empty()
		if c.Readers != nil && !l.Secrecy().Empty() {
			return wrong(t.t.Name+"."+c.Name, "this column can't name readers: the database calculates it from columns with the label %s and other readers. Leave out %s here", l, t.t.Reader.Readers())
		}
		c.Label = c.Label.Join(l)
		if len(by) == 1 && by[0] != nil && alone {
			if err := c.ReadBy(by[0].Kind, by[0].Cols); err != nil {
				return wrong(t.t.Name+"."+c.Name, "%v", err)
			}
		}
	}
	return nil
}

// readBy gives a column its readers, after all columns were made.
func (t *Table) readBy(m ColumnSpec) error {
	if m.Readers.Kind == "" && m.Readers.Columns == nil {
		return nil
	}
	cols := make([]*decl.Column, len(m.Readers.Columns))
	for i, name := range m.Readers.Columns {
		if cols[i] = t.cols[name]; cols[i] == nil {
			return wrong(t.t.Name+"."+m.Name, "%s: there is no column %q; there are %s", t.t.Reader.Readers(), name, list(t.d.live.Rows(schema.Name{Name: t.t.Name}).ColumnNames()))
		}
	}
	if err := t.cols[m.Name].ReadBy(m.Readers.Kind, cols); err != nil {
		return wrong(t.t.Name+"."+m.Name, "%s", strings.TrimPrefix(err.Error(), "exosql: "+t.t.Name+"."+m.Name+": "))
	}
	return nil
}

// WithLabel labels the existence of the table's rows: see WithLabel of exosql.Table.
func (t *Table) WithLabel(tags ...string) error {
	if t.zero() {
		return undeclared("Table", "Declarations.Table")
	}
	if len(tags) == 0 || slices.Contains(tags, "") {
		return wrong(t.t.Name, "%s needs at least one tag, and none may be empty", t.t.Reader.LabelName())
	}
	for _, tag := range value.NewLabel(tags...).Unnamed() {
		return wrong(t.t.Name, "the tag %q names readers, and the label of a table can't have any, so write the tag without them", tag)
	}
	t.t.AddLabel(value.NewLabel(tags...))
	return nil
}

// check refuses a description that fits no column.
func (m ColumnSpec) check(at string, r terms.Reader) error {
	switch {
	case m.Type != "" && language.ColumnInterfaces[m.Type] == "":
		return wrong(at, "there is no type %q for a column; there are %s", m.Type, list(slices.Collect(maps.Keys(language.ColumnInterfaces))))
	case m.Type == value.TypeList && !slices.Contains(elementTypes, m.Elem):
		return wrong(at, "an array needs %s: want one of %s; got %q", r.ListType(), list(slices.Clone(elementTypes)), m.Elem)
	case m.Type != value.TypeList && m.Elem != "":
		return wrong(at, "Elem is only for a column with the Type %q", value.TypeList) // only Go code gets this error: a grant file writes both types in one key
	case m.OneOf != nil && len(m.OneOf) == 0:
		return wrong(at, "%s lists no value: list at least one, or leave %[1]s out if the column may have any value", r.OneOfName())
	}
	for _, v := range m.OneOf {
		if value.Text(v).IsZero() {
			return wrong(at, "%q in %s is not a text that a database can store: it contains a NUL or is not valid UTF-8", v, r.OneOfName())
		}
	}
	return nil
}

// elementTypes are the element types that array columns of exosql may have.
var elementTypes = []string{value.TypeInt, value.TypeFloat, value.TypeDecimal, value.TypeText, value.TypeBool, value.TypeDate, value.TypeUUID}

// column returns the declaration of a column, or nil for a column without a known type that m does not describe.
func (t *Table) column(x *schema.Column, m ColumnSpec, key bool) (*decl.Column, error) {
	at := t.t.Name + "." + x.Name
	r := t.d.reader
	if err := m.check(at, r); err != nil {
		return nil, err
	}
	c := &decl.Column{Table: t.t, Name: x.Name, Guest: scalar.Camel(x.Name), Kind: string(x.Kind), Elem: string(x.Elem), Doc: m.Doc, Stored: m.Stored, UnscopedLookup: m.UnscopedLookup, Enum: slices.Clone(m.OneOf)}
	if m.StoredISO && m.Stored != "" && m.Stored != cellform.ISO {
		return nil, wrong(at, "%s and %s declare two forms of one column: write one of them", r.ISO(), r.Stored(string(m.Stored)))
	} else if m.StoredISO {
		c.Stored = cellform.ISO
	}
	if m.Type != "" {
		c.Kind, c.Elem = m.Type, m.Elem
	}
	t.native(c, x)
	c.Nulls = c.Kind == value.TypeList // databases allow NULL elements in every array
	c.Key = key
	c.Null = !x.NotNull && !c.Key
	switch {
	case x.Name == "": // SQLite allows an empty name, but a statement must name each column that it reads
		t.left[x.Name] = wrong(at, "the column has no name: give it one in the database")
	case c.Kind == "":
		t.left[x.Name] = t.unknown(at, x)
	}
	if err := t.left[x.Name]; err != nil && (m.Name != "" || key) {
		return nil, err
	} else if err != nil {
		return nil, nil
	}
	if m.Type != "" && !check.Holds(t.d.live, c, x) {
		return nil, wrong(at, "the column is %s and can't be declared %s: want a type that fits its values", x.Type, m.Type)
	}
	if m.As != "" {
		if scalar.ReservedName(m.As) {
			return nil, wrong(at, "the column can't be named %q for programs: want letters, digits, _ and $, and not then, toJSON, constructor, prototype or __proto__", m.As)
		}
		c.Guest = m.As
	}
	if scalar.ReservedName(c.Guest) {
		c.Guest = "" // a facet that shows the column requires another name
	}
	if len(m.OneOf) > 0 && c.Kind != value.TypeText {
		return nil, wrong(at, "%s needs a text column; the column is %s", r.OneOfName(), c.Kind)
	}
	if m.StoredISO && c.Kind != value.TypeTime {
		return nil, wrong(at, "%s needs a time column; the column is %s", r.ISO(), c.Kind)
	}
	if m.Stored != "" && !m.Stored.Fits(c.Kind) {
		forms := cellform.Of(c.Kind)
		if forms == nil {
			return nil, wrong(at, "%s needs a column of times, days or truth values; the column is %s", r.Stored(string(m.Stored)), c.Kind)
		}
		return nil, wrong(at, "%s does not fit a column of the type %s: write one of %s", r.Stored(string(m.Stored)), c.Kind, cellform.Texts(forms))
	}
	if m.Stored != "" && m.Stored != cellform.ISO && t.d.live.Engine != schema.SQLite {
		return nil, wrong(at, "%s is for SQLite; PostgreSQL has a type for such values: leave it out", r.Stored(string(m.Stored)))
	}
	if slices.Contains(m.Label, "") || m.Label != nil && len(m.Label) == 0 {
		return nil, wrong(at, "%s needs at least one tag, and none may be empty", r.LabelName())
	}
	for _, tag := range value.NewLabel(m.Label...).Unnamed() {
		return nil, wrong(at, "the tag %q means that each value has a reader, but does not name the reader: write the tag alone, and name the column of the reader's id in %s", tag, r.Readers())
	}
	if len(m.Label) > 0 {
		c.Label = value.NewLabel(m.Label...)
	}
	if m.MaxBytes < 0 || m.MaxBytes > sealed.Most {
		return nil, wrong(at, "%s must be from 1 to %d; got %d", r.MaxBytes(), sealed.Most, m.MaxBytes)
	} else if m.MaxBytes > 0 && len(m.Label) == 0 {
		return nil, wrong(at, "%s is only for a column with %s: add the label, or leave %[1]s out", r.MaxBytes(), r.LabelName())
	}
	if err := c.Admit(value.NewLabel(m.Admits...)); err != nil {
		return nil, wrong(at, "%s", err)
	}
	c.Bytes, c.Trust = m.MaxBytes, m.Trusted
	return c, nil
}

// unknown makes the error for a column whose type in the catalogue is none that programs have. It names the types that may be declared instead.
func (t *Table) unknown(at string, x *schema.Column) error {
	what, r := "the type "+schema.Printable(x.Type)+" is not known", t.d.reader
	if x.Type == "" {
		what = "the database gives the column no type"
	}
	var fit []string
	for kind := range language.ColumnInterfaces {
		if kind != value.TypeText && kind != value.TypeList && check.Holds(t.d.live, &decl.Column{Table: t.t, Kind: kind}, x) {
			fit = append(fit, kind)
		}
	}
	if len(fit) == 0 {
		return wrong(at, "%s: write %s, and programs see it as text", what, r.Type(value.TypeText, "string"))
	}
	return wrong(at, "%s: write %s, or the type of its values: %s", what, r.Type(value.TypeText, "string"), list(fit))
}

// native adds to c the properties that a column's PostgreSQL type implies. A type that exo lacks becomes text, an array of such a type a list of texts, and an
// enum has its values.
func (t *Table) native(c *decl.Column, x *schema.Column) {
	if t.d.live.Engine != schema.Postgres {
		return
	}
	leave := func(why string) { t.left[x.Name] = wrong(t.t.Name+"."+x.Name, "%s is %s", x.Type, why) }
	switch {
	case c.Kind == "":
		c.Kind = value.TypeText
	case c.Kind == value.TypeList && c.Elem == "":
		c.Elem = value.TypeText
	case c.Kind == value.TypeList && c.Elem == value.TypeList:
		leave("an array of arrays, which programs can't read: grant a view that casts it to jsonb")
	case c.Kind == value.TypeList && c.Elem == value.TypeTime && check.Form(t.d.live, c).Cast:
		leave("an array of a domain over a time, which can't be read: grant a view that casts it to timestamptz[]")
	}
	if x.Kind == schema.Unknown && c.Doc == "" {
		c.Doc = x.Type + " as its text"
	}
	if c.Enum == nil && (c.Kind == value.TypeText || c.Kind == value.TypeList) {
		c.Enum = t.d.live.Values(x)
	}
}

func (t *Table) col(name string) (*decl.Column, error) {
	if c := t.cols[name]; c != nil {
		return c, nil
	}
	if err := t.left[name]; err != nil {
		return nil, err
	}
	return nil, wrong(t.t.Name+"."+name, "there is no such column; there are %s", list(decl.Names(t.t.Cols)))
}
