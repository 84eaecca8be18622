package fence

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// This file judges how PostgreSQL would run an open statement; postgresguarded.go judges its
// guarded tables (see Table.Guarded). The engine runs the statement only if the judge
// agrees.

// Indexes returns the columns, in order, of an index that covers every row. It returns none for an
// unknown index.
type Indexes func(name string) []string

// JudgePostgres fails unless the plan reads only rows in scope of each table. For that it must search a b-tree that begins with the scope's columns by the scope's own
// values. It may read a guarded table's rows out of scope, if it tries their scope before any condition of the program (see postgresguarded.go). Then no program's
// condition is tried on a row out of scope, and no such row is read in an order that a program chose.
//
// text is the output of EXPLAIN (FORMAT JSON, COSTS OFF). If the reason concerns certain tables, the error is an OutOfScope.
func JudgePostgres(text []byte, tables []Table, known Indexes) error {
	var top []struct{ Plan map[string]any }
	if err := json.Unmarshal(text, &top); err != nil || len(top) != 1 {
		return fmt.Errorf("the plan can't be read: %w", cmp.Or(err, errors.New("it does not have exactly one part")))
	}
	j := &judge{tables: tables, indexes: known, seen: make([]bool, len(tables)), found: map[string]string{}}
	j.gates(top[0].Plan)
	nodes := []map[string]any{top[0].Plan}
	if said(top[0].Plan, "Node Type") == "ModifyTable" { // the nodes below ModifyTable find the rows that it changes
		nodes = plansOf(top[0].Plan)
	}
	for _, node := range nodes {
		if err := j.node(node, nil); err != nil {
			return err
		}
	}
	for i, t := range tables {
		if !j.seen[i] && len(t.Scope) > 0 && !t.Optional {
			return fmt.Errorf("the plan does not show how it reads %s", t.Alias)
		}
	}
	return j.out.Reason()
}

type judge struct {
	tables  []Table
	indexes Indexes
	seen    []bool
	out     OutOfScope
	found   map[string]string // found has the plan's name for the answer of a gate (see Table.Gates), by the gate's alias
}

// returned matches the names, like $1, that a plan gives to the results of its own parts:
// EXPLAIN writes them like the statement's parameters.
var returned = scalar.Pattern(`\$[0-9]+`)

// node judges a node and the nodes below it. filters are conditions that are known to be true before it runs.
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
		if gate { // a gate's result is true or false, and no column of a scope is compared with that
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
		if _, table := node["Relation Name"]; table && i < 0 { // a partition has its own alias
			return fmt.Errorf("the plan reads %s, which the statement does not name", alias)
		}
		if i >= 0 && said(node, "Relation Name") != "" && said(node, "Relation Name") != j.tables[i].Name { // a table behind a view may use an alias of this statement
			return fmt.Errorf("the plan reads %s as %s", said(node, "Relation Name"), alias)
		}
		if i >= 0 && len(j.tables[i].Scope) > 0 {
			j.seen[i] = true
			for _, gate := range j.tables[i].Gates {
				if j.found[gate] == "" || !slices.Contains(filters, j.found[gate]) {
					return fmt.Errorf("the plan reads %s before it has checked that %s, on which its scope depends, has a row", alias, gate)
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

// initPlan matches the name of a part of a plan that runs once, in the forms of PostgreSQL 14 to 16 and of later versions.
var initPlan = scalar.Pattern(`^InitPlan ([0-9]+)(?: \(returns (\$[0-9]+)\))?$`)

// gates notes the names that the plan gives to the answers of gates. A gate asks whether a table has a row: see Table.Gates.
func (j *judge) gates(node map[string]any) {
	if m := initPlan().FindStringSubmatch(said(node, "Subplan Name")); m != nil {
		name := cmp.Or(m[2], "(InitPlan "+m[1]+").col1")
		if table := asked(node); said(table, "Relation Name") != "" {
			j.found[said(table, "Alias")] = name
		}
	}
	for _, p := range plansOf(node) {
		j.gates(p)
	}
}

// asked returns the node that reads the one table of a part of a plan. It skips Result nodes, which may wait for another answer.
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
		sub, _ := p.(map[string]any) // a part that is no object becomes nil, which reads no table; the plan is then refused since a table is missing
		out = append(out, sub)
	}
	return out
}

func said(node map[string]any, key string) string {
	s, _ := node[key].(string)
	return s
}

// reads judges the node that reads table t.
func (j *judge) reads(t Table, node map[string]any) error {
	switch kind := said(node, "Node Type"); kind {
	case "Index Scan", "Index Only Scan":
		return j.searched(t, node)
	case "Bitmap Heap Scan":
		// If the bitmap has only a whole page, every row of it is checked again, so the recheck must
		// begin with the scope.
		var scans []map[string]any
		for _, p := range plansOf(node) {
			if said(p, "Parent Relationship") == "Outer" { // any other node belongs to a condition
				scans = append(scans, p)
			}
		}
		either := []string{said(node, "Recheck Cond")}
		if len(scans) == 1 && said(scans[0], "Node Type") == "BitmapOr" { // BitmapOr searches one index for each of several conditions
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

// searched judges an index, and the conditions that search it.
func (j *judge) searched(t Table, node map[string]any) error {
	name, cond := said(node, "Index Name"), said(node, "Index Cond")
	if strings.Contains(plainName().ReplaceAllString(cond, ""), `"`) { // a column's name can look like a condition
		return fmt.Errorf("the index %s is searched by a column whose name has unusual characters", name)
	}
	columns := j.indexes(name)
	if len(columns) < len(t.Scope) {
		return fmt.Errorf("%s is read by the index %s, whose columns are unknown", t.Alias, name)
	}
	for _, e := range t.Scope {
		if !slices.Contains(columns[:len(t.Scope)], e.Column) {
			return fmt.Errorf("%s is read by the index %s, whose first columns are not those of the table's scope", t.Alias, name)
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

var plainName = scalar.Pattern(`"[A-Za-z0-9_]+"`)

// cast matches casts that change no value.
const cast = `(?:::(?:text|bpchar|"char"|name|bigint|integer|smallint|uuid))?`

// named returns a pattern for a column in the ways that PostgreSQL writes it: with or without the alias, and with or without a cast.
func named(alias, column string, qualified bool) string {
	of := `(?:` + regexp.QuoteMeta(alias) + `\.)`
	if !qualified {
		of += `?`
	}
	name := of + `(?:` + regexp.QuoteMeta(column) + `|"` + regexp.QuoteMeta(strings.ReplaceAll(column, `"`, `""`)) + `")`
	return `(?:` + name + `|\(` + name + `\)` + cast + `)`
}

// pattern matches a condition of a scope in the form that PostgreSQL writes: the column has one of the values.
func pattern(e Equality, alias string) *regexp.Regexp {
	value := `\(?\$(?:` + strings.Join(scalar.Each(e.Params, strconv.Itoa), "|") + `)\)?` + cast
	return regexp.MustCompile(`\(` + named(alias, e.Column, false) + ` = (?:` + value + `|ANY \(ARRAY\[` + value + `(?:, ` + value + `)*\]\))\)`)
}
