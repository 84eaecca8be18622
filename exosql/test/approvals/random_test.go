package approvals_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// rows is the table staff by its keys, as a person is shown a row.
func (w *world) rows() map[string]string {
	w.t.Helper()
	found, err := w.raw.Query(`SELECT id, name, salary, coalesce(note, 'null') FROM staff`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer found.Close()
	out := map[string]string{}
	for found.Next() {
		var id, salary int64
		var name, note string
		if err := found.Scan(&id, &name, &salary, &note); err != nil {
			w.t.Fatal(err)
		}
		out[fmt.Sprint(id)] = fmt.Sprint(name, " ", salary, " ", note)
	}
	if err := found.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// after is what a change set makes of rows; added has the rows that get keys of the database.
func after(before map[string]string, x review.ChangeSet) (want map[string]string, added []string) {
	want = maps.Clone(before)
	for _, r := range x.Set.Parts[0].Rows {
		cells := map[string]string{}
		for _, c := range r.Cells {
			if c.After != nil {
				cells[c.Name] = *c.After
			}
		}
		row := cells["name"] + " " + cells["salary"] + " " + cells["note"]
		switch r.Kind {
		case changeset.Added:
			added = append(added, row)
		case changeset.Deleted:
			delete(want, r.Key)
		default:
			want[r.Key] = row
		}
	}
	return want, added
}

// storeOf opens a store that outlives its process.
func storeOf(t *testing.T, e tu.Engine, url string) store.Store {
	t.Helper()
	if e.Name == tu.SQLite.Name {
		s, err := store.OpenFolder(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	url = tu.WithParam(t, url, "synchronous_commit", "on") // the server of the tests has it off
	if err := postgres.Create(t.Context(), url, ""); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// kept is a run that can be undone: what the table was before it, and after.
type kept struct {
	run           exo.RunID
	before, after map[string]string
}

// undone undoes a run, and checks that against the model: exactly as it was if nobody has written since, or nothing at all.
func (w *world) undone(r *rapid.T, k kept) (back *kept) {
	now, as := w.rows(), exo.NewRunID()
	_, refused, err := w.db.Undo(context.Background(), k.run, as)
	then := w.rows()
	switch {
	case err != nil:
		r.Fatal(err)
	case len(refused) > 0:
		if fmt.Sprint(now) == fmt.Sprint(k.after) || fmt.Sprint(now) != fmt.Sprint(then) {
			r.Fatalf("refused: %v: %v, and after the run %v; then %v", refused, now, k.after, then)
		}
		return nil
	}
	want := maps.Clone(now)
	for key := range k.after {
		if k.before[key] != k.after[key] {
			delete(want, key)
		}
	}
	for key, row := range k.before {
		if k.after[key] != row {
			want[key] = row
		}
	}
	if fmt.Sprint(then) != fmt.Sprint(want) {
		r.Fatalf("undone as %v, want %v", then, want)
	}
	return &kept{as, now, then}
}

// TestRandomApprovals: random programs, decisions, writes by others, undos and crashes against the simplest model: what waits has changed nothing, what
// is applied has changed exactly what was shown, once, what conflicts has changed nothing and had a reason, and what is undone is as it was.
func TestRandomApprovals(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := fresh(t, e, true, e.Pick(exosql.CreateUndo, "SELECT 1"))
		w.db = e.OpenURL(t, w.url, &exosql.OpenOptions{Images: 500, Witness: true, Undo: time.Hour})
		if e.Name == tu.Postgres.Name {
			w.store = storeOf(t, e, w.url)
		}
		checks := flag.Lookup("rapid.checks").Value
		if was := checks.String(); was == "100" { // the default: each draw runs a dozen programs, some of them twice
			_ = checks.Set(strconv.Itoa(tu.Amount(20, 100)))
			defer func() { _ = checks.Set(was) }()
		}
		applied, conflicts, undone := 0, 0, 0
		check := func(r *rapid.T) {
			if e.Name == tu.SQLite.Name { // a decided change set stays for 30 days, and each look reads all
				w.store = storeOf(t, e, w.url)
			} else {
				w.exec(`DELETE FROM exo_store`)
			}
			w.keep()
			w.tool = w.made("user:1")
			w.exec(`DELETE FROM lines`)
			w.exec(`DELETE FROM staff`)
			w.exec(`INSERT INTO staff (id, org_id, name, salary) VALUES (1001, 1, 'ada', 100), (1002, 1, 'bob', 200), (1003, 1, 'eve', 300), (1004, 2, 'zoe', 900)`)
			type waiting struct {
				review.ChangeSet
				dirty bool // somebody else has written since
				until time.Time
			}
			var all []*waiting
			var undoable []kept
			n := 0
			wrote := func() {
				for _, x := range all {
					x.dirty = true
				}
			}
			pick := func() int { return rapid.IntRange(0, len(all)-1).Draw(r, "which") }
			for range rapid.IntRange(4, 12).Draw(r, "steps") {
				before := w.rows()
				switch what := rapid.IntRange(0, 15).Draw(r, "what"); {
				case what < 4:
					n++
					who := rapid.SampledFrom([]string{"ada", "bob", "eve", "zoe", "x1"}).Draw(r, "who")
					pay := rapid.IntRange(0, 400).Draw(r, "pay")
					program := rapid.SampledFrom([]string{
						fmt.Sprintf(`return staff.where({ name: %q }).update({ salary: %d })`, who, pay),
						fmt.Sprintf(`return staff.where(s => s.salary < %d).update({ salary: Math.floor(Math.random() * 100) })`, pay),
						fmt.Sprintf(`return staff.where({ name: %q }).delete()`, who),
						fmt.Sprintf(`return staff.insert({ name: "x%d", salary: %d })`, n, pay),
						fmt.Sprintf(`for (const s of await staff.select(s => ({ id: s.id, salary: s.salary }))) if (s.salary > %d) await staff.where({ id: s.id }).update({ salary: s.salary + 1 }); return staff.where({ name: %q }).delete()`, pay, who),
					}).Draw(r, "program")
					res := w.tool.Run(context.Background(), program)
					if k := fail.KindOf(res.Err); k != fail.Pending && !(res.Err == nil && fmt.Sprint(before) == fmt.Sprint(w.rows())) && k != fail.Limit {
						r.Fatalf("%s: %v", program, res.Err)
					}
					if fmt.Sprint(w.rows()) != fmt.Sprint(before) {
						r.Fatalf("%s: what waits has happened", program)
					}
					left, err := w.tool.Pending(context.Background())
					if err != nil {
						r.Fatal(err)
					}
					for _, x := range left {
						known := false
						for _, y := range all {
							known = known || x.ID == y.ID
						}
						if !known {
							all = append(all, &waiting{ChangeSet: x, until: x.Until})
						}
					}
				case what < 7 && len(all) > 0: // decide
					i := pick()
					x := all[i]
					all = append(all[:i:i], all[i+1:]...)
					res, err := w.tool.Apply(context.Background(), x.ID, x.Digest(), boss)
					now := w.rows()
					switch {
					case !w.now.Before(x.until):
						if !errors.Is(err, review.ErrDecided) || fmt.Sprint(now) != fmt.Sprint(before) {
							r.Fatalf("expired: %v", err)
						}
					case err != nil:
						r.Fatal(err)
					case res.Err != nil:
						if conflicts++; !x.dirty || fmt.Sprint(now) != fmt.Sprint(before) {
							r.Fatalf("%s: %v (%s), and nobody had written: %v", x.Program, res.Err, differs(res.Err), x.dirty)
						}
					default:
						applied++
						if fmt.Sprint(before) != fmt.Sprint(now) { // of a run that changes nothing, nothing is kept
							undoable = append(undoable, kept{res.ID, before, maps.Clone(now)})
						}
						want, added := after(before, x.ChangeSet)
						for key, row := range now {
							if _, ok := want[key]; !ok && len(added) > 0 && row == added[0] {
								added = added[1:]
								delete(now, key)
							}
						}
						if len(added) > 0 || fmt.Sprint(now) != fmt.Sprint(want) {
							r.Fatalf("%s: applied as %v, want %v and %v", x.Program, now, want, added)
						}
						wrote()
					}
					if _, err := w.tool.Apply(context.Background(), x.ID, x.Digest(), boss); !errors.Is(err, review.ErrDecided) {
						r.Fatalf("a second time: %v", err)
					}
				case what == 7 && len(all) > 0:
					i := pick()
					if err := w.tool.Reject(context.Background(), all[i].ID, "no", boss); err != nil && w.now.Before(all[i].until) {
						r.Fatal(err)
					}
					all = append(all[:i:i], all[i+1:]...)
				case what > 7 && what < 11:
					w.exec(fmt.Sprintf(`UPDATE staff SET salary = salary + 1 WHERE id = %d`, rapid.IntRange(1001, 1004).Draw(r, "row")))
					wrote()
				case what > 11 && len(undoable) > 0:
					at := rapid.IntRange(0, len(undoable)-1).Draw(r, "undo")
					if back := w.undone(r, undoable[at]); back != nil {
						undone++
						undoable = append(append(undoable[:at:at], undoable[at+1:]...), *back)
						wrote()
					}
				case what == 11 && len(all) > 0: // a process dies after somebody has agreed; later another one settles that
					x := all[pick()]
					if _, err := w.keeper.Approve(context.Background(), x.ID, x.Digest(), boss); err != nil && w.now.Before(x.until) {
						r.Fatal(err)
					}
					w.keep()
					w.tool = w.made("user:1")
					w.now = w.now.Add(time.Hour)
					if _, err := w.keeper.Reconcile(context.Background(), func(ctx context.Context, id exo.RunID) (bool, error) { return w.db.Committed(ctx, id) }); err != nil {
						r.Fatal(err)
					}
				}
			}
			for _, x := range all { // so that no change set of this draw waits in the next
				_ = w.tool.Reject(context.Background(), x.ID, "", boss)
			}
		}
		for tries := 0; tries == 0 || tries < 10 && (applied == 0 || undone == 0); tries++ { // few draws may have no undo
			rapid.Check(t, check)
		}
		if t.Logf("%d were applied, %d conflicted, and %d were undone", applied, conflicts, undone); applied == 0 || undone == 0 {
			t.Error("none was applied, or undone")
		}
	})
}
