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

// Hooks of the host see a write before it is planned, and fill columns: their values are given under names of their own (see
// HookColumn), and have to keep rows in scope like all others. What is wrong with them is no fault of the program, which may
// not know the columns, either: these errors are Internal.

// hook is the column if a hook fills it, or nil.
func hook(v written) *decl.Column {
	if !v.Filled {
		return nil
	}
	return v.Col
}

// ofHook is err, or the host's error where a hook has filled column c.
func ofHook(c *decl.Column, err error) error {
	if c == nil {
		return err
	}
	return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a hook fills %s.%s: %w", c.Table.Name, c.Name, err)}
}

// hooked are those of some columns that a hook fills in a row; nil stands for the others.
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

// HookLinks are the links that a value of a hook's can be part of.
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

// AppendHookLinks adds to the key of a plan the links that hooks may lead by: one may be declared later.
func AppendHookLinks(key []byte, t *decl.Table) []byte {
	for _, l := range HookLinks(t) {
		key = strconv.AppendUint(append(key, " hook link "...), l.ID, 10)
	}
	return key
}

// Target is the facet whose rows a message writes: that of its object, or of the link that it follows last. That the
// planned write is of the same one is for the caller to see.
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

// Gives are the columns that a message gives, for each row of given: those of its literal, or what an update's callback
// calculates. ok is false where a name is none that the program may write: planning refuses it.
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
	return kind, rows, len(rows[0]) > 0 // of nothing to change nothing is filled
}

// Fill is given with what hooks have filled, for each row.
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
