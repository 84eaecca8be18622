package budget_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// shop is an object to attack: read(n) reads n rows of 10 bytes each, secret() gives a labelled value, send() is held, post() acts at once.
type shop struct{ sent atomic.Int64 }

func (*shop) Describe() (message.Description, error) {
	n := &message.Term{Con: &message.Type{Name: value.TypeInt}}
	i := &message.Interface{Name: "Shop", Fields: map[string]*message.Property{}, Methods: map[string]*message.Method{}}
	for _, m := range []*message.Method{
		{Name: "read", Sends: true, Params: []message.Param{{Name: "the number", Want: n}}, Result: n},
		{Name: "secret", Sends: true, Reply: value.NewLabel("pii"), Result: n},
		{Name: "send", Sends: true, Effect: message.Held, Sink: true, Admits: value.NewLabel("pii"), Result: &message.Term{Con: message.Receipt()}},
		{Name: "post", Sends: true, Effect: message.Immediate, Sink: true, Result: n},
	} {
		i.Methods[m.Name] = m
		i.Order = append(i.Order, m.Name)
	}
	return message.Description{Type: &message.Type{Name: "Shop"}, Interfaces: []*message.Interface{i}}, nil
}

func (s *shop) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	switch m.Root.Name {
	case "read":
		n := int(m.Root.Args[0].Lit.Int())
		if err := m.Spend(n, 10*n); err != nil {
			return value.Value{}, err
		}
		return value.Int(int64(n)), nil
	case "secret":
		return value.Int(7).WithLabel(value.NewLabel("pii")), nil
	}
	s.sent.Add(1)
	return value.Int(1), nil
}

// host is a process of a host: its gate, with a clock that a test sets.
type host struct {
	t    testing.TB
	gate *exo.Gate
	shop *shop
	now  time.Time
}

// newHost makes a process with budgets in s; nil budgets are the twin without them.
func newHost(t testing.TB, budgets exo.Budgets, l exo.Limits) *host {
	t.Helper()
	h := &host{t: t, shop: &shop{}, now: noon}
	var err error
	if h.gate, err = exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": h.shop}, Record: exo.Unrecorded, Budgets: budgets, Limits: l, Now: func() time.Time { return h.now }}); err != nil {
		t.Fatal(err)
	}
	return h
}

func in(t testing.TB, s store.Store, all ...budget.Budget) *budget.Set {
	t.Helper()
	set, err := budget.In(s, "tool", all...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// run is one run of a program.
type run struct {
	host    *host
	session *exo.Session
	last    uint64
}

func (h *host) begin(r exo.Run) *run {
	h.t.Helper()
	s, err := h.gate.Begin(context.Background(), r, "", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return &run{host: h, session: s}
}

// call sends a message and returns the error of its reply.
func (r *run) call(method string, args ...int64) error {
	r.host.t.Helper()
	c := r.session.Checker()
	n, err := c.MakeRef(0)
	if err != nil {
		r.host.t.Fatal(err)
	}
	var given []*message.Node
	for _, a := range args {
		l, err := c.MakeLit(value.Int(a))
		if err != nil {
			r.host.t.Fatal(err)
		}
		given = append(given, l)
	}
	if n, err = c.MakeCall(n, method, given); err != nil {
		r.host.t.Fatal(err)
	}
	r.last++
	if err := r.session.Submit(exo.Call{ID: r.last, Expr: n.Expr()}); err != nil {
		return err
	}
	reply, _, err := r.session.Next(context.Background())
	if err != nil {
		r.host.t.Fatal(err)
	}
	return reply.Err
}

// end ends the run; failed is the error of its program.
func (r *run) end(failed error) error {
	return r.session.Finish(context.Background(), value.Null(), failed)
}
