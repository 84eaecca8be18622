package codemode_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

type letter struct {
	To string `json:"to"`
}

// vault holds a value that may not leave through the result of a run.
type vault struct{}

func (vault) Describe() (message.Description, error) {
	i := &message.Interface{Name: "Vault", Order: []string{"secret"}, Methods: map[string]*message.Method{
		"secret": {Name: "secret", Sends: true, Reply: value.NewLabel("pii"), Result: &message.Term{Con: &message.Type{Name: value.TypeData}}},
	}}
	return message.Description{Type: &message.Type{Name: "Vault"}, Interfaces: []*message.Interface{i}}, nil
}

func (vault) Eval(context.Context, *exo.Message) (value.Value, error) {
	return value.Text("x").WithLabel(value.NewLabel("pii")), nil
}

// mailer grants something that changes the world, and counts how often it did.
func mailer(tb testing.TB, opt codemode.Options, more ...service.Operation) (*codemode.Tool, *int) {
	tb.Helper()
	sent := new(int)
	send := func(_ context.Context, in letter) (bool, error) {
		if in.To == "nobody" {
			return false, service.Refuse("there is no such address")
		}
		if in.To == "broken" {
			return false, errors.New("hunter2: no route to the mail server")
		}
		*sent++
		return true, nil
	}
	ops := append([]service.Operation{
		service.Method("send", "sends one mail", send).Immediate().Admits(value.NewLabel("pii")),
		service.Method("post", "posts one letter", send).Admits(value.NewLabel("pii")),
		service.Read("count", "how many were sent", func(context.Context, service.None) (int, error) { return *sent, nil }),
	}, more...)
	mail, err := service.New("mail", "mail", ops...)
	if err != nil {
		tb.Fatal(err)
	}
	opt.Evaluator, opt.Record = exoeval.InProcess{}, exo.Unrecorded
	tool, err := codemode.New(codemode.Grants{"mail": mail, "vault": vault{}}, &opt)
	if err != nil {
		tb.Fatal(err)
	}
	return tool, sent
}

// TestEffects: a model that reads of a failure reads what the program has changed
// all the same, and nothing that tells it to run such a program again.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		name, code string
		effects    string // what the model reads; "" for no such field
		sent, ops  int
	}{
		{"it worked", "await mail.send({to: 'a'}); return 1", "mail.send took effect and will not be undone", 1, 1},
		{"read only", "return await mail.count()", "", 0, 0},
		{"held", "const r = await mail.post({to: 'a'}); return [r.held, await mail.count()]", "mail.post took effect and will not be undone", 1, 1},
		{"held, and it failed", "await mail.post({to: 'broken'}); return 1", "whether mail.post took effect is not known. Do not run", 0, 1},
		{"held, and it was refused", "await mail.post({to: 'nobody'}); return 1", "mail.post did not take place: there is no such address. Do not run", 0, 1},
		{"two refused alike, and one kept", "await mail.post({to: 'nobody'}); await mail.post({to: 'nobody'}); await mail.post({to: 'a'}); return 1", "mail.post did not take place: there is no such address; mail.post took effect and will not be undone. Do not run", 1, 3},
		{"at once, and it was refused", "await mail.send({to: 'nobody'}).catch(() => 0); return 1", "nothing of mail.send was kept", 0, 1},
		{"held, and the program failed", "await mail.post({to: 'a'}); throw 1", "none: nothing took effect", 0, 1},
		{"held, and its argument is wrong", "await mail.post({too: 'a'})", "none: nothing took effect", 0, 0},
		{"held, and the result can't be rendered", "await mail.post({to: 'a'}); return 'x'.repeat(3e6)", "none: nothing took effect", 0, 1},
		{"both", "await mail.send({to: 'a'}); await mail.post({to: 'b'}); throw 1", "mail.send took effect and will not be undone; nothing of mail.post was kept. Do not run", 1, 2},
		{"at once after what is held", "await mail.post({to: 'a'}); await mail.send({to: 'a'})", "none: nothing took effect", 0, 1},
		{"syntax", "await mail.send({to: 'a'", "none: nothing took effect", 0, 0},
		{"a refused message", "await mail.sned({to: 'a'})", "none: nothing took effect", 0, 0},
		{"failed after reading", "await mail.count(); throw new Error('x')", "none: nothing took effect", 0, 0},
		{"failed after an effect", "await mail.send({to: 'a'}); throw new Error('x')", "mail.send took effect and will not be undone. Do not run", 1, 1},
		{"twice", "await mail.send({to: 'a'}); await mail.send({to: 'b'}); null.x", "mail.send (2 times) took effect", 2, 2},
		{"not awaited", "mail.send({to: 'a'}); throw new Error('x')", "mail.send took effect", 1, 1},
		{"the effect failed", "await mail.send({to: 'broken'})", "whether mail.send took effect is not known. Do not run", 0, 1},
		{"one of two failed", "await mail.send({to: 'a'}); await mail.send({to: 'broken'})", "mail.send took effect and will not be undone; whether mail.send took", 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool, sent := mailer(t, codemode.Options{})
			in, _ := json.Marshal(map[string]string{"code": c.code})
			callJSON(t, tool, string(in)) // holds it against the schema
			*sent = 0
			out, res := tool.CallJob(t.Context(), codemode.Job{}, in)
			var m map[string]any
			if err := json.Unmarshal(out, &m); err != nil {
				t.Fatal(err)
			}
			got, has := m["effects"].(string)
			if has != (c.effects != "") || !strings.Contains(got, c.effects) || got != res.EffectsNote() {
				t.Errorf("effects %q, want %q in %s", got, c.effects, out)
			}
			if *sent != c.sent || len(res.Effects) != c.ops {
				t.Errorf("%d sent and %v reported", *sent, res.Effects)
			}
			if len(res.Effects) > 0 && strings.Contains(string(out), "run it once more") {
				t.Errorf("the model is told to repeat an effect: %s", out)
			}
			if strings.Contains(string(out), "hunter2") {
				t.Errorf("the host's error is in %s", out)
			}
		})
	}
}

// A function of the host's that panics leaves its stack to the host, and nothing of it to the model.
func TestPanicKeepsItsStack(t *testing.T) {
	tool, _ := mailer(t, codemode.Options{}, service.Read("fail", "panics", panicsHere))
	res := tool.Run(t.Context(), "return await mail.fail()")
	p, ok := errors.AsType[*fail.PanicError](res.Err)
	if !ok || p.Value != "hunter2" || !strings.Contains(string(p.Stack), "panicsHere") || !exo.IsPanic(res.Err) {
		t.Fatalf("%#v in %v", p, res.Err)
	}
	if s := res.Err.Error(); strings.Contains(s, "panicsHere") || !strings.Contains(s, "panic: hunter2") {
		t.Errorf("the text of the record: %s", s)
	}
	if s := fail.GuestText(res.Err); strings.Contains(s, "hunter2") || strings.Contains(s, "panicsHere") {
		t.Errorf("the guest reads %s", s)
	}
}

func panicsHere(context.Context, service.None) (bool, error) { panic("hunter2") }

// TestEffectsSayNothing: where the run has read what may not leave, whether it did something with it is a bit of it. That nothing took effect is
// said where nothing was let to act before that, whatever the program asked for afterwards, and of other programs it is never said.
func TestEffectsSayNothing(t *testing.T) {
	tool, sent := mailer(t, codemode.Options{})
	for _, c := range []struct {
		says     string
		programs []string // which differ in what comes after the secret
	}{
		{"nothing took effect", []string{
			"await vault.secret(); throw new Error('x')",
			"await vault.secret(); await mail.send({to: 'a'}); throw new Error('x')",
			"await vault.secret(); await mail.send({to: 'a'}); return 1",
			"await vault.secret(); await mail.post({to: 'nobody'}); return 1",
		}},
		{"nothing took effect", []string{"await mail.post({to: 'nobody'}); await vault.secret(); return 1", "await mail.post({to: 'nobody'}); await vault.secret(); await mail.send({to: 'a'})"}},
		{"it is not known what took effect", []string{
			"await mail.send({to: 'a'}); await vault.secret(); return 1", // this one took place
			"await mail.send({to: 'a'}); await vault.secret(); await mail.send({to: 'a'}); return 1",
			"await mail.send({to: 'a'}); await vault.secret(); throw new Error('x')",
		}},
	} {
		said := map[string]bool{}
		for _, code := range c.programs {
			in, _ := json.Marshal(map[string]string{"code": code})
			out, res := tool.CallJob(t.Context(), codemode.Job{}, in)
			said[string(out)] = true
			if !strings.Contains(string(out), c.says) || res.Changed() != strings.Contains(c.says, "not known") || !strings.Contains(string(out), "the call at line 1:") {
				t.Errorf("%s: the model reads %s", code, out)
			}
		}
		if len(said) != 1 {
			t.Errorf("the model can tell them apart: %v", said)
		}
	}
	if *sent != 3 {
		t.Errorf("%d sent", *sent)
	}
}

// TestNoEffectsToSpeakOf: where nothing can be changed no word is spent on it.
func TestNoEffectsToSpeakOf(t *testing.T) {
	counter, err := service.New("it", "it", service.Read("count", "counts", func(context.Context, service.None) (int, error) { return 1, nil }))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"it": counter}, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	out, res := tool.CallJob(t.Context(), codemode.Job{}, json.RawMessage(`{"code":"throw new Error('x')"}`))
	if res.Err == nil || strings.Contains(string(out), "effect") {
		t.Errorf("the model reads %s", out)
	}
	var zero codemode.Tool
	if out, res := zero.CallJob(t.Context(), codemode.Job{}, nil); res.Err == nil || !strings.Contains(string(out), `"denied"`) {
		t.Errorf("the zero tool gave %s", out)
	}
}

// TestReadOnly: a method that its author said nothing more of is not one that only reads.
func TestReadOnly(t *testing.T) {
	f := func(context.Context, letter) (int, error) { return 1, nil }
	for what, c := range map[string]struct {
		op    service.Operation
		reads bool
	}{
		"Read":             {service.Read("send", "", f), true},
		"Method":           {service.Method("send", "", f), false},
		"Method, at once":  {service.Method("send", "", f).Immediate(), false},
		"Method of labels": {service.Method("send", "", f).Admits(value.NewLabel("pii")), false},
	} {
		mail, err := service.New("mail", "", c.op)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range []exo.Recorder{nil, exo.Unrecorded} {
			tool, err := codemode.New(codemode.Grants{"mail": mail}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: rec})
			if (err != nil) != (rec == nil && !c.reads) {
				t.Errorf("%s, record %v: %v", what, rec, err)
			} else if err == nil && tool.ReadOnly() != c.reads {
				t.Errorf("%s: ReadOnly is %t", what, tool.ReadOnly())
			}
		}
	}
}
