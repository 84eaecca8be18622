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

// This file reads the rows that a message gives, before planning. It groups them by the set of columns that they give.

// Given has the rows that a message writes, and the sets of columns that rows give. An update has one row; if a callback calculates its
// values, the row has no columns.
type Given struct {
	Sets [][]string // Sets are the sets of column names, each set sorted
	Rows []GivenRow
}

// GivenRow is one given row, with the values of the columns in set number Set.
type GivenRow struct {
	Set    int
	Values []value.Value
}

// GivenBy returns the rows that a message gives in its literals.
func GivenBy(m *exo.Message) Given {
	var lit value.Value
	if args := m.Root.Args; len(args) > 0 {
		arg := args[0]
		if arg.Op == message.OpLambda {
			arg = arg.Args[0] // a callback that uses no column of the row may return a literal
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

// byHost begins the name of a column that the host itself gives. No program can write such a name.
const byHost = "\x00"

// byHook begins the name of a column that a hook fills. No program can write such a name.
const byHook = "\x01"

// HookColumn returns the name for column c when a hook fills it. The name is valid whatever the facet shows or allows.
func HookColumn(c *decl.Column) string { return byHook + c.Name }

func filled(name string) bool { return strings.HasPrefix(name, byHook) }

// HostColumn returns the name of column c in a write for which the host itself gives the value of c. The name is valid whatever the facet shows or allows.
func HostColumn(c *decl.Column) string { return byHost + c.Name }

// HostColumns returns those columns of the sets that the host itself gives.
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

// column returns the column that a name in a set means: one of those that a program may write, or one that HostColumn or HookColumn named. It returns nil for any other name.
func column(allowed []*decl.Column, fc *decl.Facet, name string) *decl.Column {
	for _, by := range []string{byHost, byHook} {
		if of, ok := strings.CutPrefix(name, by); ok {
			return fc.Table.Column(of)
		}
	}
	return named1(allowed, name)
}

// GivenRows returns records of columns and values as given rows.
func GivenRows(rows ...value.Value) (g Given) {
	known := map[string]*ordered{}
	for _, r := range rows {
		g.add(known, r)
	}
	return g
}

// ordered is for literals that give the same columns in the same order: the number of their set, and the place of each column in it.
type ordered struct {
	set int
	at  []int // at is the index in the set of each name in the literal
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

// AppendSets adds the given columns to the key of a plan, since the message's shape does not include them.
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
