package approvals_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// talk is a conversation whose model may undo its own runs.
type talk struct {
	*world
	own []service.OwnRun
}

// talking makes the tool of a conversation.
func talking(w *world, p exo.Principal) *talk {
	c := &talk{world: &world{t: w.t, e: w.e, url: w.url, db: w.db, raw: w.raw, keeper: w.keeper, store: w.store, now: w.now, rules: []exosql.Approval{exosql.ApproveAbove(1000)}}}
	c.made(p)
	h, err := service.New("history", "what this conversation did", service.Undo(func(context.Context) ([]service.OwnRun, error) { return c.own, nil }, func(ctx context.Context, run exo.RunID) error {
		as := exo.NewRunID()
		return record.Undoing{Of: run, As: as, Principal: p}.Run(ctx, exo.RecordFunc(func(e exo.Entry) error { c.record = append(c.record, e); return nil }), func(ctx context.Context) (exo.State, error) {
			_, refused, err := c.db.Undo(ctx, run, as)
			if len(refused) > 0 {
				return exo.StateRolledBack, service.Refuse("somebody has changed its rows since")
			}
			return exo.StateApplied, err
		})
	}, changeset.Who{})...)
	if err != nil {
		w.t.Fatal(err)
	}
	c.grants["history"] = h
	c.tool = c.toolOf(p, c.grants)
	return c
}

// ran runs a program of the conversation, and lists it as one of its runs.
func (c *talk) ran(program string) service.OwnRun {
	c.t.Helper()
	res := c.tool.Run(c.t.Context(), program)
	if res.Err != nil {
		c.t.Fatal(res.Err)
	}
	c.own = append(c.own, service.OwnRun{Run: res.ID.String(), At: time.Now()})
	return c.own[len(c.own)-1]
}

// TestModelUndoesItsOwnRuns: a model may undo a run of its own conversation, once a person has agreed, and no other's run. If somebody has changed a row
// since, nothing is changed.
func TestModelUndoesItsOwnRuns(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := fresh(t, e, true, e.Pick(exosql.CreateUndo, "SELECT 1"))
		w.db = e.OpenURL(t, w.url, &exosql.OpenOptions{Images: 500, Witness: true, Undo: time.Hour})
		mine, other := talking(w, "user:1"), talking(w, "user:1")
		before := w.dump()
		first := mine.ran(`return staff.where({ name: "ada" }).update({ salary: 1, note: "x" })`)
		foreign := other.ran(`return staff.where({ name: "bob" }).update({ salary: 2 })`)
		after := w.dump()
		undo := func(run string) string {
			return `const all = await history.runs(); return history.undo({ Run: "` + run + `" })`
		}

		for _, run := range []string{foreign.Run, exo.NewRunID().String(), strings.ToUpper(first.Run) + "0", "", "' OR 1=1"} {
			if res := mine.tool.Run(t.Context(), undo(run)); fail.KindOf(res.Err) == fail.Pending || res.Err == nil || !strings.Contains(res.Err.Error(), "no such run") || w.dump() != after {
				t.Errorf("%q: %v", run, res.Err)
			}
		}
		x := mine.prepared(undo(first.Run))
		if w.dump() != after || len(x.Set.Messages) != 1 || !strings.Contains(x.Set.Messages[0].Text, first.Run) {
			t.Fatalf("before anybody agreed: %+v", x.Set.Messages)
		}
		if res, err := mine.apply(x); err != nil || res.Err != nil {
			t.Fatal(err, res.Err)
		}
		back := other.prepared(undo(foreign.Run))
		if res, err := other.apply(back); err != nil || res.Err != nil || w.dump() != before {
			t.Fatalf("%v %v\n%s\nwant\n%s", err, res.Err, w.dump(), before)
		}

		second := mine.ran(`return staff.where({ name: "eve" }).update({ salary: 3 })`)
		w.exec("UPDATE staff SET secret = 'changed since' WHERE name = 'eve'")
		after = w.dump()
		res, err := mine.apply(mine.prepared(undo(second.Run)))
		if err != nil || w.dump() != after || len(res.Effects) != 1 || res.Effects[0].State != exo.StateFailed {
			t.Errorf("changed since: %v %+v", err, res)
		}
	})
}
