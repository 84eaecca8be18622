package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// box has keys that nobody has declared.
type box struct{ get *message.Method }

func (b *box) Describe() (message.Description, error) {
	i := &message.Interface{Name: "Box", Keys: "get", Methods: map[string]*message.Method{}}
	if b.get != nil {
		i.Methods["get"] = b.get
	}
	return message.Description{Type: &message.Type{Name: "Box"}, Interfaces: []*message.Interface{i}}, nil
}

func (b *box) Eval(context.Context, *Message) (value.Value, error) { return value.Null(), nil }

// TestKeys: what reading a key stands for takes one value and sends nothing, so that naming a member has no
// effect; and a policy that takes it leaves no keys.
func TestKeys(t *testing.T) {
	one := func(sends, fixed bool, more ...message.Param) *message.Method {
		return &message.Method{Name: "get", Sends: sends, Result: &message.Term{Con: &message.Type{Name: value.TypeText}}, Params: append([]message.Param{{Name: "key", Want: &message.Term{Con: &message.Type{Name: value.TypeText}}, Fixed: fixed}}, more...)}
	}
	for what, m := range map[string]*message.Method{
		"no such method": nil, "it sends": one(true, true), "an expression": one(false, false), "two": one(false, true, message.Param{Name: "other", Want: &message.Term{Con: &message.Type{Name: value.TypeText}}}),
		"none": {Name: "get", Result: &message.Term{Con: &message.Type{Name: value.TypeText}}},
	} {
		if _, err := NewGate(Config{Grants: map[string]Object{"box": &box{m}}}); err == nil {
			t.Errorf("%s: it was granted", what)
		}
	}
	for keep, want := range map[string]string{"get": "get", "": ""} {
		d, err := keeping(&box{one(false, true)}, keep).Describe()
		if err != nil || d.Interfaces[0].Keys != want {
			t.Errorf("%q kept: %+v, %v", keep, d.Interfaces[0], err)
		}
	}
}
