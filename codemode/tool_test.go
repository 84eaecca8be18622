package codemode_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// output is what a model reads of a call.
type output struct {
	Result  any
	Console string
	Notice  string
	Error   *struct {
		Kind, Message, Source string
		Line, Column          int
	}
}

// call runs a program through the whole of Call and holds the output against the schema.
func call(tb testing.TB, t *codemode.Tool, code string) output {
	tb.Helper()
	in, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		tb.Fatal(err)
	}
	return callJSON(tb, t, string(in))
}

func callJSON(tb testing.TB, t *codemode.Tool, in string) output {
	tb.Helper()
	b, err := t.Call(context.Background(), json.RawMessage(in))
	if err != nil {
		tb.Fatal(err)
	}
	var o output
	var m map[string]any
	if err := errors.Join(json.Unmarshal(b, &o), json.Unmarshal(b, &m)); err != nil {
		tb.Fatalf("%v: %s", err, b)
	}
	if _, ok := m["result"]; ok == (o.Error != nil) {
		tb.Errorf("either a result or an error, not %s", b)
	}
	if strings.Contains(string(b), "hunter2") {
		tb.Errorf("the host's secret is in the output: %s", b)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(t.OutputSchema(), &s); err != nil {
		tb.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.Validate(m); err != nil {
		tb.Errorf("%v: %s", err, b)
	}
	return o
}

func TestCall(t *testing.T) {
	w := newWorld(t)
	tool := newTool(t, codemode.Grants{"org": w.five, "mail": mailbox(t)}, &codemode.Options{Bounds: exoeval.Bounds{SourceBytes: 2000, ResultBytes: 3000}})
	if tool.Name() != "execute" {
		t.Errorf("name %q", tool.Name())
	}
	o := call(t, tool, "async ({ org }) => { console.log('hello', 1); return await org.projects().select(p => ({ title: p.project.title })); }")
	if j, _ := json.Marshal(o.Result); string(j) != `[{"title":"Site"},{"title":"Old"}]` || o.Console != "hello 1\n" || o.Notice != "" {
		t.Errorf("%s %+v", j, o)
	}
	if o = call(t, tool, "return null"); o.Result != nil || o.Error != nil {
		t.Errorf("null: %+v", o)
	}
	o = call(t, tool, "(api) => api.org.projects().tasks().notes()")
	if n := len(o.Result.([]any)); n < 10 || n > 60 || !strings.Contains(o.Notice, "of 10002 items shown") || !strings.Contains(o.Notice, "where") || !strings.Contains(o.Notice, "count") {
		t.Errorf("%d rows, notice %q", n, o.Notice)
	}
	o = call(t, tool, "console.log('\\u0001'.repeat(100000)); return '\\u0001'.repeat(100000)")
	if o.Error != nil || o.Notice == "" || len(o.Console) > 40_000 {
		t.Errorf("%d bytes of console, notice %q, error %v", len(o.Console), o.Notice, o.Error)
	}
	// That a part is missing is read before the part; a notice of a whole result stands behind it.
	for code, first := range map[string]string{"return 'x'.repeat(5000)": `{"notice":"The result has 5002 bytes, `, "1; undefined": `{"result":null,"notice":"`} {
		input, _ := json.Marshal(map[string]string{"code": code})
		if out, failed := tool.Call(t.Context(), input); !bytes.HasPrefix(out, []byte(first)) || bytes.Count(out, []byte(`"notice"`)) != 1 || !json.Valid(out) {
			t.Errorf("%s: %.200s, %v", code, out, failed)
		}
	}
}

func TestInput(t *testing.T) {
	tool := newTool(t, codemode.Grants{"mail": mailbox(t)}, &codemode.Options{Bounds: exoeval.Bounds{SourceBytes: 300}})
	for _, c := range []struct{ in, kind, says string }{
		{``, "invalid", "empty"},
		{`nonsense`, "invalid", "not JSON"},
		{`"return 1"`, "invalid", "no object"},
		{`["return 1"]`, "invalid", "no object"},
		{`null`, "invalid", "no object"},
		{`{}`, "invalid", `no "code"`},
		{`{"program":"return 1"}`, "invalid", `"program"`},
		{`{"Code":"return 1"}`, "invalid", `"Code"`},
		{`{"code":"return 1","x":1}`, "invalid", `"x"`},
		{`{"code":"return 1","code":"return 2"}`, "invalid", "twice"},
		{`{"code":1}`, "invalid", "a number"},
		{`{"code":null}`, "invalid", "null"},
		{`{"code":["return 1"]}`, "invalid", "an array"},
		{`{"code":{}}`, "invalid", "an object"},
		{`{"code":"return 1"} {}`, "invalid", "text after"},
		{`{"code":"return 1"`, "invalid", "not JSON"},
		{`{"code":"return 1}`, "invalid", "not JSON"},
		{`{"code":"  \n"}`, "invalid", "empty"},
		{`{"` + strings.Repeat("x", 500) + `":1}`, "invalid", "not known"},
		{`{"code":"` + strings.Repeat("x", 9000) + `"}`, "limit", "300"},
		{`{"code":"` + strings.Repeat("1;", 300) + `"}`, "", "300"},
	} {
		o := callJSON(t, tool, c.in)
		switch {
		case o.Error == nil:
			t.Errorf("%.60s: no error", c.in)
		case c.kind != "" && o.Error.Kind != c.kind, !strings.Contains(o.Error.Message, c.says):
			t.Errorf("%.60s: %+v", c.in, *o.Error)
		case c.kind == "invalid" && !strings.Contains(o.Error.Message, `{"code": "..."}`):
			t.Errorf("%.60s: the message does not say what is right: %s", c.in, o.Error.Message)
		}
	}
	if o := callJSON(t, tool, ` { "code" : "return 1" } `); o.Result != 1.0 {
		t.Errorf("%+v", o)
	}
}

// TestErrors: a model can act on each error, and none shows what only the host may know.
func TestErrors(t *testing.T) {
	w := newWorld(t)
	tool := newTool(t, codemode.Grants{"org": w.five, "mail": mailbox(t)}, &codemode.Options{Bounds: exoeval.Bounds{ResultBytes: 200, Wall: 3 * time.Second}})
	for _, c := range []struct {
		code, kind, says string
		line             int
	}{
		{"return 1 +", "syntax", "", 1},
		{"const a = 1;\nreturn api.org.projcts()", "denied", "did you mean `projects`", 2},
		{"return api.org.projects().where(p => p.titel === 'x')", "denied", "title", 1},
		{"\n\nthrow new Error('no luck')", "program", "no luck", 3},
		{"return await api.mail.broken()", "internal", "internal error. The program is not at fault", 1},
		{"return await api.mail.panics()", "internal", "go on without it", 1},
		{"return await api.mail.said()", "invalid", "delete something", 1},
		{"try { await api.mail.broken() } catch (e) { return String(e) + e.stack + JSON.stringify(e) }", "", "internal error", 0},
		{"return api.mail.send({ to: 'x' })", "invalid", "send", 1},
		{"for (;;) {}", "limit", "3s", 0},
		{"return api.mail", "invalid", "", 0},
		{"throw 'x'.repeat(100000)", "program", "xxx", 0},
		{"throw { toString() { return 'own' } }", "program", "own", 0},
	} {
		o := call(t, tool, c.code)
		if c.kind == "" {
			if s, _ := o.Result.(string); !strings.Contains(s, c.says) {
				t.Errorf("%s: %+v", c.code, o)
			}
			continue
		}
		if o.Error == nil {
			t.Errorf("%s: no error: %v", c.code, o.Result)
			continue
		}
		if o.Error.Kind != c.kind || !strings.Contains(o.Error.Message, c.says) || c.line > 0 && o.Error.Line != c.line || len(o.Error.Message) > 5000 {
			t.Errorf("%.60s: %.500s", c.code, fmt.Sprintf("%+v", *o.Error))
		}
		if o.Error.Line > 0 && o.Error.Source == "" {
			t.Errorf("%.60s: a line and no source", c.code)
		}
	}
	// The host does learn the cause.
	if r := tool.Run(context.Background(), "return await api.mail.broken()"); r.Err == nil || errors.Unwrap(r.Err) == nil || !strings.Contains(errors.Unwrap(r.Err).Error(), "hunter2") {
		t.Errorf("the host does not see the cause: %v", r.Err)
	}
}

func TestLabels(t *testing.T) {
	w := newWorld(t)
	tool := newTool(t, codemode.Grants{"people": w.secret}, nil)
	for _, code := range []string{"return api.people.where({ email: 'x' }).count()", "console.log((await api.people.orderBy(p => p.email))[0].email); return 1", "throw (await api.people.select(p => p.email.length))[0]"} {
		if o := call(t, tool, code); o.Error == nil || o.Error.Kind != "denied" || o.Console != "" || strings.Contains(o.Error.Message, "@") {
			t.Errorf("%s: %+v", code, o)
		}
	}
	for code, want := range map[string]string{"return (await api.people)[0].email": "[sealed pii]", "console.log((await api.people)[0].email); return 1": "[sealed pii]\n", "throw (await api.people)[0].email": "the program threw [sealed pii]"} {
		o := call(t, tool, code)
		if got := fmt.Sprint(o.Result, o.Console, o.Error); o.Error != nil {
			if o.Error.Message != want {
				t.Errorf("%s: %s", code, got)
			}
		} else if !strings.Contains(got, want) {
			t.Errorf("%s: %s", code, got)
		}
	}
	tool = newTool(t, codemode.Grants{"people": w.secret}, &codemode.Options{Admits: value.NewLabel("pii")})
	if o := call(t, tool, "return (await api.people)[0].email"); o.Result != "ann@acme.example" {
		t.Errorf("%+v", o)
	}
	// What was logged before stays, and is told while the program runs; what may be made of it does not.
	program := "console.log('before'); const people = await api.people.orderBy(p => p.email); console.warn('after', people[0].email); return 1"
	for _, c := range []struct {
		admits value.Label
		kind   fail.Kind
		want   string
	}{{value.Label{}, fail.Denied, "before\n"}, {value.NewLabel("pii"), fail.Other, "before\nwarn: after ann@acme.example\n"}} {
		told := ""
		tool := newTool(t, codemode.Grants{"people": w.secret}, &codemode.Options{Admits: c.admits, Console: func(l exo.Line) { told += l.RunID.String() + l.String() + "\n" }})
		job := codemode.Job{ID: exo.NewRunID(), Program: program}
		heard := ""
		for line := range strings.Lines(c.want) {
			heard += job.ID.String() + line
		}
		if r := tool.RunJob(context.Background(), job); fail.KindOf(r.Err) != c.kind || r.Console != c.want || told != heard {
			t.Errorf("admitted %v: %v, %q, told %q", c.admits, r.Err, r.Console, told)
		}
	}
	if strings.Contains(tool.Description(), "sealed") {
		t.Error("the rule on labels is there though they are admitted")
	}
}

func TestCancelled(t *testing.T) {
	tool := newTool(t, codemode.Grants{"mail": mailbox(t)}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if b, err := tool.Call(ctx, json.RawMessage(`{"code":"for (;;) {}"}`)); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := tool.Call(ctx, json.RawMessage(`{"code":"return 1"}`)); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%s, %v", b, err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if b, err := tool.Call(ctx, json.RawMessage(`{"code":"for (;;) {}"}`)); b != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestZero(t *testing.T) {
	for _, tool := range []*codemode.Tool{nil, {}} {
		if _, err := tool.Call(context.Background(), json.RawMessage(`{"code":"return 1"}`)); err == nil {
			t.Error("the zero Tool answers")
		}
		if r := tool.Run(context.Background(), "return 1"); r.Err == nil {
			t.Error("the zero Tool runs programs")
		}
	}
	mail := mailbox(t)
	for _, c := range []struct {
		g   codemode.Grants
		opt *codemode.Options
	}{
		{nil, nil}, {codemode.Grants{"mail": nil}, nil}, {codemode.Grants{"no name": mail}, nil}, {codemode.Grants{"api": mail}, nil},
		{codemode.Grants{"mail": mail}, &codemode.Options{Name: "no name"}}, {codemode.Grants{"mail": mail}, &codemode.Options{Name: strings.Repeat("x", 65)}},
		{codemode.Grants{"mail": policy.Only(mail, "nothing")}, nil},
	} {
		if tool, err := codemode.New(c.g, c.opt); err == nil || tool != nil {
			t.Errorf("%v, %v: no error", c.g, c.opt)
		}
	}
}

// TestConcurrent: one tool, many goroutines, each with its own run.
func TestConcurrent(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	events := 0
	tool := newTool(t, codemode.Grants{"org": w.five, "mail": mailbox(t)}, &codemode.Options{Principal: "ann", Record: exo.RecordFunc(func(e exo.Entry) error {
		mu.Lock()
		defer mu.Unlock()
		if e.Call != 0 {
			events++
		}
		if e.Step == exo.Begun && (e.Start.Principal != "ann" || e.Start.Program == "") {
			t.Errorf("%+v", e.Start)
		}
		return nil
	})})
	want := call(t, tool, "return api.org.projects()")
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for range 5 {
				if k%2 == 0 {
					if o := call(t, tool, "console.log(1); return api.org.projects()"); len(o.Result.([]any)) != len(want.Result.([]any)) || o.Console != "1\n" {
						t.Errorf("%+v", o)
					}
				} else if o := call(t, tool, "return await api.mail.broken()"); o.Error == nil {
					t.Errorf("%+v", o)
				}
				_ = tool.Description()
			}
		})
	}
	wg.Wait()
	if events != 2*41 {
		t.Errorf("%d events", events)
	}
}
