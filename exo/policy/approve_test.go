package policy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
)

// till begins a run of one principal with a mailer that has to be approved to put.
func till(t *testing.T, a *policy.Approvals, who exo.Principal) (*exotest.Run, *[]string) {
	var done []string
	o := newMail()
	o.eval = func(_ context.Context, m *exo.Message) (value.Value, error) {
		if m.Root.Name == "dup" {
			return value.RefValue(newMail()), nil
		}
		done = append(done, fmt.Sprint(m.Root.Name, m.Args))
		return value.Int(0), nil
	}
	r := exotest.BeginRun(t, exo.Config{Grants: map[string]exo.Object{"till": policy.Approve(o, a, "put", "forward"), "other": newMail(), "third": newMail()}}, exo.Run{Principal: who})
	return r, &done
}

// Exactly what was approved is admitted, exactly once.
func TestApprove(t *testing.T) {
	var a policy.Approvals
	refused := func(what string, c *exotest.Chain) {
		t.Helper()
		if _, err := c.Send(); fail.KindOf(err) != fail.Denied {
			t.Errorf("%s: %v", what, err)
		}
	}
	r, done := till(t, &a, "ann")
	if _, err := r.On("till").Call("peek").Send(); err != nil {
		t.Errorf("what needs no approval: %v", err)
	}
	for range 3 { // asked for again it waits once
		_, err := r.On("till").Call("put", 41).Send()
		if fail.KindOf(err) != fail.Denied || !strings.Contains(fail.GuestText(err), "make exactly the same call again") {
			t.Errorf("before it was approved: %v", err)
		}
	}
	asked := a.Waiting()
	if len(asked) != 1 || asked[0].Op != "till.put" || asked[0].Text != "till.put(41)" || asked[0].Principal != "ann" {
		t.Fatalf("%+v", asked)
	}
	for _, id := range []string{"", "1", asked[0].ID + "x"} {
		if a.Allow(id) == nil || a.Deny(id) == nil {
			t.Errorf("%q was decided on", id)
		}
	}
	if err := a.Allow(asked[0].ID); err != nil || a.Allow(asked[0].ID) == nil {
		t.Error("it can be approved once", err)
	}
	// Other messages than the one approved, and the same of another.
	other, _ := till(t, &a, "bob")
	refused("another value", r.On("till").Call("put", 42))
	refused("a value of another kind", r.On("till").Call("put", "41"))
	refused("another principal", other.On("till").Call("put", 41))
	again, doneAgain := till(t, &a, "ann") // the model's next program is another run
	refused("the same of an argument", again.On("other").Call("forward", again.On("till")))
	if _, err := again.On("till").Call("put", 41).Send(); err != nil {
		t.Errorf("what was approved: %v", err)
	}
	refused("again", again.On("till").Call("put", 41))
	if len(*done) != 1 || fmt.Sprint(*doneAgain) != "[put[41]]" {
		t.Errorf("done: %v %v", *done, *doneAgain)
	}
	// What came with a reply has no name, so nobody could say what was approved.
	v, err := again.On("till").Call("dup").Send()
	if err != nil {
		t.Fatal(err)
	}
	n := len(a.Waiting())
	refused("what a reply led to", again.Reply(v).Call("put", 41))
	if len(a.Waiting()) != n {
		t.Error("it waits")
	}
}

// An approved message that mentions two objects is approved with these two.
func TestApproveNamesObjects(t *testing.T) {
	var a policy.Approvals
	r, _ := till(t, &a, "ann")
	r.On("till").Call("forward", r.On("other")).Send()
	asked := a.Waiting()
	if len(asked) != 1 || asked[0].Text != "till.forward(other)" {
		t.Fatalf("%+v", asked)
	}
	if err := a.Allow(asked[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.On("till").Call("forward", r.On("third")).Send(); fail.KindOf(err) != fail.Denied {
		t.Errorf("another object: %v", err)
	}
	// In another gate the same number may be another name.
	g := exotest.BeginRun(t, exo.Config{Grants: map[string]exo.Object{"till": policy.Approve(newMail(), &a, "forward"), "others": newMail(), "third": newMail()}}, exo.Run{Principal: "ann"})
	if _, err := g.On("till").Call("forward", g.On("others")).Send(); fail.KindOf(err) != fail.Denied {
		t.Errorf("another object of the same number: %v", err)
	}
	if _, err := r.On("till").Call("forward", r.On("other")).Send(); err != nil {
		t.Errorf("what was approved: %v", err)
	}
}

// The requests of one run are few, those of all are bounded, what a person could not read
// can't be approved, and tickets can be taken back.
func TestApproveIsBounded(t *testing.T) {
	var a policy.Approvals
	for who := range 20 {
		r, _ := till(t, &a, exo.Principal(fmt.Sprint("p", who)))
		for i := range 20 {
			r.On("till").Call("put", i).Send()
		}
		if mine := slices.DeleteFunc(a.Waiting(), func(q policy.Request) bool { return q.Principal != exo.Principal(fmt.Sprint("p", who)) }); len(mine) != 8 {
			t.Fatalf("%d of one run wait", len(mine))
		}
	}
	if n := len(a.Waiting()); n != 64 {
		t.Errorf("%d wait", n)
	}
	var b policy.Approvals
	r, _ := till(t, &b, "ann")
	long := strings.Repeat("x", 70_000)
	r.On("till").Call("put", long).Send()
	if n := len(b.Waiting()); n != 0 {
		t.Errorf("%d wait, of 70,000 bytes", n)
	}
	r.On("till").Call("put", 1).Send()
	if err := b.Deny(b.Waiting()[0].ID); err != nil || len(b.Waiting()) != 0 {
		t.Error(err, b.Waiting())
	}
	r.On("till").Call("put", 1).Send()
	if err := b.Allow(b.Waiting()[0].ID); err != nil {
		t.Error(err)
	}
	b.Revoke()
	if _, err := r.On("till").Call("put", 1).Send(); fail.KindOf(err) != fail.Denied {
		t.Errorf("a ticket that was taken back: %v", err)
	}
}

// A person reads all that a message says, and nothing that changes how the rest looks.
func TestRequestText(t *testing.T) {
	var a policy.Approvals
	r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"todos": policy.Approve(newTodos(), &a, "count", "where")}})
	r.On("todos").Call("where", func(q *exotest.Chain) *exotest.Chain {
		return q.Field("todo").Field("title").Call("eq", "a\u202eb\U000e0041")
	}).Call("as", "x").Call("join", r.On("todos"), func(q *exotest.Chain) *exotest.Chain {
		return q.Field("x").Field("id").Call("in", []any{1, 2})
	}).Call("execute").Send()
	const want = `todos.where((x1 => x1.todo.title.eq("a\u202eb\udb40\udc41"))).as("x").join(todos, (x2 => x2.x.id.in([1,2]))).execute()`
	if asked := a.Waiting(); len(asked) != 1 || asked[0].Text != want {
		t.Errorf("%+v\nwant %s", asked, want)
	}
}

// Approvals of nothing, by nobody, or of what is misspelt are found when they are granted.
func TestApproveMisdeclared(t *testing.T) {
	var a policy.Approvals
	for what, c := range map[string]struct {
		o  exo.Object
		ok bool
	}{
		"put": {policy.Approve(newMail(), &a, "put"), true}, "no method": {policy.Approve(newMail(), &a), false}, "a misspelt one": {policy.Approve(newMail(), &a, "put", "putt"), false},
		"nobody": {policy.Approve(newMail(), nil, "put"), false}, "nothing": {policy.Approve(nil, &a, "put"), false}, "another name of one": {policy.Approve(newTodos(), &a, "="), false},
	} {
		if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"o": c.o}, Record: exo.Unrecorded}); (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
	}
}
