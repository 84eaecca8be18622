package exotest

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Run is a run of a gate, in which a test sends messages. It ends with the test, without a commit,
// unless Finish was called.
type Run struct {
	t       testing.TB
	gate    *exo.Gate
	session *exo.Session
	checker *message.Checker
	last    uint64       // the ID of the last call
	capture bool         // keep the next message instead of sending it
	kept    *exo.Message // the message that was kept because of capture
}

// Begin begins a run with the grants in cfg. It fails the test if one can't be granted.
func Begin(t testing.TB, cfg exo.Config) *Run {
	t.Helper()
	return BeginRun(t, cfg, exo.Run{Principal: "exotest"})
}

// BeginRun begins a run like Begin, with settings for it, such as its principal and its label.
func BeginRun(t testing.TB, cfg exo.Config, run exo.Run) *Run {
	t.Helper()
	r := &Run{t: t}
	grants := map[string]exo.Object{}
	for name, o := range cfg.Grants {
		if o != nil {
			o = exo.Wrap(o, exo.Policy{Before: r.before})
		}
		grants[name] = o
	}
	cfg.Grants = grants
	if cfg.Record == nil {
		cfg.Record = exo.Unrecorded
	}
	if cfg.Bits == nil {
		cfg.Bits = anyBits{}
	}
	var err error
	if r.gate, err = exo.NewGate(cfg); err != nil {
		t.Fatal(err)
	}
	if r.session, err = r.gate.Begin(context.Background(), run, "", nil); err != nil {
		t.Fatal(err)
	}
	r.checker = r.session.Checker()
	t.Cleanup(r.end)
	return r
}

// patience is how long an object may take to return when its context has ended.
var patience = 30 * time.Second

// end ends the run when the test ends. It waits for an object that does not return for at most patience.
func (r *Run) end() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Finish(false)
	}()
	select {
	case <-done:
	case <-time.After(patience):
		r.t.Errorf("exotest: the run has not ended %v after the test: Eval of an object must return when its context ends", patience)
	}
}

// before refuses an admitted message and keeps it, if the function Message asked for it.
func (r *Run) before(m *exo.Message) bool {
	if r.capture {
		r.kept = m
	}
	return !r.capture
}

// Session returns the run itself, for its label and its effects.
func (r *Run) Session() *exo.Session { return r.session }

// Finish ends the run. If commit is true, it commits the run's changes.
func (r *Run) Finish(commit bool) error {
	var failed error
	if !commit {
		failed = errNot
	}
	if err := r.session.Finish(context.Background(), value.Null(), failed); !errors.Is(err, errNot) {
		return err
	}
	return nil
}

var errNot = errors.New("exotest: the test ended the run without a commit")

// On begins a chain of calls at the object granted under this name.
func (r *Run) On(name string) *Chain {
	r.t.Helper()
	for _, g := range r.gate.Granted() {
		if g.Name == name {
			return r.ref(g.ID)
		}
	}
	r.t.Fatalf("exotest: Config.Grants has no object named %s: add it, or use a name that is there", name)
	return nil
}

// Reply begins a chain of calls at the object that a reply of this run refers to.
func (r *Run) Reply(v value.Value) *Chain {
	r.t.Helper()
	if v.Type() != value.TypeRef {
		r.t.Fatalf("exotest: Reply needs a reply that is an object, and got %s: pass the value of a Chain that returns one", v)
	}
	return r.ref(v.Number())
}

func (r *Run) ref(id uint32) *Chain {
	n, err := r.checker.MakeRef(id)
	return &Chain{run: r, node: n, err: err}
}

// submit sends the message that a chain has recorded, and waits for the reply.
func (r *Run) submit(root *message.Node) (value.Value, error) {
	r.t.Helper()
	r.last++
	if err := r.session.Submit(exo.Call{ID: r.last, Expr: root.Expr()}); err != nil {
		return value.Value{}, err
	}
	reply, ok, err := r.session.Next(context.Background())
	if !ok || err != nil {
		r.t.Fatalf("exotest: no reply: %v", err)
	}
	return reply.Value, reply.Err
}

// On begins a run with one grant, o under the name object, and returns a chain of calls at o.
func On(t testing.TB, o exo.Object) *Chain {
	t.Helper()
	return Begin(t, exo.Config{Grants: map[string]exo.Object{"object": o}}).On("object")
}

// Send sends o the message of `object.method(args…)` in a run of its own, and ends the run. If the
// message succeeds, its changes are committed, whatever their labels. args are as for
// (*Chain).Call. The error is from the gate, the object, or the commit. A Held method replies with
// a receipt, and the error may come from its action after the commit.
func Send(t testing.TB, o exo.Object, method string, args ...any) (value.Value, error) {
	t.Helper()
	cfg := exo.Config{Grants: map[string]exo.Object{"object": o}, Admits: labelsOf(t, o)}
	for _, a := range args {
		if v, ok := a.(value.Value); ok {
			cfg.Admits = cfg.Admits.Join(labelsIn(v))
		}
	}
	c := Begin(t, cfg).On("object")
	v, err := c.Call(method, args...).Send()
	if end := c.run.Finish(err == nil); err == nil && end != nil {
		return value.Value{}, end
	}
	for _, e := range c.run.session.Effects() {
		if err == nil && e.Err != nil {
			return value.Value{}, e.Err
		}
	}
	return v, err
}

// labelsOf joins all labels in an object's description.
func labelsOf(t testing.TB, o exo.Object) (l value.Label) {
	t.Helper()
	for _, i := range describe(t, o).Interfaces {
		for _, f := range i.Fields {
			l = l.Join(f.Label)
		}
		for _, m := range i.Methods {
			l = l.Join(m.Label).Join(m.Reply)
		}
	}
	return l
}

// labelsIn joins the labels of v and of everything in it.
func labelsIn(v value.Value) value.Label {
	l := v.Label()
	for i := range v.Len() {
		if x := v.At(i); !x.IsZero() {
			l = l.Join(labelsIn(x))
		}
	}
	for _, f := range v.Fields() {
		l = l.Join(labelsIn(f))
	}
	return l
}

// Message makes the message of `object.method(args…)`, as o would get it, without sending it. The
// message belongs to a run that ends with the test, so Spend, AddDetail and Unit work. The test fails
// if the gate refuses the message. Objects in the message are unwrapped, so o itself must answer it,
// not a wrapped o.
func Message(t testing.TB, o exo.Object, method string, args ...any) *exo.Message {
	t.Helper()
	return On(t, o).Call(method, args...).Message()
}

// anyBits is a bit budget without a limit, for a test that sets none.
type anyBits struct{}

func (anyBits) Take(exo.Principal, time.Time, int) (left int, err error) { return math.MaxInt, nil }
