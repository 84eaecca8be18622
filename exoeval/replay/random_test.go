package replay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/replay"
	"github.com/exoagent/exoagent/internal/testutil"
)

// shop is an object with one method of each kind that matters to a replay. What it answers depends on how often it was asked.
type shop struct {
	mu sync.Mutex
	n  int64
}

func (s *shop) Describe() (message.Description, error) {
	pii := value.NewLabel("pii")
	typ := func(name string) *message.Type { return &message.Type{Name: name} }
	data, number := &message.Term{Con: typ(value.TypeData)}, &message.Term{Con: typ(value.TypeInt)}
	row := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "id", Type: typ(value.TypeInt)}, {Name: "email", Type: typ(value.TypeText), Label: pii}}}
	boolean := &message.Type{Name: value.TypeBool, Null: true}
	x := func(t *message.Term) []message.Param { return []message.Param{{Name: "x", Want: t}} }
	i := &message.Interface{Name: "Shop", Methods: map[string]*message.Method{}}
	for _, m := range []*message.Method{
		{Name: "rows", Result: &message.Term{Con: &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": row}}}},
		{Name: "echo", Result: data, Params: x(data)},
		{Name: "fail", Result: data, Params: x(number)},
		{Name: "read", Result: number, Params: x(number)},
		{Name: "again", Result: data},
		{Name: "foreign", Result: data, Reply: value.NewLabel(value.Untrusted)},
		{Name: "secret", Result: data, Reply: pii},
		{Name: "is", Result: &message.Term{Con: boolean}, Params: x(&message.Term{Con: typ(value.TypeText)}), Sink: true, Declassifies: pii},
		{Name: "mail", Result: &message.Term{Con: message.Receipt()}, Params: x(&message.Term{Con: typ(value.TypeText)}), Sink: true, Admits: pii, Effect: message.Held},
		{Name: "act", Result: number, Sink: true, Effect: message.Immediate},
		{Name: "put", Result: number, Params: x(number), Effect: message.InUnit, Trusted: true},
	} {
		m.Sends = true
		i.Methods[m.Name], i.Order = m, append(i.Order, m.Name)
	}
	return message.Description{Type: typ("Shop"), Interfaces: []*message.Interface{i}}, nil
}

func (s *shop) UnitKey() any { return s }

func (s *shop) Validate(m *exo.Message) error {
	if m.Args[0].Text() == "bad" {
		return fail.Errorf(fail.Invalid, "", "no such address")
	}
	return nil
}

type unit struct{}

func (unit) Prepare(context.Context) error  { return nil }
func (unit) Commit(context.Context) error   { return nil }
func (unit) Rollback(context.Context) error { return nil }

func (s *shop) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	switch m.Root.Name {
	case "rows":
		row := func(id int64) value.Value {
			email := value.Text(fmt.Sprintf("a%d@x", id)).WithLabel(value.NewLabel("pii"))
			return value.RecordValue(value.Field{Name: "id", Value: value.Int(id)}, value.Field{Name: "email", Value: email})
		}
		_ = m.Spend(2, 20)
		return value.List(row(n), row(n+1)), nil
	case "read":
		if err := m.Spend(int(m.Args[0].Int()), 10); err != nil {
			return value.Value{}, err
		}
		return value.Int(n), nil
	case "again":
		return value.List(value.Int(n), value.RefValue(s)), nil
	case "secret", "foreign":
		return value.Int(n), nil
	case "is":
		return value.Bool(n%2 == 0), nil
	case "act":
		if n%3 == 0 {
			return value.Value{}, errors.New("the line was cut")
		}
		return value.Int(n), nil
	case "put":
		if _, err := m.Unit(s, func(context.Context) (exo.Unit, error) { return unit{}, nil }); err != nil {
			return value.Value{}, err
		}
		if m.Args[0].Int() == 7 {
			return value.Value{}, fmt.Errorf("%w: %w", exo.ErrNothingDone, fail.Errorf(fail.Invalid, "", "7 is taken"))
		} else if m.Args[0].Int() == 8 {
			return value.Value{}, errors.New("half of it is done")
		}
		return value.Int(n % 2), nil
	case "fail":
		if m.Args[0].Int()%2 == 0 {
			return value.Value{}, fail.Errorf(fail.Denied, "", "no row %d", n)
		}
		return value.Value{}, errors.New("a driver's password")
	case "mail":
		return value.Null(), nil
	}
	return m.Args[0], nil
}

// bits lets a few declassifiers answer.
type bits struct{ left int }

func (b *bits) Take(_ exo.Principal, _ time.Time, n int) (int, error) {
	if b.left < n {
		return b.left, fail.Errorf(fail.Limit, "", "%d bits are left", b.left)
	}
	b.left -= n
	return b.left, nil
}

var statements = []string{
	"vs.push(await shop.rows())",
	"vs.push((await shop.rows()).length)",
	"vs.push(await shop.echo(Math.random()))",
	"vs.push(await shop.echo([new Date().toISOString(), vs.length]))",
	"vs.push(await Promise.all([shop.read(3), shop.echo('a'), shop.rows(), shop.fail(2).catch((e) => e.message)]))",
	"await shop.fail(1)", "await shop.fail(2)",
	"vs.push(await (await shop.again())[1].echo(1))",
	"vs.push(await shop.read(9))", "vs.push(await shop.read(40))",
	"await shop.foreign()", "vs.push(await shop.secret())",
	"vs.push(await shop.is((await shop.rows())[0].email))",
	"await shop.mail('ann')", "await shop.mail('bad')", "await shop.mail((await shop.rows())[0].email)",
	"vs.push(await shop.act())", "vs.push(await shop.put(1))", "vs.push(await shop.put(7))", "vs.push(await shop.put(8))",
	"vs.push(await reveal((await shop.rows())[1].email))",
	"vs.push(await text(['Dear ', (await shop.rows())[0].email, vs.length]))",
	"console.log(vs.length)",
	"shop.echo('not awaited')",
	"vs.push(await shop.echo('no'))", "vs.push(await shop.mail('no'))",
	"if ((await shop.echo(vs.length)) % 2) vs.push(await shop.read(1)); else vs.push(await shop.echo(2))",
	"vs.push(await shop.echo('" + strings.Repeat("x", 5000) + "'))",
	"shop.nothing()",
}

// world makes the gate of a random run.
func world(t *rapid.T, to exo.Recorder) *exo.Gate {
	var o exo.Object = &shop{}
	text := func(m *exo.Message) bool {
		return len(m.Args) == 0 || m.Args[0].Kind() != value.KindText || m.Args[0].Text() != "no"
	}
	if rapid.Bool().Draw(t, "a policy") {
		o = exo.Wrap(o, exo.Policy{Refusal: "that is not sent", Blind: rapid.Bool().Draw(t, "a blind one"), Before: text})
	}
	admits := value.NewLabel()
	if rapid.Bool().Draw(t, "the result admits") {
		admits = value.NewLabel("pii")
	}
	limits := exo.Limits{Rows: rapid.SampledFrom([]int{20, 1000}).Draw(t, "rows"), Calls: rapid.SampledFrom([]int{6, 100}).Draw(t, "calls")}
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": o, "reveal": exo.Reveal(), "text": exo.Compose()}, Record: to, Bits: &bits{2}, Admits: admits, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// program draws a program of statements, some of which catch their errors.
func program(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("const vs = []\n")
	for _, s := range rapid.SliceOfN(rapid.SampledFrom(statements), 0, 8).Draw(t, "statements") {
		if rapid.Bool().Draw(t, "caught") {
			s = "try { " + s + " } catch (e) { vs.push(e.message) }"
		}
		b.WriteString(s + "\n")
	}
	return b.String() + "return vs"
}

// TestRandom: random runs with labels, sealed values, effects, policies, budgets and errors are replayed, in both evaluators.
func TestRandom(t *testing.T) {
	testutil.NotRaced(t)
	pool := newPool(t)
	rapid.Check(t, func(t *rapid.T) {
		to := newKept()
		gate := world(t, to)
		job := exoeval.Job{Program: program(t), Run: exo.Run{Clock: testutil.Start, Seed: rapid.Uint64().Draw(t, "seed"), Principal: "ann"}}
		if rapid.Bool().Draw(t, "a label at the start") {
			job.Label = value.NewLabel(value.Untrusted)
		}
		job.Preview = rapid.Bool().Draw(t, "a preview")
		in := []exoeval.Evaluator{exoeval.InProcess{}, pool}[rapid.IntRange(0, 1).Draw(t, "recorded in a worker")]
		r, err := in.Bind(gate, exoeval.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		r.Run(t.Context(), job)
		if !equal(t, pool, job.Program, to.entries(t)) {
			t.Errorf("it was not replayed:\n%s", job.Program)
		}
	})
}

// TestSameGate: labels by a policy that looks at sealed values, budgets for reading, refusals of policies and budgets are in the replay
// what they were in the run.
func TestSameGate(t *testing.T) {
	refuses := func(m *exo.Message) bool {
		return len(m.Args) == 0 || m.Args[0].Kind() != value.KindText || m.Args[0].Text() != "no"
	}
	for _, c := range []struct {
		program string
		policy  exo.Policy
		limits  exo.Limits
		bits    int
		budgets exo.Budgets
		want    string // in the record
	}{
		{"await shop.mail((await shop.rows())[0].email); return 1", exo.Policy{Before: refuses}, exo.Limits{}, 0, nil, "{pii}"},
		{"await shop.read(9); await shop.read(9); const c = await shop.rows(); return c.length", exo.Policy{}, exo.Limits{Rows: 19}, 0, nil, "withheld"},
		{"try { await shop.mail('no') } catch {} return await shop.act()", exo.Policy{Before: refuses, Refusal: "no is not sent"}, exo.Limits{}, 0, nil, "immediate"},
		{"const [a] = await shop.rows(); let n = 0; for (let i = 0; i < 4; i++) try { await shop.is(a.email) } catch { n++ } return n", exo.Policy{}, exo.Limits{}, 4, nil, "bits are left"},
		{"return [(await shop.again())[0], await (await shop.again())[1].read(2)]", exo.Policy{Before: refuses}, exo.Limits{}, 0, nil, "outcome"},
		{"await shop.read(2); let n = 0; for (let i = 0; i < 4; i++) try { await shop.read(9) } catch { n++ } return n", exo.Policy{}, exo.Limits{}, 0, budgeted{rows: 15}, "withheld"},
		{"return await Promise.all([shop.mail('no'), shop.act()])", exo.Policy{}, exo.Limits{}, 0, budgeted{effects: -1}, "immediate"},
	} {
		to := newKept()
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": exo.Wrap(&shop{}, c.policy)}, Record: to, Bits: &bits{c.bits}, Budgets: c.budgets, Limits: c.limits})
		if err != nil {
			t.Fatal(err)
		}
		testutil.InProcess(gate).Run(t.Context(), exoeval.Job{Program: c.program})
		es, has := to.entries(t), ""
		for _, e := range es {
			has += fmt.Sprintln(e.Step, e.Label, e.State, e.Err)
		}
		if !strings.Contains(has, c.want) {
			t.Errorf("%s has no %q:\n%s", c.program, c.want, has)
		}
		if d, err := replay.Run(t.Context(), es, replay.Options{Evaluator: exoeval.InProcess{}, AnyVersion: true}); d != nil || err != nil {
			t.Errorf("%s: %v, %v", c.program, d, err)
		}
	}
}

// budgeted are budgets of one run. With -1 effects they refuse the first effect alone.
type budgeted struct{ rows, effects int }

func (b budgeted) Begin(exo.Run, exo.Limits) exo.Purse { return &b }

func (b *budgeted) Take(_ time.Time, _ uint64, u exo.Use, _ bool) error {
	if b.effects < 0 && u.Effects > 0 {
		b.effects = 9
		return fail.Errorf(fail.Limit, "", "it is used up")
	}
	if u.Rows > b.rows || u.Effects > max(b.effects, 0) {
		return fail.Errorf(fail.Limit, "", "it is used up")
	}
	b.rows, b.effects = b.rows-u.Rows, b.effects-u.Effects
	return nil
}

func (*budgeted) Settle(int) {}
