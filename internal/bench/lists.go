package main

import (
	"fmt"
	"strings"
)

// lists are the common questions of an application, with the names of BenchmarkLists. The field scan is set if no index begins with the tenant and
// serves the question.
var lists = []struct {
	name, shown  string
	scan, readme bool
}{
	{"page by key", "a page, by key", false, true},
	{"equals, indexed", "`=` with an index", false, true},
	{"range, in its order, 20", "a range in its order, 20 rows", false, false},
	{"latest 20", "the latest 20", false, true},
	{"latest 20 of a status", "the latest 20 of a status", false, false},
	{"two hops", "two hops, a condition at each end", false, true},
	{"equals, no index", "`=` without an index", true, true},
	{"count of a status", "a count of one status", false, true},
	{"count", "a count of everything", false, false},
}

var tenants = []string{"89%", "10%", "1%"}

// These are targets for the time of a statement, as multiples of the time of the handwritten statement.
const (
	indexTarget = 1.1
	scanTarget  = 1.3
)

// constants has, by engine, the microseconds that a program may take in addition to the multiple of the handwritten statement: for recording,
// checking, and on PostgreSQL the round trips. This time does not depend on what the program reads.
var constants = map[string]float64{"sqlite": 250, "postgres": 500}

// listTable returns the first table of docs/performance.md. It marks each target that was missed.
func listTable(m measured, count string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\nTargets: a statement takes at most the multiple in the last column; a program at most that multiple of the statement by hand, and %.0f µs on SQLite or %.0f µs on PostgreSQL.\n", constants["sqlite"], constants["postgres"])
	fmt.Fprintf(&b, "\n| %s rows; a tenant with 89 %% (10 %%, 1 %%) of them | SQLite by hand | this module | program | PostgreSQL by hand | this module | row-level security | program | target |\n|---|---|---|---|---|---|---|---|---|\n", count)
	missed, slow := 0, 0
	for _, l := range lists {
		target := indexTarget
		if l.scan {
			target = scanTarget
		}
		fmt.Fprintf(&b, "| %s ", l.shown)
		for _, e := range []string{"sqlite", "postgres"} {
			hand, err := m.list(e, tenants[0], l.name, "µs/hand")
			if err != nil {
				return "", err
			}
			more, k, err := m.beyond(e, l.name, target)
			if err != nil {
				return "", err
			}
			slow += k
			ratios, n, err := m.ratios(e, l.name, "x/statement", target)
			if err != nil {
				return "", err
			}
			missed += n
			policy := ""
			if e == "postgres" {
				if policy, _, err = m.ratios(e, l.name, "x/rls", 1e9); err != nil {
					return "", err
				}
				policy = "| " + policy + " "
			}
			fmt.Fprintf(&b, "| %s | %s %s| %s ", shown(hand*1e3, ""), ratios, policy, more)
		}
		fmt.Fprintf(&b, "| %.1f |\n", target)
	}
	if missed+slow > 0 {
		fmt.Fprintf(&b, "\nOf %d statements %d are above their target, and of as many programs %d; they are **bold**.\n", 2*len(lists)*len(tenants), missed, slow)
	}
	b.WriteString("\n")
	return b.String(), nil
}

// beyond returns the time that a program takes in addition to its statement, for each tenant. Numbers above the target are bold.
func (m measured) beyond(engine, name string, target float64) (string, int, error) {
	var out []string
	missed := 0
	for _, t := range tenants {
		hand, err := m.list(engine, t, name, "µs/hand")
		if err != nil {
			return "", 0, err
		}
		more, err := m.list(engine, t, name, "µs/more")
		if err != nil {
			return "", 0, err
		}
		s := "+ 0"
		if more > 0 {
			s = "+ " + shown(more*1e3, "")
		}
		if more > (target-1)*hand+constants[engine] {
			s = "**" + s + "**"
			missed++
		}
		out = append(out, s)
	}
	return out[0] + " (" + strings.Join(out[1:], ", ") + ")", missed, nil
}

// ratios returns a measured ratio, such as x/statement, for each tenant. A ratio above the target is bold.
func (m measured) ratios(engine, name, unit string, target float64) (string, int, error) {
	var out []string
	missed := 0
	for _, t := range tenants {
		x, err := m.list(engine, t, name, unit)
		if err != nil {
			return "", 0, err
		}
		s := fmt.Sprintf("%.2f", x)
		if x > target {
			s = "**" + s + "**"
			missed++
		}
		out = append(out, s)
	}
	return out[0] + " (" + strings.Join(out[1:], ", ") + ")", missed, nil
}

func (m measured) list(engine, tenant, name, unit string) (float64, error) {
	group := "Lists/"
	for _, g := range groupings {
		if g.name == name {
			group = "Groups/"
		}
	}
	for _, g := range nestings {
		if g.name == name {
			group = "Nested/"
		}
	}
	x, err := m.of("internal/bench/"+group+engine+"/"+tenant+"/"+strings.ReplaceAll(name, " ", "_"), unit)
	if err != nil {
		return 0, err
	}
	return median(x), nil
}

// shortTable returns the table of README: the statements of the largest tenant.
func shortTable(m measured, count string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n| %s rows | SQLite | PostgreSQL | row-level security |\n|---|---|---|---|\n", count)
	for _, l := range lists {
		if !l.readme {
			continue
		}
		fmt.Fprintf(&b, "| %s ", l.shown)
		for _, c := range []struct{ engine, unit string }{{"sqlite", "x/statement"}, {"postgres", "x/statement"}, {"postgres", "x/rls"}} {
			x, err := m.list(c.engine, tenants[0], l.name, c.unit)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| %.2f ", x)
		}
		b.WriteString("|\n")
	}
	b.WriteString("\n")
	return b.String(), nil
}
