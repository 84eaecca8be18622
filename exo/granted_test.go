package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"testing"
)

// asking notes what a message is told that was granted beside its object.
type asking struct {
	*shop
	told *[]Object
}

func (a *asking) Eval(ctx context.Context, m *Message) (value.Value, error) {
	*a.told = m.UnitObjects()
	return a.shop.Eval(ctx, m)
}

// watching reads the store of a shop, and can't change it.
type watching struct{ key string }

func (watching) Describe() (message.Description, error) {
	i := iface("Watch", nil, false, &message.Method{Name: "look", Sends: true, Result: con(value.TypeInt)})
	return message.Description{Type: &message.Type{Name: "Watch"}, Interfaces: []*message.Interface{i}}, nil
}
func (watching) Eval(context.Context, *Message) (value.Value, error) { return value.Int(1), nil }
func (w watching) ReadUnitKey() any                                  { return w.key }

// TestGranted: who changes something is told of all that the same programs reach in that store, whatever it is wrapped in, and of
// nothing in another.
func TestGranted(t *testing.T) {
	for _, wrap := range []bool{false, true} {
		var told []Object
		a, other := &asking{&shop{name: "a"}, &told}, &shop{name: "b"}
		near, far := watching{"a"}, watching{"b"}
		grants := map[string]Object{"a": a, "b": other, "far": far, "near": near}
		if wrap {
			for name, o := range grants {
				grants[name] = Wrap(o, Policy{})
			}
		}
		g, err := NewGate(Config{Grants: grants, Record: Unrecorded, SeveralStores: true})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		_, err = w.send(msg(ref(0), call(0, "put")))
		wantOK(t, "put", err)
		if !slices.Equal(told, []Object{a, near}) {
			t.Errorf("wrapped %v: told of %v", wrap, told)
		}
		w.s.Finish(t.Context(), value.Null(), nil)
	}
	if got := (&Message{}).UnitObjects(); got != nil {
		t.Errorf("a message without a run is told of %v", got)
	}
}
