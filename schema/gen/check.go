package gen

import (
	"regexp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/schema"
)

// checked are the values that a check leaves a text column, or nil: of a check of
// the table that speaks of the column alone, or of its domain.
func (p *pack) checked(t *table, c *schema.Column) []string {
	if t.lists == nil {
		t.lists = map[string][]string{}
		for _, check := range t.t.Checks { // once for all columns
			if column, values := listed(check.Expr); values != nil {
				for _, n := range p.meant(column) {
					if t.lists[n] == nil {
						t.lists[n] = values
					}
				}
			}
		}
	}
	if values := t.lists[p.fold(c.Name)]; values != nil {
		return values
	}
	if c.Domain == nil {
		return nil
	}
	i := slices.IndexFunc(p.db.Domains, func(d *schema.Domain) bool { return d.Name == *c.Domain })
	if i < 0 {
		return nil
	}
	for _, check := range p.db.Domains[i].Checks {
		if column, values := listed(check.Expr); values != nil && strings.EqualFold(column, "value") {
			return values
		}
	}
	return nil
}

// meant are the names of columns that a name in an expression, where it may not be
// quoted, can mean.
func (p *pack) meant(inExpr string) []string {
	if low := strings.ToLower(inExpr); p.db.Engine == schema.Postgres && low != inExpr {
		return []string{inExpr, low}
	}
	return []string{p.fold(inExpr)}
}

var tokens = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"|` + "`[^`]*`" + `|\[[A-Za-z_][^\]'"]*\]|[\pL_][\pL\pN_]*|[0-9]+|::|\S`)

// listed reads the forms of a check that lists texts, column IN ('a', 'b') and
// column = ANY (ARRAY['a', 'b']), with parentheses and casts wherever PostgreSQL
// puts them. Anything else is no list: it must never leave out a value that the
// check admits.
func listed(expr string) (column string, values []string) {
	ts := bare(tokens.FindAllString(expr, -1))
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

// bare leaves out parentheses, brackets and casts to texts: of the forms that are
// read, the order of the other tokens still says which one it is.
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

// castWords are the texts of PostgreSQL that its checks are cast to.
var castWords = map[string]bool{"text": true, "character": true, "varying": true, "varchar": true, "bpchar": true}

// identifier is a name as an expression has it, without quotes.
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
