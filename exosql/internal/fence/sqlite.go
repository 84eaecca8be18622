package fence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file judges how SQLite would run an open statement. form.go comes before it; an engine runs what it lets through.

// JudgeSQLite fails unless a plan reads, of each of the tables, the rows in scope and no
// other: then nothing that a program says is tried on a row out of its scope, nor is one
// read in the order of a column that the program chose. lines is what EXPLAIN QUERY PLAN
// says of the statement. The error is an OutOfScope where it is about some tables.
//
// A line names the columns that an index is searched by: those with one value, which are the first
// of the index, then one with a range. Where the scope's columns are the first of them, the search
// compares nothing with a row that has another. The compiler ensures that the value is the scope's
// own, see compile.unindexed. rowid reports whether the one column of a scope is what SQLite calls
// the rowid of its table.
//
// MULTI-INDEX OR searches an index for each of several conditions: each of its searches is judged alone.
//
// A guarded table may be read as a whole, and by what a link demands: there each condition of the program has
// its scope before it, and what the program sorts by is served by no index.
//
// A line that is not understood is a refusal.
func JudgeSQLite(lines []string, tables []Table, derived []string, rowid func(Table) bool) error {
	seen := make([]bool, len(tables))
	out := &OutOfScope{}
	var either error // the next line is the search for one of several conditions, each of which reads the table
	several := false // such lines have been met
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "BLOOM" { // BLOOM FILTER ON t0 (id=?): the table is read as a whole first
			verb, rest = "SCAN", strings.TrimPrefix(rest, "FILTER ON ")
		}
		alias, how, _ := strings.Cut(rest, " ")
		switch {
		case verb == "SCAN" || verb == "SEARCH":
		case line == "MULTI-INDEX OR":
			several = true
			fallthrough
		case several && eitherLine().MatchString(line):
			either = fmt.Errorf("a table is read by several indexes: %s", line)
			continue
		case knownLine().MatchString(line):
			continue
		default:
			return fmt.Errorf("it is not known what this means: %s", line)
		}
		i := slices.IndexFunc(tables, func(t Table) bool { return t.Alias == alias })
		if i < 0 && (slices.ContainsFunc(derived, func(d string) bool { return strings.EqualFold(d, alias) }) || flattened().MatchString(alias)) || i >= 0 && len(tables[i].Scope) == 0 {
			either = nil
			continue // a derived table, or one of which every row is in scope
		}
		if i < 0 {
			return fmt.Errorf("it is not known what this reads: %s", line)
		}
		seen[i] = true
		one := either != nil
		either = nil
		how = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(how, "EXISTS "), "LEFT-JOIN")) // how often, and not which rows
		if tables[i].Guarded && !one && (verb == "SCAN" && wholeTable().MatchString(how) || verb == "SEARCH" && byValues().MatchString(how)) {
			continue
		}
		if err := judgeLine(tables[i], verb, how, rowid); err != nil {
			out.Add(alias, err)
		}
	}
	for i, t := range tables {
		if !seen[i] && len(t.Scope) > 0 && !t.Optional {
			return fmt.Errorf("the plan does not say how it reads %s", t.Alias)
		}
	}
	if either != nil {
		return either
	}
	return out.Reason()
}

// wholeTable is how a guarded table may be scanned: in no order but its own, or for a filter of
// the values of a link. byValues is how it may be searched: for one value of each column.
var (
	wholeTable = Pattern(`^(\([A-Za-z0-9_ =?<>]*\))?$`)
	byValues   = Pattern(`^USING ((COVERING |AUTOMATIC (PARTIAL )?COVERING )?INDEX( \S+)?|(INTEGER )?PRIMARY KEY) \(([A-Za-z_][A-Za-z0-9_]*|<expr>)=\?( AND ([A-Za-z_][A-Za-z0-9_]*|<expr>)=\?)*\)$`)
	eitherLine = Pattern(`^INDEX [0-9]+$`)
)

// knownLine are lines that read no table themselves.
var knownLine = Pattern(`^(CREATE BLOOM FILTER|USE TEMP B-TREE FOR (ORDER BY|GROUP BY|DISTINCT|(LAST|RIGHT PART OF) .*|count\(DISTINCT\))|(CO-ROUTINE|MATERIALIZE) \S+|LIST SUBQUERY \d+|(CORRELATED )?(SCALAR|LIST) SUBQUERY \d+|` +
	// Of two selects together: how their rows are put together, each of which is read as the lines below say.
	`COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|(UNION|INTERSECT|EXCEPT) USING TEMP B-TREE|MERGE \((UNION|UNION ALL|INTERSECT|EXCEPT)\)|LEFT|RIGHT)$`)

// flattened are the aliases that SQLite itself gives to what a subquery returns. Any other
// name that the statement does not have is of a table behind a view.
var flattened = Pattern(`^\(subquery-[0-9]+\)$`)

var searchLine = Pattern(`^USING (?:(?:COVERING )?INDEX (\S+)|PRIMARY KEY) \((.*)\)$`)

// searchTerm is one column that is searched, with a plain name: in another one " AND " could
// stand. ANY(code) is none: it goes from value to value of everybody's.
var searchTerm = Pattern(`^([A-Za-z_][A-Za-z0-9_]*|<expr>)([=<>])\?$`)

// searchRow is several columns that are searched together, from a row of values on. It may stand only behind the scope: one that begins with
// the scope's column has no bound in it.
var searchRow = Pattern(`^\(([A-Za-z_][A-Za-z0-9_]*|<expr>)(,([A-Za-z_][A-Za-z0-9_]*|<expr>))+\)[<>]\(\?(,\?)+\)$`)

const RowidSearch = "USING INTEGER PRIMARY KEY (rowid=?)"

// judgeLine judges the line that reads a table.
func judgeLine(t Table, verb, how string, rowid func(Table) bool) error {
	if verb == "SEARCH" && how == RowidSearch && len(t.Scope) == 1 && rowid(t) {
		return nil
	}
	m := searchLine().FindStringSubmatch(how)
	if verb != "SEARCH" || m == nil || strings.HasPrefix(how, "USING AUTOMATIC") {
		return fmt.Errorf("%s is read by %s %s", t.Alias, verb, how)
	}
	var fixed []string // the first columns of the index, which it is searched by
	for _, term := range strings.Split(m[2], " AND ") {
		c := searchTerm().FindStringSubmatch(term)
		if c == nil && len(fixed) == len(t.Scope) && searchRow().MatchString(term) {
			continue
		}
		if c == nil {
			return fmt.Errorf("it is not known how %s searches the index %s: %s", t.Alias, m[1], term)
		}
		if len(fixed) == len(t.Scope) {
			continue
		}
		if c[2] != "=" {
			break
		}
		fixed = append(fixed, sqlast.Fold(c[1]))
	}
	for _, e := range t.Scope {
		// In an index that has a column before the scope's, the way down the tree compares what a
		// program says of it with everybody's, and how long that takes says what they are (TestDescent).
		if !slices.Contains(fixed, sqlast.Fold(e.Column)) {
			return fmt.Errorf("the index %s is not searched by %s first", m[1], e.Column)
		}
	}
	return nil
}
