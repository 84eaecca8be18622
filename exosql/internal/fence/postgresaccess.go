package fence

// This file reads from EXPLAIN of PostgreSQL how one table is read: for Check, which says where an index is missing. The judge
// in the files before it decides whether the statement may run.

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// accessOfPostgres reads what EXPLAIN says of one table.
func AccessOfPostgres(text []byte, t Table, column string, known Indexes) (a Access, err error) {
	alias := t.Alias
	var top []struct{ Plan map[string]any }
	if err := json.Unmarshal(text, &top); err != nil || len(top) != 1 {
		return a, fmt.Errorf("exosql: the plan can't be read: %.200s", text)
	}
	searched := regexp.MustCompile(`(?:^|[^A-Za-z0-9_"$.])` + named(alias, column, false) + `(?:[^A-Za-z0-9_"$]|$)`)
	var walk func(node map[string]any, bitmap bool)
	walk = func(node map[string]any, bitmap bool) {
		kind := said(node, "Node Type")
		a.Sorts, a.Ties = a.Sorts || kind == "Sort", a.Ties || kind == "Incremental Sort"
		ours := bitmap && strings.HasPrefix(kind, "Bitmap") || said(node, "Alias") == alias && said(node, "Relation Name") != ""
		if name := said(node, "Index Name"); ours && name != "" {
			a.Index = name
			a.Searched = a.Searched || searched.MatchString(said(node, "Index Cond")) && follows(known(name), t, column)
		}
		for _, p := range plansOf(node) {
			walk(p, ours && strings.HasPrefix(kind, "Bitmap"))
		}
	}
	walk(top[0].Plan, false)
	return a, nil
}

// follows reports whether in an index nothing but the scope stands before a column. Else the condition on
// it stands in Index Cond, too, and every entry of the scope is read. Columns are those before the first expression.
func follows(columns []string, t Table, column string) bool {
	for _, c := range columns {
		if c == column {
			return true
		}
		if !slices.ContainsFunc(t.Scope, func(e Equality) bool { return e.Column == c }) {
			return false
		}
	}
	return true
}
