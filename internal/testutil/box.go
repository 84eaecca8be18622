package testutil

import (
	"context"
	"errors"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Box is an object without a database. Its fields are private state of the host. No error, JSON or console may show them.
type Box struct {
	Secret string
	mu     sync.Mutex
	kept   value.Value
	Puts   int
}

// Describe implements exo.Object.
func (b *Box) Describe() (message.Description, error) {
	b.Secret = Hidden + " state of the box"
	data := &message.Term{Con: &message.Type{Name: value.TypeData}}
	text := &message.Term{Con: &message.Type{Name: value.TypeText}}
	val := []message.Param{{Name: "the value", Want: data}}
	methods := map[string]*message.Method{
		"put":   {Name: "put", Doc: "keeps a value and returns it", Params: val, Result: data, Sends: true},
		"get":   {Name: "get", Doc: "the value that was kept", Result: data, Sends: true},
		"fail":  {Name: "fail", Doc: "fails inside the host", Result: data, Sends: true},
		"panic": {Name: "panic", Doc: "panics inside the host", Result: data, Sends: true},
		"name":  {Name: "name", Doc: "takes text only", Params: []message.Param{{Name: "the name", Want: text}}, Result: text, Sends: true},
		"puts":  {Name: "puts", Doc: "how many values were kept", Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}, Sends: true},
	}
	i := &message.Interface{Name: "Box", Doc: "a box", Methods: methods, Order: []string{"put", "get", "fail", "panic", "name", "puts"}}
	return message.Description{Type: &message.Type{Name: "Box"}, Interfaces: []*message.Interface{i}}, nil
}

// Eval implements exo.Object.
func (b *Box) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch m.Root.Name {
	case "put":
		b.kept = m.Args[0]
		b.Puts++
		return b.kept, nil
	case "get":
		if b.kept.IsZero() {
			return value.Null(), nil
		}
		return b.kept, nil
	case "name":
		return m.Args[0], nil
	case "puts":
		return value.Int(int64(b.Puts)), nil
	case "fail":
		return value.Value{}, errors.New("/etc/host/path: " + b.Secret)
	}
	panic(b.Secret)
}
