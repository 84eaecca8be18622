package fence

// This file finds in SQLite's EXPLAIN QUERY PLAN how one table is read, so that Check can
// report missing indexes. The judge in sqlite.go decides whether a statement may run.

import (
	"slices"
	"strings"
)

// AccessOfSQLite returns how one table is read, by the lines of EXPLAIN QUERY PLAN about it. rowid reports
// that the rowid is searched, which may be the column itself under another name.
func AccessOfSQLite(lines []string, alias, column string) (a Access, rowid bool) {
	for _, line := range lines {
		if what, ok := strings.CutPrefix(line, "USE TEMP B-TREE FOR "); ok { // what is the whole order, or LAST TERM OF, LAST 2 TERMS OF, or RIGHT PART OF
			a.Sorts = a.Sorts || what == "ORDER BY"
			a.Ties = a.Ties || strings.HasSuffix(what, " OF ORDER BY")
		}
		verb, rest, _ := strings.Cut(line, " ")
		how, ours := strings.CutPrefix(rest, alias+" ")
		if verb != "SEARCH" && verb != "SCAN" || !ours {
			continue
		}
		if _, name, ok := strings.Cut(how, "INDEX "); ok {
			a.Index, _, _ = strings.Cut(name, " (")
		} else if strings.HasPrefix(how, "USING INTEGER PRIMARY KEY") || strings.HasPrefix(how, "USING PRIMARY KEY") {
			a.Index = "PRIMARY KEY"
		}
		rowid = rowid || strings.HasPrefix(how, "USING INTEGER PRIMARY KEY (rowid") // the operator =, < or > follows the rowid
		m := searchLine().FindStringSubmatch(how)
		if verb != "SEARCH" || m == nil {
			continue
		}
		for _, term := range strings.Split(m[2], " AND ") {
			if c := searchTerm().FindStringSubmatch(term); c != nil {
				a.Searched = a.Searched || strings.EqualFold(c[1], column)
				rowid = rowid || c[1] == "rowid"
			}
		}
	}
	return a, rowid
}

// Alone returns the aliases of the tables that are searched only for the values of their scope, and
// then fetched row by row.
func Alone(lines []string, tables []Table) (out []string) {
	for _, line := range lines {
		rest, search := strings.CutPrefix(line, "SEARCH ")
		alias, how, _ := strings.Cut(rest, " ")
		i := slices.IndexFunc(tables, func(t Table) bool { return t.Alias == alias })
		m := searchLine().FindStringSubmatch(strings.TrimSuffix(how, " LEFT-JOIN"))
		if !search || i < 0 || tables[i].Scanned || m == nil || m[1] == "" || strings.HasPrefix(how, "USING COVERING") {
			continue
		}
		if n := len(tables[i].Scope); n > 0 && strings.Count(m[2], "=?") == n && strings.Count(m[2], "?") == n {
			out = append(out, alias)
		}
	}
	return out
}
