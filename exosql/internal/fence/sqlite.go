package fence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file judges how SQLite would run an open statement. The engine runs the statement only if the judge agrees.

// JudgeSQLite fails unless the plan reads only rows in scope of each table, or tries the scope of a guarded table's row before any condition of the program. Then no
// condition of a program is tried on a row out of scope, and no such row is read in the order of a column that the program chose. lines are the output of EXPLAIN QUERY
// PLAN. If the reason concerns certain tables, the error is an OutOfScope.
//
// A line names the columns by which an index is searched: first those with one value, which are the first of the index, then one with a range. If the scope's columns
// come first, the search compares nothing with rows out of scope. The compiler ensures that their values are the scope's own: see expr.From.unindexed. rowid reports
// whether the one column of a scope is the rowid of its table.
//
// MULTI-INDEX OR searches one index for each of several conditions. Each of these searches is judged alone.
//
// A guarded table may be read as a whole, or by the value of a link. Each condition of the program is tried after the table's scope, and no index serves an order of the
// program.
//
// A line that is not understood is a refusal.
func JudgeSQLite(lines []string, tables []Table, derived []string, rowid func(Table) bool) error {
	seen := make([]bool, len(tables))
	out := &OutOfScope{}
	var either error // either is the error if the next line is not the search that a MULTI-INDEX OR needs; nil if no such search is due
	several := false // several: searches of a MULTI-INDEX OR were read
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "BLOOM" { // BLOOM FILTER ON t0 (id=?) reads the whole table first
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
			return fmt.Errorf("this line of the plan is not understood: %s", line)
		}
		i := slices.IndexFunc(tables, func(t Table) bool { return t.Alias == alias })
		if i < 0 && (slices.ContainsFunc(derived, func(d string) bool { return strings.EqualFold(d, alias) }) || flattened().MatchString(alias)) || i >= 0 && len(tables[i].Scope) == 0 {
			either = nil
			continue // the line reads a derived table, or a table with all of its rows in scope
		}
		if i < 0 {
			return fmt.Errorf("it is not known which table this line of the plan reads: %s", line)
		}
		seen[i] = true
		one := either != nil
		either = nil
		how = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(how, "EXISTS "), "LEFT-JOIN")) // EXISTS and LEFT-JOIN do not change which rows are read
		if tables[i].Guarded && !one && (verb == "SCAN" && wholeTable().MatchString(how) || verb == "SEARCH" && byValues().MatchString(how)) {
			continue
		}
		if err := judgeLine(tables[i], verb, how, rowid); err != nil {
			out.Add(alias, err)
		}
	}
	for i, t := range tables {
		if !seen[i] && len(t.Scope) > 0 && !t.Optional {
			return fmt.Errorf("the plan does not show how it reads %s", t.Alias)
		}
	}
	if either != nil {
		return either
	}
	return out.Reason()
}

// wholeTable matches a permitted scan of a guarded table: in its own order, or for a Bloom filter of a
// link's values. byValues matches a permitted search: for one value of each column.
var (
	wholeTable = scalar.Pattern(`^(\([A-Za-z0-9_ =?<>]*\))?$`)
	byValues   = scalar.Pattern(`^USING ((COVERING |AUTOMATIC (PARTIAL )?COVERING )?INDEX( \S+)?|(INTEGER )?PRIMARY KEY) \(([A-Za-z_][A-Za-z0-9_]*|<expr>)=\?( AND ([A-Za-z_][A-Za-z0-9_]*|<expr>)=\?)*\)$`)
	eitherLine = scalar.Pattern(`^INDEX [0-9]+$`)
)

// knownLine matches lines that read no table.
var knownLine = scalar.Pattern(`^(CREATE BLOOM FILTER|USE TEMP B-TREE FOR (ORDER BY|GROUP BY|DISTINCT|(LAST|RIGHT PART OF) .*|count\(DISTINCT\))|(CO-ROUTINE|MATERIALIZE) \S+|LIST SUBQUERY \d+|(CORRELATED )?(SCALAR|LIST) SUBQUERY \d+|` +
	// These lines combine the rows of two selects. The lines below them show how each select reads its tables.
	`COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|(UNION|INTERSECT|EXCEPT) USING TEMP B-TREE|MERGE \((UNION|UNION ALL|INTERSECT|EXCEPT)\)|LEFT|RIGHT)$`)

// flattened matches aliases that SQLite itself gives to the results of subqueries. Any other name
// that the statement lacks is a table behind a view.
var flattened = scalar.Pattern(`^\(subquery-[0-9]+\)$`)

var searchLine = scalar.Pattern(`^USING (?:(?:COVERING )?INDEX (\S+)|PRIMARY KEY) \((.*)\)$`)

// searchTerm matches one searched column with a plain name, since another name could contain " AND
// ". It does not match ANY(code), with which SQLite steps through the values of all tenants.
var searchTerm = scalar.Pattern(`^([A-Za-z_][A-Za-z0-9_]*|<expr>)([=<>])\?$`)

// searchRow matches several columns that are searched together from a row of values on. It is allowed only after the
// scope's columns: a row of values that begins with the scope's column would not bound that column to its value.
var searchRow = scalar.Pattern(`^\(([A-Za-z_][A-Za-z0-9_]*|<expr>)(,([A-Za-z_][A-Za-z0-9_]*|<expr>))+\)[<>]\(\?(,\?)+\)$`)

const RowidSearch = "USING INTEGER PRIMARY KEY (rowid=?)"

// judgeLine judges a line that reads table t.
func judgeLine(t Table, verb, how string, rowid func(Table) bool) error {
	if verb == "SEARCH" && how == RowidSearch && len(t.Scope) == 1 && rowid(t) {
		return nil
	}
	m := searchLine().FindStringSubmatch(how)
	if verb != "SEARCH" || m == nil || strings.HasPrefix(how, "USING AUTOMATIC") {
		return fmt.Errorf("%s is read by %s %s, which is no search by the columns of its scope", t.Alias, verb, how)
	}
	var fixed []string // fixed are the first columns of the index, by which it is searched
	for _, term := range strings.Split(m[2], " AND ") {
		c := searchTerm().FindStringSubmatch(term)
		if c == nil && len(fixed) == len(t.Scope) && searchRow().MatchString(term) {
			continue
		}
		if c == nil {
			return fmt.Errorf("the search of %s in the index %s is not understood: %s", t.Alias, m[1], term)
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
		// If the index begins with another column, the search compares the program's value with the
		// values of all tenants, and its time reveals them (TestDescent).
		if !slices.Contains(fixed, sqlast.Fold(e.Column)) {
			return fmt.Errorf("the index %s is not searched by %s first", m[1], e.Column)
		}
	}
	return nil
}
