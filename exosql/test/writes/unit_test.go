package writes_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func wrTool(t testing.TB, db *exosql.DB, org int64) *codemode.Tool {
	t.Helper()
	tool, err := codemode.New(kit.JobsGrants(db, org), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestSerial: of programs that read a number and write one more, each that ends well counts once, in
// whatever order they run; the others end with Kind Conflict.
func TestSerial(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		tool := wrTool(t, db, 1)
		var mu sync.Mutex
		var all sync.WaitGroup
		kept := 0
		for range 12 {
			all.Add(1)
			go func() {
				defer all.Done()
				r := tool.Run(context.Background(), `const j = await jobs.where({ id: 1 }).first(); return jobs.where({ id: 1 }).update({ points: j.points + 1 })`)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case r.Err == nil:
					kept++
				case fail.KindOf(r.Err) != fail.Conflict:
					t.Errorf("%v", r.Err)
				}
			}()
		}
		all.Wait()
		if got, want := look("SELECT points FROM jobs WHERE id = 1"), fmt.Sprint(3+kept); got != want || kept == 0 {
			t.Errorf("%d programs ended well, and the number is %s, want %s", kept, got, want)
		}
		// Whatever they met, connections are left that can be used.
		for range 8 {
			if r := tool.Run(context.Background(), `return jobs.where({ id: 2 }).update({ points: 1 })`); r.Err != nil {
				t.Fatal(r.Err)
			}
		}
	})
}

// TestUpdateOrInsert: of programs that change a row or add it, none adds it a second time, though no key of the database
// says that there is one.
func TestUpdateOrInsert(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		tool := wrTool(t, db, 1)
		var all sync.WaitGroup
		for i := range 12 {
			all.Add(1)
			go func() {
				defer all.Done()
				r := tool.Run(context.Background(), fmt.Sprintf(`if (await jobs.where({ points: 77 }).update({ status: "done" }) === 0) await jobs.insert({ title: "job %d", points: 77 })`, i))
				if r.Err != nil && fail.KindOf(r.Err) != fail.Conflict {
					t.Errorf("%v", r.Err)
				}
			}()
		}
		all.Wait()
		if got := look("SELECT count(*) FROM jobs WHERE points = 77"); got != "1" {
			t.Errorf("there are %s", got)
		}
	})
}

// TestReadsBeside: what a program reads by a grant that can change nothing is read in its unit of work: it sees what the
// program has changed, and a change of others to it is a conflict.
func TestReadsBeside(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		grants := kit.JobsGrants(db, 1)
		table := exosql.NewTable[kit.Job]("jobs")
		id, org := exosql.NewKey(table, "id", func(j *kit.Job) *int64 { return &j.ID }), exosql.NewColumn(table, "org_id", func(j *kit.Job) *int64 { return &j.Org })
		points := exosql.NewNullable(table, "points", func(j *kit.Job) **int64 { return &j.Points })
		grants["looked"] = exosql.NewFacet(table, "seen", id, points).Of(exosql.Grant(db, table, org.Eq(1)))
		grants["meanwhile"] = kit.JobsCall(func() {
			if r := wrTool(t, db, 1).Run(context.Background(), `return jobs.where({ id: 1 }).update({ points: 50 })`); r.Err != nil {
				t.Error(r.Err)
			}
		})
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), `await jobs.where({ id: 2 }).update({ points: 8 }); return (await looked.where({ id: 2 }).first()).points`)
		if r.Err != nil || fmt.Sprint(r.Value) != "8" {
			t.Errorf("it sees %v, %v", r.Value, r.Err)
		}
		r = tool.Run(t.Context(), `const j = await looked.where({ id: 1 }).first(); await meanwhile.call(); return jobs.where({ id: 1 }).update({ points: j.points + 1 })`)
		if fail.KindOf(r.Err) != fail.Conflict || look("SELECT points FROM jobs WHERE id = 1") != "50" {
			t.Errorf("%v, and the points are %s", r.Err, look("SELECT points FROM jobs WHERE id = 1"))
		}
	})
}

// TestReplay: a unit that meets another's change asks again, and goes on where the answers are the same.
func TestReplay(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		other := wrTool(t, db, 1)
		for _, c := range []struct{ meanwhile, want string }{
			{`return jobs.where({ id: 4 }).update({ points: 50 })`, "1"}, // another row: the answers are the same
			{`return jobs.where({ id: 1 }).update({ points: 50 })`, "conflict"},
		} {
			grants := kit.JobsGrants(db, 1)
			grants["meanwhile"] = kit.JobsCall(func() {
				if r := other.Run(context.Background(), c.meanwhile); r.Err != nil {
					t.Error(r.Err)
				}
			})
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(context.Background(), `const j = await jobs.where({ id: 1 }).first(); await meanwhile.call(); return jobs.where({ id: 1 }).update({ points: j.points + 1, title: "mine" })`)
			got := ""
			if r.Err != nil {
				got = fail.KindOf(r.Err).String()
			} else {
				got = fmt.Sprint(r.Value)
			}
			if got != c.want {
				t.Errorf("%s meanwhile: %s (%v), want %s", c.meanwhile, got, r.Err, c.want)
			}
		}
		if got := look("SELECT points FROM jobs WHERE id = 1"); got != "50" {
			t.Errorf("the points are %s", got)
		}
	})
}

// TestIdleUnit: a program that has written and computes for long does not keep others waiting.
func TestIdleUnit(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, raw := kit.FileOf(t, e, &exosql.OpenOptions{WriteIdle: 100 * time.Millisecond}, kit.JobsTables(e)...)
		grants := kit.JobsGrants(db, 1)
		grants["meanwhile"] = kit.JobsCall(func() { time.Sleep(time.Second) })
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		seen := &kit.Statements{}
		r := tool.Run(observe.With(context.Background(), seen), `await jobs.where({ id: 1 }).update({ points: 9 }); await meanwhile.call(); return jobs.where({ id: 1 }).update({ points: 10 })`)
		if fail.KindOf(r.Err) != fail.Limit || !strings.Contains(r.Err.Error(), "after its first change") {
			t.Errorf("%v", r.Err)
		}
		if got := kit.Cells(t, raw, kit.Jobs); got != kit.JobsBefore {
			t.Errorf("it leaves %s", got)
		}
		if want := []string{"UPDATE ", "ROLLBACK "}; !slices.Equal(seen.Ended, want) {
			t.Errorf("the observer sees %q, want %q", seen.Ended, want)
		}
	})
}

// TestEffects: what a write sets off runs only where the host has said so.
func TestEffects(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		trigger := e.Pick(`CREATE TRIGGER audit AFTER UPDATE ON jobs BEGIN INSERT INTO orgs VALUES (NEW.id + 100, 'seen'); END`,
			`CREATE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO orgs VALUES (NEW.id + 100, 'seen'); RETURN NEW; END $$; CREATE TRIGGER audit AFTER UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION seen()`)
		for _, known := range []bool{false, true} {
			db, look := kit.OpenJobsWith(t, e, trigger)
			kit.JobsKnown = known
			tool, granted := wrTool(t, db, 1), kit.JobsGrants(db, 1)["jobs"]
			kit.JobsKnown = false
			found, err := exosql.Findings(context.Background(), db, exosql.Granted(granted))
			if err != nil {
				t.Fatal(err)
			}
			if told := slices.ContainsFunc(found, func(f exosql.Finding) bool { return strings.Contains(f.Problem, "the trigger audit") }); told == known {
				t.Errorf("known %v: Findings has %v", known, found)
			}
			r := tool.Run(context.Background(), `return jobs.where({ id: 1 }).update({ points: 9 })`)
			if known != (r.Err == nil) || !known && !strings.Contains(r.Err.Error(), "the trigger audit") {
				t.Errorf("known %v: %v", known, r.Err)
			}
			if got, want := look("SELECT count(*) FROM orgs"), map[bool]string{false: "2", true: "3"}[known]; got != want {
				t.Errorf("known %v: %s rows of orgs, want %s", known, got, want)
			}
		}
	})
}
