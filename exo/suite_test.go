package exo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
)

// clerk answers every method with nothing; it has as many as asked.
type clerk struct{ methods int }

func (c clerk) Describe() (message.Description, error) {
	i := &message.Interface{Name: fmt.Sprintf("Clerk%d", c.methods), Methods: map[string]*message.Method{}}
	for n := range c.methods {
		name := fmt.Sprintf("method%03d", n)
		i.Methods[name] = &message.Method{Name: name, Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeData}},
			Params: []message.Param{{Name: "the number", Want: &message.Term{Con: &message.Type{Name: value.TypeInt}}, Opt: true}}}
		i.Order = append(i.Order, name)
	}
	return message.Description{Type: &message.Type{Name: i.Name}, Interfaces: []*message.Interface{i}}, nil
}

func (clerk) Eval(context.Context, *exo.Message) (value.Value, error) { return value.Null(), nil }

// BenchmarkGate is one message through the gate and its reply: one that is
// answered, and those that are refused.
func BenchmarkGate(b *testing.B) {
	cut, revoke := policy.Revocable(clerk{10})
	revoke()
	for _, c := range []struct {
		name    string
		object  exo.Object
		methods int
		call    string
		kind    fail.Kind
	}{
		{"allowed", clerk{10}, 10, "method007", fail.Other},
		{"allowed", clerk{300}, 300, "method007", fail.Other},
		{"missing", clerk{10}, 10, "methot007", fail.Denied},
		{"missing", clerk{300}, 300, "methot007", fail.Denied},
		{"revoked", cut, 10, "method007", fail.Revoked},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.methods), func(b *testing.B) {
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"clerk": c.object}, Limits: exo.Limits{Calls: 1 << 40}})
			if err != nil {
				b.Fatal(err)
			}
			s := begin(b, g, b.Context(), "")
			defer s.Finish(b.Context(), value.Null(), nil)
			x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1, Ref: 0}, {Op: message.OpCall, Recv: 0, Name: c.call}}}
			b.ReportAllocs()
			id := uint64(0)
			for b.Loop() {
				id++
				if err := s.Submit(exo.Call{ID: id, Expr: x}); err != nil {
					b.Fatal(err)
				}
				r, _, err := s.Next(b.Context())
				if err != nil || (r.Err != nil) != (c.kind != fail.Other) || r.Err != nil && fail.KindOf(r.Err) != c.kind {
					b.Fatal(err, r.Err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// What a refusal costs does not depend on how many methods there are: what it
// says is made by whoever reads it.
func TestRefusalsCostTheSame(t *testing.T) {
	cost := func(methods int) float64 {
		g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"clerk": clerk{methods}}, Limits: exo.Limits{Calls: 1 << 40}})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, g, t.Context(), "")
		defer s.Finish(t.Context(), value.Null(), nil)
		x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1, Ref: 0}, {Op: message.OpCall, Recv: 0, Name: "methot007"}}}
		id := uint64(0)
		return testing.AllocsPerRun(100, func() {
			id++
			if err := s.Submit(exo.Call{ID: id, Expr: x}); err != nil {
				t.Fatal(err)
			}
			r, _, err := s.Next(t.Context())
			if err != nil || fail.KindOf(r.Err) != fail.Denied {
				t.Fatal(r, err)
			}
			if id == 1 && fail.GuestText(r.Err) != "clerk has no member `methot007`; did you mean `method007`?" {
				t.Error(fail.GuestText(r.Err))
			}
		})
	}
	if few, many := cost(10), cost(300); few != many {
		t.Errorf("with 10 methods %v allocations, with 300 %v", few, many)
	}
}

// host is an object whose one method takes three others, and fails or tells how many it was given.
type host struct{ fail bool }

func (h host) Describe() (message.Description, error) {
	host := message.Param{Name: "the guest", Want: &message.Term{Con: &message.Type{Name: "Host"}}}
	i := &message.Interface{Name: "Host", Order: []string{"meet"}, Methods: map[string]*message.Method{
		"meet": {Name: "meet", Sends: true, Params: []message.Param{host, host, host}, Result: &message.Term{Con: &message.Type{Name: value.TypeData}}}}}
	return message.Description{Type: &message.Type{Name: "Host"}, Interfaces: []*message.Interface{i}}, nil
}

func (h host) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	if h.fail {
		return value.Value{}, fail.Errorf(fail.Invalid, "", "nobody came")
	}
	return value.Int(int64(len(m.Objects))), nil
}

// A message may name more objects than most do; an error of an object that does
// not say what was being done is told by the gate.
func TestManyObjects(t *testing.T) {
	grants := map[string]exo.Object{"a": host{}, "b": host{}, "c": host{}, "d": host{fail: true}}
	g, err := exo.NewGate(exo.Config{Grants: grants})
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, g, t.Context(), "")
	defer s.Finish(t.Context(), value.Null(), nil)
	ask := func(id uint64, refs ...uint32) exo.Reply {
		x := message.Expr{}
		for _, r := range refs {
			x.Nodes = append(x.Nodes, message.WireNode{Op: message.OpRef, Recv: -1, Ref: r})
		}
		x.Nodes = append(x.Nodes, message.WireNode{Op: message.OpCall, Recv: 0, Args: []int32{1, 2, 3}, Name: "meet"})
		if err := s.Submit(exo.Call{ID: id, Expr: x}); err != nil {
			t.Fatal(err)
		}
		r, _, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := ask(1, 0, 1, 2, 3); r.Err != nil || r.Value.Int() != 4 {
		t.Error(r)
	}
	if r := ask(2, 3, 0, 1, 2); r.Err == nil || fail.GuestText(r.Err) != "d.meet: nobody came" {
		t.Error(r)
	}
}

// An error whose message is made late is no sentinel of its kind.
func TestLateMessageIsNoSentinel(t *testing.T) {
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"clerk": clerk{10}}})
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, g, t.Context(), "")
	defer s.Finish(t.Context(), value.Null(), nil)
	c := s.Checker()
	ref, _ := c.MakeRef(0)
	_, late := c.MakeCall(ref, "x", nil)
	if late == nil || !errors.Is(late, fail.ErrDenied) || fail.ErrDenied.Is(late) || fail.GuestText(late) == "" {
		t.Errorf("%v", late)
	}
}

func begin(t testing.TB, g *exo.Gate, ctx context.Context, p exo.Principal) *exo.Session {
	t.Helper()
	s, err := g.Begin(ctx, exo.Run{Principal: p}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
