package exotest_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// counter is an object with one method, add(n), which adds to it and returns the sum: it
// changes something, and the program needs the answer.
type counter struct{ sum atomic.Int64 }

func (c *counter) Describe() (message.Description, error) {
	num := &message.Term{Con: &message.Type{Name: value.TypeInt}}
	i := &message.Interface{Name: "Counter", Order: []string{"add"}, Methods: map[string]*message.Method{
		"add": {Name: "add", Sends: true, Effect: message.Immediate, Params: []message.Param{{Name: "the number", Want: num}}, Result: num}}}
	return message.Description{Type: &message.Type{Name: "Counter"}, Interfaces: []*message.Interface{i}}, nil
}

func (c *counter) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	n := m.Root.Args[0].Lit.Int()
	if n < 0 {
		return value.Value{}, &fail.Error{Kind: fail.Invalid, Msg: "only numbers from 0 can be added", Err: exo.ErrNothingDone}
	}
	return value.Int(c.sum.Add(n)), nil
}

// report stands in for the *testing.T of an example.
type report struct{ testing.TB }

func (report) Helper()        {}
func (report) Cleanup(func()) {}

// Send is what a program's call comes to.
func ExampleSend() {
	var t testing.TB = report{} // in a test, the test's own
	c := &counter{}
	fmt.Println(exotest.Send(t, c, "add", 2))
	fmt.Println(exotest.Send(t, c, "add", -1))
	fmt.Println(exotest.Send(t, c, "add", "2"))
	_, err := exotest.Send(t, c, "subtract", 2)
	fmt.Println(errors.Is(err, fail.ErrDenied))
	// Output:
	// 2 <nil>
	// <no value> object.add: invalid: only numbers from 0 can be added: exo: nothing was done
	// <no value> object.add: invalid: the number must be a whole number; got the text "2"
	// true
}

// Message makes what Eval is called with.
func ExampleMessage() {
	var t testing.TB = report{}
	c := &counter{}
	m := exotest.Message(t, c, "add", 40)
	fmt.Println(m.Root.Name, m.Args, c.sum.Load())
	fmt.Println(c.Eval(context.Background(), m))
	// Output:
	// add [40] 0
	// 40 <nil>
}
