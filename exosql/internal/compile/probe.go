package compile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/shape"
)

// Use is one way of using a column that an index may serve.
type Use string

const (
	UseEqual      Use = "="
	UseRange      Use = "range"
	UseOrder      Use = "order"
	UseDescending Use = "descending order"
)

// Uses returns the ways in which an index may serve a column. An index of a JSON column finds nothing within the JSON, so JSON has none.
func Uses(d expr.Engine, col *decl.Column) []Use {
	if col.Kind == value.TypeJSON {
		return nil
	}
	n := d.FormOf(col).Native
	unordered := !n.Text() && !n.Ordered
	ops := language.OperatorOn()[language.ColumnInterfaces[col.Kind]]
	var out []Use
	for _, x := range []struct {
		op  string
		use []Use
	}{{"eq", []Use{UseEqual}}, {"ge", []Use{UseRange}}, {"asc", []Use{UseOrder, UseDescending}}} {
		if ops[x.op] != nil && (x.op == "eq" || !unordered) {
			out = append(out, x.use...)
		}
	}
	return out
}

// Probe is a sample program that uses one column of a facet. It is compiled like any program, to ask the database how it would run that program's
// query. The query reads only the rows in the grant's scope.
type Probe struct {
	Plan *plan.Plan // Plan is the open plan (see open.go), or nil if no index search can find the scope
	Args []value.Value
	// Bare means that nothing in Plan needs a fence, so programs always run Plan. That is so for keys, and for columns with AllowUnscopedLookup.
	Bare bool
}

// NewProbe compiles a sample program that uses a column of a facet within the grant.
func NewProbe(g shape.Prepared, d expr.Engine, fc *decl.Facet, col *decl.Column, use Use) (*Probe, error) {
	m, err := using(fc, col, use, d.FormOf(col).Native.Sample)
	if err != nil {
		return nil, err
	}
	c := newCompiler(d, m, []shape.Prepared{g})
	c.alone = fc
	if _, err := planOf(c); err != nil {
		return nil, err
	}
	p := opened(fence.Form{Open: true}, func() *compiler {
		open := newCompiler(d, m, []shape.Prepared{g})
		open.alone = fc
		return open
	}, reply)
	if p == nil {
		return &Probe{}, nil // without fixed columns in the scope there is no open plan: see withOpen
	}
	args, err := p.Bind(m.Args, [][]value.Value{g.Vals}, nil, m.Zone())
	return &Probe{Plan: p, Args: args, Bare: c.fences == 0}, err
}

// using returns the message of a program that uses a column:
//
//	rows.where(row => row.column.eq(value)).execute()
//	rows.orderBy(row => row.column.desc()).limit(20).execute()
//
// The message is checked like a program's.
func using(fc *decl.Facet, col *decl.Column, use Use, native string) (*exo.Message, error) {
	desc, err := fc.Describe(nil)
	if err != nil {
		return nil, err
	}
	catalog := message.Catalog{}
	for _, i := range desc.Interfaces {
		catalog[i.Name] = i
	}
	check := &message.Checker{Catalog: catalog, Bounds: exo.Limits{}.OrDefault().Message(), Ref: func(uint32) *message.Type { return desc.Type }, Show: func(uint32) string { return fc.Alias }}
	b := builder{check: check}
	b.add(message.WireNode{Op: message.OpRef, Ref: 1, Recv: -1})
	method := map[Use]string{UseEqual: "where", UseRange: "where"}[use]
	method = cmp.Or(method, "orderBy")
	rows := b.last()
	param := b.add(message.WireNode{Op: message.OpParam, Name: method, Recv: rows})
	row := b.add(message.WireNode{Op: message.OpField, Name: fc.Alias, Recv: param})
	x := b.add(message.WireNode{Op: message.OpField, Name: col.Guest, Recv: row})
	switch use {
	case UseEqual, UseRange:
		op := "eq"
		if use == UseRange {
			op = "ge"
		}
		v := b.add(message.WireNode{Op: message.OpLit, Lit: sample(col, native), Recv: -1})
		x = b.add(message.WireNode{Op: message.OpCall, Name: op, Recv: x, Args: []int32{v}})
	case UseDescending:
		x = b.add(message.WireNode{Op: message.OpCall, Name: "desc", Recv: x})
	}
	q := b.add(message.WireNode{Op: message.OpLambda, Recv: param, Args: []int32{x}})
	q = b.add(message.WireNode{Op: message.OpCall, Name: method, Recv: rows, Args: []int32{q}})
	if method == "orderBy" {
		n := b.add(message.WireNode{Op: message.OpLit, Lit: value.Int(20), Recv: -1})
		q = b.add(message.WireNode{Op: message.OpCall, Name: "limit", Recv: q, Args: []int32{n}})
	}
	b.add(message.WireNode{Op: message.OpCall, Name: "execute", Recv: q})
	m, err := check.Check(message.Expr{Nodes: b.nodes})
	if err != nil {
		return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: the sample program that uses %s.%s was refused: this is a fault of exosql, please report it: %w", col.Table.Name, col.Name, err)}
	}
	return &exo.Message{Checked: *m}, nil
}

type builder struct {
	check *message.Checker
	nodes []message.WireNode
}

func (b *builder) last() int32 { return int32(len(b.nodes) - 1) }

func (b *builder) add(n message.WireNode) int32 {
	b.nodes = append(b.nodes, n)
	return b.last()
}

// sample returns a value for a sample program to compare a column with. Plans do not depend on the value.
func sample(col *decl.Column, native string) value.Value {
	switch {
	case len(col.Enum) > 0:
		return value.Text(slices.Min(col.Enum))
	case native != "":
		return value.Text(native)
	}
	switch col.Kind {
	case value.TypeInt, value.TypeFloat:
		return value.Int(1)
	case value.TypeBool:
		return value.Bool(true)
	}
	return value.Text(map[string]string{
		value.TypeTime: "2000-01-02T03:04:05Z", value.TypeDate: "2000-01-02", value.TypeDecimal: "1.5", value.TypeInterval: "P1D",
		value.TypeUUID: "00000000-0000-0000-0000-000000000000",
	}[col.Kind])
}
