package check

// This file finds SQLite columns that by definition contain no misfit: a stored value that does not fit the declared type. A scan of the cells would
// not prove that, since the next commit of another connection could change them.

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// strictTypes has the column types that store only one kind of values in a STRICT table, each with that kind.
var strictTypes = map[string]string{"INT": value.TypeInt, "INTEGER": value.TypeInt, "TEXT": value.TypeText, "BLOB": value.TypeBytes}

// storage has the results of SQLite's typeof for the values of a kind.
var storage = map[string][]string{value.TypeInt: {"integer"}, value.TypeText: {"text"}, value.TypeBytes: {"blob"}}

// clean reports whether the database allows only NULL and values of the declared kind in a
// column: the table is STRICT, or it has a CHECK in one of the usual forms.
func clean(t *schema.Table, x *schema.Column, col *decl.Column) bool {
	kind := col.Kind
	if kind == value.TypeFloat { // for SQLite infinity is a number, but for programs it is a misfit
		return false
	}
	if col.Stored.Fits(kind) && col.Stored.Number() { // cells of this stored form are whole numbers
		kind = value.TypeInt
	} else if col.Stored != "" && col.Stored != cellform.ISO {
		return false
	}
	if t.Strict && strictTypes[strings.ToUpper(x.Type)] == kind {
		return true
	}
	return slices.ContainsFunc(t.Checks, func(c schema.Check) bool { return ensures(c.Expr, x.Name, kind) })
}

var condition = scalar.Pattern(`(?is)^(?:\x00 is null or )?(?:typeof\( ?\x00 ?\) ?(?:=|in) ?\(? ?('[a-z]+'(?: ?, ?'[a-z]+')*) ?\)?|\x00 in ?\( ?(0 ?, ?1|1 ?, ?0) ?\)|\x00 in ?\( ?('[^']*'(?: ?, ?'[^']*')*) ?\)|(date)\( ?\x00 ?\) is \x00|\x00 is (date)\( ?\x00 ?\))$`)

// ensures reports whether a CHECK has exactly the meaning that a column stores values of a kind.
func ensures(expr, column, kind string) bool {
	expr = strings.Join(strings.Fields(expr), " ")
	for _, name := range []string{sqlname.Quote(column), "`" + column + "`", "[" + column + "]", column} { // a CHECK may spell the column in one of these ways
		expr = replaceName(expr, name)
	}
	m := condition().FindStringSubmatch(expr)
	if m == nil {
		return false
	}
	switch {
	case m[1] != "":
		for _, s := range strings.Split(m[1], ",") {
			s = strings.ToLower(strings.Trim(strings.TrimSpace(s), "'"))
			if s != "null" && !slices.Contains(storage[kind], s) {
				return false
			}
		}
		return true
	case m[2] != "":
		return kind == value.TypeBool
	case m[3] != "":
		return kind == value.TypeText
	}
	return kind == value.TypeDate
}

// replaceName replaces a column's name in a condition by a zero byte, but not inside other names and texts.
func replaceName(expr, name string) string {
	word := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
	}
	var out strings.Builder
	quoted := false
	for i := 0; i < len(expr); i++ {
		end := i + len(name)
		if expr[i] == '\'' {
			quoted = !quoted
		}
		if !quoted && end <= len(expr) && strings.EqualFold(expr[i:end], name) && (i == 0 || !word(expr[i-1])) && (end == len(expr) || !word(expr[end])) {
			out.WriteByte(0)
			i = end - 1
			continue
		}
		out.WriteByte(expr[i])
	}
	return out.String()
}

// indexed reports whether an index includes the column.
func indexed(t *schema.Table, name string) bool {
	has := func(cols []string) bool {
		return slices.ContainsFunc(cols, func(c string) bool { return strings.EqualFold(c, name) })
	}
	return slices.ContainsFunc(t.Indexes, func(x schema.Index) bool {
		return slices.ContainsFunc(x.Parts, func(k schema.Part) bool { return strings.EqualFold(k.Column, name) })
	}) ||
		slices.ContainsFunc(t.Uniques, func(k schema.Key) bool { return has(k.Columns) }) || t.PrimaryKey != nil && has(t.PrimaryKey.Columns)
}

// finds returns a query that lists the misfits of a column.
func finds(t *decl.Table, col *decl.Column) string {
	name := sqlname.Plain(col.Name)
	cond := map[string]string{
		value.TypeInt: "typeof(@) <> 'integer'", value.TypeFloat: "@ NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308", value.TypeText: "typeof(@) <> 'text'", value.TypeBytes: "typeof(@) <> 'blob'", value.TypeBool: "@ NOT IN (0, 1)",
		value.TypeDecimal: "@ >= '' AND (typeof(@) = 'blob' OR @ NOT GLOB '*[0-9]*' OR @ GLOB '*[^-+.0-9eE]*')", value.TypeUUID: "(length(@) <> 36 OR @ <> lower(@) OR @ NOT GLOB '*-*-*-*-*')",
		value.TypeDate: "@ IS NOT date(@)", value.TypeTime: "(typeof(@) <> 'text' OR datetime(@) IS NULL OR date(substr(@, 1, 10)) IS NOT substr(@, 1, 10))",
	}[col.Kind]
	switch {
	case col.Stored.Number():
		cond = "typeof(@) <> 'integer'"
	case col.Stored != "" && col.Stored != cellform.ISO && col.Kind == value.TypeBool:
		cond = "@ NOT IN (" + strings.ReplaceAll(string(col.Stored), "/", "', '") + ")"
		cond = strings.Replace(strings.Replace(cond, "(", "('", 1), ")", "')", 1)
	case col.Stored != "" && col.Stored != cellform.ISO:
		cond = "(@ NOT BETWEEN '0000-01-01' AND '9999-12-31~' OR date(substr(@, 1, 10)) IS NOT substr(@, 1, 10))"
	}
	return "SELECT * FROM " + sqlname.Plain(t.Name) + " WHERE " + name + " IS NOT NULL AND " + strings.ReplaceAll(cond, "@", name)
}
