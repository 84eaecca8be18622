package check

// This file finds columns in which the database treats different values as equal. Reads compare such values exactly anyway. A table is not written if
// the database itself compares such a column, in keys, foreign keys or cascades.

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Form returns how the database stores a declared column. The form is unknown for a view of SQLite,
// and for a column that the catalogue lacks.
func Form(live *schema.Database, col *decl.Column) decl.Form {
	t, x := (&Checker{Live: live}).column(col.Table, col)
	return form(live, col, t, x)
}

func form(live *schema.Database, col *decl.Column, t *schema.Table, x *schema.Column) decl.Form {
	f := decl.Form{Equality: equality(live, col, t, x)}
	if f.Equality == decl.WiderEquality {
		f.Collation = x.Collation
		if live.Engine == schema.SQLite {
			f.Collation = strings.ToUpper(x.Collation)
		}
	}
	f.Numbers = x != nil && live.Engine == schema.SQLite && col.Kind == value.TypeText && numeric(t.Affinity(x))
	if x != nil && t != nil {
		if live.Engine == schema.SQLite {
			if f.Affinity = t.Affinity(x); col.Kind == value.TypeDecimal && numeric(f.Affinity) {
				f.Rounds = f.Affinity
			}
		}
		f.Null = !x.NotNull && !col.Key
		f.Unique = t.PrimaryKey != nil && len(t.PrimaryKey.Columns) == 1 && strings.EqualFold(t.PrimaryKey.Columns[0], x.Name)
		f.Clean, f.Indexed = live.Engine == schema.SQLite && clean(t, x, col), indexed(t, x.Name)
	}
	if x != nil && live.Engine == schema.Postgres {
		f.Type = x.Type
		f.Native, f.Cast = native(live, col, x), x.Kind == schema.List && !plainArray(x)
	}
	return f
}

// equality returns how widely the database treats texts in a column as equal.
func equality(live *schema.Database, col *decl.Column, t *schema.Table, x *schema.Column) decl.Equality {
	switch {
	case x == nil, live.Engine == schema.SQLite && (t == nil || t.Virtual):
		return decl.UnknownEquality
	case x.Loose, live.Engine == schema.SQLite && col.Kind == value.TypeText && numeric(t.Affinity(x)):
		return decl.WiderEquality
	case live.Engine == schema.SQLite:
		return decl.ExactEquality
	}
	switch PlainType(x) {
	case "citext":
		return decl.CaselessType
	case "character", "bpchar":
		return decl.PaddedType
	}
	return decl.ExactEquality // statements compare the text of the column, or equal values always have one text
}

// EqualWords describes for programs which texts of a column count as equal in their conditions; "" if only identical ones do.
func EqualWords(live *schema.Database, col *decl.Column, t *schema.Table, x *schema.Column) string {
	switch f := form(live, col, t, x); {
	case col.Kind != value.TypeText || f.Numbers:
	case f.Equality == decl.CaselessType:
		return "[=== ignores case]"
	case f.Collation == "NOCASE":
		return "[=== ignores the case of A to Z]"
	case f.Collation == "RTRIM":
		return "[=== ignores spaces at the end]"
	case f.Equality == decl.WiderEquality:
		return "[=== follows its collation: different texts can be equal]"
	}
	return ""
}

// loose warns of columns in which = also finds different texts, in conditions of programs. Scopes, links and
// pages compare them exactly, and package writing refuses to write such columns. For a view, live is nil.
func (c *Checker) loose(t *decl.Table, live *schema.Table, cols []schema.Column) {
	for _, col := range t.Cols {
		x := c.FindColumn(cols, col.Name)
		if x == nil {
			continue
		}
		why, fix := c.looseness(live, x, col.Kind == value.TypeText, col.Enum != nil)
		if why == "" {
			continue
		}
		if to := goType(x); c.Live.Engine == schema.SQLite && !x.Loose && to != "" && to != "string" {
			fix += ", or " + t.Reader.Type(string(x.Kind), to)
		}
		c.Add(Finding{Kind: LooseEquality, Table: t.Name, Column: col.Name, Warning: true, Fix: fix,
			Problem: why + ". Scopes, links and pages compare it exactly, conditions of programs do not"})
	}
}

// looseness returns why different texts of a column are equal, and a fix, or "" if they are not. text means that
// the column is declared text. typed means that the column is compared in its own type and not as text.
func (c *Checker) looseness(live *schema.Table, x *schema.Column, text, typed bool) (why, fix string) {
	plain := PlainType(x)
	switch {
	case x.Loose && c.Live.Engine == schema.SQLite:
		return fmt.Sprintf("has the collation %s, for which different texts are equal", x.Collation),
			"a definition without COLLATE " + x.Collation + ", or with COLLATE BINARY (SQLite can't change a column)"
	case x.Loose && live == nil:
		return fmt.Sprintf("has the collation %s, which is not deterministic: different texts are equal", x.Collation),
			fmt.Sprintf(`a definition of the view with %s COLLATE "C"`, sqlname.Plain(x.Name))
	case x.Loose:
		return fmt.Sprintf("has the collation %s, which is not deterministic: different texts are equal", x.Collation),
			fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN %s TYPE %s COLLATE "C"`, InFull(live), sqlname.Plain(x.Name), x.Type)
	case text && c.Live.Engine == schema.SQLite && numeric(live.Affinity(x)):
		// Compared as numbers, the tenant 1e3 would see the rows of the tenant 1000.
		return fmt.Sprintf("is declared text, and SQLite compares %s as numbers: 1000, 1e3 and 1000.0 are equal", x.Type),
			"a definition with the type TEXT (SQLite can't change a column)"
	case typed && c.Live.Engine == schema.Postgres && (plain == "citext" || plain == "character" || plain == "bpchar"):
		return fmt.Sprintf("is %s in the database, for which different texts are equal", x.Type),
			fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE text", InFull(live), sqlname.Plain(x.Name))
	}
	return "", ""
}

// numeric reports whether SQLite stores texts that look like numbers as numbers, in a column with this affinity.
func numeric(affinity string) bool { return affinity != "TEXT" && affinity != "BLOB" }

// WideWhy returns why the database treats different texts of a column as equal, by the column's type, in keys and foreign keys.
func (c *Checker) WideWhy(table *schema.Table, name string, text bool) (why, fix string) {
	x := c.FindColumn(table.Columns, name)
	if x == nil || strings.HasPrefix(PlainType(x), "character") && !x.Loose || PlainType(x) == "bpchar" && !x.Loose {
		return "", "" // equal values of char(n) differ only in spaces at the end, which the type ignores
	}
	return c.looseness(table, x, text, true)
}
