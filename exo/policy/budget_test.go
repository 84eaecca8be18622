package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
)

// A budget lets as many messages and effects through as it says, of one run or of all, and
// also those to what the object leads to, or that mention it as an argument.
func TestBudgets(t *testing.T) {
	mail := func() exo.Object {
		o := newMail()
		o.eval = func(_ context.Context, m *exo.Message) (value.Value, error) {
			if m.Root.Name == "dup" {
				return value.RefValue(newMail()), nil
			}
			return value.Int(0), nil
		}
		return o
	}
	// Each run sends these: reads to the object, to what it led to, one that mentions it, effects.
	send := func(o exo.Object) string {
		r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"mail": o, "other": newMail()}})
		passed := ""
		try := func(what string, c *exotest.Chain) {
			switch _, err := c.Send(); {
			case err == nil:
				passed += what
			case fail.KindOf(err) != fail.Denied || !strings.Contains(fail.GuestText(err), "used up"):
				t.Errorf("%s: %v", what, err)
			}
		}
		v, err := r.On("mail").Call("dup").Send()
		if err == nil {
			passed += "d"
			try("p", r.Reply(v).Call("peek"))
		}
		try("f", r.On("other").Call("forward", r.On("mail")))
		for range 2 {
			try("e", r.On("mail").Call("sendDiary", map[string]any{"to": "bob"}))
		}
		try("p", r.On("mail").Call("peek"))
		return passed
	}
	for what, c := range map[string]struct {
		o    exo.Object
		runs []string
	}{
		"none":              {policy.RunBudget(mail(), policy.Allowance{}), []string{"", ""}},
		"none of effects":   {policy.RunBudget(mail(), policy.Allowance{Messages: 9}), []string{"dpfp", "dpfp"}},
		"three a run":       {policy.RunBudget(mail(), policy.Allowance{Messages: 3, Effects: policy.Any}), []string{"dpf", "dpf"}},
		"one effect a run":  {policy.RunBudget(mail(), policy.Allowance{Messages: policy.Any, Effects: 1}), []string{"dpfep", "dpfep"}},
		"eight in all":      {policy.LifeBudget(mail(), policy.Allowance{Messages: 8, Effects: 1}), []string{"dpfep", "dpf", ""}},
		"whichever is less": {policy.LifeBudget(policy.RunBudget(mail(), policy.Allowance{Messages: 2, Effects: 2}), policy.Allowance{Messages: policy.Any, Effects: policy.Any}), []string{"dp", "dp"}},
		"any":               {policy.LifeBudget(mail(), policy.Allowance{Messages: policy.Any, Effects: policy.Any}), []string{"dpfeep", "dpfeep"}},
	} {
		for i, want := range c.runs {
			if got := send(c.o); got != want {
				t.Errorf("%s: run %d got %q through, want %q", what, i, got, want)
			}
		}
	}
}

// Log writes what was asked and what came of it, and no value.
func TestLog(t *testing.T) {
	o := newMail()
	o.eval = func(_ context.Context, m *exo.Message) (value.Value, error) {
		if m.Root.Name == "peek" {
			return value.Value{}, errors.New("s3cret of the driver")
		}
		return value.Text("s3cret reply"), nil
	}
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"mail": policy.Log(o, log)}})
	r.On("mail").Call("put", "s3cret argument").Send()
	r.On("mail").Call("peek").Send()
	r.On("mail").Call("nothing").Send()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || strings.Contains(out.String(), "s3cret") {
		t.Fatalf("it wrote %s", out.String())
	}
	for i, want := range []map[string]any{{"level": "INFO", "op": "mail.put", "principal": "exotest", "effect": "none"}, {"level": "WARN", "op": "mail.peek", "error": "internal"}} {
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		for k, v := range want {
			if got[k] != v {
				t.Errorf("line %d: %s is %v, want %v", i, k, got[k], v)
			}
		}
		if id, err := exo.ParseRunID(got["run"].(string)); err != nil || id != r.Session().Run().ID {
			t.Errorf("line %d: run %v", i, got["run"])
		}
	}
}

// TestSharedTellsNothing: what is shared among runs, a budget and what waits for approval, is not for a run of which nothing may be shown: one
// that looked at a secret would leave a bit of it there.
func TestSharedTellsNothing(t *testing.T) {
	pii := value.NewLabel("pii")
	var a policy.Approvals
	for what, shared := range map[string]func() exo.Object{
		"a budget":    func() exo.Object { return policy.LifeBudget(newMail(), policy.Allowance{Messages: 1}) },
		"an approval": func() exo.Object { return policy.Approve(newMail(), &a, "peek") },
	} {
		o := shared()
		ask := func(label, admits value.Label) string {
			r := exotest.BeginRun(t, exo.Config{Grants: map[string]exo.Object{"mail": o}, Admits: admits}, exo.Run{Principal: "ann", Label: label})
			_, err := r.On("mail").Call("peek").Send()
			return fail.GuestText(err)
		}
		if got := ask(pii, value.Label{}); !strings.Contains(got, "values that its result may not contain") || len(a.Waiting()) > 0 {
			t.Errorf("%s: %q, %d wait", what, got, len(a.Waiting()))
		}
		if got := ask(pii, pii); strings.Contains(got, "may not contain") || what == "a budget" && got != "" || what == "an approval" && (len(a.Waiting()) != 1 || a.Waiting()[0].Label.String() != "{pii}") {
			t.Errorf("%s, and it may: %q, %v", what, got, a.Waiting())
		}
		for _, w := range a.Waiting() {
			if err := a.Deny(w.ID); err != nil {
				t.Error(err)
			}
		}
		if got := ask(value.Label{}, value.Label{}); what == "a budget" && !strings.Contains(got, "used up") || what == "an approval" && len(a.Waiting()) != 1 {
			t.Errorf("%s, of one that read nothing: %q", what, got)
		}
		for _, w := range a.Waiting() {
			_ = a.Deny(w.ID)
		}
	}
}
