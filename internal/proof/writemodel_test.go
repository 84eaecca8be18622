package proof

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
)

// Call is one call of a program that writes: a read, or a change of the rows of Q (of what Q is, or leads
// to, for an insert).
type Call struct {
	Do    string // read, update, delete, insert, insertMany
	Q     *Node
	Send  string  `json:",omitempty"` // of a read
	All   bool    `json:",omitempty"` // all() stands before it
	Rows  [][]Set `json:",omitempty"` // inserted
	Set   []Set   `json:",omitempty"` // of an update
	Bind  int     `json:",omitempty"` // of an update by a callback
	NS    []string
	Catch bool // the program goes on after an error
}

// Set is a column that is given a value, or a calculated one.
type Set struct {
	Slot int
	Val  Value
	X    *Node `json:",omitempty"`
}

// refusal is why a call must fail.
type refusal struct {
	kind fail.Kind
	why  string
}

// writeModel is a database in memory that programs change, call by call.
type writeModel struct {
	c      *Case
	grants []Grant
	data   Data
	next   []int64 // of PostgreSQL: the next number of each table's rows; nil: one more than the greatest
	wrong  string  // a promise that an allowed call would break
	out    []map[int]bool
}

func newWriteModel(c *Case, grants []Grant, counts bool) *writeModel {
	m := &writeModel{c: c, grants: grants, data: c.Data.clone()}
	if counts {
		for range c.Schema.Tables {
			m.next = append(m.next, anchor+1)
		}
	}
	m.out = m.outside()
	return m
}

func (data Data) clone() Data {
	out := make(Data, len(data))
	for t := range data {
		for _, row := range data[t] {
			out[t] = append(out[t], slices.Clone(row))
		}
	}
	return out
}

func (m *writeModel) slow() *slow { return newSlow(&m.c.Schema, m.data, m.grants) }

// outside are the rows that no grant reaches, by the number in their secret.
func (m *writeModel) outside() []map[int]bool {
	x := m.slow()
	out := make([]map[int]bool, len(m.data))
	for t := range m.data {
		out[t] = map[int]bool{}
		for i, row := range m.data[t] {
			if n := number(row); n >= 0 && !x.reaches(t, i) {
				out[t][n] = true
			}
		}
	}
	return out
}

func (x *slow) reaches(t, i int) bool {
	return slices.ContainsFunc(x.grants, func(v *view) bool { return x.inScope(v, t, i) })
}

// number is which of the first rows of its table it is; -1: it was inserted.
func number(row []Value) int {
	var t, n int
	if _, err := fmt.Sscanf(row[slotSecret].S, "hs%dx%dk", &t, &n); err != nil {
		return -1
	}
	return n
}

// hostHasToLook is in the error of a table that programs may not write because of the rules of its database. Which rules these
// are is no matter of rows: that they are refused is taken from what is said, and that those which are not
// tell of no other rows is what pairs of databases are for.
const hostHasToLook = "its host has to change or permit something first"

// do is a call: what it gives as JSON, or why it must fail. More than one reason: any of them.
func (m *writeModel) do(c *Call, said error) (want answer, why []refusal) {
	x := m.slow()
	if said != nil && c.Do != "read" && strings.Contains(said.Error(), hostHasToLook) {
		_, facet := m.c.Schema.ends(m.grants, c.Q)
		m.c.looked[facet] = true
		return want, []refusal{{fail.Denied, hostHasToLook}}
	}
	if c.Do == "read" {
		return x.answer(Query{c.Send, c.Q}), nil
	}
	before, data := m.data, m.data.clone()
	m.data = data
	var touched map[int]bool
	var table int
	var v *view
	if strings.HasPrefix(c.Do, "insert") {
		want, table, v, why = m.insert(x, c)
	} else {
		want, table, v, touched, why = m.change(x, c)
	}
	if len(why) > 0 {
		m.data = before
		return want, why
	}
	m.promises(x, before, table, v, touched)
	return want, nil
}

// promises are held against what an allowed call has done: the rows that it changed were in scope and
// are, and no row that was out of scope comes into it.
func (m *writeModel) promises(x *slow, before Data, table int, v *view, touched map[int]bool) {
	y := m.slow()
	w := y.grants[slices.Index(x.grants, v)]
	for i, row := range m.data[table] {
		if touched[i] && !y.inScope(w, table, i) {
			m.wrong = fmt.Sprintf("a row of %s is changed and out of scope then: %s", tableNames[m.c.Schema.Tables[table].Name], row[slotNote].S)
		}
	}
	for t := range m.data {
		for i, row := range m.data[t] {
			if n := number(row); n >= 0 && m.out[t][n] && y.reaches(t, i) {
				m.wrong = fmt.Sprintf("a row of %s comes into scope: %s", tableNames[m.c.Schema.Tables[t].Name], row[slotNote].S)
			}
		}
	}
}

// change is an update or a delete.
func (m *writeModel) change(x *slow, c *Call) (want answer, table int, v *view, touched map[int]bool, why []refusal) {
	grant, facet := m.c.Schema.ends(m.grants, c.Q)
	v, table = x.grants[grant], m.c.Schema.Facets[facet].Table
	why = append(m.decides(x, v, facet, c), m.besides(x, v, facet, c, [][]Set{c.Set})...)
	if c.Do == "update" {
		for _, k := range m.conditions(v, table, -1) {
			var of []int
			switch k.kind {
			case "holds":
				of = k.pred.names()
			case "among":
				of = m.c.Schema.Tables[table].Keys
			default:
				for _, p := range m.c.Schema.Links[k.link].Pairs {
					of = append(of, p[1])
				}
			}
			if !slices.ContainsFunc(c.Set, func(s Set) bool { return has(of, s.Slot) }) {
				continue
			}
			if k.kind == "linked" {
				why = append(why, m.reach(x, v, k.link, [][]Set{c.Set}, true)...)
			} else {
				why = append(why, refusal{fail.Denied, "a column of the scope"})
			}
		}
		standing := slices.Clone(c.Set) // with what the scope fixes
		fixed, _ := m.parts(m.conditions(v, table, -1))
		for _, f := range fixed {
			if len(f.vals) == 1 && !slices.ContainsFunc(standing, func(s Set) bool { return s.Slot == f.col }) {
				standing = append(standing, Set{Slot: f.col, Val: f.vals[0]})
			}
		}
		why = append(why, m.points(x, v, facet, c.Set, standing)...)
	}
	q := x.eval(c.Q)
	x.settle(q)
	if c.Q.Op == "where" && c.Q.Found && len(q.tuples) == 0 {
		why = append(why, refusal{fail.Conflict, "it was changed"})
	}
	touched = map[int]bool{}
	var rows []int
	for _, t := range q.tuples {
		i := t.rows[0].row
		rows = append(rows, i)
		if c.Do == "delete" {
			continue
		}
		touched[i] = true
		if c.Bind != 0 {
			x.call(&Node{Bind: c.Bind, NS: c.NS}, t)
		}
		for _, s := range c.Set {
			val := s.Val
			if s.X != nil {
				val = x.value(s.X)
			}
			val, ok := val.as(slots[s.Slot].kind)
			if !ok {
				why = append(why, refusal{fail.Invalid, "a value that the column can't store"})
			}
			m.data[table][i][s.Slot] = val
		}
	}
	if c.Do == "delete" {
		var kept [][]Value
		for i, row := range m.data[table] {
			if !has(rows, i) {
				kept = append(kept, row)
			}
		}
		m.data[table] = kept
	}
	if rule := m.c.Schema.broken(m.data); rule != "" {
		why = append(why, refusal{fail.Invalid, rule})
	}
	return answer{rows: []string{fmt.Sprint(len(rows))}, one: true, exact: true}, table, v, touched, why
}

// as is a value as a column of a kind keeps it.
func (v Value) as(k Kind) (Value, bool) {
	if v.Null {
		return Value{Null: true, Kind: k}, true
	}
	if v.R != nil || v.Kind != k && k.numeric() {
		r := v.exact()
		switch k {
		case Int:
			return Value{Kind: Int, I: r.Num().Int64()}, r.IsInt() && r.Num().IsInt64()
		case Decimal:
			return Value{Kind: Decimal, S: digits(r)}, true
		}
		f, _ := new(big.Rat).Set(r).Float64()
		return Value{Kind: Float, F: f}, true
	}
	v.Form = 0
	v.Kind = k
	return v, true
}

// ends is the grant and the facet of the rows of a query.
func (s *Schema) ends(grants []Grant, n *Node) (grant, facet int) {
	if n.Op == "grant" {
		return n.N, grants[n.N].Facet
	}
	grant, facet = s.ends(grants, n.Args[0])
	if n.Op == "follow" {
		for _, v := range s.Facets[facet].Links {
			if v.Link == n.N {
				return grant, v.Facet
			}
		}
	}
	return grant, facet
}

// print are all rows of a table, as a program sees them that sees all columns.
func (m *writeModel) print(table int) (out []string) {
	for _, row := range m.data[table] {
		var b strings.Builder
		for i, c := range m.c.Schema.Tables[table].Cols {
			fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], slots[c].guest, row[c].json())
		}
		out = append(out, b.String()+"}")
	}
	return sortedQuoted(out)
}
