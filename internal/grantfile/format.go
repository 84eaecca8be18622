package grantfile

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// String writes the condition in the language of files. Parse reads it back as the same condition. It is "" for nil.
func (e *Expr) String() string {
	if e == nil {
		return ""
	}
	var subs []string
	for _, s := range e.Subs {
		text := s.String()
		if s.Op == "or" || s.Op == "and" { // parentheses keep the order in which the conditions are combined
			text = "(" + text + ")"
		}
		subs = append(subs, text)
	}
	col := e.Column.Text
	if !isWord(col) || isKeyword(col) {
		col = `"` + strings.ReplaceAll(col, `"`, `""`) + `"`
	}
	values := scalar.Each(e.Values, func(v Operand) string { return v.String() })
	switch e.Op {
	case "and", "or":
		return strings.Join(subs, " "+e.Op+" ")
	case "not":
		return "not " + subs[0]
	case "null":
		return col + " is null"
	case "notNull":
		return col + " is not null"
	case "in", "notIn":
		word := map[string]string{"in": " in ", "notIn": " not in "}[e.Op]
		if len(e.Values) == 1 && e.Values[0].Claim != "" {
			return col + word + values[0]
		}
		return col + word + "(" + strings.Join(values, ", ") + ")"
	}
	return col + " " + map[string]string{"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[e.Op] + " " + strings.Join(values, "")
}

// String writes the value in the language of files.
func (o Operand) String() string {
	if o.Claim != "" {
		return claimPrefix + o.Claim
	}
	if s, ok := o.Value.(string); ok {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return fmt.Sprint(o.Value)
}

// String writes the scope in the language of files.
func (s Scope) String() string {
	switch {
	case s.Shared:
		return "shared"
	case s.Via != nil:
		return "via " + s.Via.Facet + "." + s.Via.Link
	}
	return s.Rows.String()
}
