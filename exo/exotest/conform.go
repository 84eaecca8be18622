package exotest

import (
	"context"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Conform checks that an object follows the rules that the gate and the evaluators rely on, and
// reports each violation with t.Error:
//
//   - Describe returns the same each time, also when several goroutines call it, and no message
//     changes it; the description can be granted, and errors have each situation and part that its
//     phrases name.
//   - Eval answers whatever the gate admits: it does not panic on odd texts and
//     numbers, empty and long lists, fields left out, or values that make no sense.
//   - The result has the type that the catalogue gives it.
//   - Eval returns soon after its context has ended (within 30 seconds here).
//
// Conform sends about fifty messages to each method for which it can make arguments, also to
// methods that change something. Give it an object made for the test. Methods that take callbacks
// or other objects need tests of their own, with Chain. Run it with -race: messages act at the same
// time.
func Conform(t testing.TB, o exo.Object) {
	t.Helper()
	before := describe(t, o)
	for _, i := range before.Interfaces {
		for _, w := range i.Words {
			for p := range w.All() {
				if err := p.Check(); err != nil {
					t.Errorf("exotest: Words of the interface %s: %v", i.Name, err)
				}
			}
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			d, err := o.Describe()
			d.Frozen = before.Frozen // ignore Frozen, which the copy in before lost
			if err != nil || !reflect.DeepEqual(d, before) {
				t.Errorf("exotest: a second call of Describe returned another description, error %v: it must return the same each time", err)
			}
		})
	}
	wg.Wait()
	c := &conform{t: t, object: o, admits: labelsOf(t, o), rand: rand.New(rand.NewSource(1)), seen: map[*message.Method]bool{}}
	c.begin()
	calls := c.explore(nil, 3)
	if len(calls) == 0 {
		t.Errorf("exotest: Conform can send this object no message: it has no method that sends, or all need callbacks or objects; test those with Chain")
	}
	for _, call := range calls {
		c.send(call)
		c.cancelled(call)
	}
	if after := describe(t, o); !reflect.DeepEqual(before, after) {
		t.Errorf("exotest: after messages were sent, Describe returns another description: it must return the same each time")
	}
}

// begin begins a run that notes panics, since a reply shows a panic only as an internal error.
func (c *conform) begin() {
	c.t.Helper()
	o := exo.Wrap(c.object, exo.Policy{After: func(m *exo.Message, _ value.Value, err error) {
		if exo.IsPanic(err) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.panicked = append(c.panicked, m.Root.Name+": Eval must return, and not panic or end its goroutine: "+clip(err.Error()))
		}
	}})
	c.run = Begin(c.t, exo.Config{Grants: map[string]exo.Object{"object": o}, Limits: plenty(), Admits: c.admits})
}

// plenty returns limits that allow a few thousand messages.
func plenty() exo.Limits {
	l := exo.Limits{}.OrDefault()
	l.Calls, l.Rows, l.Bytes, l.UnansweredBytes, l.MessageBytes = 1<<30, 1<<40, 1<<40, 1<<30, 1<<40
	return l
}

// describe returns a copy of the object's description, which it gets through a policy.
func describe(t testing.TB, o exo.Object) (d message.Description) {
	t.Helper()
	copied := exo.Wrap(o, exo.Policy{Narrow: func(c *message.Description) error { d = *c; return nil }})
	if _, err := copied.Describe(); err != nil {
		t.Fatalf("exotest: the object can't be granted: %v", err)
	}
	return d
}

type conform struct {
	t      testing.TB
	object exo.Object
	admits value.Label
	run    *Run
	rand   *rand.Rand
	seen   map[*message.Method]bool // the methods that explore has already found

	mu       sync.Mutex
	panicked []string
}

// step is one call of a chain.
type step struct {
	method string
	args   []any
}

// sentMessage is a message that Conform has found: the method that sends it, and the calls before.
type sentMessage struct {
	path   []step
	method *message.Method
}

// at makes a chain of the calls in path, in the current run.
func (c *conform) at(path []step) *Chain {
	chain := c.run.On("object")
	for _, s := range path {
		chain = chain.Call(s.method, s.args...)
	}
	return chain
}

// explore finds each method that sends, once, after at most depth calls that only describe.
func (c *conform) explore(path []step, depth int) (found []sentMessage) {
	at := c.at(path)
	if at.err != nil {
		return nil
	}
	i := c.run.gate.Catalog()[at.node.Type.Name]
	if i == nil {
		return nil
	}
	for _, name := range i.Names() {
		m := i.Methods[name]
		if m == nil || m.Name != name || c.seen[m] {
			continue
		}
		c.seen[m] = true
		if args, ok := c.arguments(m); !ok {
			continue
		} else if m.Sends {
			found = append(found, sentMessage{path, m})
		} else if depth > 0 {
			found = append(found, c.explore(append(slices.Clip(path), step{name, args}), depth-1)...)
		}
	}
	return found
}

// rounds is how many messages each method gets.
const rounds = 50

// send calls one method many times at once, in a run that commits, and checks the replies.
func (c *conform) send(x sentMessage) {
	c.t.Helper()
	c.begin()
	at := c.at(x.path)
	var ops []string
	want := map[uint64]*message.Type{}
	for range rounds {
		args, _ := c.arguments(x.method)
		call := at.Call(x.method.Name, args...)
		if call.err != nil {
			continue // the method needs a name of JavaScript, and the random text is none
		}
		c.run.last++
		if err := c.run.session.Submit(exo.Call{ID: c.run.last, Expr: call.node.Expr()}); err != nil {
			c.t.Fatalf("exotest: %v", err)
		}
		want[c.run.last] = call.node.Type
		ops = append(ops, fmt.Sprintf("%s(%v)", x.method.Name, args))
	}
	for _, op := range ops {
		r, ok, err := c.run.session.Next(context.Background())
		if !ok || err != nil {
			c.t.Fatalf("exotest: no reply: %v", err)
		}
		if r.Err != nil {
			continue
		}
		if err := c.fits(want[r.ID], r.Value, "the result"); err != nil {
			c.t.Errorf("exotest: %s: %v", clip(op), err)
		}
	}
	if err := c.run.Finish(true); err != nil { // held effects act during Finish
		c.t.Errorf("exotest: %s: the run did not commit: %v", x.method.Name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range slices.Compact(slices.Sorted(slices.Values(c.panicked))) {
		c.t.Errorf("exotest: %s", p)
	}
	c.panicked = nil
}

func clip(s string) string { return s[:min(len(s), 300)] }

// cancelled sends the object one more message, with a context that has ended.
func (c *conform) cancelled(x sentMessage) {
	c.t.Helper()
	c.begin()
	args, _ := c.arguments(x.method)
	call := c.at(x.path).Call(x.method.Name, args...)
	if call.err != nil {
		return
	}
	m := call.Message()
	object := m.Root
	for object.Recv != nil {
		object = object.Recv
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { recover() }() // ignored, since send has already reported a panic
		m.Objects[object.Slot].Eval(ended, m)
	}()
	select {
	case <-done:
	case <-time.After(patience):
		c.t.Errorf("exotest: %s: Eval has not returned %v after its context ended: it must return then", x.method.Name, patience)
	}
}

// fits checks that a value has the type that the catalogue gives it.
func (c *conform) fits(t *message.Type, v value.Value, at string) error {
	bad := func() error { return fmt.Errorf("%s is %s, but the description says %s", at, clip(v.String()), t) }
	if i := c.run.gate.Catalog()[t.Name]; i != nil && i.Expr && t.Args["of"] != nil {
		return c.fits(t.Args["of"], v, at) // for a column, a reply has the type of its values
	} else if i != nil && v.Type() == value.TypeRecord && len(i.Fields) > 0 {
		row := &message.Type{Name: value.TypeRecord}
		for _, n := range i.Names() {
			if f := i.Fields[n]; f != nil {
				row.Fields = append(row.Fields, message.TypeField{Name: n, Type: f.Type})
			}
		}
		return c.fits(row, v, at)
	} else if i != nil {
		if v.IsNull() && t.Null {
			return nil
		}
		if got := c.refers(v); got == nil || got.Name != t.Name {
			return fmt.Errorf("%s is an object of type %s, but the description says %s", at, got, t.Name)
		}
		return nil
	}
	if v.IsNull() {
		if t.Null || t.Name == value.TypeNull || t.Name == value.TypeData || t.Name == value.TypeJSON {
			return nil
		}
		return bad()
	}
	k, ok := v.Type(), false
	switch t.Name {
	case value.TypeData, value.TypeJSON:
		ok = true
	case value.TypeBool, value.TypeTime:
		ok = k == t.Name
	case value.TypeInt:
		ok = k == value.TypeInt && (t.Min >= t.Max || v.Int() >= t.Min && v.Int() <= t.Max)
	case value.TypeFloat, value.TypeNumber:
		ok = k == value.TypeFloat || k == value.TypeInt
	case value.TypeText:
		ok = k == value.TypeText && (len(t.Enum) == 0 || slices.Contains(t.Enum, v.Text()))
	case value.TypeDecimal, value.TypeDate, value.TypeInterval, value.TypeUUID, value.TypeBytes:
		text, is := scalar.Canonical(t.Name, v.Text())
		ok = k == value.TypeText && is && text == v.Text()
	case value.TypeList:
		return c.fitsList(t, v, at, bad)
	case value.TypeRecord:
		return c.fitsRecord(t, v, at, bad)
	}
	if !ok {
		return bad()
	}
	return nil
}

func (c *conform) fitsList(t *message.Type, v value.Value, at string, bad func() error) error {
	item := v.At
	switch v.Type() {
	case value.TypeList:
	case value.TypeRows:
		item = v.Rows().Row
	default:
		return bad()
	}
	for i := range v.Len() {
		if err := c.fits(t.Args["of"], item(i), fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *conform) fitsRecord(t *message.Type, v value.Value, at string, bad func() error) error {
	if v.Type() != value.TypeRecord {
		return bad()
	}
	n := 0
	for _, f := range t.Fields {
		x, ok := v.Get(f.Name)
		if !ok && f.Opt {
			continue
		} else if !ok {
			return fmt.Errorf("%s lacks the field %s, which the description has", at, f.Name)
		}
		n++
		if err := c.fits(f.Type, x, at+"."+f.Name); err != nil {
			return err
		}
	}
	if n != v.Len() {
		return fmt.Errorf("%s has fields that the description lacks: %s", at, clip(v.String()))
	}
	return nil
}

// refers returns the type of the object that a reply refers to.
func (c *conform) refers(v value.Value) *message.Type {
	if v.Type() != value.TypeRef {
		return nil
	}
	return c.run.checker.Ref(v.Number())
}
