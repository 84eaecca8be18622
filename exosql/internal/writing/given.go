package writing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// This file reads what a message gives: rows, by the sets of columns that they give. The planning comes after it.

// Given is what the literal of a message that writes gives: rows, by the sets of columns that they give. An update gives
// one row, which is that of the literal, or of no column where a callback calculates what is changed.
type Given struct {
	Sets [][]string // each sorted by its names
	Rows []GivenRow
}

// GivenRow is one row: values of the columns of set number Set.
type GivenRow struct {
	Set    int
	Values []value.Value
}

// GivenBy is what a message gives.
func GivenBy(m *exo.Message) Given {
	var lit value.Value
	if args := m.Root.Args; len(args) > 0 {
		arg := args[0]
		if arg.Op == message.OpLambda {
			arg = arg.Args[0] // of a callback that names no column of the row, it is a literal
		}
		if arg.Op == message.OpLit {
			lit = arg.Lit
		}
	}
	if lit.Type() != value.TypeList {
		return GivenRows(lit)
	}
	rows := make([]value.Value, lit.Len())
	for i := range rows {
		rows[i] = lit.At(i)
	}
	return GivenRows(rows...)
}

// byHost marks the name of a column that the host gives: no program can say such a name.
const byHost = "\x00"

// byHook marks the name of a column that a hook fills: no program can say such a name, either.
const byHook = "\x01"

// HookColumn is the name under which a hook fills a value, whatever the facet shows or allows.
func HookColumn(c *decl.Column) string { return byHook + c.Name }

func filled(name string) bool { return strings.HasPrefix(name, byHook) }

// HostColumn is the name under which the host gives a value, whatever the facet shows or allows.
func HostColumn(c *decl.Column) string { return byHost + c.Name }

// HostColumns are the columns of sets that the host gives.
func HostColumns(t *decl.Table, sets [][]string) (out []*decl.Column) {
	for _, s := range sets {
		for _, n := range s {
			if of, ok := strings.CutPrefix(n, byHost); ok {
				if c := t.Column(of); !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// column finds the column with a given name among those that a program may write.
func column(allowed []*decl.Column, fc *decl.Facet, name string) *decl.Column {
	for _, by := range []string{byHost, byHook} {
		if of, ok := strings.CutPrefix(name, by); ok {
			return fc.Table.Column(of)
		}
	}
	return named1(allowed, name)
}

// GivenRows is what records of columns and values give.
func GivenRows(rows ...value.Value) (g Given) {
	known := map[string]*ordered{}
	for _, r := range rows {
		g.add(known, r)
	}
	return g
}

// ordered is the order in which a literal names the columns of a set.
type ordered struct {
	set int
	at  []int // where each name of the literal is in the set
}

func (g *Given) add(known map[string]*ordered, row value.Value) {
	var key []byte
	var names []string
	for n := range row.Fields() {
		key = append(append(key, n...), 0)
		names = append(names, n)
	}
	o := known[string(key)]
	if o == nil {
		sorted := slices.Sorted(slices.Values(names))
		o = &ordered{set: slices.IndexFunc(g.Sets, func(s []string) bool { return slices.Equal(s, sorted) })}
		if o.set < 0 {
			o.set, g.Sets = len(g.Sets), append(g.Sets, sorted)
		}
		for _, n := range names {
			o.at = append(o.at, slices.Index(sorted, n))
		}
		known[string(key)] = o
	}
	values := make([]value.Value, len(names))
	i := 0
	for _, v := range row.Fields() {
		values[o.at[i]] = v
		i++
	}
	g.Rows = append(g.Rows, GivenRow{o.set, values})
}

// AppendSets adds to the key of a plan which columns are given: that is no part of the message's shape.
func AppendSets(key []byte, sets [][]string) []byte {
	for _, s := range sets {
		key = append(key, ';')
		for _, n := range s {
			key = append(append(strconv.AppendInt(key, int64(len(n)), 10), ':'), n...)
		}
	}
	return key
}

func named1(cols []*decl.Column, guest string) *decl.Column {
	for _, c := range cols {
		if c.Guest == guest {
			return c
		}
	}
	return nil
}
