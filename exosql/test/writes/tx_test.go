package writes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestTxInHook: a hook that uses the transaction of the run that it is asked about is told so, and does not wait for itself; another
// transaction is its own affair.
func TestTxInHook(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		var tx *exosql.Tx
		var told []string
		jobs := exosql.NewTable[kit.Job]("jobs")
		id, org := exosql.NewKey(jobs, "id", func(j *kit.Job) *int64 { return &j.ID }), exosql.NewColumn(jobs, "org_id", func(j *kit.Job) *int64 { return &j.Org })
		title := exosql.NewColumn(jobs, "title", func(j *kit.Job) *string { return &j.Title })
		rows := exosql.Grant(db, jobs, org.Eq(1))
		jobs.BeforeWrite(func(ctx context.Context, w *exosql.Write[kit.Job]) error {
			_, err := rows.InTx(tx).Count(ctx)
			told = append(told, fmt.Sprint(err), fmt.Sprint(tx.Rollback(ctx)), fmt.Sprint(tx.Commit(ctx)))
			return nil
		})
		tool, err := codemode.New(codemode.Grants{"jobs": exosql.NewFacet(jobs, "job", id, title).AllowUpdate(title).Of(rows)}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		if tx, err = db.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if r := tool.Run(tx.Context(ctx), `return jobs.where({ id: 1 }).update({ title: "new" })`); r.Err != nil {
			t.Error(r.Err)
		}
		if len(told) != 3 || slices.ContainsFunc(told, func(s string) bool { return !strings.Contains(s, "a hook can't use the transaction of the run") }) {
			t.Errorf("%q", told)
		}
		if err := tx.Commit(t.Context()); err != nil || look("SELECT title FROM jobs WHERE id = 1") != "new" {
			t.Error(err)
		}
	})
}

// TestTx: runs in a transaction of the host see what those before them did, one that fails takes nothing else
// with it, nobody else sees anything before Commit, and of Rollback nothing is left.
func TestTx(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := wrImages(t, e, 5)
		tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		in := t.Context()
		run := func(program, want string) {
			t.Helper()
			res := tool.Run(in, program)
			got := string(res.JSON)
			if res.Err != nil {
				got = "!" + fail.KindOf(res.Err).String()
			}
			if got != want {
				t.Errorf("%s: %s %v, not %s", program, got, res.Err, want)
			}
			// What the host may still roll back the model is not told to be done for good.
			for _, effect := range res.Effects {
				if provisional := in != t.Context(); res.Err == nil && (effect.Provisional != provisional || strings.Contains(res.EffectsNote(), "will not be undone") == provisional || strings.Contains(res.EffectsNote(), "is still to be kept or undone") != provisional) {
					t.Errorf("%s: %+v, told as %q", program, effect, res.EffectsNote())
				}
			}
		}
		session := func(end func(*exosql.Tx) error) {
			t.Helper()
			before := look()
			tx, err := db.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			in = tx.Context(t.Context())
			defer func() { in = t.Context() }()
			run(`return jobs.insert({ title: "tried" }).then(j => j.title)`, `"tried"`)
			run(`await jobs.where({ title: "tried" }).update({ points: 3 }); throw new Error("no")`, "!program")
			run(`return jobs.insert({ title: "tried" })`, "!invalid")
			run(`return jobs.where({ title: "tried" }).select(j => j.points)`, "[null]")
			run(`return jobs.where({ title: "tried", points: null }).update({ points: 4 })`, "1")
			if res := tool.Run(t.Context(), `return jobs.where({ title: "tried" }).count()`); look() != before || string(res.JSON) != "0" {
				t.Errorf("somebody else sees it before it is committed: %s %v", res.JSON, res.Err)
			}
			if err := errors.Join(end(tx), tx.Rollback(t.Context())); err != nil {
				t.Error(err)
			}
			if err := tx.Commit(t.Context()); fail.KindOf(err) != fail.Invalid || !errors.Is(err, exosql.ErrTxDone) { // a Tx that was rolled back is not kept, whatever is called later
				t.Errorf("Commit of a Tx that has ended: %v", err)
			}
		}
		before := look()
		session(func(tx *exosql.Tx) error { return tx.Rollback(t.Context()) })
		if look() != before {
			t.Errorf("it was rolled back, and leaves\n%s", look())
		}
		run(`return jobs.where({ title: "tried" }).count()`, "0")
		session(func(tx *exosql.Tx) error { return tx.Commit(t.Context()) })
		failed := errors.New("the function fails")
		if err := db.Transact(t.Context(), func(tx *exosql.Tx) error { // that keeps nothing, whatever it tries
			if err := tx.Commit(t.Context()); fail.KindOf(err) != fail.Invalid || !errors.Is(err, exo.ErrNothingDone) || errors.Is(err, exosql.ErrTxDone) {
				t.Errorf("Commit of the Tx of a Transact: %v", err)
			}
			return failed
		}); !errors.Is(err, failed) {
			t.Errorf("Transact: %v", err)
		}
		if err := db.Transact(t.Context(), func(tx *exosql.Tx) error { return tx.Rollback(t.Context()) }); fail.KindOf(err) != fail.Invalid {
			t.Errorf("Transact, of which the function has rolled back the Tx: %v", err)
		}
		run(`return jobs.where({ title: "tried", points: 4 }).delete()`, "1")
		if look() != before {
			t.Errorf("it leaves\n%s", look())
		}
	})
}

// TestTxReads: what has no right to write reads in the transaction, too.
func TestTxReads(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := wrImages(t, e, 5)
		grants := kit.JobsGrants(db, 1)
		people := exosql.NewTable[kit.JobsPerson]("people")
		id := exosql.NewKey(people, "id", func(p *kit.JobsPerson) *int64 { return &p.ID })
		org := exosql.NewColumn(people, "org_id", func(p *kit.JobsPerson) *int64 { return &p.Org })
		jobs := exosql.NewTable[kit.Job]("jobs")
		jobID := exosql.NewKey(jobs, "id", func(j *kit.Job) *int64 { return &j.ID })
		title := exosql.NewColumn(jobs, "title", func(j *kit.Job) *string { return &j.Title })
		person := exosql.NewNullable(jobs, "person_id", func(j *kit.Job) **int64 { return &j.Person })
		readers := exosql.NewFacet(people, "reader", id, exosql.Via(exosql.Many("jobs", id, person), exosql.NewFacet(jobs, "seen", jobID, title)))
		grants["readers"] = readers.Of(exosql.Grant(db, people, org.Eq(1)))
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for program, want := range map[string]string{
			`await jobs.where({ id: 1 }).update({ title: "x" }); return readers.where({ id: 1 }).jobs().select(j => j.title)`: `["x"]`,
		} {
			if res := tool.Run(tx.Context(t.Context()), program); string(res.JSON) != want {
				t.Errorf("%s: %s %v", program, res.JSON, res.Err)
			}
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestTxConflict: a Tx that another transaction has overtaken is not run again: the run ends with Kind Conflict.
func TestTxConflict(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		serial := e.Pick("INTEGER PRIMARY KEY", "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(strings.ReplaceAll(kit.JobsDDL, "{serial}", serial), kit.JobsRows)})
		raw := e.SQLDB(t, url)
		tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if res := tool.Run(tx.Context(t.Context()), `return jobs.count()`); string(res.JSON) != "3" {
			t.Fatal(res.Err)
		}
		if _, err := raw.Exec("UPDATE jobs SET points = 50 WHERE id = 1"); err != nil {
			t.Fatal(err)
		}
		res := tool.Run(tx.Context(t.Context()), `return jobs.where({ id: 1 }).update(j => ({ points: j.points + 1 }))`)
		if fail.KindOf(res.Err) != fail.Conflict {
			t.Errorf("%s %v", res.JSON, res.Err)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
		if got := tu.Rows(t, raw, "SELECT points FROM jobs WHERE id = 1"); got != "[]interface {}{50}\n" {
			t.Error(got)
		}
	})
}

// TestTxZero: a Tx that nobody began, a DB that nobody opened, and one that is closed with a Tx in it.
func TestTxZero(t *testing.T) {
	ctx := context.Background()
	if (&exosql.Tx{}).Commit(ctx) == nil || (*exosql.Tx)(nil).Rollback(ctx) == nil {
		t.Error("a zero Tx ends")
	}
	if _, err := (&exosql.DB{}).Begin(ctx); err == nil {
		t.Error("a zero DB begins")
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := wrImages(t, e, 5)
		before := look()
		tx, err := db.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		if res := tool.Run(tx.Context(ctx), `return jobs.where({ id: 2 }).delete()`); res.Err != nil {
			t.Error(res.Err)
		}
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- db.Close() }()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-ctx.Done():
			t.Fatal("Close waits for a Tx that nobody ends")
		}
		if err := tx.Commit(ctx); fail.KindOf(err) != fail.Invalid || look() != before {
			t.Errorf("%v: Close kept what was tried", err)
		}
		// A run with the context of a Tx that nobody began, or that has ended, is not kept by itself.
		other, look := wrImages(t, e, 5)
		ended, err := other.Begin(t.Context())
		if err = errors.Join(err, ended.Rollback(t.Context())); err != nil {
			t.Fatal(err)
		}
		if tool, err = codemode.New(kit.JobsGrants(other, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}}); err != nil {
			t.Fatal(err)
		}
		for _, tx := range []*exosql.Tx{nil, {}, ended} {
			res := tool.Run(tx.Context(t.Context()), `return jobs.where({ id: 2 }).delete()`)
			if fail.KindOf(res.Err) != fail.Invalid || look() != before {
				t.Errorf("%v, and it leaves %s", res.Err, look())
			}
		}
	})
}

// TestTransactKeepsNothing: a function that fails has changed nothing, also where it tried to commit, and no program runs in its Tx.
func TestTransactKeepsNothing(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := kit.BesideCase{}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(fmt.Sprintf(kit.BesidePeople, ""), fmt.Sprintf(kit.BesideNotes, "", ""), kit.BesideRows("70", "80"))})
		people := exosql.NewTable[kit.BesidePerson]("people")
		id := exosql.NewKey(people, "id", func(p *kit.BesidePerson) *int64 { return &p.ID })
		rank := exosql.NewColumn(people, "rank", func(p *kit.BesidePerson) *int64 { return &p.Rank })
		rows := exosql.Grant(db, people, exosql.AllRows[kit.BesidePerson]())
		tool, err := codemode.New(c.Grants(db, false), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		failed := errors.New("the function fails")
		err = db.Transact(t.Context(), func(tx *exosql.Tx) error {
			if n, err := rows.InTx(tx).Where(id.Eq(1)).Update(t.Context(), rank.Set(99)); n != 1 || err != nil {
				t.Error(n, err)
			}
			if err := tx.Commit(t.Context()); fail.KindOf(err) != fail.Invalid {
				t.Errorf("Commit: %v", err)
			}
			if r := tool.Run(tx.Context(t.Context()), "return people.where({ id: 2 }).update({ rank: 98 })"); r.Err == nil {
				t.Errorf("a program ran in it: %s", r.JSON)
			}
			return failed
		})
		all, readErr := rows.Where(rank.Gt(50)).All(t.Context())
		if !errors.Is(err, failed) || readErr != nil || len(all) != 0 {
			t.Errorf("%v; %v %v", err, all, readErr)
		}
	})
}
