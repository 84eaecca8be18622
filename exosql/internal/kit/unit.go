package kit

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// JobsCall is an object with one method, which calls a function of the test.
type JobsCall func()

func (f JobsCall) Describe() (message.Description, error) {
	null := &message.Term{Con: &message.Type{Name: value.TypeNull}}
	return message.Description{Type: &message.Type{Name: "Meanwhile"}, Interfaces: []*message.Interface{{Name: "Meanwhile", Methods: map[string]*message.Method{"call": {Name: "call", Result: null, Sends: true}}}}}, nil
}

func (f JobsCall) Eval(context.Context, *exo.Message) (value.Value, error) {
	f()
	return value.Null(), nil
}
