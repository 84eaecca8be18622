package exosql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// stPages are declarations whose pages have a hook before each write and one after each commit, which writes down what it is told.
func stPages(told *[]string, fails func() error) *kit.Hooked {
	d := kit.DeclareHooked().Usual()
	d.Pages.AfterCommit(func(_ context.Context, writes []exosql.Write[kit.HookedPage]) error {
		var all []string
		for _, w := range writes {
			s := fmt.Sprint([]string{exosql.Inserts: "insert", exosql.Updates: "update", exosql.Deletes: "delete"}[w.Kind], w.Rows)
			if w.Gives(d.Title) {
				s += " " + w.Row.Title
			}
			if w.Gives(d.Author) {
				s += " " + *w.Row.Author
			}
			if w.Calculates(d.Points) {
				s += " calculated"
			} else if w.Gives(d.Points) && w.Row.Points != nil {
				s += fmt.Sprint(" ", *w.Row.Points)
			}
			if w.Gives(d.Touched) != (w.Kind != exosql.Deletes) || w.Run.Clock.IsZero() {
				s += " and not what the hook before filled"
			}
			all = append(all, strings.TrimSpace(s+" "+w.Facet))
		}
		*told = append(*told, strings.Join(all, ", "))
		return fails()
	})
	return d
}

// TestAfterCommit: the hook is called once for what a run has changed and committed, and for nothing else.
func TestAfterCommit(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var told, failed []string
		var fails func() error
		d, other := stPages(&told, func() error { return fails() }), kit.DeclareHooked()
		db, look, reset := kit.OpenHooked(t, e)
		exosql.SetHookFailed(db, func(err error) { failed = append(failed, err.Error()) })
		meanwhile := kit.JobsCall(func() {
			if got, err := kit.RunHooked(t, other.Grants(db, 1), `return pages.where({ id: 2 }).update({ points: 50 })`); err != nil {
				t.Error(got, err)
			}
		})
		for _, c := range []struct {
			program, want, told string
			fails               func() error
			record              exo.Step // which the record does not take
		}{
			{program: `await pages.insert({ title: "n" }); await pages.where({ id: 1 }).update({ points: 7 }); await pages.where({ id: 99 }).update({ points: 8 }); await pages.all().update(p => ({ points: p.points + 1 })); return pages.where({ id: 2 }).delete()`,
				want: "1", told: "insert1 n by ann page, update1 7 page, update3 calculated page, delete1 page"},
			{program: `return books.pages().insertMany([{ title: "n" }, { title: "o", points: 1 }])`, want: "2", told: "insert1 n by ann page, insert1 o by ann 1 page"},
			{program: `return pages.where({ id: 99 }).delete()`, want: "0"},
			{program: `return pages.count()`, want: "2"},
			{program: `await pages.insert({ title: "n" }); throw new Error("no")`, want: "!no"},
			{program: `await pages.insert({ title: "n" }); return pages.insert({ title: "bad" })`, want: "!pages.insert: no title"},
			{program: `try { await pages.insert({ title: "bad" }) } catch {} try { await pages.insertMany([{ title: "x" }, { title: "y", points: 1.5 }]) } catch {} return (await pages.insert({ title: "o" })).title`, want: `"o"`, told: "insert1 o by ann page"},
			{program: `const p = await pages.where({ id: 1 }).first(); await meanwhile.call(); return pages.where({ id: 1 }).update({ points: p.points + 1 })`, want: "1", told: "update1 2 page"}, // tried anew
			{program: `const p = await pages.where({ id: 2 }).first(); await meanwhile.call(); return pages.where({ id: 2 }).update({ points: p.points + 1 })`, want: "!other programs changed"},
			{program: `return pages.where({ id: 1 }).update({ points: 7 })`, want: "1", told: "update1 7 page", fails: func() error { return errors.New("the bus is down") }},
			{program: `return pages.where({ id: 1 }).update({ points: 7 })`, want: "1", told: "update1 7 page", fails: func() error { panic("the bus is down") }},
			{program: `return pages.where({ id: 1 }).update({ points: 7 })`, want: "!", record: exo.Committing},
			{program: `return pages.where({ id: 1 }).update({ points: 7 })`, want: "!", record: exo.Committed},
		} {
			reset()
			told, failed, fails = nil, nil, func() error { return nil }
			if c.fails != nil {
				fails = c.fails
			}
			var steps []exo.Step
			var settled error
			grants := d.Grants(db, 1)
			grants["meanwhile"] = meanwhile
			once := true
			tool, err := codemode.New(grants, &codemode.Options{Principal: "ann", Evaluator: exoeval.InProcess{}, Record: exo.RecordFunc(func(en exo.Entry) error {
				if en.Step == c.record && once {
					once = false
					return errors.New("the disk is full")
				}
				if en.Step == exo.Committed && len(told) > 0 {
					t.Errorf("%s: told before it is recorded", c.program)
				}
				if steps = append(steps, en.Step); en.Step == exo.AfterCommitFailed {
					settled = en.Err
				}
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			got := string(r.JSON)
			if r.Err != nil {
				got = "!" + fail.GuestText(r.Err)
			}
			if got != c.want && !(strings.HasPrefix(c.want, "!") && strings.HasPrefix(got, "!") && strings.Contains(got, c.want[1:])) {
				t.Errorf("%s\ngives %s (%v)\nwant %s", c.program, got, r.Err, c.want)
			}
			if now := strings.Join(told, "; "); now != c.told {
				t.Errorf("%s: told %q, want %q", c.program, now, c.told)
			}
			if bad := c.fails != nil; bad != (len(failed) == 1 && strings.Contains(failed[0], "the bus is down")) || bad != (settled != nil) || !bad && len(failed) > 0 {
				t.Errorf("%s: failed %q, settled %v in %v", c.program, failed, settled, steps)
			}
		}
		if got := look("SELECT count(*) FROM pages"); got != "3" {
			t.Error(got)
		}
	})
}

// TestAfterCommitOfGo: Go code has it called for each call by itself, and once for a Tx, when that is committed.
func TestAfterCommitOfGo(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var told, failed []string
		fails := func() error { return nil }
		d := stPages(&told, func() error { return fails() })
		db, _, _ := kit.OpenHooked(t, e)
		exosql.SetHookFailed(db, func(err error) { failed = append(failed, err.Error()) })
		ctx := t.Context()
		pages := exosql.Grant(db, d.Pages, d.Book.Eq(1))
		want := func(s string) {
			t.Helper()
			if got := strings.Join(told, "; "); got != s {
				t.Errorf("told %q, want %q", got, s)
			}
			told = nil
		}
		if _, err := pages.Insert(ctx, d.Title.Set("n")); err != nil {
			t.Fatal(err)
		}
		want("insert1 n by")
		if n, err := pages.Where(d.ID.Eq(1)).Update(ctx, d.Points.Set(7)); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		want("update1 7")
		if _, err := pages.Insert(ctx, d.Title.Set("bad")); err == nil {
			t.Fatal("no error")
		}
		want("")
		fails = func() error { panic("the bus is down") }
		if n, err := pages.Where(d.ID.Eq(2)).Delete(ctx); n != 1 || err != nil || len(failed) != 1 {
			t.Error(n, err, failed)
		}
		want("delete1")
		fails = func() error { return nil }

		no := errors.New("no")
		calls := 0
		for _, end := range []error{nil, no} {
			err := db.Transact(ctx, func(tx *exosql.Tx) error {
				if calls++; calls == 1 { // overtaken, and called again
					if _, err := pages.InTx(tx).Where(d.ID.Eq(1)).Count(ctx); err != nil {
						return err
					}
					other := kit.DeclareHooked()
					if _, err := exosql.Grant(db, other.Pages, other.Book.Eq(1)).Where(other.ID.Eq(1)).Update(ctx, other.Points.Set(50)); err != nil {
						t.Error(err)
					}
				}
				if _, err := pages.InTx(tx).Insert(ctx, d.Title.Set("o")); err != nil {
					return err
				}
				_, err := pages.InTx(tx).Where(d.ID.Eq(1)).Update(ctx, d.Points.Set(int64(calls)))
				want("")
				return errors.Join(err, end)
			})
			if !errors.Is(err, end) {
				t.Error(err)
			}
			if end == nil {
				want("insert1 o by, update1 2")
			}
		}
		want("")
		if calls != 3 {
			t.Errorf("%d calls", calls)
		}

		for _, commit := range []bool{false, true} { // what -dry-run does, and its twin
			tx, err := db.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			grants := d.Grants(db, 1)
			for _, p := range []string{`return pages.where({ id: 1 }).update({ points: 8 })`, `await pages.where({ id: 1 }).update({ points: 9 }); throw new Error("no")`, `return pages.where({ id: 1 }).update({ points: 10 })`} {
				kit.RunHookedIn(tx.Context(ctx), t, grants, p)
			}
			want("")
			if commit {
				err = tx.Commit(ctx)
			} else {
				err = tx.Rollback(ctx)
			}
			if again := tx.Commit(ctx); err != nil || fail.KindOf(again) != fail.Invalid {
				t.Errorf("%v, and once more: %v", err, again)
			}
			if commit {
				want("update1 8 page, update1 10 page")
			}
			want("")
		}
	})
}
