package approvals_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const rise = `return staff.where({ name: "ada" }).update({ salary: 111 })`

// TestAsks: which changes wait for a person, and which happen at once.
func TestAsks(t *testing.T) {
	for _, c := range []struct{ program, rules string }{
		{`return staff.where({ name: "ada" }).update({ note: "x" })`, ""},
		{rise, "salary of staff"},
		{`return staff.where({ name: "ada" }).update({ note: "x", salary: 100 })`, "salary of staff"}, // the column is given, whatever its value
		{`return staff.insert({ name: "new", salary: 1 })`, "salary of staff"},
		{`return staff.where({ name: "eve" }).delete()`, "delete of staff"},
		{`await staff.where({ name: "eve" }).delete(); ` + rise, "salary of staff;delete of staff"},
		{`return staff.where({ name: "nobody" }).delete()`, "delete of staff"},
		{`return mail.send({ To: "TEAM@us.test", Text: "x" })`, ""},
		{`return mail.send({ To: "out@them.test", Text: "x" })`, "To of Mail.send outside of team@us.test"},
		{`return lines.insert({ staffId: 1001, text: "x" })`, ""},
		{`return staff.count()`, ""},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			w := open(t, e)
			if c.rules != "" {
				if x := w.prepared(c.program); strings.Join(x.Rules, ";") != c.rules {
					t.Errorf("%s: %q, want %q", c.program, x.Rules, c.rules)
				} else if res, err := w.apply(x); err != nil || res.Err != nil {
					t.Errorf("%s: %v %v", c.program, err, res.Err)
				}
			} else if res := w.tool.Run(t.Context(), c.program); res.Err != nil {
				t.Errorf("%s: %v", c.program, res.Err)
			}
		})
	}
}

// TestManySmallPrograms: twenty small programs are no way around a number of rows, and another day and another user begin anew.
func TestManySmallPrograms(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		one := `return staff.where({ name: "ada" }).update({ note: "x" })`
		for i := range 3 {
			if res := w.tool.Run(t.Context(), one); res.Err != nil {
				t.Fatal(i, res.Err)
			}
			w.keep() // in another process each time
			w.tool = w.made("user:1")
		}
		if x := w.prepared(one); x.Rules[0] != "more than 3 rows of staff in a day" {
			t.Error(x.Rules)
		}
		if res := w.made("user:2").Run(t.Context(), one); res.Err != nil {
			t.Error("another user:", res.Err)
		}
		w.now = w.now.Add(24 * time.Hour)
		if res := w.tool.Run(t.Context(), one); res.Err != nil {
			t.Error("the next day:", res.Err)
		}
	})
}

// TestAppliedExactly: a change set is applied exactly, or not at all.
func TestAppliedExactly(t *testing.T) {
	for name, c := range map[string]struct{ program, meanwhile, differs string }{
		"a row more":           {`return staff.where(s => s.salary < 250).update({ salary: 1 })`, `UPDATE staff SET salary = 10 WHERE id = 1003`, "1003"},
		"another value before": {`return staff.where({ name: "ada" }).update({ salary: 111 })`, `UPDATE staff SET salary = 101 WHERE id = 1001`, `salary from "101"`},
		"a hidden column":      {`return staff.where({ name: "ada" }).delete()`, `UPDATE staff SET secret = 'y' WHERE id = 1001`, ""},
		"a row less":           {`return staff.where({ name: "eve" }).delete()`, `DELETE FROM staff WHERE id = 1003`, ""},
		"a message":            {`const n = await staff.count(); await mail.send({ To: "out@x.test", Text: "we are " + n }); return n`, `INSERT INTO staff (org_id, name, salary) VALUES (1, 'kim', 5)`, "we are 4"},
		"an error now":         {`const s = await staff.where({ name: "ada" }).first(); if (s.note) throw new Error("no"); return staff.where({ id: s.id }).update({ salary: 5 })`, `UPDATE staff SET note = 'n' WHERE id = 1001`, ""},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			w := open(t, e)
			w.exec(`DELETE FROM lines`)
			x := w.prepared(c.program)
			w.exec(c.meanwhile)
			before, sent := w.dump(), len(w.sent)
			res, err := w.tool.Apply(t.Context(), x.ID, x.Digest(), boss)
			if name == "a hidden column" && e.Name == tu.Postgres.Name { // without the triggers of `exo gen undo` the granted columns are compared
				if err != nil || res.Err != nil {
					t.Errorf("%s: %v %v", name, err, res.Err)
				}
				return
			}
			if err != nil || res.Err == nil {
				t.Fatalf("%s: %v, applied %v", name, err, res)
			}
			if k := fail.KindOf(res.Err); name != "an error now" && name != "a row less" && k != fail.Conflict || !strings.Contains(differs(res.Err), c.differs) {
				t.Errorf("%s: %v, differs %q", name, res.Err, differs(res.Err))
			}
			if w.dump() != before || len(w.sent) != sent {
				t.Errorf("%s: something happened", name)
			}
			if got, err := w.keeper.Get(t.Context(), x.ID); err != nil || got.State != review.Conflict {
				t.Errorf("%s: %v %v", name, got.State, err)
			}
			if next := w.tool.Run(t.Context(), `return 1`); !strings.Contains(next.Notice, "nothing of it happened") || strings.Contains(next.Notice, "101") {
				t.Errorf("%s: the model reads %q", name, next.Notice)
			}
		})
	}
}

func (w *world) exec(text string) {
	w.t.Helper()
	if _, err := w.raw.Exec(text); err != nil {
		w.t.Fatal(err)
	}
}

// TestNewKeys: keys that the database chooses may be others when the change is applied, and are kept as keys.
func TestNewKeys(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x := w.prepared(`const s = await staff.insert({ name: "new", salary: 1 }); await lines.insert({ staffId: s.id, text: "hired" }); await lines.insert({ staffId: s.id, text: "paid" }); return "ok"`)
		for _, r := range x.Set.Parts[0].Rows {
			if r.Key != "new" {
				t.Errorf("%+v: its key is known", r)
			}
		}
		w.exec(`INSERT INTO staff (org_id, name, salary) VALUES (2, 'first', 1)`) // takes the key that the preview had
		w.exec(`INSERT INTO lines (org_id, staff_id, text) VALUES (2, 1004, 'x')`)
		res, err := w.apply(x)
		if err != nil || res.Err != nil {
			t.Fatal(err, res.Err)
		}
		if got := tu.Rows(t, w.raw, `SELECT l.text FROM lines AS l JOIN staff AS s ON s.id = l.staff_id WHERE s.name = 'new' ORDER BY l.text`); !strings.Contains(got, "hired") || !strings.Contains(got, "paid") {
			t.Error(got)
		}
		for program, says := range map[string]string{
			`const s = await staff.insert({ name: "n2", salary: 1 }); await staff.where({ name: "ada" }).update({ note: "see " + s.id }); return 1`:       "leave the key out",
			`const s = await staff.insert({ name: "n3", salary: 1 }); await mail.send({ To: "team@us.test", Text: "welcome, number " + s.id }); return 1`: "leave the key out",
		} {
			if res := w.tool.Run(t.Context(), program); fail.KindOf(res.Err) != fail.Invalid || !strings.Contains(fail.GuestText(res.Err), says) {
				t.Errorf("%s: %v", program, res.Err)
			}
		}
	})
}

// TestClockAndSeed: the program runs again with the clock and the seed of the preview, so it can't behave otherwise by them.
func TestClockAndSeed(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x := w.prepared(`return staff.where({ name: "ada" }).update({ salary: Math.floor(Math.random() * 1e9), note: new Date().toISOString() })`)
		w.now = w.now.Add(3 * time.Hour)
		if res, err := w.apply(x); err != nil || res.Err != nil {
			t.Error(err, res.Err)
		}
	})
}

// TestImmediate: what acts at once can't stand in a program that a person may have to agree to, before or after.
func TestImmediate(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		for _, program := range []string{
			`await mail.log({ To: "x", Text: "a" }); return staff.where({ name: "ada" }).update({ note: "x" })`,
			`await staff.where({ name: "ada" }).update({ note: "x" }); return mail.log({ To: "x", Text: "a" })`,
			`await mail.log({ To: "x", Text: "a" }); return mail.send({ To: "out@them.test", Text: "x" })`,
		} {
			before := w.dump()
			if res := w.tool.Run(t.Context(), program); fail.KindOf(res.Err) != fail.Denied || w.dump() != before {
				t.Errorf("%s: %v", program, res.Err)
			}
		}
		if res := w.tool.Run(t.Context(), `await mail.log({ To: "x", Text: "a" }); return lines.insert({ staffId: 1001, text: "x" })`); res.Err != nil {
			t.Error("without a rule:", res.Err)
		}
	})
}

// TestWhoMay: who may agree, and to what they saw only.
func TestWhoMay(t *testing.T) {
	self := review.Approver{Name: "user:1", How: review.Terminal}
	page := review.Approver{Name: "boss", How: review.Page}
	for name, c := range map[string]struct {
		who changeset.Who
		by  review.Approver
		ok  bool
	}{
		"self, at a terminal":                        {changeset.Who{}, self, true},
		"self, on a page":                            {changeset.Who{}, review.Approver{Name: "user:1", How: review.Page}, false},
		"self, on a page that takes it":              {changeset.Who{By: changeset.Self}, review.Approver{Name: "user:1", How: review.Page}, true},
		"self, where others must":                    {changeset.Who{By: changeset.Other}, self, false},
		"another, where others must":                 {changeset.Who{By: changeset.Other}, page, true},
		"a terminal, where others must":              {changeset.Who{By: changeset.Other}, boss, false},
		"a link, where others must":                  {changeset.Who{By: changeset.Other}, review.Approver{Name: "boss", How: review.Link}, false},
		"a link, where a page must":                  {changeset.Who{Least: changeset.Page}, review.Approver{Name: "boss", How: review.Link}, true},
		"a terminal, where a page must":              {changeset.Who{Least: changeset.Page}, boss, false},
		"a page, where a page must":                  {changeset.Who{Least: changeset.Page}, page, true},
		"nobody":                                     {changeset.Who{}, review.Approver{How: review.Terminal}, false},
		"somebody who is known in no way (a client)": {changeset.Who{}, review.Approver{Name: "boss"}, false},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			w := open(t, e, exosql.ApproveAlways().From(c.who))
			x := w.prepared(rise)
			_, err := w.tool.Apply(t.Context(), x.ID, x.Digest(), c.by)
			if (err == nil) != c.ok {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x, y := w.prepared(rise), w.prepared(`return staff.where({ name: "ada" }).update({ salary: 222 })`)
		if _, err := w.tool.Apply(t.Context(), x.ID, y.Digest(), boss); err == nil {
			t.Error("agreed to what was not shown")
		}
		if _, err := w.made("user:2").Apply(t.Context(), x.ID, x.Digest(), boss); err == nil {
			t.Error("the tool of another principal applied it")
		}
		if err := w.tool.Reject(t.Context(), x.ID, "too much", boss); err != nil {
			t.Fatal(err)
		}
		if _, err := w.apply(x); !errors.Is(err, review.ErrDecided) {
			t.Error("applied after it was refused:", err)
		}
		if next := w.tool.Run(t.Context(), `return 1`); !strings.Contains(next.Notice, "too much") {
			t.Error(next.Notice)
		}
		w.now = w.now.Add(25 * time.Hour)
		if _, err := w.apply(y); !errors.Is(err, review.ErrDecided) {
			t.Error("applied after it has expired:", err)
		}
	})
}

// TestTwoApprovers: of two people, in two processes, one applies it.
func TestTwoApprovers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x := w.prepared(`return staff.insert({ name: "once", salary: 1 })`)
		other := *w
		other.keep()
		two := []*codemode.Tool{w.tool, other.made("user:1")}
		errs := make(chan error, 8)
		for i := range cap(errs) {
			go func() {
				res, err := two[i%2].Apply(context.Background(), x.ID, x.Digest(), boss)
				if err == nil {
					err = res.Err
				}
				errs <- err
			}()
		}
		won := 0
		for range cap(errs) {
			if err := <-errs; err == nil {
				won++
			} else if !errors.Is(err, review.ErrDecided) {
				t.Error(err)
			}
		}
		if got := tu.Rows(t, w.raw, `SELECT count(*) FROM staff WHERE name = 'once'`); won != 1 || !strings.Contains(got, "1") {
			t.Error(won, got)
		}
	})
}

// TestTampered: what was changed in the store can't be agreed to.
func TestTampered(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x, y := w.prepared(rise), w.prepared(`return staff.where({ name: "ada" }).update({ salary: 222 })`)
		part := func(id string) store.Entry {
			p, err := w.store.Get(t.Context(), store.Key("review-chunk", id, "000"))
			if err != nil || p.Version == store.Absent {
				t.Fatal(err)
			}
			return p
		}
		if strings.Contains(string(part(x.ID).Value), "salary") || strings.Contains(string(part(y.ID).Value), "salary") {
			t.Error("a change set is stored in clear")
		}
		a, b := part(x.ID), part(y.ID)
		a.Value = b.Value
		if _, err := w.store.Put(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if _, err := w.tool.Apply(t.Context(), x.ID, y.Digest(), boss); err == nil {
			t.Error("a swapped change set was applied")
		}
		var p map[string]any
		if err := json.Unmarshal(b.Value, &p); err != nil {
			t.Fatal(err)
		}
		p["principal"] = "user:2"
		b.Value, _ = json.Marshal(p)
		if _, err := w.store.Put(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if _, err := w.keeper.Get(t.Context(), y.ID); err == nil {
			t.Error("a change set of another principal was read")
		}
	})
}

// TestForgedHead: who can write the store can't forge a decision, extend a time, or put the head of one change set in the place of another's.
func TestForgedHead(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		head := func(id string) store.Entry {
			h, err := w.store.Get(t.Context(), store.Key("review", "user:1", id))
			if err != nil || h.Version == store.Absent {
				t.Fatal(err)
			}
			return h
		}
		for field, forged := range map[string]any{"state": "applied", "by": "boss", "how": "page", "until": time.Now().Add(1000 * time.Hour), "why": "x", "mac": nil, "sends": true, "mails": true, "reported": true, "at": time.Now()} {
			x := w.prepared(rise)
			h, fields := head(x.ID), map[string]any{}
			if err := json.Unmarshal(h.Value, &fields); err != nil {
				t.Fatal(err)
			}
			fields[field] = forged
			h.Value, _ = json.Marshal(fields)
			if _, err := w.store.Put(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.tool.Apply(t.Context(), x.ID, x.Digest(), boss); err == nil || !strings.Contains(err.Error(), "was changed in the store") {
				t.Errorf("%s: %v", field, err)
			}
			all, err := w.keeper.List(t.Context(), true)
			if i := slices.IndexFunc(all, func(o review.ChangeSet) bool { return o.ID == x.ID }); err != nil || i < 0 || all[i].State != review.Unreadable {
				t.Errorf("%s: %v %v", field, all, err)
			}
		}
		x, y := w.prepared(rise), w.prepared(rise)
		if err := w.keeper.Reject(t.Context(), x.ID, "no", boss); err != nil {
			t.Fatal(err)
		}
		a, b := head(x.ID), head(y.ID)
		b.Value = a.Value
		if _, err := w.store.Put(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if _, err := w.keeper.Get(t.Context(), y.ID); err == nil {
			t.Error("a decision about another change set counts")
		}
	})
}

// TestGrantsChanged: under other grants a change set is not applied.
func TestGrantsChanged(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x := w.prepared(rise)
		delete(w.grants, "lines")
		less, err := codemode.New(w.grants, &codemode.Options{Principal: "user:1", Review: w.keeper, Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		res, err := less.Apply(t.Context(), x.ID, x.Digest(), boss)
		if err != nil || fail.KindOf(res.Err) != fail.Conflict || !strings.Contains(differs(res.Err), "grants") {
			t.Error(err, res.Err)
		}
	})
}

// TestCutOff: a process that dies after somebody agreed leaves a change set that is applied once.
func TestCutOff(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, committed := range []bool{false, true} {
			w := open(t, e)
			x := w.prepared(rise)
			a, err := w.keeper.Approve(t.Context(), x.ID, x.Digest(), boss)
			if err != nil {
				t.Fatal(err)
			}
			if committed { // the run committed, and its process died before Done
				w.exec(`UPDATE staff SET salary = 111 WHERE id = 1001`)
				w.exec(`INSERT INTO exo_runs (run, kept, at_ms) VALUES ('` + a.Applies.String() + `', ` + e.Pick("1", "true") + `, 1)`)
			}
			w.keep() // a new process
			w.tool = w.made("user:1")
			if n, err := w.keeper.Reconcile(t.Context(), w.db.Committed); n != 0 || err != nil {
				t.Error("settled while its process may live:", n, err)
			}
			w.now = w.now.Add(time.Hour)
			if n, err := w.keeper.Reconcile(t.Context(), w.db.Committed); n != 1 || err != nil {
				t.Error(n, err)
			}
			got, err := w.keeper.Get(t.Context(), x.ID)
			if want := map[bool]review.State{true: review.Applied, false: review.Pending}[committed]; err != nil || got.State != want {
				t.Error(got.State, err)
			}
			if !committed {
				if res, err := w.apply(x); err != nil || res.Err != nil {
					t.Error("it can't be agreed to again:", err, res.Err)
				}
			}
		}
	})
}

// TestTooMany: one principal can't fill the store.
func TestTooMany(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		for range review.MaxPending {
			w.prepared(rise)
		}
		if res := w.tool.Run(t.Context(), rise); fail.KindOf(res.Err) != fail.Limit {
			t.Error(res.Err)
		}
	})
}

// TestNoReviewer: rules without somebody who keeps change sets are refused, and so is a principal whom nobody can ask for.
func TestNoReviewer(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		if _, err := codemode.New(w.grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded}); err == nil || !strings.Contains(err.Error(), "Review") {
			t.Error(err)
		}
		if res := w.made("").Run(t.Context(), rise); fail.KindOf(res.Err) != fail.Denied {
			t.Error(res.Err)
		}
		var none *review.Keeper
		if err := none.Review(t.Context(), &exo.Reviewed{}); err == nil {
			t.Error("a nil Keeper let a run commit")
		}
	})
}

// TestMoved: an entry that was moved to another user's name is not read.
func TestMoved(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e)
		x := w.prepared(rise)
		head, err := w.store.Get(t.Context(), store.Key("review", "user:1", x.ID))
		if err != nil || head.Version == store.Absent {
			t.Fatal(err)
		}
		if err := w.store.Delete(t.Context(), head.Key, head.Version); err != nil {
			t.Fatal(err)
		}
		head.Key, head.Version = store.Key("review", "user:2", x.ID), store.Absent
		if _, err := w.store.Put(t.Context(), head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.keeper.Get(t.Context(), x.ID); err == nil {
			t.Error("it was read")
		}
	})
}
