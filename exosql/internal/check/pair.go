package check

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// pairs refuses links over columns that PostgreSQL can't compare, since each query of them would fail. SQLite compares
// anything, so there pairs warns of keys that may be stored in two forms: a link could treat two keys as one.
func (c *Checker) pairs(l *decl.Link) {
	if c.Live.Engine == schema.SQLite {
		if why := c.Unlike(l); why != "" {
			c.Add(Finding{Kind: LooseEquality, Table: l.To.Name, Column: l.Pairs[0].To.Name, Link: l.From.Name + "." + l.Name, Warning: true, Problem: fmt.Sprintf("the link %s.%s also finds rows where the value has another form: %s", l.From.Name, l.Name, why),
				Fix: "a link over whole numbers, or over texts with one spelling for each value"})
		}
		return
	}
	from, to := c.TableOf(schema.Name{Name: l.From.Name}), c.TableOf(schema.Name{Name: l.To.Name})
	if from == nil || to == nil {
		return // the table is missing, which was reported, or it is a view
	}
	for _, p := range l.Pairs {
		a, b := c.FindColumn(from.Columns, p.From.Name), c.FindColumn(to.Columns, p.To.Name)
		if a == nil || b == nil || p.From.Kind != value.TypeText || p.To.Kind != value.TypeText || !c.holds(p.From, a) || !c.holds(p.To, b) {
			continue // the column is missing or has another type, which was reported
		}
		f := Finding{Kind: TypeMismatch, Table: l.To.Name, Column: p.To.Name, Link: l.From.Name + "." + l.Name}
		if collation(a) == "" || collation(b) == "" || collation(a) == collation(b) {
			continue
		}
		f.Fix = fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s COLLATE %s", c.declared(l.To), sqlname.Plain(p.To.Name), b.Type, sqlname.Plain(collation(a)))
		f.Problem = fmt.Sprintf("the link %s.%s compares this column with %s.%s, which fails: PostgreSQL does not compare columns of the collations %s and %s",
			l.From.Name, l.Name, l.From.Name, p.From.Name, collation(a), collation(b))
		c.Add(f)
	}
}

// Unlike returns why a link may treat two different values as equal, or may change a value between its ends;
// "" if the link does neither. A row written through such a link could become another tenant's.
func (c *Checker) Unlike(l *decl.Link) string {
	for _, p := range l.Pairs {
		from, a := c.column(l.From, p.From)
		to, b := c.column(l.To, p.To)
		if a == nil || b == nil {
			continue // the column is missing, which was reported
		}
		if c.Live.Engine == schema.Postgres {
			if p.From.Kind == value.TypeTime && !(p.From.Iso() && p.To.Iso()) { // programs read times in milliseconds, so the link would write rounded times
				return fmt.Sprintf("%s.%s and %s.%s are times, which may be finer than the milliseconds that programs write (%s declares that they are not)", l.From.Name, p.From.Name, l.To.Name, p.To.Name, l.From.Reader.ISO())
			}
			if a.Type != b.Type && !(a.Kind == schema.Int && b.Kind == schema.Int) && !(anyText(a) && anyText(b)) {
				return fmt.Sprintf("%s.%s is %s, and %s.%s is %s", l.From.Name, p.From.Name, a.Type, l.To.Name, p.To.Name, b.Type)
			}
			continue
		}
		if why := byValue(p, from.Affinity(a), to.Affinity(b)); why != "" {
			return fmt.Sprintf("%s.%s and %s.%s are %s", l.From.Name, p.From.Name, l.To.Name, p.To.Name, why)
		}
	}
	return ""
}

// column returns the database's column for a declared one, with its table, or with nil if it is a column of a view.
func (c *Checker) column(t *decl.Table, col *decl.Column) (*schema.Table, *schema.Column) {
	name := schema.Name{Name: t.Name}
	if of := c.TableOf(name); of != nil {
		return of, c.FindColumn(of.Columns, col.Name)
	}
	if v := c.Live.View(name); v != nil {
		return nil, c.FindColumn(v.Columns, col.Name)
	}
	return nil, nil
}

// anyText reports whether a type of PostgreSQL stores any text unchanged.
func anyText(x *schema.Column) bool { return x.Type == "text" || x.Type == "character varying" }

// byValue returns why SQLite may store two keys that a link treats as one, or may convert one key into another.
func byValue(p decl.Pair, a, b string) string {
	kind := p.From.Kind
	whole := func(affinity string) bool { return affinity == "INTEGER" || affinity == "NUMERIC" }
	switch {
	case kind == value.TypeDecimal, kind == value.TypeFloat, kind == value.TypeInterval, kind == value.TypeTime && !(p.From.Iso() && p.To.Iso()):
		return "compared by value, while SQLite keeps two spellings of one value apart"
	case kind == value.TypeInt && !(whole(a) && whole(b)):
		return fmt.Sprintf("whole numbers, stored with the affinities %s and %s: 1 and '1' differ there", a, b)
	case a != b && !(whole(a) && whole(b)):
		return fmt.Sprintf("stored with the affinities %s and %s, which convert a value into another", a, b)
	}
	return ""
}

// asText reports whether a link compares both columns of a pair as text on PostgreSQL: see
// expr.From.Pair.
func (c *Checker) asText(p decl.Pair) bool {
	of := Form(c.Live, p.From).Native
	return p.From.Kind == value.TypeText && p.To.Kind == value.TypeText && !(of.Ordered && of == Form(c.Live, p.To).Native)
}

// collation returns the collation of a column, or "" for the default, which gives way to any other.
func collation(x *schema.Column) string {
	if x.Collation == "" && PlainType(x) == "name" {
		return "C"
	}
	return x.Collation
}

// PlainType returns a type without its length.
func PlainType(x *schema.Column) string { return strings.SplitN(x.Type, "(", 2)[0] }

// byText checks links that compare the texts of columns with other types, like enum, citext or
// char(n): an index of such a column does not serve its text. It reports whether the link is one of
// these.
func (c *Checker) byText(l *decl.Link, to *schema.Table) bool {
	if c.Live.Engine != schema.Postgres {
		return false
	}
	served := false
	for _, p := range l.Pairs {
		x := c.FindColumn(to.Columns, p.To.Name)
		if plain := PlainType(x); !c.asText(p) || x.Enum == nil && (plain == "text" || plain == "character varying") {
			return false // an index of the column itself can serve this pair
		}
		for _, i := range to.Indexes {
			served = served || !i.Invalid && i.Where == "" && (i.Method == "btree" || i.Method == "hash") && len(i.Parts) > 0 && i.Parts[0].Expr != "" && textOf(i.Parts[0].Expr, p.To.Name)
		}
	}
	p := l.Pairs[0]
	if e := Form(c.Live, p.To).Equality; served || e.ByType() && e == Form(c.Live, p.From).Equality {
		return served // the type's own equality compares this pair, and an index of the column serves that
	}
	x := c.FindColumn(to.Columns, p.To.Name)
	f := Finding{Kind: NoIndex, Table: l.To.Name, Column: p.To.Name, Link: l.From.Name + "." + l.Name, Warning: !c.links[l],
		Problem: fmt.Sprintf("the link %s.%s compares this column as text, and an index of a column of the type %s does not help there", l.From.Name, l.Name, x.Type)}
	if f.Fix = fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE text", c.declared(l.To), sqlname.Plain(p.To.Name)); steadyText[PlainType(x)] {
		f.Fix = fmt.Sprintf("CREATE INDEX %s ON %s ((%s::text))", sqlname.Plain(FreeName(c.Live, l.To.Bare()+"_by_"+p.To.Name+"_text")), c.declared(l.To), sqlname.Plain(p.To.Name))
	}
	c.Add(f)
	return true
}

// textOf reports whether the expression of an index is the text of a column. PostgreSQL writes
// that as ((name)::text).
func textOf(expr, name string) bool {
	return strings.NewReplacer("(", "", ")", "", `"`, "").Replace(expr) == name+"::text"
}
