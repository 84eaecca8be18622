package writing

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// A host's hooks see a write before it is planned, and fill columns. These values must keep rows in scope like all others. An error in such a
// value is Internal, because it is not the program's fault, and the program may not know the column.

// hook returns the column of v if a hook filled it, or nil if the program gave the value.
func hook(v written) *decl.Column {
	if !v.Filled {
		return nil
	}
	return v.Col
}

// ofHook returns err unchanged if c is nil. Otherwise a hook filled the column c, so the error becomes one for the host.
func ofHook(c *decl.Column, err error) error {
	if c == nil {
		return err
	}
	return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a hook fills %s.%s: %w", c.Table.Name, c.Name, err)}
}

// hooked returns cols, with nil in the place of each column that no hook fills in any row.
func hooked(cols []*decl.Column, rows [][]written) (out []*decl.Column) {
	for _, c := range cols {
		filled := slices.ContainsFunc(rows, func(r []written) bool {
			return slices.ContainsFunc(r, func(v written) bool { return v.Col == c && v.Filled })
		})
		if !filled {
			c = nil
		}
		out = append(out, c)
	}
	return out
}

// HookLinks returns the links that start at a column that a hook may fill.
func HookLinks(t *decl.Table) (out []*decl.Link) {
	if len(t.Fills) == 0 {
		return nil
	}
	for _, l := range t.Refers() {
		if slices.ContainsFunc(l.Pairs, func(p decl.Pair) bool { return slices.Contains(t.Fills, p.From) }) {
			out = append(out, l)
		}
	}
	return out
}

// AppendHookLinks adds the HookLinks of t to the key of a plan, since a link may be declared after the plan was made.
func AppendHookLinks(key []byte, t *decl.Table) []byte {
	for _, l := range HookLinks(t) {
		key = strconv.AppendUint(append(key, " hook link "...), l.ID, 10)
	}
	return key
}

// Target returns the facet that a message writes through: that of its object, or of the last link that it follows. The caller must check that the
// planned write has the same facet.
func Target(m *exo.Message, of func(slot int) *decl.Facet) *decl.Facet {
	var path []string
	n := m.Root.Recv
	for ; n != nil && n.Op == message.OpCall; n = n.Recv {
		path = append(path, n.Name)
	}
	if n == nil || n.Op != message.OpRef {
		return nil
	}
	f := of(n.Slot)
	for _, name := range slices.Backward(path) {
		if l := f.Link(name); l != nil {
			f = l.To
		}
	}
	return f
}

// Gives returns the columns that a message sets in each row of given, by a literal or by an update's callback. ok is false if the program may not
// write one of them, which planning refuses, or if an update changes no column.
func Gives(m *exo.Message, fc *decl.Facet, given Given) (kind Kind, rows [][]decl.Given, ok bool) {
	kind = writeKind(m.Root.Name)
	allowed := fc.Rights.Insert
	if kind == Updates {
		allowed = fc.Rights.Update
	}
	for _, r := range given.Rows {
		var row []decl.Given
		for i, name := range given.Sets[r.Set] {
			col := column(allowed, fc, name)
			if col == nil {
				return kind, nil, false
			}
			row = append(row, decl.Given{Col: col, Value: r.Values[i]})
		}
		rows = append(rows, row)
	}
	if kind != Updates {
		return kind, rows, true
	}
	arg := m.Root.Args[0]
	if arg.Op == message.OpLambda {
		arg = arg.Args[0]
	}
	if arg.Op == message.OpRecord {
		for i, name := range arg.Names {
			col := named1(allowed, name)
			if col == nil {
				return kind, nil, false
			}
			g := decl.Given{Col: col, Calculated: true}
			if v := arg.Args[i]; v.Op == message.OpLit {
				g.Value, g.Calculated = v.Lit, false
			}
			rows[0] = append(rows[0], g)
		}
	}
	return kind, rows, len(rows[0]) > 0 // for an update that changes nothing, hooks fill nothing
}

// Fill returns the given rows, with the values that hooks filled in added to each.
func Fill(given Given, filled [][]decl.Given) Given {
	rows := make([]value.Value, len(given.Rows))
	for i, r := range given.Rows {
		var fields []value.Field
		for j, name := range given.Sets[r.Set] {
			fields = append(fields, value.Field{Name: name, Value: r.Values[j]})
		}
		for _, f := range filled[i] {
			fields = append(fields, value.Field{Name: HookColumn(f.Col), Value: f.Value})
		}
		rows[i] = value.RecordValue(fields...)
	}
	return GivenRows(rows...)
}
