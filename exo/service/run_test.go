package service

import (
	"context"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// run is one session with one granted service.
type run struct {
	t    *testing.T
	s    *exo.Session
	c    *message.Checker
	last uint64
}

func open(t *testing.T, cfg exo.Config, o exo.Object) *run {
	t.Helper()
	if cfg.Record == nil {
		cfg.Record = exo.Unrecorded
	}
	cfg.Grants = map[string]exo.Object{"it": o}
	g, err := exo.NewGate(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, g)
	t.Cleanup(func() { s.Finish(context.Background(), value.Null(), nil) })
	return &run{t: t, s: s, c: s.Checker()}
}

// call sends method(arg) to object number id, without an argument if arg is the zero Value.
func (r *run) call(id uint32, method string, arg value.Value) (value.Value, error) {
	r.t.Helper()
	recv, err := r.c.MakeRef(id)
	if err != nil {
		return value.Value{}, err
	}
	var args []*message.Node
	if !arg.IsZero() {
		a, err := r.c.MakeLit(arg)
		if err != nil {
			return value.Value{}, err
		}
		args = append(args, a)
	}
	n, err := r.c.MakeCall(recv, method, args)
	if err != nil {
		return value.Value{}, err
	}
	r.last++
	if err := r.s.Submit(exo.Call{ID: r.last, Expr: n.Expr()}); err != nil {
		r.t.Fatal(err)
	}
	reply, ok, nextErr := r.s.Next(context.Background())
	if !ok || nextErr != nil {
		r.t.Fatal("no reply", nextErr)
	}
	return reply.Value, reply.Err
}

func mustNew(t *testing.T, ops ...Operation) *Service {
	t.Helper()
	s, err := New("thing", "a thing", ops...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rec(name string, v value.Value) value.Value {
	return value.RecordValue(value.Field{Name: name, Value: v})
}

func wantKind(t *testing.T, err error, k fail.Kind) {
	t.Helper()
	if err == nil || fail.KindOf(err) != k {
		t.Errorf("got %v, want an error of kind %v", err, k)
	}
}

func begin(t *testing.T, g *exo.Gate) *exo.Session {
	t.Helper()
	s, err := g.Begin(context.Background(), exo.Run{Principal: "ann"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
