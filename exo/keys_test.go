package exo

import (
	"context"
	"testing"
)

// box has keys that nobody has declared.
type box struct{ get *Method }

func (b *box) Describe() (Description, error) {
	i := &Interface{Name: "Box", Keys: "get", Methods: map[string]*Method{}}
	if b.get != nil {
		i.Methods["get"] = b.get
	}
	return Description{Type: &Type{Name: "Box"}, Interfaces: []*Interface{i}}, nil
}

func (b *box) Eval(context.Context, *Message) (Value, error) { return Null(), nil }

// TestKeys: what reading a key stands for takes one value and sends nothing, so that naming a member has no
// effect; and a policy that takes it leaves no keys.
func TestKeys(t *testing.T) {
	one := func(sends, fixed bool, more ...Param) *Method {
		return &Method{Name: "get", Sends: sends, Result: &Term{Con: &Type{Name: TypeText}}, Params: append([]Param{{Name: "key", Want: &Term{Con: &Type{Name: TypeText}}, Fixed: fixed}}, more...)}
	}
	for what, m := range map[string]*Method{
		"no such method": nil, "it sends": one(true, true), "an expression": one(false, false), "two": one(false, true, Param{Name: "other", Want: &Term{Con: &Type{Name: TypeText}}}),
		"none": {Name: "get", Result: &Term{Con: &Type{Name: TypeText}}},
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
