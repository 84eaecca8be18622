package check

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Serving returns what would serve a use of a column within a scope: an existing index, a new
// index, or a declaration that an index needs. The result is zero if no index serves, or if the table is missing. scope has the columns that the
// scope fixes. exact means that = compares the column, and not an order. ties means that an index exists, but ties of the order are still sorted.
//
// The columns of the scope come first in the index: see fence.JudgeSQLite and fence.JudgePostgres.
// The key comes last, since programs' orders break ties by it.
func Serving(live *schema.Database, t *decl.Table, scope []string, col *decl.Column, exact, ties bool) (out Served) {
	table := live.Table(schema.Name{Name: t.Name})
	if table == nil || table.Foreign {
		return out
	}
	s := &server{Live: live, table: table}
	part, declared := s.part(col, exact)
	if part == nil {
		return declared
	}
	orders := !exact || s.Same(col)
	// Ascending orders put NULLs first. Descending orders read the index backwards, so NULLs come last.
	part.NullsFirst = live.Engine == schema.Postgres && col.Null && orders
	there := s.there(scope, col.Null && orders, false, *part)
	if there != "" && !ties {
		return Served{There: there}
	}
	names, parts := append(slices.Clone(scope), col.Name), []schema.Part{}
	for _, name := range scope {
		parts = append(parts, schema.Part{Column: name})
	}
	parts = append(parts, *part)
	if orders {
		for _, k := range t.Keys {
			if slices.Contains(names, k.Name) || s.rowid(k) {
				continue
			}
			tie, _ := s.part(k, k.Kind == value.TypeTime)
			if tie == nil {
				break
			}
			names, parts = append(names, k.Name), append(parts, *tie)
		}
	}
	// The index has the key already, or can't have it (a rowid of SQLite, a table without a key), so no index would be better.
	if there != "" && s.there(scope, col.Null && orders, true, parts[len(scope):]...) != "" {
		return Served{}
	}
	return Served{Table: table.Name, Index: &schema.Index{Name: FreeName(live, t.Bare()+"_by_"+strings.Join(names, "_")), Parts: parts}}
}

// Served is what serves a use of a column: an existing index, a new one, or a declaration that lets
// an index serve. Served is zero if nothing serves.
type Served struct {
	There       string // There is the name of an existing index
	Index       *schema.Index
	Table       schema.Name // Table is the table of Index
	Declaration string      // Declaration is what the column must be declared as
	If          string      // If is the condition that the column's values must then meet
}

// CreateIndex returns the statement that creates an index of columns and expressions of a table.
func CreateIndex(table schema.Name, x *schema.Index) string {
	var parts []string
	for i := range x.Parts {
		parts = append(parts, partText(&x.Parts[i]))
	}
	return fmt.Sprintf("CREATE INDEX %s ON %s (%s)", sqlname.Plain(x.Name), sqlname.Path(table.Schema, table.Name), strings.Join(parts, ", "))
}

type server struct {
	Live  *schema.Database
	table *schema.Table
}

// Same reports whether one index serves both a column's comparisons by = and its orders.
func (s *server) Same(col *decl.Column) bool {
	a, _ := s.part(col, true)
	b, _ := s.part(col, false)
	return a != nil && b != nil && *a == *b
}

// part returns a column as a part of an index, in the form that package compile compares or sorts.
// part is nil if no index serves that form; declared may then have a declaration that would help.
func (s *server) part(col *decl.Column, exact bool) (part *schema.Part, declared Served) {
	x := (&Checker{Live: s.Live}).FindColumn(s.table.Columns, col.Name)
	if x == nil {
		return nil, declared
	}
	plain := &schema.Part{Column: x.Name}
	if s.Live.Engine == schema.SQLite {
		switch {
		case col.Kind == value.TypeDecimal || col.Kind == value.TypeInterval:
			return nil, declared // a function of this module compares the column
		case col.Stored.Exact(col.Kind) || exact && col.Stored != "":
			return plain, declared
		case col.Stored != "": // a function of this module sorts the column
			return nil, declared
		case col.Kind == value.TypeTime:
			return nil, Served{Declaration: col.Table.Reader.ISO(), If: "holds times in that form only"}
		}
		return plain, declared
	}
	switch {
	case col.Kind == value.TypeTime && !col.Iso() && !exact:
		return nil, Served{Declaration: col.Table.Reader.ISO(), If: "holds no finer times than milliseconds"}
	case PlainType(x) == "real":
		return nil, declared // the column is compared as the number that its text spells
	case col.Kind != value.TypeText, native(s.Live, col, x).Ordered:
		return plain, declared
	}
	if kind := PlainType(x); kind != "text" && kind != "character varying" {
		if !steadyText[kind] {
			return nil, declared
		}
		plain = &schema.Part{Expr: sqlname.Plain(x.Name) + "::text"}
	}
	if !exact && (plain.Expr != "" || collation(x) != "C") {
		plain.Collation = "C"
	}
	return plain, declared
}

// steadyText are types with an immutable cast to text in PostgreSQL, so that their text can be indexed.
// The text of other types, like enums and composites, depends on settings or on other tables.
var steadyText = scalar.Words("character bpchar name citext ltree hstore inet cidr macaddr macaddr8 xml point box path lseg line circle polygon tsvector tsquery jsonpath pg_lsn")

// partText returns a part in the syntax of CREATE INDEX.
func partText(p *schema.Part) string {
	text := sqlname.Plain(p.Column)
	if p.Expr != "" {
		text = "(" + p.Expr + ")"
	}
	if p.Collation != "" {
		text += " COLLATE " + sqlname.Plain(p.Collation)
	}
	if p.NullsFirst {
		text += " NULLS FIRST"
	}
	return text
}

// there returns the name of an index that has the scope's columns, in any order, followed by the parts; "" if there is none. If nulls
// is set, the place of NULLs in the first part matters. If upwards is set, an index with a descending part does not count.
func (s *server) there(scope []string, nulls, upwards bool, parts ...schema.Part) string {
	n := len(scope)
	for _, x := range s.table.Indexes {
		if len(x.Parts) < n+len(parts) || x.Invalid || x.Where != "" || x.Method != "" && x.Method != "btree" {
			continue
		}
		var first []string
		for _, p := range x.Parts[:n] {
			if p.Collation == "" && p.OpClass == "" { // with another collation or operator class, no condition of the scope could search the index
				first = append(first, p.Column)
			}
		}
		all := len(first) == n && (&Checker{Live: s.Live}).Within(first, scope)
		for i, part := range parts {
			p := x.Parts[n+i]
			same := p.Column == part.Column && p.Collation == part.Collation && p.OpClass == "" && (p.Expr == "" || textOf(p.Expr, strings.TrimSuffix(strings.Trim(part.Expr, `"`), "::text")))
			all = all && same && (!upwards || !p.Desc) && (s.Live.Engine == schema.SQLite || !nulls || i > 0 || p.NullsFirst == (part.NullsFirst != p.Desc))
		}
		if all {
			return x.Name
		}
	}
	return ""
}

// rowid reports whether a column is SQLite's rowid, with which all indexes end.
func (s *server) rowid(col *decl.Column) bool {
	x := (&Checker{Live: s.Live}).FindColumn(s.table.Columns, col.Name)
	return s.Live.Engine == schema.SQLite && !s.table.WithoutRowID && s.table.PrimaryKey != nil && len(s.table.PrimaryKey.Columns) == 1 &&
		x != nil && strings.EqualFold(x.Type, "INTEGER") && s.Live.Engine.Is(x.Name, s.table.PrimaryKey.Columns[0])
}

// FreeName returns a name for an index that nothing in the database has yet. PostgreSQL cuts long
// names, which could make two of them equal, so a long name ends with a checksum of the whole.
func FreeName(live *schema.Database, base string) string {
	const most = 63
	if len(base) > most {
		end := fmt.Sprintf("_%08x", crc32.ChecksumIEEE([]byte(base)))
		base = strings.ToValidUTF8(base[:most-len(end)], "") + end
	}
	taken := func(name string) bool {
		is := func(other string) bool { return live.Engine.Is(other, name) }
		return slices.ContainsFunc(live.Views, func(v *schema.View) bool { return is(v.Name.Name) }) ||
			slices.ContainsFunc(live.Tables, func(t *schema.Table) bool {
				return is(t.Name.Name) || t.PrimaryKey != nil && is(t.PrimaryKey.Name) ||
					slices.ContainsFunc(t.Uniques, func(k schema.Key) bool { return is(k.Name) }) ||
					slices.ContainsFunc(t.Indexes, func(x schema.Index) bool { return is(x.Name) })
			})
	}
	name := base
	for n := 2; taken(name); n++ {
		end := fmt.Sprintf("_%d", n)
		name = strings.ToValidUTF8(base[:min(len(base), most-len(end))], "") + end
	}
	return name
}
