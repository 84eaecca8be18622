package fence

// This file finds in PostgreSQL's EXPLAIN how one table is read, so that Check can report missing
// indexes. The judge in postgres.go decides whether a statement may run.

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// AccessOfPostgres returns how one table is read, by the output of EXPLAIN.
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

// follows reports whether an index has only columns of the scope before the given column. Otherwise Index Cond has the
// condition on the column too, but every entry of the scope is read. columns are those before the index's first expression.
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
