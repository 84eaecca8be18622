package sqlite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// judgePlan fails unless a plan reads, of each of the tables, the rows in scope and no
// other: then nothing that a program says is tried on a row out of its scope, nor is one
// read in the order of a column that a program chose. lines is what EXPLAIN QUERY PLAN
// says of the statement.
//
// A line names the columns that an index is searched by: those with one value, which are
// the first of the index, then one with a range. Where the scope's columns are among
// those with one value, the search reaches no row that has another, whatever the order of the index. That
// the value is the scope's own the compiler sees to, see compile.unindexed. rowid
// reports whether the one column of a scope is what SQLite calls the rowid of its table.
//
// A line that is not understood is a refusal.
func judgePlan(lines []string, tables []plan.Table, derived []string, rowid func(plan.Table) bool) error {
	seen := make([]bool, len(tables))
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		alias, how, _ := strings.Cut(rest, " ")
		switch verb {
		case "SCAN", "SEARCH":
		default:
			if knownLine.MatchString(line) {
				continue
			}
			return fmt.Errorf("it is not known what this means: %s", line)
		}
		i := slices.IndexFunc(tables, func(t plan.Table) bool { return t.Alias == alias })
		if i < 0 && (slices.Contains(derived, alias) || flattened.MatchString(alias)) || i >= 0 && len(tables[i].Scope) == 0 {
			continue // a derived table, or one of which every row is in scope
		}
		if i < 0 {
			return fmt.Errorf("it is not known what this reads: %s", line)
		}
		seen[i] = true
		if err := judgeLine(tables[i], verb, how, rowid); err != nil {
			return err
		}
	}
	for i, t := range tables {
		if !seen[i] && len(t.Scope) > 0 && !t.Optional {
			return fmt.Errorf("the plan does not say how it reads %s", t.Alias)
		}
	}
	return nil
}

// knownLine are lines that read no table themselves. The filter is of what a subquery
// gives; one of a table names it, BLOOM FILTER ON t0, and is refused.
var knownLine = regexp.MustCompile(`^(CREATE BLOOM FILTER|USE TEMP B-TREE FOR (ORDER BY|GROUP BY|DISTINCT|(LAST|RIGHT PART OF) .*|count\(DISTINCT\))|(CO-ROUTINE|MATERIALIZE) \S+|LIST SUBQUERY \d+|(CORRELATED )?(SCALAR|LIST) SUBQUERY \d+)$`)

// flattened are the aliases that SQLite itself gives to what a subquery returns. Any other
// name that the statement does not have is of a table behind a view.
var flattened = regexp.MustCompile(`^\(subquery-[0-9]+\)$`)

var searchLine = regexp.MustCompile(`^USING (?:(?:COVERING )?INDEX (\S+)|PRIMARY KEY) \((.*)\)$`)

// searchTerm is one column that is searched, with a plain name: in another one " AND " could
// stand. ANY(code) is none: it goes from value to value of everybody's.
var searchTerm = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*|<expr>)([=<>])\?$`)

const rowidSearch = "USING INTEGER PRIMARY KEY (rowid=?)"

// judgeLine judges the line that reads a table.
func judgeLine(t plan.Table, verb, how string, rowid func(plan.Table) bool) error {
	how = strings.TrimSuffix(how, " LEFT-JOIN")
	if verb == "SEARCH" && how == rowidSearch && len(t.Scope) == 1 && rowid(t) {
		return nil
	}
	m := searchLine.FindStringSubmatch(how)
	if verb != "SEARCH" || m == nil || strings.HasPrefix(how, "USING AUTOMATIC") {
		return fmt.Errorf("%s is read by %s %s", t.Alias, verb, how)
	}
	var fixed []string
	for _, term := range strings.Split(m[2], " AND ") {
		c := searchTerm.FindStringSubmatch(term)
		if c == nil {
			return fmt.Errorf("it is not known how %s searches the index %s: %s", t.Alias, m[1], term)
		}
		if c[2] == "=" {
			fixed = append(fixed, strings.ToLower(c[1]))
		}
	}
	for _, e := range t.Scope {
		if !slices.Contains(fixed, strings.ToLower(e.Column)) {
			return fmt.Errorf("the index %s is not searched by %s", m[1], e.Column)
		}
	}
	return nil
}
