package approvals_test

// This file has objects of a host whose rules are hard to read, and a store that somebody else writes.

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// broken is a service whose rule panics.
type broken struct{ *service.Service }

func (broken) Asks(*exo.Message) (string, changeset.Who) { panic("no rule") }

// TestBrokenRuleAsks: a rule that can't be read asks. The twin has no rule.
func TestBrokenRuleAsks(t *testing.T) {
	sent := 0
	m, err := service.New("mail", "sends mails", service.Method("send", "sends a mail", func(context.Context, mail) (service.None, error) { sent++; return service.None{}, nil }))
	if err != nil {
		t.Fatal(err)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := fresh(t, e, false)
		w.tool = w.toolOf("user:1", codemode.Grants{"mail": broken{m}})
		if w.prepared("return " + outside); sent != 0 {
			t.Errorf("%d were sent", sent)
		}
		if res := w.toolOf("user:1", codemode.Grants{"mail": m}).Run(t.Context(), "return "+outside); res.Err != nil || sent != 1 {
			t.Errorf("%d were sent: %v", sent, res.Err)
		}
		sent = 0
	})
}

// TestSealedMessageIsCompared: the text of a message names sealed values only, and the message is compared with them. The twin's value is as it was.
func TestSealedMessageIsCompared(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, meanwhile := range []string{"999", "100"} {
			w := fresh(t, e, false)
			d := declare()
			d.salary.WithLabel("pay")
			sent := 0
			type slip struct {
				To  string
				Pay int64
			}
			m, err := service.New("mail", "sends slips", service.Method("send", "sends a slip", func(context.Context, slip) (service.None, error) { sent++; return service.None{}, nil }).Admits(value.NewLabel("pay")).Approve(changeset.Who{}))
			if err != nil {
				t.Fatal(err)
			}
			w.tool = w.toolOf("user:1", codemode.Grants{"mail": m, "staff": d.ours(w, exosql.NewFacet(d.staff, "staff", d.id, d.name, d.salary))})
			x := w.prepared(`const s = await staff.where({ name: "ada" }).first(); return mail.send({ To: "x", Pay: s.salary })`)
			if !x.Set.Messages[0].Sealed {
				t.Fatalf("%+v is not sealed", x.Set.Messages[0])
			}
			w.exec(`UPDATE staff SET salary = ` + meanwhile + ` WHERE id = 1001`)
			res, err := w.apply(x)
			if conflict := meanwhile != "100"; err != nil || conflict != (fail.KindOf(res.Err) == fail.Conflict) || conflict != (sent == 0) {
				t.Errorf("%s: %v %v, %d sent", meanwhile, err, res.Err, sent)
			}
		}
	})
}

// TestLinkedRuleNeedsReviewer: a host that forgot the reviewer can't grant a facet whose links lead to a rule. The twin's facet has no link.
func TestLinkedRuleNeedsReviewer(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := fresh(t, e, false)
		for _, linked := range []bool{true, false} {
			d := declare()
			f := exosql.NewFacet(d.lines, "line", d.line, d.text)
			if linked {
				f.Add(exosql.Via(exosql.One("staff", d.lineOf, d.id), exosql.NewFacet(d.staff, "staff", d.id, d.name).Approve(exosql.ApproveAlways())))
			}
			_, err := codemode.New(codemode.Grants{"lines": f.Of(exosql.Grant(w.db, d.lines, d.lineOrg.Eq(1), exosql.ScopeRows(d.staff, d.org.Eq(1))))}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
			if (err != nil) != linked {
				t.Errorf("linked %v: %v", linked, err)
			}
		}
	})
}

// TestDayOfTheStore: neither a clock that goes back nor a count that somebody wrote into the store gives a user more rows of a day.
func TestDayOfTheStore(t *testing.T) {
	const one = `return staff.where({ name: "ada" }).update({ note: "x" })`
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		w.now = w.now.Add(48 * time.Hour)
		for range 3 {
			if res := w.tool.Run(t.Context(), one); res.Err != nil {
				t.Fatal(res.Err)
			}
		}
		w.now = w.now.Add(-24 * time.Hour)
		w.prepared(one)
		w.now = w.now.Add(24 * time.Hour)
		day := w.now.UTC().Format(time.DateOnly)
		for _, count := range []string{`{"day":"` + day + `","rows":-1000}`, `{"day":"` + day + `","rows":"0"}`, `[]`} {
			at, err := w.store.Get(t.Context(), store.Key("review-day", "user:1", "staff>3"))
			if err != nil || at.Version == store.Absent {
				t.Fatal(at.Version, err)
			}
			at.Value = []byte(count)
			if _, err := w.store.Put(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			before := w.dump()
			if res := w.tool.Run(t.Context(), `return staff.where({ name: "ada" }).update({ note: "y" })`); res.Err == nil || w.dump() != before {
				t.Errorf("%s: %v", count, res.Err)
			}
		}
	})
}

// TestDecidedOnce: what a person agreed to can't be refused afterwards, so that the model would do it again; what was refused can't be agreed to.
func TestDecidedOnce(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x := w.prepared(rise)
		if res, err := w.apply(x); err != nil || res.Err != nil {
			t.Fatal(err, res.Err)
		}
		if err := w.tool.Reject(t.Context(), x.ID, "no", boss); !errors.Is(err, review.ErrDecided) {
			t.Errorf("refused after it was applied: %v", err)
		}
		if got, err := w.keeper.Get(t.Context(), x.ID); err != nil || got.State != review.Applied {
			t.Error(got.State, err)
		}
	})
}
