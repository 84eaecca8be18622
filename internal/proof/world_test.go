package proof

import (
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exosql"
)

// A Schema is plain data, so that a case can be kept as text. Tables, columns,
// names of links and aliases are indexes into fixed pools, because exosql takes
// names that are constants of the program only.
type Schema struct {
	Tables []Table
	Links  []Link
	Facets []Facet
	Refs   []Ref `json:",omitempty"`

	Labelled []int    `json:",omitempty"` // slots: see sealed_test.go
	Owned    bool     `json:",omitempty"` // the row's id names who may read what is labelled
	Known    []string `json:",omitempty"` // effects of writes that the host knows
}

// Table says which columns of the pool a table has and which are its key.
type Table struct {
	Name int
	Cols []int // slots; always with note and secret
	Keys []int // slots, in the order of the key
	ISO  bool  // its times are stored in one form
	Decl int   // how its time columns are declared to the database

	Unique []int `json:",omitempty"` // see writeworld_test.go
	Small  bool  `json:",omitempty"`
	Usual  []int `json:",omitempty"`
}

// Link goes from rows of one table to rows of another over pairs of slots.
type Link struct {
	Name, From, To int
	Pairs          [][2]int
	One            bool
}

// Facet shows columns and links of a table.
type Facet struct {
	Alias, Table int
	Cols         []int
	Links        []Via
	Rights       Rights `json:",omitzero"`
}

// Via is a link of a facet, and the facet that it leads to.
type Via struct{ Link, Facet int }

// Kind is the type of a column or value.
type Kind int

const (
	Int Kind = iota
	Text
	Float
	Bool
	Time
	Decimal
	Day
	Span // an interval
	UUID
	Bytes
	JSON
	Tags // an array of texts
	Nums // an array of whole numbers
)

// numeric, comparable and sortable say what can be done with values of a kind.
func (k Kind) numeric() bool    { return k == Int || k == Float || k == Decimal }
func (k Kind) comparable() bool { return k < JSON }
func (k Kind) sortable() bool   { return k <= Span && k != Bool }

// slot is one column of the pool.
type slot struct {
	db, guest string
	kind      Kind
	null      bool
}

const (
	slotID = iota
	slotPart
	slotTenant
	slotN1
	slotM0
	slotM1
	slotName
	slotNick
	slotNote // a canary: a text that is in no other row
	slotSecret
	slotPrice
	slotRate
	slotDone
	slotFlag
	slotMade
	slotDue
	slotAmount
	slotTotal
	slotDay
	slotSpan
	slotCode
	slotRaw
	slotDoc
	slotTags
	slotNums
)

var slots = []slot{
	{"id", "id", Int, false}, {"part", "part", Text, false}, {"tenant", "tenant", Int, false}, {"n_1", "n1", Int, false},
	{"m0", "m0", Int, true}, {"m1_id", "m1Id", Int, true}, {"name", "title", Text, false}, {"nick", "nick", Text, true},
	{"note", "note", Text, false}, {"secret", "secret", Text, false}, {"unit_price", "unitPrice", Float, false}, {"rate", "rate", Float, true},
	{"done", "done", Bool, false}, {"flag", "flag", Bool, true}, {"made_at", "madeAt", Time, false}, {"due", "due", Time, true},
	{"amount", "amount", Decimal, true}, {"total", "total", Decimal, false}, {"day", "day", Day, true}, {"span", "span", Span, true}, {"code", "code", UUID, true},
	{"raw", "raw", Bytes, true}, {"doc", "doc", JSON, true}, {"labels", "labels", Tags, true}, {"nums", "nums", Nums, true},
}

var tableNames = []string{"users", "todos", "order", "Mixed Case", "x-y", "sel\"ect"}
var aliases = []string{"user", "todo", "order", "mixed", "xy", "text", "owner", "count0"}
var linkNames = []string{"todos", "parent", "children", "peers", "items", "back", "tags", "near", "links", "up"}

// Row is what every table scans into: each column has a field of its own. Only the canary is
// read back that way.
type Row struct {
	ID     int64
	Part   string
	Tenant int64
	N1     int64
	M0     *int64
	M1     *int64
	Name   string
	Nick   *string
	Note   string
	Secret string
	Price  float64
	Rate   *float64
	Done   bool
	Flag   *bool
	Made   time.Time
	Due    *time.Time
	Total  exosql.Decimal
	ND     *exosql.Decimal
	Day    *exosql.Date
	Iv     *exosql.Interval
	U      *[16]byte
	Raw    *[]byte
	Doc    *exosql.JSON
	Tags   *[]*string
	Nums   *[]*int64
}

func idOf(r *Row) *int64    { return &r.ID }
func partOf(r *Row) *string { return &r.Part }

// declared is a table as exosql knows it.
type declared struct {
	table  *exosql.Table[Row]
	ints   map[int]*exosql.Column[Row, int64]
	texts  map[int]*exosql.Column[Row, string]
	floats map[int]*exosql.Column[Row, float64]
	bools  map[int]*exosql.Column[Row, bool]
	times  map[int]*exosql.Column[Row, time.Time]

	decimals map[int]*exosql.Column[Row, exosql.Decimal]
	day      *exosql.Column[Row, exosql.Date]
	span     *exosql.Column[Row, exosql.Interval]
	code     *exosql.Column[Row, [16]byte]
	raw      *exosql.Column[Row, []byte]
	doc      *exosql.Column[Row, exosql.JSON]
	tags     *exosql.Column[Row, []*string]
	nums     *exosql.Column[Row, []*int64]
}

func declareTable(name int) *exosql.Table[Row] {
	switch name {
	case 0:
		return exosql.NewTable[Row]("users")
	case 1:
		return exosql.NewTable[Row]("todos")
	case 2:
		return exosql.NewTable[Row]("order")
	case 3:
		return exosql.NewTable[Row]("Mixed Case")
	case 4:
		return exosql.NewTable[Row]("x-y")
	}
	return exosql.NewTable[Row]("sel\"ect")
}

func has(xs []int, x int) bool {
	for _, y := range xs {
		if x == y {
			return true
		}
	}
	return false
}

// declare makes a table. Keys are declared first, in the order of the key.
func declare(t Table) *declared {
	d := &declared{table: declareTable(t.Name), ints: map[int]*exosql.Column[Row, int64]{}, texts: map[int]*exosql.Column[Row, string]{},
		floats: map[int]*exosql.Column[Row, float64]{}, bools: map[int]*exosql.Column[Row, bool]{}, times: map[int]*exosql.Column[Row, time.Time]{}, decimals: map[int]*exosql.Column[Row, exosql.Decimal]{}}
	for _, k := range t.Keys {
		switch k {
		case slotID:
			d.ints[k] = exosql.NewKey(d.table, "id", idOf)
		case slotPart:
			d.texts[k] = exosql.NewKey(d.table, "part", partOf)
		case slotTenant:
			d.ints[k] = exosql.NewKey(d.table, "tenant", func(r *Row) *int64 { return &r.Tenant })
		}
	}
	for _, c := range t.Cols {
		if !has(t.Keys, c) {
			d.column(c, t.ISO)
		}
	}
	return d
}

func (d *declared) column(c int, iso bool) {
	t := d.table
	switch c {
	case slotID:
		d.ints[c] = exosql.NewColumn(t, "id", idOf)
	case slotPart:
		d.texts[c] = exosql.NewColumn(t, "part", partOf)
	case slotTenant:
		d.ints[c] = exosql.NewColumn(t, "tenant", func(r *Row) *int64 { return &r.Tenant })
	case slotN1:
		d.ints[c] = exosql.NewColumn(t, "n_1", func(r *Row) *int64 { return &r.N1 })
	case slotM0:
		d.ints[c] = exosql.NewNullable(t, "m0", func(r *Row) **int64 { return &r.M0 })
	case slotM1:
		d.ints[c] = exosql.NewNullable(t, "m1_id", func(r *Row) **int64 { return &r.M1 })
	case slotName:
		d.texts[c] = exosql.NewColumn(t, "name", func(r *Row) *string { return &r.Name }).Named("title")
	case slotNick:
		d.texts[c] = exosql.NewNullable(t, "nick", func(r *Row) **string { return &r.Nick })
	case slotNote:
		d.texts[c] = exosql.NewColumn(t, "note", func(r *Row) *string { return &r.Note })
	case slotSecret:
		d.texts[c] = exosql.NewColumn(t, "secret", func(r *Row) *string { return &r.Secret })
	case slotPrice:
		d.floats[c] = exosql.NewColumn(t, "unit_price", func(r *Row) *float64 { return &r.Price })
	case slotRate:
		d.floats[c] = exosql.NewNullable(t, "rate", func(r *Row) **float64 { return &r.Rate })
	case slotDone:
		d.bools[c] = exosql.NewColumn(t, "done", func(r *Row) *bool { return &r.Done })
	case slotFlag:
		d.bools[c] = exosql.NewNullable(t, "flag", func(r *Row) **bool { return &r.Flag })
	case slotMade:
		d.times[c] = exosql.NewColumn(t, "made_at", func(r *Row) *time.Time { return &r.Made })
	case slotDue:
		d.times[c] = exosql.NewNullable(t, "due", func(r *Row) **time.Time { return &r.Due })
	case slotAmount:
		d.decimals[c] = exosql.NewNullable(t, "amount", func(r *Row) **exosql.Decimal { return &r.ND })
	case slotTotal:
		d.decimals[c] = exosql.NewColumn(t, "total", func(r *Row) *exosql.Decimal { return &r.Total })
	case slotDay:
		d.day = exosql.NewNullable(t, "day", func(r *Row) **exosql.Date { return &r.Day })
	case slotSpan:
		d.span = exosql.NewNullable(t, "span", func(r *Row) **exosql.Interval { return &r.Iv })
	case slotCode:
		d.code = exosql.NewNullable(t, "code", func(r *Row) **[16]byte { return &r.U })
	case slotRaw:
		d.raw = exosql.NewNullable(t, "raw", func(r *Row) **[]byte { return &r.Raw })
	case slotDoc:
		d.doc = exosql.NewNullable(t, "doc", func(r *Row) **exosql.JSON { return &r.Doc })
	case slotTags:
		d.tags = exosql.NewNullable(t, "labels", func(r *Row) **[]*string { return &r.Tags })
	case slotNums:
		d.nums = exosql.NewNullable(t, "nums", func(r *Row) **[]*int64 { return &r.Nums })
	}
	if x, ok := d.times[c]; ok && iso {
		d.times[c] = x.StoredISO()
	}
}

func (d *declared) member(c int) exosql.Member[Row] {
	switch slots[c].kind {
	case Int:
		return d.ints[c]
	case Text:
		return d.texts[c]
	case Float:
		return d.floats[c]
	case Bool:
		return d.bools[c]
	case Time:
		return d.times[c]
	case Decimal:
		return d.decimals[c]
	case Day:
		return d.day
	case Span:
		return d.span
	case UUID:
		return d.code
	case Bytes:
		return d.raw
	case JSON:
		return d.doc
	case Tags:
		return d.tags
	}
	return d.nums
}

func declareLink(l Link, ts []*declared) exosql.Link[Row, Row] {
	from, to := ts[l.From], ts[l.To]
	var more []exosql.Pair[Row, Row]
	for _, p := range l.Pairs[1:] {
		if slots[p[0]].kind == Int {
			more = append(more, exosql.Keys(from.ints[p[0]], to.ints[p[1]]))
		} else {
			more = append(more, exosql.Keys(from.texts[p[0]], to.texts[p[1]]))
		}
	}
	a, b := l.Pairs[0][0], l.Pairs[0][1]
	if slots[a].kind == Int {
		return namedLink(l, from.ints[a], to.ints[b], more)
	}
	return namedLink(l, from.texts[a], to.texts[b], more)
}

func namedLink[V any](l Link, a, b *exosql.Column[Row, V], more []exosql.Pair[Row, Row]) exosql.Link[Row, Row] {
	if l.One {
		switch l.Name {
		case 0:
			return exosql.One("todos", a, b, more...)
		case 1:
			return exosql.One("parent", a, b, more...)
		case 2:
			return exosql.One("children", a, b, more...)
		case 3:
			return exosql.One("peers", a, b, more...)
		case 4:
			return exosql.One("items", a, b, more...)
		case 5:
			return exosql.One("back", a, b, more...)
		case 6:
			return exosql.One("tags", a, b, more...)
		case 7:
			return exosql.One("near", a, b, more...)
		case 8:
			return exosql.One("links", a, b, more...)
		}
		return exosql.One("up", a, b, more...)
	}
	switch l.Name {
	case 0:
		return exosql.Many("todos", a, b, more...)
	case 1:
		return exosql.Many("parent", a, b, more...)
	case 2:
		return exosql.Many("children", a, b, more...)
	case 3:
		return exosql.Many("peers", a, b, more...)
	case 4:
		return exosql.Many("items", a, b, more...)
	case 5:
		return exosql.Many("back", a, b, more...)
	case 6:
		return exosql.Many("tags", a, b, more...)
	case 7:
		return exosql.Many("near", a, b, more...)
	case 8:
		return exosql.Many("links", a, b, more...)
	}
	return exosql.Many("up", a, b, more...)
}

func declareFacet(alias int, t *exosql.Table[Row]) *exosql.Facet[Row] {
	switch alias {
	case 0:
		return exosql.NewFacet(t, "user")
	case 1:
		return exosql.NewFacet(t, "todo")
	case 2:
		return exosql.NewFacet(t, "order")
	case 3:
		return exosql.NewFacet(t, "mixed")
	case 4:
		return exosql.NewFacet(t, "xy")
	case 5:
		return exosql.NewFacet(t, "text")
	case 6:
		return exosql.NewFacet(t, "owner")
	}
	return exosql.NewFacet(t, "count0")
}

// declaration is a schema as exosql knows it.
type declaration struct {
	tables []*declared
	links  []exosql.Link[Row, Row]
	facets []*exosql.Facet[Row]
}

func (s *Schema) declare() *declaration {
	d := &declaration{}
	for _, t := range s.Tables {
		x := declare(t)
		for _, c := range t.Cols {
			if has(s.Labelled, c) {
				x.label(c)
				if s.Owned {
					x.own(c)
				}
			}
		}
		d.tables = append(d.tables, x)
	}
	for _, l := range s.Links {
		d.links = append(d.links, declareLink(l, d.tables))
	}
	for _, f := range s.Facets {
		x := declareFacet(f.Alias, d.tables[f.Table].table)
		for _, c := range f.Cols {
			x.Add(d.tables[f.Table].member(c))
		}
		if len(f.searched()) > 0 {
			x.Add(f.search(d.tables[f.Table]))
		}
		d.facets = append(d.facets, x)
	}
	for i, f := range s.Facets {
		for _, v := range f.Links {
			d.facets[i].Add(exosql.Via(d.links[v.Link], d.facets[v.Facet]))
		}
	}
	return d
}

// DDL is the text that creates the tables on SQLite, or on PostgreSQL.
func (s *Schema) DDL(postgres bool) string {
	var b strings.Builder
	for _, t := range s.Tables {
		fmt.Fprintf(&b, "CREATE TABLE %s (", quoteName(tableNames[t.Name]))
		for _, c := range t.Cols {
			typ := []string{"INTEGER", "TEXT", "DOUBLE", "BOOLEAN", []string{"TEXT", "TIMESTAMP", "DATETIME"}[t.Decl], "TEXT", "TEXT", "TEXT", "TEXT", "BLOB", "TEXT", "TEXT", "TEXT"}[slots[c].kind]
			if postgres {
				typ = []string{"bigint", []string{"text", "varchar", `text COLLATE "de-x-icu"`}[t.Decl], "double precision", "boolean", []string{"timestamptz", "timestamp", "timestamptz(3)"}[t.Decl],
					"numeric", "date", "interval", "uuid", "bytea", []string{"jsonb", "json", "jsonb"}[t.Decl], "text[]", "bigint[]"}[slots[c].kind]
			}
			fmt.Fprintf(&b, "%s %s", slots[c].db, typ)
			if !slots[c].null {
				b.WriteString(" NOT NULL")
			}
			b.WriteString(", ")
		}
		var keys []string
		for _, k := range t.Keys {
			keys = append(keys, slots[k].db)
		}
		fmt.Fprintf(&b, "PRIMARY KEY (%s));\n", strings.Join(keys, ", "))
		// Every way to read the table: an engine may then run statements without fences.
		for i, c := range append([]int{slotTenant}, t.Cols...) {
			if !slots[c].kind.sortable() {
				continue
			}
			columns := []string{slots[c].db, "tenant, " + slots[c].db, slots[c].db + ", tenant"}[(i+t.Name)%3]
			if c == slotTenant {
				columns = "tenant"
			}
			fmt.Fprintf(&b, "CREATE INDEX i_%d_%d ON %s (%s);\n", t.Name, i, quoteName(tableNames[t.Name]), columns)
		}
	}
	return b.String()
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// genSchema draws tables that differ in their keys and columns, links of every
// form between them, and facets that hide some columns.
func genSchema(d *draws) Schema {
	var s Schema
	n := []int{1, 2, 3, 4, 3, 2}[d.n(6)]
	first := d.n(len(tableNames))
	for i := range n {
		s.Tables = append(s.Tables, genTable(d, (first+i)%len(tableNames)))
	}
	for i := range s.Tables {
		f := Facet{Alias: i, Table: i}
		f.Cols = genShown(d, s.Tables[i])
		s.Facets = append(s.Facets, f)
	}
	if d.oneIn(4) { // a second view of one table, with other columns
		t := d.n(n)
		s.Facets = append(s.Facets, Facet{Alias: 4 + d.n(4), Table: t, Cols: genShown(d, s.Tables[t])})
	}
	for range n + 1 + d.n(4) {
		genLink(d, &s)
	}
	if n > 2 && d.oneIn(3) { // a way by which a key is carried through two links
		at := d.n(n)
		last := pick(d, []int{slotID, slotM0})
		s.addLink(d, Link{Name: len(s.Links), From: at, To: (at + 1) % n, Pairs: [][2]int{{slotID, slotM0}}})
		s.addLink(d, Link{Name: len(s.Links), From: (at + 1) % n, To: (at + 2) % n, Pairs: [][2]int{{slotM0, last}}, One: d.oneIn(3)})
	}
	return s
}

// chains are the pairs of links over three tables of which the second begins at the column that the
// first ends at: a value of the first table's is carried through both.
func (s *Schema) chains() (out [][2]int) {
	for i, a := range s.Links {
		for j, b := range s.Links {
			if len(a.Pairs) == 1 && len(b.Pairs) == 1 && a.To == b.From && a.Pairs[0][1] == b.Pairs[0][0] && a.From != a.To && b.From != b.To && a.From != b.To {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

func genTable(d *draws, name int) Table {
	t := Table{Name: name, Cols: []int{slotTenant, slotNote, slotSecret}, ISO: d.oneIn(3), Decl: d.n(3)}
	switch d.n(6) {
	case 3:
		t.Keys = []int{slotID, slotPart}
	case 4:
		t.Keys = []int{slotPart, slotID}
	case 5:
		t.Keys = []int{slotPart}
	default:
		t.Keys = []int{slotID}
	}
	for c := range slots {
		if !has(t.Cols, c) && (has(t.Keys, c) || c == slotID || c == slotM0 || d.n(5) < 3 && (c <= slotDue || d.n(2) == 0)) {
			t.Cols = append(t.Cols, c)
		}
	}
	return t
}

func genShown(d *draws, t Table) []int {
	out := []int{slotNote}
	for _, c := range t.Cols {
		if c != slotNote && c != slotSecret && !d.oneIn(5) {
			out = append(out, c)
		}
	}
	return out
}

func genLink(d *draws, s *Schema) {
	if len(s.Links) == len(linkNames) {
		return
	}
	l := Link{Name: len(s.Links), From: d.n(len(s.Tables)), To: d.n(len(s.Tables)), One: d.oneIn(3)}
	if len(s.Links) > 0 && d.oneIn(3) { // the way back over the same keys
		o := pick(d, s.Links)
		l.From, l.To = o.To, o.From
		for _, p := range o.Pairs {
			l.Pairs = append(l.Pairs, [2]int{p[1], p[0]})
		}
		s.addLink(d, l)
		return
	}
	from, to := s.Tables[l.From], s.Tables[l.To]
	forms := [][][2]int{{{slotID, slotM0}}, {{slotM0, slotID}}, {{slotM1, slotID}}, {{slotID, slotM1}}, {{slotN1, slotID}}, {{slotM0, slotM1}},
		{{slotID, slotM0}, {slotPart, slotName}}, {{slotM0, slotID}, {slotNick, slotPart}}, {{slotPart, slotNick}}, {{slotNick, slotPart}}, {{slotName, slotNick}}, {{slotID, slotID}, {slotPart, slotPart}}}
	l.Pairs = forms[d.n(len(forms))]
	for _, p := range l.Pairs {
		if !has(from.Cols, p[0]) || !has(to.Cols, p[1]) {
			l.Pairs = forms[0]
		}
	}
	s.addLink(d, l)
}

// addLink adds the link to the facets of its start; most show it.
func (s *Schema) addLink(d *draws, l Link) {
	if len(s.Links) == len(linkNames) {
		return
	}
	s.Links = append(s.Links, l)
	for i := range s.Facets {
		if s.Facets[i].Table != l.From || d.oneIn(6) {
			continue
		}
		var to []int
		for j, f := range s.Facets {
			if f.Table == l.To {
				to = append(to, j)
			}
		}
		s.Facets[i].Links = append(s.Facets[i].Links, Via{len(s.Links) - 1, pick(d, to)})
	}
}
