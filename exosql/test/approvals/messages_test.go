package approvals_test

// This file has messages that leave: mails, and objects whose names say nothing.

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const outside = `mail.send({ To: "out@them.test", Text: "x" })`

// TestMailsAloneLeaveOnce: a process dies while it applies a change set that only sends. No store shows whether the mail left, so it never waits again. The
// twin also writes: its store shows that nothing was kept, so no mail left, and it waits again.
func TestMailsAloneLeaveOnce(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			program string
			want    review.State
		}{{"return " + outside, review.Unknown}, {"await " + outside + "; " + rise, review.Pending}} {
			w := open(t, e)
			x := w.prepared(c.program)
			if _, err := w.keeper.Approve(t.Context(), x.ID, x.Digest(), boss); err != nil {
				t.Fatal(err)
			}
			w.keep() // another process, which can't know whether the mail left
			w.tool = w.made("user:1")
			w.now = w.now.Add(time.Hour)
			if n, err := w.keeper.Reconcile(t.Context(), w.db.Committed); n != 1 || err != nil {
				t.Error(n, err)
			}
			if got, err := w.keeper.Get(t.Context(), x.ID); err != nil || got.State != c.want {
				t.Errorf("%s: %s %v", c.program, got.State, err)
			}
			if _, err := w.apply(x); (c.want == review.Unknown) != errors.Is(err, review.ErrDecided) {
				t.Errorf("%s: agreed to again: %v", c.program, err)
			}
			if n := len(w.sent); n != map[review.State]int{review.Pending: 1}[c.want] {
				t.Errorf("%s: %d mails were sent", c.program, n)
			}
			if next := w.tool.Run(t.Context(), "return 1"); c.want == review.Unknown && !strings.Contains(next.Notice, "do not send them again") {
				t.Errorf("the model reads %q", next.Notice)
			}
		}
	})
}

// TestFailedMailIsNotApplied: a mail that is known not to have left is not reported as applied, nor is one of which nobody knows. The twin leaves.
func TestFailedMailIsNotApplied(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for want, fails := range map[review.State]error{review.Conflict: service.Refuse("there is no such mailbox"), review.Unknown: errors.New("the line broke"), review.Applied: nil} {
			w := fresh(t, e, false)
			m, err := service.New("mail", "sends mails", service.Method("send", "sends a mail", func(context.Context, mail) (service.None, error) { return service.None{}, fails }).Approve(changeset.Who{}))
			if err != nil {
				t.Fatal(err)
			}
			w.tool = w.toolOf("user:1", codemode.Grants{"mail": m})
			x := w.prepared("return " + outside)
			if _, err := w.apply(x); err != nil {
				t.Fatal(err)
			}
			if got, err := w.keeper.Get(t.Context(), x.ID); err != nil || got.State != want {
				t.Errorf("%v: %s, want %s; %v", fails, got.State, want, err)
			}
			if next := w.tool.Run(t.Context(), "return 1"); strings.Contains(next.Notice, "agreed to and applied") != (fails == nil) || strings.Contains(next.Notice, "do not send them again") != (want == review.Unknown) {
				t.Errorf("%v: the model reads %q", fails, next.Notice)
			}
		}
	})
}

// chooser answers with an object of its own choice: one at the preview, another when the change is being applied.
type chooser struct{ now *exo.Object }

func (c chooser) Describe() (message.Description, error) {
	d, err := (*c.now).Describe()
	if err != nil {
		return d, err
	}
	i := &message.Interface{Name: "Chooser", Methods: map[string]*message.Method{"pick": {Name: "pick", Sends: true, Result: &message.Term{Con: d.Type}}}}
	return message.Description{Type: &message.Type{Name: "Chooser"}, Interfaces: append([]*message.Interface{i}, d.Interfaces...)}, nil
}

func (c chooser) Eval(context.Context, *exo.Message) (value.Value, error) {
	return value.RefValue(*c.now), nil
}

// TestRepliedObjects: nobody agrees to a message, or a write, through an object that came with a reply: another reply may have another object when it is
// applied, and nothing in the change set would differ. The twin is granted, and has a name.
func TestRepliedObjects(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		d := declare()
		team := d.ours(w, exosql.NewFacet(d.staff, "team", d.id, d.name, d.salary, d.note).AllowUpdate(d.salary).Approve(exosql.ApproveAlways()))
		for program, o := range map[string]exo.Object{`await THE.send({ To: "out@them.test", Text: "x" }); return 1`: w.grants["mail"], `return await THE.where({ name: "ada" }).update({ salary: 111 })`: team} {
			before, sent := w.dump(), len(w.sent)
			res := w.toolOf("user:1", codemode.Grants{"chooser": chooser{&o}}).Run(t.Context(), strings.ReplaceAll(program, "THE", "(await chooser.pick())"))
			if fail.KindOf(res.Err) != fail.Invalid || !strings.Contains(res.Err.Error(), "a person would have to agree") || w.dump() != before || len(w.sent) != sent {
				t.Errorf("%s: %v", program, res.Err)
			}
			if res := w.toolOf("user:1", codemode.Grants{"the": o}).Run(t.Context(), strings.ReplaceAll(program, "THE", "the")); fail.KindOf(res.Err) != fail.Pending {
				t.Errorf("%s, granted: %v", program, res.Err)
			}
		}
	})
}

// TestLongMessages: a long message is compared to its end, and one that is longer than a person is shown is refused.
func TestLongMessages(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		program := func(n int) string {
			return `const s = await staff.where({ name: "ada" }).first(); return mail.send({ To: "out@them.test", Text: "x".repeat(` + strings.Repeat("9", n) + `) + (s.note ?? "pay ann") })`
		}
		w := open(t, e)
		x := w.prepared(program(4))
		w.exec(`UPDATE staff SET note = 'pay eve' WHERE id = 1001`)
		if res, err := w.apply(x); err != nil || fail.KindOf(res.Err) != fail.Conflict || len(w.sent) != 0 {
			t.Errorf("another end: %v %v, %d sent", err, res.Err, len(w.sent))
		}
		if res := w.tool.Run(t.Context(), program(5)); fail.KindOf(res.Err) != fail.Invalid || !strings.Contains(res.Err.Error(), "too long to be shown to a person") || len(w.sent) != 0 {
			t.Errorf("a longer one: %v", res.Err)
		}
		w.exec(`UPDATE staff SET note = NULL WHERE id = 1001`)
		if res, err := w.apply(w.prepared(program(4))); err != nil || res.Err != nil || len(w.sent) != 1 {
			t.Errorf("the twin: %v %v", err, res.Err)
		}
	})
}
