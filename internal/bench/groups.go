package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// groupings are questions of an analyst, with the names of BenchmarkGroups. Each has its target for both engines, as a multiple of the
// handwritten statement. SQLite has no decimals: the handwritten statement sums floats, and this module sums exactly.
var groupings = []grouping{
	{"count by status", "a count by status", indexTarget, indexTarget},
	{"count distinct", "how many codes", indexTarget, indexTarget},
	{"greatest of a column", "the latest, by an index", indexTarget, indexTarget},
	{"sum of whole numbers", "a sum of whole numbers", scanTarget, scanTarget},
	{"sum of decimals", "a sum of decimals, exact", exactTarget, scanTarget},
	{"sum by month", "a sum by year and month", scanTarget, scanTarget},
	{"decimals by status", "a sum and a mean of decimals by status", exactTarget, scanTarget},
	{"top 10 by sum", "the 10 customers with the greatest sum", scanTarget, scanTarget},
	{"median", "a median", scanTarget, scanTarget},
	{"latest per ticket", "the latest of each ticket, by an index", indexTarget, indexTarget},
	{"latest per customer", "the latest of each customer", scanTarget, scanTarget},
	{"running sum", "a running sum by customer", scanTarget, scanTarget},
	{"moving sum", "a sum of the last 7 by customer", scanTarget, scanTarget},
	{"moving max", "the greatest of the last 7 by customer", scanTarget, scanTarget},
	{"in a query", "a count of rows whose customer is in another query", scanTarget, scanTarget},
	{"not in a query", "a count of those whose customer is not", scanTarget, scanTarget},
	{"above the mean", "a count of rows above the mean of all", scanTarget, scanTarget},
	{"page of a union", "20 rows of two queries together", scanTarget, scanTarget},
}

// nestings are questions for the rows of links within the rows of a page, with the names of BenchmarkNested. The handwritten statement lets
// the engine make JSON of these rows; on SQLite that JSON is decoded, like this module's rows.
var nestings = []grouping{
	{"latest 3 of each", "the latest 3 of each of 20", indexTarget, indexTarget},
	{"all of each", "all of each of 20", indexTarget, indexTarget},
	{"first of each", "a column of the latest of each of 20", indexTarget, indexTarget},
	{"the row of each", "the linked row of each of 20", indexTarget, indexTarget},
	{"some of each", "5 of each of 20, by a condition and an order without an index", scanTarget, scanTarget},
}

// grouping is a question, with its target for each engine.
type grouping struct {
	name, shown      string
	sqlite, postgres float64
}

const exactTarget = 2.5

// groupTable is the table of aggregates and groups.
func groupTable(m measured, count string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n| %s rows; a tenant with 89 %% (10 %%, 1 %%) of them | SQLite by hand | this module | target | PostgreSQL by hand | this module | target |\n|---|---|---|---|---|---|---|\n", count)
	missed := 0
	for _, g := range slices.Concat(groupings, nestings) {
		fmt.Fprintf(&b, "| %s ", g.shown)
		for _, e := range []struct {
			name   string
			target float64
		}{{"sqlite", g.sqlite}, {"postgres", g.postgres}} {
			hand, err := m.list(e.name, tenants[0], g.name, "µs/hand")
			if err != nil {
				return "", err
			}
			ratios, n, err := m.ratios(e.name, g.name, "x/statement", e.target)
			if err != nil {
				return "", err
			}
			missed += n
			fmt.Fprintf(&b, "| %s | %s | %.1f ", shown(hand*1e3, ""), ratios, e.target)
		}
		b.WriteString("|\n")
	}
	if missed > 0 {
		fmt.Fprintf(&b, "\nOf %d statements %d are above their target; they are **bold**.\n", 2*(len(groupings)+len(nestings))*len(tenants), missed)
	}
	return b.String(), nil
}

// runGroups measures the groups and prints their table.
func runGroups(rounds int, each string, rows int) error {
	suites = suites[:1]
	suites[0].bench = "^Benchmark(Groups|Nested)$"
	b, done, err := newBencher(each, rows)
	if err != nil {
		return err
	}
	defer done()
	m := measured{}
	for n := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", n+1, rounds)
		if err := b.round(m); err != nil {
			return err
		}
	}
	text, err := groupTable(m, grouped(rows))
	if err == nil {
		fmt.Print(text)
	}
	return err
}
