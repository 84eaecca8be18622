package fence

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// This file judges how PostgreSQL would run an open statement; postgresguarded.go judges its guarded tables. form.go comes before it; an
// engine runs what it lets through.

// indexes gives the columns of an index that holds every row, in order, or
// nothing for an index that it does not know.
type Indexes func(name string) []string

// JudgePostgres fails unless a plan reads, of each of the tables, the rows in scope and
// no other: by a b-tree whose first columns are those of the scope, searched by the
// scope's own values. Then nothing that a program says is tried on a row out of its
// scope, nor is one read in the order of a column that a program chose. text is what
// EXPLAIN (FORMAT JSON, COSTS OFF) says of the statement. The error is an
// OutOfScope where it is about some tables.
//
// A guarded table may be read otherwise, see guarded.go.
func JudgePostgres(text []byte, tables []Table, known Indexes) error {
	var top []struct{ Plan map[string]any }
	if err := json.Unmarshal(text, &top); err != nil || len(top) != 1 {
		return fmt.Errorf("the plan can't be read: %w", errors.Join(err, fmt.Errorf("it has %d parts", len(top))))
	}
	j := &judge{tables: tables, indexes: known, seen: make([]bool, len(tables)), found: map[string]string{}}
	j.gates(top[0].Plan)
	nodes := []map[string]any{top[0].Plan}
	if said(top[0].Plan, "Node Type") == "ModifyTable" { // which changes the rows that those below it read
		nodes = plansOf(top[0].Plan)
	}
	for _, node := range nodes {
		if err := j.node(node, nil); err != nil {
			return err
		}
	}
	for i, t := range tables {
		if !j.seen[i] && len(t.Scope) > 0 && !t.Optional {
			return fmt.Errorf("the plan does not say how it reads %s", t.Alias)
		}
	}
	return j.out.Reason()
}

type judge struct {
	tables  []Table
	indexes Indexes
	seen    []bool
	out     OutOfScope
	found   map[string]string // by the alias of a gate: what the plan calls the answer
}

// returned finds the numbers of placeholders that a plan uses for what a part of it
// returns: EXPLAIN writes them as it does those of the statement.
var returned = Pattern(`\$[0-9]+`)

// node judges a node and those below it. filters are the conditions that have held before it runs.
func (j *judge) node(node map[string]any, filters []string) error {
	if once := said(node, "One-Time Filter"); once != "" && said(node, "Node Type") == "Result" {
		held, err := conjuncts(once)
		if err != nil {
			return err
		}
		filters = append(filters[:len(filters):len(filters)], held...)
	}
	gate := slices.ContainsFunc(j.tables, func(t Table) bool { return slices.Contains(t.Gates, said(asked(node), "Alias")) })
	for _, p := range returned().FindAllString(said(node, "Subplan Name"), -1) {
		if gate { // true or false, which no column of a scope is compared with
			break
		}
		n, _ := strconv.Atoi(p[1:])
		for _, t := range j.tables {
			if slices.ContainsFunc(t.Scope, func(e Equality) bool { return slices.Contains(e.Params, n) }) {
				return fmt.Errorf("%s means two things, the scope of %s and the result of a part of the plan", p, t.Alias)
			}
		}
	}
	if alias := said(node, "Alias"); alias != "" {
		i := slices.IndexFunc(j.tables, func(t Table) bool { return t.Alias == alias })
		if _, table := node["Relation Name"]; table && i < 0 { // a partition has an alias of its own
			return fmt.Errorf("the plan reads %s, which the statement does not name", alias)
		}
		if i >= 0 && said(node, "Relation Name") != "" && said(node, "Relation Name") != j.tables[i].Name { // of a view, which may use our aliases
			return fmt.Errorf("the plan reads %s as %s", said(node, "Relation Name"), alias)
		}
		if i >= 0 && len(j.tables[i].Scope) > 0 {
			j.seen[i] = true
			for _, gate := range j.tables[i].Gates {
				if j.found[gate] == "" || !slices.Contains(filters, j.found[gate]) {
					return fmt.Errorf("%s is read before it is known whether %s has a row", alias, gate)
				}
			}
			if err := j.reads(j.tables[i], node); err != nil {
				if !j.tables[i].Guarded || j.guarded(j.tables[i], node) != nil {
					j.out.Add(alias, err)
				}
			}
		}
	}
	for _, p := range plansOf(node) {
		if err := j.node(p, filters); err != nil {
			return err
		}
	}
	return nil
}

// initPlan is what PostgreSQL 14 to 16 call a part of a plan that runs once, and later ones.
var initPlan = Pattern(`^InitPlan ([0-9]+)(?: \(returns (\$[0-9]+)\))?$`)

// gates notes what the plan calls the answer whether a table has a row.
func (j *judge) gates(node map[string]any) {
	if m := initPlan().FindStringSubmatch(said(node, "Subplan Name")); m != nil {
		name := m[2]
		if name == "" {
			name = "(InitPlan " + m[1] + ").col1"
		}
		if table := asked(node); said(table, "Relation Name") != "" {
			j.found[said(table, "Alias")] = name
		}
	}
	for _, p := range plansOf(node) {
		j.gates(p)
	}
}

// asked is the node that reads the one table of a part of a plan, which may wait for an answer itself.
func asked(node map[string]any) map[string]any {
	for said(node, "Node Type") == "Result" && said(node, "Relation Name") == "" {
		var under []map[string]any
		for _, p := range plansOf(node) {
			if said(p, "Parent Relationship") == "Outer" {
				under = append(under, p)
			}
		}
		if len(under) != 1 {
			break
		}
		node = under[0]
	}
	return node
}

func plansOf(node map[string]any) (out []map[string]any) {
	plans, _ := node["Plans"].([]any)
	for _, p := range plans {
		sub, _ := p.(map[string]any) // of nil nothing can be read, so its table is missing
		out = append(out, sub)
	}
	return out
}

func said(node map[string]any, key string) string {
	s, _ := node[key].(string)
	return s
}

// reads judges the node that reads a table.
func (j *judge) reads(t Table, node map[string]any) error {
	switch kind := said(node, "Node Type"); kind {
	case "Index Scan", "Index Only Scan":
		return j.searched(t, node)
	case "Bitmap Heap Scan":
		// If the bitmap has a whole page, every row of it is looked at: the scope has to be checked
		// first.
		var scans []map[string]any
		for _, p := range plansOf(node) {
			if said(p, "Parent Relationship") == "Outer" { // else of a condition behind
				scans = append(scans, p)
			}
		}
		either := []string{said(node, "Recheck Cond")}
		if len(scans) == 1 && said(scans[0], "Node Type") == "BitmapOr" { // an index for each of several conditions
			scans, either = plansOf(scans[0]), parts(either[0], " OR ")
		}
		for _, cond := range either {
			again, err := conjuncts(cond)
			for _, e := range t.Scope {
				if err != nil || !slices.ContainsFunc(again[:min(len(again), len(t.Scope))], func(c string) bool { return whole(pattern(e, t.Alias), c) }) {
					return fmt.Errorf("the plan checks %s again by other conditions before its scope: %s", t.Alias, said(node, "Recheck Cond"))
				}
			}
		}
		for _, p := range scans {
			if said(p, "Node Type") != "Bitmap Index Scan" {
				return fmt.Errorf("%s is read by several indexes", t.Alias)
			}
			if err := j.searched(t, p); err != nil {
				return err
			}
		}
		if len(scans) > 0 {
			return nil
		}
		return fmt.Errorf("%s is read by no index", t.Alias)
	default:
		return fmt.Errorf("%s is read by a %s", t.Alias, kind)
	}
}

// searched judges an index and what it is searched by.
func (j *judge) searched(t Table, node map[string]any) error {
	name, cond := said(node, "Index Name"), said(node, "Index Cond")
	if strings.Contains(plainName().ReplaceAllString(cond, ""), `"`) { // a name can look like a condition
		return fmt.Errorf("the index %s is searched by a column with an odd name", name)
	}
	columns := j.indexes(name)
	if len(columns) < len(t.Scope) {
		return fmt.Errorf("%s is read by the index %s, of which nothing is known", t.Alias, name)
	}
	for _, e := range t.Scope {
		if !slices.Contains(columns[:len(t.Scope)], e.Column) {
			return fmt.Errorf("%s is read by the index %s, which does not begin with its scope", t.Alias, name)
		}
		if !pattern(e, t.Alias).MatchString(cond) {
			return fmt.Errorf("the index %s is not searched by %s", name, e.Column)
		}
	}
	if strings.Contains(cond, " OR ") {
		return fmt.Errorf("the index %s is searched by one of several conditions", name)
	}
	return nil
}

var plainName = Pattern(`"[A-Za-z0-9_]+"`)

// cast is one that changes no value.
const cast = `(?:::(?:text|bpchar|"char"|name|bigint|integer|smallint|uuid))?`

// named is a column as PostgreSQL writes it, with or without the alias and a cast.
func named(alias, column string, qualified bool) string {
	of := `(?:` + regexp.QuoteMeta(alias) + `\.)`
	if !qualified {
		of += `?`
	}
	name := of + `(?:` + regexp.QuoteMeta(column) + `|"` + regexp.QuoteMeta(strings.ReplaceAll(column, `"`, `""`)) + `")`
	return `(?:` + name + `|\(` + name + `\)` + cast + `)`
}

// pattern is a condition of a scope as PostgreSQL writes it: that the column has one of the values.
func pattern(e Equality, alias string) *regexp.Regexp {
	value := `\(?\$(?:` + strings.Join(scalar.Each(e.Params, strconv.Itoa), "|") + `)\)?` + cast
	return regexp.MustCompile(`\(` + named(alias, e.Column, false) + ` = (?:` + value + `|ANY \(ARRAY\[` + value + `(?:, ` + value + `)*\]\))\)`)
}
