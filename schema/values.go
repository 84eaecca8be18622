package schema

// This file finds the values that a column may have, if the database lists them.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Values returns the values of a column's enum, or of its elements' enum, or nil if it has none.
func (d *Database) Values(c *Column) []string {
	if c.Enum == nil {
		return nil
	}
	i := slices.IndexFunc(d.Enums, func(e *Enum) bool { return e.Name == *c.Enum })
	if i < 0 {
		return nil
	}
	return slices.Clone(d.Enums[i].Values)
}

// Listed returns, for each text column, the values that a check allows. Such a check is one of the table on this column alone, like state IN
// ('open', 'done'), or one of the column's domain. Listed ignores a check that existing rows may break, and a column with a collation that
// treats other texts as equal to listed ones.
func (d *Database) Listed(t *Table) map[string][]string {
	if len(t.Checks) == 0 && len(d.Domains) == 0 {
		return nil
	}
	out := map[string][]string{}
	for _, check := range t.Checks {
		if column, values := listed(check.Expr); values != nil && !check.NotValid {
			for i := range t.Columns {
				if c := &t.Columns[i]; out[c.Name] == nil && c.lists() && d.means(column, c.Name) {
					out[c.Name] = values
				}
			}
		}
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Domain == nil || !c.lists() || out[c.Name] != nil {
			continue
		}
		i := slices.IndexFunc(d.Domains, func(d *Domain) bool { return d.Name == *c.Domain })
		if i < 0 {
			continue
		}
		for _, check := range d.Domains[i].Checks {
			if column, values := listed(check.Expr); values != nil && !check.NotValid && strings.EqualFold(column, "value") {
				out[c.Name] = values
				break
			}
		}
	}
	return out
}

// lists reports whether a list of texts can determine the column's values. citext treats other texts as equal to listed ones.
func (c *Column) lists() bool {
	return c.Kind == Text && c.Enum == nil && !c.Loose && c.Type != "citext"
}

// means reports whether a name in an expression can mean a column. The name may be unquoted.
func (d *Database) means(inExpr, column string) bool {
	return d.Engine.Is(inExpr, column) || d.Engine == Postgres && strings.ToLower(inExpr) == column
}

var tokens = scalar.Pattern(`'(?:[^']|'')*'|"(?:[^"]|"")*"|` + "`[^`]*`" + `|\[[A-Za-z_][^\]'"]*\]|[\pL_][\pL\pN_]*|[0-9]+|::|\S`)

// listed reads a check that lists texts: column IN ('a', 'b'), column = 'a' or column = ANY (ARRAY['a', 'b']), with the parentheses and casts that
// PostgreSQL adds. It reads no other form as a list, because a list must have every value that the check admits.
func listed(expr string) (column string, values []string) {
	ts := bare(tokens().FindAllString(expr, -1))
	if len(ts) < 3 {
		return "", nil
	}
	column, ok := identifier(ts[0])
	if !ok {
		return "", nil
	}
	ts = ts[1:]
	switch {
	case strings.EqualFold(ts[0], "in"):
		ts = ts[1:]
	case len(ts) > 3 && ts[0] == "=" && strings.EqualFold(ts[1], "any") && strings.EqualFold(ts[2], "array"):
		ts = ts[3:]
	case len(ts) == 2 && ts[0] == "=": // PostgreSQL's form of a list of one
		ts = ts[1:]
	default:
		return "", nil
	}
	if len(ts)%2 == 0 {
		return "", nil
	}
	for i, t := range ts {
		switch {
		case i%2 == 1 && t == ",":
		case i%2 == 0 && t[0] == '\'':
			if v := strings.ReplaceAll(t[1:len(t)-1], "''", "'"); !slices.Contains(values, v) {
				values = append(values, v)
			}
		default:
			return "", nil
		}
	}
	return column, values
}

// bare removes parentheses, brackets and casts to texts. The order of the other tokens still identifies the form.
func bare(ts []string) (out []string) {
	for i := 0; i < len(ts); i++ {
		switch ts[i] {
		case "(", ")", "[", "]":
		case "::":
			for i+1 < len(ts) && (castWords[ts[i+1]] || ts[i] == "(" || ts[i+1] == "(" && i+2 < len(ts) && ts[i+2][0] >= '0' && ts[i+2][0] <= '9') {
				i++
			}
		default:
			out = append(out, ts[i])
		}
	}
	return out
}

// castWords are words of the text types that PostgreSQL's checks cast to.
var castWords = map[string]bool{"text": true, "character": true, "varying": true, "varchar": true, "bpchar": true}

// identifier returns a name of an expression without its quotes, and whether the token is a name.
func identifier(t string) (string, bool) {
	q := t[0]
	switch {
	case q == '"' || q == '`' && len(t) > 1:
		return strings.ReplaceAll(t[1:len(t)-1], string([]byte{q, q}), string(q)), true
	case q == '[' && len(t) > 2:
		return t[1 : len(t)-1], true
	}
	return t, regexp.MustCompile(`^[\pL_]`).MatchString(t)
}
