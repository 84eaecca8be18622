package testutil

import (
	"context"
	"errors"
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// Box is a capability that is no database. Its fields are private state of the
// host, which nothing may show: not errors, not JSON, not the console.
type Box struct {
	Secret string
	mu     sync.Mutex
	kept   exo.Value
	Puts   int
}

// Describe implements exo.Object.
func (b *Box) Describe() (exo.Description, error) {
	b.Secret = Hidden + " state of the box"
	data := &exo.Term{Con: &exo.Type{Name: exo.TypeData}}
	text := &exo.Term{Con: &exo.Type{Name: exo.TypeText}}
	value := []exo.Param{{Name: "the value", Want: data}}
	methods := map[string]*exo.Method{
		"put":   {Name: "put", Doc: "keeps a value and returns it", Params: value, Result: data, Sends: true},
		"get":   {Name: "get", Doc: "the value that was kept", Result: data, Sends: true},
		"fail":  {Name: "fail", Doc: "fails inside the host", Result: data, Sends: true},
		"panic": {Name: "panic", Doc: "panics inside the host", Result: data, Sends: true},
		"name":  {Name: "name", Doc: "takes text only", Params: []exo.Param{{Name: "the name", Want: text}}, Result: text, Sends: true},
		"puts":  {Name: "puts", Doc: "how many values were kept", Result: &exo.Term{Con: &exo.Type{Name: exo.TypeInt}}, Sends: true},
	}
	i := &exo.Interface{Name: "Box", Doc: "a box", Methods: methods, Order: []string{"put", "get", "fail", "panic", "name", "puts"}}
	return exo.Description{Type: &exo.Type{Name: "Box"}, Interfaces: []*exo.Interface{i}}, nil
}

// Eval implements exo.Object.
func (b *Box) Eval(ctx context.Context, m *exo.Message) (exo.Value, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch m.Root.Name {
	case "put":
		b.kept = m.Args[0]
		b.Puts++
		return b.kept, nil
	case "get":
		if b.kept.IsZero() {
			return exo.Null(), nil
		}
		return b.kept, nil
	case "name":
		return m.Args[0], nil
	case "puts":
		return exo.Int(int64(b.Puts)), nil
	case "fail":
		return exo.Value{}, errors.New("/etc/host/path: " + b.Secret)
	}
	panic(b.Secret)
}
