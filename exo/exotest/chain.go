package exotest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Chain is an expression that a test records call by call, as a program would. Chains are
// immutable. A chain that can't be recorded keeps the error, which Send returns.
type Chain struct {
	run  *Run
	node *message.Node
	err  error
}

// Run returns the run that the chain belongs to.
func (c *Chain) Run() *Run { return c.run }

// Field returns a chain that reads a field.
func (c *Chain) Field(name string) *Chain {
	if c.err != nil {
		return c
	}
	n, err := c.run.checker.MakeField(c.node, name)
	return c.next(n, err)
}

// Call returns a chain that calls a method. An argument is a value.Value, or a plain Go value (nil,
// bool, int, int64, float64, string, time.Time). It may also be another Chain of the same run, or a map[string]any
// or []any of all these. A callback is a func(*Chain) *Chain, which is called once, with a placeholder.
// Anything else fails the test.
func (c *Chain) Call(method string, args ...any) *Chain {
	if c.err != nil {
		return c
	}
	var nodes []*message.Node
	for i, a := range args {
		n, err := c.arg(method, i, nodes, a)
		if err != nil {
			return c.next(nil, err)
		}
		nodes = append(nodes, n)
	}
	n, err := c.run.checker.MakeCall(c.node, method, nodes)
	return c.next(n, err)
}

// Send sends the message that the chain ends with and waits for the reply. References in the reply
// are numbers of the run, for (*Run).Reply.
func (c *Chain) Send() (value.Value, error) {
	c.run.t.Helper()
	if c.err != nil {
		return value.Value{}, c.err
	}
	return c.run.submit(c.node)
}

// Message returns the message that the chain ends with, as the object would get it, without sending
// it.
func (c *Chain) Message() *exo.Message {
	c.run.t.Helper()
	r := c.run
	r.capture, r.kept = true, nil
	_, err := c.Send()
	m := r.kept
	if r.capture, r.kept = false, nil; m == nil {
		r.t.Fatalf("exotest: the message does not reach the object: %v", err)
	}
	return m
}

func (c *Chain) next(n *message.Node, err error) *Chain { return &Chain{run: c.run, node: n, err: err} }

func (c *Chain) arg(method string, i int, prior []*message.Node, a any) (*message.Node, error) {
	check := c.run.checker
	switch a := a.(type) {
	case *Chain:
		if a.err == nil && a.run != c.run {
			return nil, fmt.Errorf("exotest: argument %d of %s is a chain of another Run: begin it with this Run", i+1, method)
		}
		return a.node, a.err
	case func(*Chain) *Chain:
		p, err := check.MakeParam(c.node, method, i, slices.Clone(prior))
		if err != nil {
			return nil, err
		}
		defer check.Kill(p)
		body := a(&Chain{run: c.run, node: p})
		if body.err != nil {
			return nil, body.err
		}
		return check.MakeLambda(p, body.node)
	case map[string]any:
		names := slices.Sorted(maps.Keys(a))
		nodes := make([]*message.Node, len(names))
		fields := make([]value.Field, len(names))
		for k, name := range names {
			n, err := c.arg(method, i, prior, a[name])
			if err != nil {
				return nil, err
			}
			nodes[k], fields[k] = n, value.Field{Name: name, Value: n.Lit}
		}
		if plain(nodes) {
			return check.MakeLit(value.RecordValue(fields...))
		}
		return check.MakeRecord(names, nodes)
	case []any:
		nodes, values := make([]*message.Node, len(a)), make([]value.Value, len(a))
		for k, x := range a {
			n, err := c.arg(method, i, prior, x)
			if err != nil {
				return nil, err
			}
			nodes[k], values[k] = n, n.Lit
		}
		if plain(nodes) {
			return check.MakeLit(value.List(values...))
		}
		return check.MakeList(nodes)
	}
	v, err := literal(a)
	if err != nil {
		c.run.t.Fatal(err)
	}
	return check.MakeLit(v)
}

// plain reports whether all nodes are literal values. A list or record of such nodes is one value, as in a program.
func plain(nodes []*message.Node) bool {
	return !slices.ContainsFunc(nodes, func(n *message.Node) bool { return n.Op != message.OpLit })
}

// literal converts a Go value to the value that a program would use for it.
func literal(a any) (value.Value, error) {
	switch a := a.(type) {
	case value.Value:
		return a, nil
	case nil:
		return value.Null(), nil
	case bool:
		return value.Bool(a), nil
	case int:
		return value.Int(int64(a)), nil
	case int64:
		return value.Int(a), nil
	case float64:
		return value.Float(a), nil
	case string:
		return value.Text(a), nil
	case time.Time:
		return value.Time(a), nil
	}
	return value.Value{}, fmt.Errorf("exotest: a %T can't be an argument: want a value.Value, a plain value, a map or list of them, a Chain or a callback", a)
}
