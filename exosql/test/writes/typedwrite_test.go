package writes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The tables of kit.JobsDDL as Go code writes them.
var (
	twOrgs  = exosql.NewTable[kit.JobsOrg]("orgs")
	twOrgID = exosql.NewKey(twOrgs, "id", func(o *kit.JobsOrg) *int64 { return &o.ID })
	_       = exosql.NewColumn(twOrgs, "name", func(o *kit.JobsOrg) *string { return &o.Name })

	twPeople    = exosql.NewTable[kit.JobsPerson]("people")
	twPersonID  = exosql.NewKey(twPeople, "id", func(p *kit.JobsPerson) *int64 { return &p.ID })
	twPersonOrg = exosql.NewColumn(twPeople, "org_id", func(p *kit.JobsPerson) *int64 { return &p.Org })
	_           = exosql.NewColumn(twPeople, "name", func(p *kit.JobsPerson) *string { return &p.Name })

	twJobs      = exosql.NewTable[kit.Job]("jobs")
	twJobID     = exosql.NewKey(twJobs, "id", func(j *kit.Job) *int64 { return &j.ID })
	twJobOrg    = exosql.NewColumn(twJobs, "org_id", func(j *kit.Job) *int64 { return &j.Org })
	twTitle     = exosql.NewColumn(twJobs, "title", func(j *kit.Job) *string { return &j.Title })
	twStatus    = exosql.NewColumn(twJobs, "status", func(j *kit.Job) *string { return &j.Status }).OneOf("todo", "done")
	twPoints    = exosql.NewNullable(twJobs, "points", func(j *kit.Job) **int64 { return &j.Points })
	twCost      = exosql.NewNullable(twJobs, "cost", func(j *kit.Job) **exosql.Decimal { return &j.Cost })
	twDue       = exosql.NewNullable(twJobs, "due", func(j *kit.Job) **exosql.Date { return &j.Due })
	twDone      = exosql.NewColumn(twJobs, "done", func(j *kit.Job) *bool { return &j.Done })
	twJobPerson = exosql.NewNullable(twJobs, "person_id", func(j *kit.Job) **int64 { return &j.Person })

	twNotes   = exosql.NewTable[kit.JobsNote]("notes")
	_         = exosql.NewKey(twNotes, "id", func(n *kit.JobsNote) *int64 { return &n.ID })
	twNoteJob = exosql.NewColumn(twNotes, "job_id", func(n *kit.JobsNote) *int64 { return &n.Job })
	_         = exosql.NewColumn(twNotes, "body", func(n *kit.JobsNote) *string { return &n.Body })

	twOrgJobs = exosql.Many("jobs", twOrgID, twJobOrg)
	_         = exosql.One("person", twJobPerson, twPersonID)
	_         = exosql.Many("notes", twJobID, twNoteJob)
)

// twJobsOf are the jobs of a tenant, and who works there.
func twJobsOf(db *exosql.DB, org int64) exosql.Relation[kit.Job] {
	return exosql.Grant(db, twJobs, twJobOrg.Eq(org), exosql.ScopeRows(twPeople, twPersonOrg.Eq(org)))
}

// TestTypedWrites: Go code writes within the scope of its relation, by the rules of programs. Each refusal has a twin beside it
// that is allowed.
func TestTypedWrites(t *testing.T) {
	tu.NotRaced(t)
	type write = func(ctx context.Context, db *exosql.DB) (any, error)
	n := func(n int64, err error) (any, error) { return n, err }
	job := func(j kit.Job, err error) (any, error) {
		return fmt.Sprintf("%d %d %s %s %v", j.ID, j.Org, j.Title, j.Status, j.Done), err
	}
	one := func(db *exosql.DB) exosql.Relation[kit.Job] {
		return exosql.Follow(exosql.Grant(db, twOrgs, twOrgID.Eq(1), exosql.ScopeRows(twPeople, twPersonOrg.Eq(1))), twOrgJobs)
	}
	for name, c := range map[string]struct {
		write
		want, jobs string
	}{
		"update": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twStatus.Eq("todo")).Update(ctx, twStatus.Set("done"), twPoints.SetNull()))
		}, "2", "1|1|a|done|-|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|done|-|2"},
		"update of others": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(3)).Update(ctx, twStatus.Set("done")))
		}, "0", kit.JobsBefore},
		"update of others, twin": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(exosql.Grant(db, twJobs, exosql.AllRows[kit.Job]()).Where(twJobID.Eq(3)).Update(ctx, twStatus.Set("done")))
		}, "1", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|done|5|3 4|1|d|todo|1|2"},
		"update without a condition": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).OrderBy(twTitle.Asc()).Update(ctx, twStatus.Set("done")))
		}, "!invalid: this call would update every row: write Where before it", kit.JobsBefore},
		"update of all": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(exosql.AllRows[kit.Job]()).Update(ctx, twPoints.Set(7)))
		}, "3", "1|1|a|todo|7|1 2|1|b|done|7|- 3|2|c|todo|5|3 4|1|d|todo|7|2"},
		"update of the first": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).OrderBy(twTitle.Desc()).Limit(1).Update(ctx, twPoints.Set(7)))
		}, "1", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|7|2"},
		"update of what Where looks at behind a link": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(one(db).Where(twStatus.Eq("todo")).Update(ctx, twStatus.Set("done")))
		}, "2", "1|1|a|done|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|done|1|2"},
		"update of the scope's column": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, twJobOrg.Set(2)))
		}, "!denied: `orgId` can't be changed", kit.JobsBefore},
		"update of the scope's column, twin": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(exosql.Grant(db, twJobs, exosql.AllRows[kit.Job](), exosql.ScopeShared(twOrgs)).Where(twJobID.Eq(1)).Update(ctx, twJobOrg.Set(2)))
		}, "1", "1|2|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
		"update of the link's column": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(one(db).Where(twJobID.Eq(1)).Update(ctx, twJobOrg.Set(2)))
		}, "!`orgId`", kit.JobsBefore},
		"a key in scope": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(2)).Update(ctx, twJobPerson.Set(2)))
		}, "1", "1|1|a|todo|3|1 2|1|b|done|-|2 3|2|c|todo|5|3 4|1|d|todo|1|2"},
		"a key out of scope": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(2)).Update(ctx, twJobPerson.Set(3)))
		}, "!invalid: `personId` refers to no row that this program can reach", kit.JobsBefore},
		"a key to a table without a scope": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(exosql.Grant(db, twJobs, twJobOrg.Eq(1)).Where(twJobID.Eq(2)).Update(ctx, twJobPerson.Set(2)))
		}, "!table people has no scope in this grant", kit.JobsBefore},
		"insert": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(twJobsOf(db, 1).Insert(ctx, twTitle.Set("new"), twCost.Set("12.50"), twDue.Set(exosql.Date{Year: 2024, Month: 2, Day: 29})))
		}, "5 1 new todo false", kit.JobsBefore + " 5|1|new|todo|-|-"},
		"insert through a link": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(one(db).Insert(ctx, twTitle.Set("new"), twJobPerson.Set(1)))
		}, "5 1 new todo false", kit.JobsBefore + " 5|1|new|todo|-|1"},
		"insert through a link, a key out of scope": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(one(db).Insert(ctx, twTitle.Set("new"), twJobPerson.Set(3)))
		}, "!refers to no row", kit.JobsBefore},
		"insert through a link of nobody": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(exosql.Follow(exosql.Grant(db, twOrgs, twOrgID.Eq(9)), twOrgJobs).Insert(ctx, twTitle.Set("new")))
		}, "!through exactly one orgs, and this query finds none", kit.JobsBefore},
		"insert through a link of several": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(exosql.Follow(exosql.Grant(db, twOrgs, exosql.AllRows[kit.JobsOrg]()), twOrgJobs).Insert(ctx, twTitle.Set("new")))
		}, "!finds several", kit.JobsBefore},
		"insert of what is filled in": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(twJobsOf(db, 1).Insert(ctx, twTitle.Set("new"), twJobOrg.Set(2)))
		}, "!denied: `orgId` is filled in", kit.JobsBefore},
		"insert behind a condition": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(twJobsOf(db, 1).Where(twStatus.Eq("todo")).Insert(ctx, twTitle.Set("new")))
		}, "!invalid: insert into the result of Grant or Follow itself", kit.JobsBefore},
		"insert many": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).InsertMany(ctx, []exosql.Assignment[kit.Job]{twTitle.Set("x")}, []exosql.Assignment[kit.Job]{twTitle.Set("y"), twPoints.Set(2)}))
		}, "2", kit.JobsBefore + " 5|1|x|todo|-|- 6|1|y|todo|2|-"},
		"insert many, one of them wrong": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).InsertMany(ctx, []exosql.Assignment[kit.Job]{twTitle.Set("x")}, []exosql.Assignment[kit.Job]{twTitle.Set(""), twPoints.Set(2)}))
		}, "!invalid", kit.JobsBefore},
		"insert of none": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).InsertMany(ctx))
		}, "!the list of rows to insert is empty", kit.JobsBefore},
		"insert of nothing given": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return job(twJobsOf(db, 1).Insert(ctx))
		}, "!invalid", kit.JobsBefore},
		"delete": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twTitle.In("b", "c")).Delete(ctx))
		}, "1", "1|1|a|todo|3|1 3|2|c|todo|5|3 4|1|d|todo|1|2"},
		"delete without a condition": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(one(db).Delete(ctx))
		}, "!this call would delete every row", kit.JobsBefore},
		"a value that its column is declared not to hold": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, twStatus.Set("late")))
		}, "!not one of the column's values", kit.JobsBefore},
		"null in a column that has none": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, twTitle.SetNull()))
		}, "!declared as never NULL", kit.JobsBefore},
		"a text that no engine holds": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, twTitle.Set("a\x00b")))
		}, "!can't be stored", kit.JobsBefore},
		"a column twice": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, twTitle.Set("x"), twTitle.Set("y")))
		}, "!given twice", kit.JobsBefore},
		"the key": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, twJobID.Set(9)))
		}, "!the key `id` can't be changed", kit.JobsBefore},
		"nothing": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx))
		}, "!nothing to change", kit.JobsBefore},
		"a zero assignment": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, exosql.Assignment[kit.Job]{}))
		}, "!an Assignment has no column", kit.JobsBefore},
		"a zero condition": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(exosql.Predicate[kit.Job]{}).Delete(ctx))
		}, "0", kit.JobsBefore},
		"a unique value": {func(ctx context.Context, db *exosql.DB) (any, error) {
			return n(twJobsOf(db, 1).Where(twJobID.Eq(1)).Update(ctx, twTitle.Set("b")))
		}, "!is taken", kit.JobsBefore},
	} {
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				if e.Name == tu.Postgres.Name && !tu.OneIn(t, 3).Next() {
					return // there each world is a schema that is made
				}
				db, look := kit.OpenJobs(t, e)
				v, err := c.write(t.Context(), db)
				got := fmt.Sprint(v)
				if err != nil {
					got = "!" + err.Error()
					if !errors.Is(err, exo.ErrNothingDone) {
						t.Errorf("whether something was done is not said: %v", err)
					}
				}
				if want, failed := strings.CutPrefix(c.want, "!"); got != c.want && !(failed && err != nil && strings.Contains(got, want)) {
					t.Errorf("it gives %s, not %s", got, c.want)
				}
				if has := look(kit.Jobs); has != c.jobs {
					t.Errorf("it leaves %s\n want %s", has, c.jobs)
				}
			})
		})
	}
}

// TestTypedWriteRow: an insert gives the row with all columns of the table, as it is read afterwards.
func TestTypedWriteRow(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.OpenJobs(t, e)
		jobs := twJobsOf(db, 1)
		j, err := jobs.Insert(t.Context(), twTitle.Set("new"), twCost.Set("12.50"), twDue.Set(exosql.Date{Year: 2024, Month: 2, Day: 29}), twPoints.Set(-1), twDone.Set(true))
		if err != nil {
			t.Fatal(err)
		}
		again, ok, err := jobs.Where(twJobID.Eq(j.ID)).First(t.Context())
		if err != nil || !ok || fmt.Sprintf("%d %d %s %s %d %s %v %v %v", j.ID, j.Org, j.Title, j.Status, *j.Points, *j.Cost, *j.Due, j.Done, j.Person) != "5 1 new todo -1 12.5 2024-02-29 true <nil>" || *again.Points != -1 || *again.Cost != "12.5" {
			t.Errorf("%+v, and then %+v %v", j, again, err)
		}
	})
}

// TestTypedWriteEffects: a cascade that the table's declaration doesn't name is refused; its twin names it.
func TestTypedWriteEffects(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, known := range []bool{false, true} {
			db, raw := kit.File(t, e, "CREATE TABLE a (id {int} PRIMARY KEY, n {int})", "CREATE TABLE b (id {int} PRIMARY KEY, a_id {int} REFERENCES a ON DELETE CASCADE)", "INSERT INTO a VALUES (1, 1), (2, 2)", "INSERT INTO b VALUES (1, 1), (2, 2)")
			a := exosql.NewTable[kit.JobsOrg]("a")
			id := exosql.NewKey(a, "id", func(o *kit.JobsOrg) *int64 { return &o.ID })
			if known {
				a.Permit(exosql.AllowCascade("b", "a_id"))
			}
			n, err := exosql.Grant(db, a, exosql.AllRows[kit.JobsOrg]()).Where(id.Eq(1)).Delete(t.Context())
			if has := kit.Cells(t, raw, "SELECT id FROM b"); known != (err == nil && n == 1 && has == "2") || !known && (fail.KindOf(err) != fail.Denied || !strings.Contains(err.Error(), "b(a_id)") || has != "1 2") {
				t.Errorf("known %v: %d %v, leaves %s", known, n, err, has)
			}
		}
	})
}

// TestTypedWriteUndeclaredKey: a foreign key that no declared link goes along is not written.
func TestTypedWriteUndeclaredKey(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		jobs := exosql.NewTable[kit.Job]("jobs")
		id := exosql.NewKey(jobs, "id", func(j *kit.Job) *int64 { return &j.ID })
		person := exosql.NewNullable(jobs, "person_id", func(j *kit.Job) **int64 { return &j.Person })
		title := exosql.NewColumn(jobs, "title", func(j *kit.Job) *string { return &j.Title })
		all := exosql.Grant(db, jobs, exosql.AllRows[kit.Job](), exosql.ScopeRows(twPeople, twPersonOrg.Eq(1)))
		if _, err := all.Where(id.Eq(1)).Update(t.Context(), person.Set(3)); fail.KindOf(err) != fail.Denied || !strings.Contains(err.Error(), "no link for this reference is declared") {
			t.Error(err)
		}
		if n, err := all.Where(id.Eq(1)).Update(t.Context(), title.Set("x")); n != 1 || err != nil {
			t.Errorf("a column that refers to nothing: %d %v", n, err)
		}
		exosql.Many("jobs", twPersonID, person) // leads the other way, and says the same
		if _, err := all.Where(id.Eq(1)).Update(t.Context(), person.Set(3)); fail.KindOf(err) != fail.Invalid {
			t.Error(err)
		}
		if n, err := all.Where(id.Eq(1)).Update(t.Context(), person.Set(2)); n != 1 || err != nil || !strings.HasPrefix(look(kit.Jobs), "1|1|x|todo|3|2 ") {
			t.Errorf("%d %v %s", n, err, look(kit.Jobs))
		}
	})
}

// TestTransact: what a Tx changes is kept together or not at all, its relations see it, and others don't.
func TestTransact(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ctx := t.Context()
		db, look := kit.OpenJobs(t, e)
		jobs := twJobsOf(db, 1)
		half := errors.New("half")
		try := func(end error) error {
			return db.Transact(ctx, func(tx *exosql.Tx) error {
				in := jobs.InTx(tx)
				j, err := in.Insert(ctx, twTitle.Set("new"))
				if err != nil {
					return err
				}
				if _, err := in.Insert(ctx, twTitle.Set("a")); fail.KindOf(err) != fail.Invalid { // taken: it leaves the rest as it was
					return fmt.Errorf("a title twice: %v", err)
				} else if c, ok := errors.AsType[*exosql.ConstraintError](err); !ok || c.Rule != exosql.RuleUnique || c.Rule.String() != "unique" || c.Table != "jobs" || !slices.Equal(c.Columns, []string{"org_id", "title"}) {
					return fmt.Errorf("a title twice: %+v", c)
				}
				if n, err := in.Where(twJobID.Eq(j.ID)).Update(ctx, twPoints.Set(8)); n != 1 || err != nil {
					return fmt.Errorf("%d %v", n, err)
				}
				rows, next, err := in.OrderBy(twTitle.Desc()).Page(ctx, 1, "")
				if err != nil || len(rows) != 1 || rows[0].Title != "new" || *rows[0].Points != 8 || next == "" {
					return fmt.Errorf("%v %v", rows, err)
				}
				if n, err := in.Count(ctx); n != 4 || err != nil {
					return fmt.Errorf("%d %v", n, err)
				}
				if n, err := jobs.Count(ctx); n != 3 || err != nil {
					return fmt.Errorf("outside: %d %v", n, err)
				}
				return end
			})
		}
		if err := try(half); err != half || look(kit.Jobs) != kit.JobsBefore {
			t.Errorf("%v leaves %s", err, look(kit.Jobs))
		}
		if err := try(nil); err != nil || !strings.HasPrefix(look(kit.Jobs), kit.JobsBefore+" ") || !strings.HasSuffix(look(kit.Jobs), "|1|new|todo|8|-") {
			t.Errorf("%v leaves %s", err, look(kit.Jobs))
		}
		var old exosql.Relation[kit.Job]
		if err := db.Transact(ctx, func(tx *exosql.Tx) error { old = jobs.InTx(tx); return nil }); err != nil {
			t.Error(err)
		}
		if _, err := old.Count(ctx); !errors.Is(err, exosql.ErrTxDone) || errors.Is(err, context.Canceled) {
			t.Errorf("in a Tx that has ended: %v", err)
		}
		if _, err := (exosql.Relation[kit.Job]{}).Insert(ctx, twTitle.Set("x")); !errors.Is(err, exo.ErrNothingDone) {
			t.Errorf("by a zero Relation: %v", err)
		}
		for what, r := range map[string]exosql.Relation[kit.Job]{"no Tx": jobs.InTx(nil), "a zero Tx": jobs.InTx(&exosql.Tx{})} {
			if _, err := r.Count(ctx); err == nil {
				t.Errorf("in %s it answers", what)
			}
		}
		other, _ := kit.OpenJobs(t, e)
		if err := db.Transact(ctx, func(tx *exosql.Tx) error { _, err := twJobsOf(other, 1).InTx(tx).Count(ctx); return err }); fail.KindOf(err) != fail.Invalid {
			t.Errorf("in a Tx of another database: %v", err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = db.Transact(ctx, func(tx *exosql.Tx) error {
				_, err := jobs.InTx(tx).Where(twJobID.Eq(2)).Delete(ctx)
				if err != nil {
					t.Error(err)
				}
				panic("x")
			})
		}()
		if n, err := jobs.Where(twJobID.Eq(1)).Update(ctx, twPoints.Set(1)); n != 1 || err != nil { // nothing holds a lock
			t.Errorf("after a panic: %d %v", n, err)
		}
	})
}

// TestTransactAgain: a Tx that another transaction has overtaken is begun anew, and the function sees what that has left.
func TestTransactAgain(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ctx := t.Context()
		db, look := kit.OpenJobs(t, e)
		jobs, calls := twJobsOf(db, 1), 0
		err := db.Transact(ctx, func(tx *exosql.Tx) error {
			calls++
			j, _, err := jobs.InTx(tx).Where(twJobID.Eq(1)).First(ctx)
			if err != nil {
				return err
			}
			if calls == 1 {
				if _, err := jobs.Where(twJobID.Eq(1)).Update(ctx, twPoints.Set(50)); err != nil {
					t.Error(err)
				}
			}
			_, err = jobs.InTx(tx).Where(twJobID.Eq(1)).Update(ctx, twPoints.Set(*j.Points+1))
			return err
		})
		if err != nil || calls != 2 || !strings.HasPrefix(look(kit.Jobs), "1|1|a|todo|51|1 ") {
			t.Errorf("%v after %d calls: %s", err, calls, look(kit.Jobs))
		}
	})
}
