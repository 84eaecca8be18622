package writing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// A program could use a unique rule to ask a question: it writes a value, and an error reveals that another row has it. If that row must be
// in the program's scope, the program learns nothing that it could not read.

// unique is a rule that no two rows may conflict: a key, a unique index, or an exclusion constraint.
type unique struct {
	Parts     []schema.Part
	exclusion *schema.Exclusion // exclusion is nil if all parts are compared with =
	where     string            // where is the condition of the rows that the rule covers; "": all rows
	alike     bool              // alike: the rule treats NULL as equal to NULL
	primary   bool
	include   []string // include are further columns in the rule's index
	late      bool     // late: the database may check the rule only at the end of a transaction (DEFERRABLE)
	broken    bool     // broken: the rule's index was not built to the end, so equal rows may exist, but new ones are refused
}

func uniquesOf(t *schema.Table) (out []unique) {
	if t.PrimaryKey != nil {
		out = append(out, unique{Parts: keyParts(t.PrimaryKey), primary: true, include: t.PrimaryKey.Include, late: t.PrimaryKey.Deferrable})
	}
	for i, k := range t.Uniques {
		out = append(out, unique{Parts: keyParts(&t.Uniques[i]), alike: !k.NullsDistinct, include: k.Include, late: k.Deferrable})
	}
	for _, x := range t.Indexes {
		if x.Unique { // an index that was not built to the end refuses rows too
			out = append(out, unique{Parts: x.Parts, where: x.Where, alike: x.NullsAlike, broken: x.Invalid, include: x.Include})
		}
	}
	for i, x := range t.Exclusions {
		out = append(out, unique{Parts: x.Parts, exclusion: &t.Exclusions[i], where: x.Where})
	}
	return out
}

// keyParts returns the parts of a key's index, or the key's columns as parts if it has none.
func keyParts(k *schema.Key) (out []schema.Part) {
	if k.Parts != nil {
		return k.Parts
	}
	for _, n := range k.Columns {
		out = append(out, schema.Part{Column: n})
	}
	return out
}

func (u unique) columns() (out []string) {
	for _, p := range u.Parts {
		if p.Column != "" {
			out = append(out, p.Column)
		}
	}
	return out
}

// entry returns all that the rule's index reads of each row: its parts, its condition and the columns that it includes.
func (u unique) entry() []schema.Part {
	parts := slices.Clone(u.Parts)
	if u.where != "" {
		parts = append(parts, schema.Part{Expr: u.where})
	}
	return append(parts, keyParts(&schema.Key{Columns: u.include})...)
}

func (u unique) list() string {
	var parts []string
	for _, p := range u.Parts {
		if p.Column != "" {
			parts = append(parts, p.Column)
		} else {
			parts = append(parts, p.Expr)
		}
	}
	return strings.Join(parts, ", ")
}

// said describes the rule for messages.
func (u unique) said() string {
	s := "(" + u.list() + ")"
	if u.where != "" {
		s += " where " + u.where
	}
	return s
}

// permission returns the permission for programs to learn what the rule reveals.
func (u unique) permission() decl.Permission {
	p := decl.Permission{Kind: decl.PermitUnique, On: u.list(), Of: u.where}
	if u.exclusion != nil {
		p.Kind = decl.PermitExclusion
	}
	return p
}

func (u unique) name() string {
	if u.exclusion != nil {
		return "exclude" + u.said()
	}
	return "unique" + u.said()
}

// fixUnique returns a fix for a rule that spans tenants, other than a permission to learn other tenants' values; "" if there is none.
func (c *rules) fixUnique(u unique, w Write) string {
	switch {
	case u.primary && !shares(c.Live, u.columns(), decl.Names(w.Rights.Insert)):
		return fmt.Sprintf("(%s) as numbers or UUIDs that the database generates", sqlname.List(u.columns()))
	case u.primary:
		return fmt.Sprintf("(%s) as numbers or UUIDs that the database generates, %s", sqlname.List(u.columns()), w.Table.Reader.NotInserted())
	case !w.Decided || len(w.Scope) == 0 || u.exclusion != nil || u.where != "" || len(u.columns()) < len(u.Parts):
		return ""
	}
	within := u.columns()
	for _, col := range slices.Backward(decl.Names(w.Scope)) {
		if !c.Within([]string{col}, within) {
			within = append([]string{col}, within...)
		}
	}
	if len(within) == len(u.columns()) {
		return "" // the rule includes the scope's columns, but the program chooses their values in a new row (see chooses)
	}
	return fmt.Sprintf("UNIQUE (%s) instead", sqlname.List(within))
}

// confirms reports whether the database may refuse a write by w because of a row out of scope.
func confirms(live *schema.Database, t *schema.Table, u unique, w Write) bool {
	kept := w.Decided && u.keeps(live, t, decl.Names(w.Scope))
	if kept && (len(w.Rights.Insert) == 0 || !w.chooses()) {
		return false
	}
	cols := u.columns()
	for i := range t.Columns { // a column that is calculated from written columns counts as written
		if c := &t.Columns[i]; !kept && len(w.Rights.Update) > 0 && shares(live, cols, []string{c.Name}) && w.calculates(live, t, c) {
			return true
		}
	}
	if !kept && len(w.Rights.Update) > 0 && (len(cols) < len(u.Parts) || u.where != "" || shares(live, cols, decl.Names(w.Rights.Update)) || shares(live, cols, decl.Names(w.Filled))) {
		return true // an expression or a condition may depend on any column
	}
	return len(w.Rights.Insert) > 0 && !u.fresh(live, t, w.given())
}

// chooses reports whether a program picks the value of a column that decides a new row's scope, before any check of that value. It may pick it
// directly or by the parent row. Then a conflict could reveal a row out of scope (TestChosenScope).
func (w Write) chooses() bool {
	return slices.ContainsFunc(w.Scope, func(c *decl.Column) bool {
		return !slices.Contains(w.Fixed, c) && (slices.Contains(w.Rights.Insert, c) || slices.Contains(w.Filled, c) || fills(w.Through, c)) && !fills(w.Into, c)
	})
}

// fills reports whether one of the links ends at column c.
func fills(links []*decl.Link, c *decl.Column) bool {
	return slices.ContainsFunc(links, func(l *decl.Link) bool {
		return slices.ContainsFunc(l.Pairs, func(p decl.Pair) bool { return p.To == c })
	})
}

// defaultOf returns the default of a column, or else that of its domain.
func defaultOf(live *schema.Database, c *schema.Column) string {
	if c.Default != "" || c.Domain == nil {
		return c.Default
	}
	for _, d := range live.Domains {
		if d.Name == *c.Domain {
			return d.Default
		}
	}
	return ""
}

// fillsIn reports whether the database gives a new row a value in the column if the statement gives none.
func fillsIn(live *schema.Database, c *schema.Column) bool {
	return c.Identity != schema.NotIdentity || defaultOf(live, c) != ""
}

// given returns the columns of a new row that get a value from the program, the host, the scope or a link.
func (w Write) given() []string {
	cols := slices.Concat(decl.Names(w.Rights.Insert), decl.Names(w.Scope), decl.Names(w.Filled))
	for _, l := range slices.Concat(w.Into, w.Through) {
		for _, p := range l.Pairs {
			cols = append(cols, p.To.Name)
		}
	}
	return cols
}

// keeps reports whether two conflicting rows always have equal values in these columns, compared as a scope compares. If so, both belong to one tenant.
func (u unique) keeps(live *schema.Database, t *schema.Table, columns []string) bool {
	return !slices.ContainsFunc(columns, func(col string) bool {
		return wider(live, t, col) || !slices.ContainsFunc(u.equal(), func(e string) bool { return live.Engine.Is(e, col) })
	})
}

// wider reports whether the database may treat texts in the column as equal that a scope distinguishes. citext ignores case, char(n) ignores
// trailing spaces, and a collation may ignore anything. A unique rule over such a column spans tenants.
func wider(live *schema.Database, t *schema.Table, name string) bool {
	i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return live.Engine.Is(c.Name, name) })
	if live.Engine != schema.Postgres {
		return i >= 0 && t.Columns[i].Loose
	}
	if i < 0 {
		return true
	}
	c := t.Columns[i]
	if c.Loose {
		return true
	}
	switch check.PlainType(&c) {
	case "text", "character varying", "name":
		return false
	}
	return c.Enum == nil && (c.Kind == schema.Text || c.Kind == schema.Unknown)
}

// equal returns the columns in which two conflicting rows have equal values. It leaves out columns that the rule compares by another collation or
// operator class than their own: texts of two tenants may conflict by these.
func (u unique) equal() (out []string) {
	for i, p := range u.Parts {
		if p.Column != "" && p.Collation == "" && bytewise(p.OpClass) && (u.exclusion == nil || i < len(u.exclusion.Operators) && u.exclusion.Operators[i] == "=") {
			out = append(out, p.Column)
		}
	}
	return out
}

// bytewise reports whether an operator class has the column's own equality. The pattern classes have it: they differ only in the order of texts.
func bytewise(class string) bool {
	return class == "" || class == "text_pattern_ops" || class == "varchar_pattern_ops"
}

// numbered reports whether a column of the rule is a number that the database gives. A row with a number of its own, such as an imported one, may
// have the next number already.
func (u unique) numbered(live *schema.Database, t *schema.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c schema.Column) bool {
		return c.Identity != schema.NotIdentity && shares(live, []string{c.Name}, u.columns())
	})
}

// fresh reports whether a row that a program inserts, with values for the columns given, can't conflict. It can't if the program leaves out a
// column of the rule that then is NULL, numbered by the database, or a UUID from a function. If such a column is NOT NULL without a default, every
// insert fails anyway.
func (u unique) fresh(live *schema.Database, t *schema.Table, given []string) bool {
	return slices.ContainsFunc(u.equal(), func(name string) bool {
		i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return live.Engine.Is(c.Name, name) })
		if i < 0 || slices.ContainsFunc(given, func(g string) bool { return live.Engine.Is(g, name) }) {
			return false
		}
		c := t.Columns[i]
		switch {
		case c.Identity != schema.NotIdentity:
			return true
		case c.Generated != schema.NotGenerated:
			return false
		case defaultOf(live, &c) != "":
			return c.Kind == schema.UUID && strings.Contains(c.Default, "(")
		}
		return c.NotNull || !u.alike
	})
}
