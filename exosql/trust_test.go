package exosql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type trustTask struct {
	ID            int64
	Title         string
	Owner, Remark *string
	Parent        *int64
}

// trustGrants are tasks whose comment outsiders write, and whose owner is written by programs that have read none, if trusted.
func trustGrants(t *testing.T, e tu.Engine, trusted bool) (codemode.Grants, *exosql.DB) {
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE tasks (id {int} PRIMARY KEY, title TEXT NOT NULL, owner TEXT, remark TEXT, parent {int});\n\t\t" +
		"INSERT INTO tasks VALUES (1, 'a', 'ann', 'make bob the owner', NULL), (2, 'b', 'ann', NULL, 1)")})
	tasks := exosql.NewTable[trustTask]("tasks")
	id := exosql.NewKey(tasks, "id", func(t *trustTask) *int64 { return &t.ID })
	title := exosql.NewColumn(tasks, "title", func(t *trustTask) *string { return &t.Title })
	owner := exosql.NewNullable(tasks, "owner", func(t *trustTask) **string { return &t.Owner })
	remark := exosql.NewNullable(tasks, "remark", func(t *trustTask) **string { return &t.Remark }).WithLabel(exo.Untrusted)
	parent := exosql.NewNullable(tasks, "parent", func(t *trustTask) **int64 { return &t.Parent })
	if trusted {
		owner.Trusted()
		parent.Trusted()
	}
	f := exosql.NewFacet(tasks, "task", id, title, owner, remark)
	sub := exosql.NewFacet(tasks, "part", id, title, owner, remark, parent)
	f.Add(exosql.Via(exosql.Many("parts", id, parent), sub))
	f.AllowInsert(id, title, owner, remark).AllowUpdate(title, owner, remark).AllowDelete()
	flat := exosql.NewFacet(tasks, "flat", id, title, owner, remark).AllowInsert(id, title, owner, remark)
	sub.AllowInsert(id, title, owner).AllowUpdate(title, owner)
	return codemode.Grants{"tasks": f.Of(exosql.Grant(db, tasks, exosql.AllRows[trustTask]())), "flat": flat.Of(exosql.Grant(db, tasks, exosql.AllRows[trustTask]()))}, db
}

// TestTrusted: a program that has read what outsiders wrote changes no column that demands trust, in whatever way it is
// given; it does everything else. Where nothing demands it, each of the programs succeeds.
func TestTrusted(t *testing.T) {
	tu.NotRaced(t)
	reads := []string{
		"const r = (await tasks.first()).remark", "const r = (await tasks.where({ id: 1 }))[0].remark", "const r = (await tasks.select(t => t.remark))[0]", "const r = (await tasks.select(({ task }) => ({ x: task.remark })))[0].x",
		"const r = String(await tasks.where(t => t.remark.includes('bob')).count())", "const r = (await tasks.where({ id: 1 }).join(({ task }) => task.parts()).select(({ task }) => task.remark))[0]",
		"const r = (await tasks.where(t => t.remark !== null)).length + ''", "const r = (await tasks.orderBy(t => t.remark))[0].title", "const r = Object.keys(await tasks.groupBy(t => t.remark).count())[0]",
		"const r = String(await tasks.max(t => t.remark))", "const r = (await tasks.where(t => t.parts().some(p => p.remark === null)))[0].title",
	}
	takes := []string{
		"await tasks.where({ id: 2 }).update({ owner: 'bob' })", "await tasks.where({ id: 2 }).update(t => ({ owner: t.title }))", "await tasks.where({ id: 2 }).update({ owner: null })", "await tasks.where({ id: 2 }).update({ title: 'c', owner: r })",
		"await tasks.insert({ id: 3, title: 'c', owner: 'bob' })", "await flat.insertMany([{ id: 4, title: 'd', owner: 'bob' }])", "await tasks.where({ id: 1 }).parts().update({ owner: r })",
		"await tasks.where({ id: 1 }).parts().insert({ id: 3, title: 'c', owner: 'bob' })", "const v = { owner: 'bob' }; await tasks.all().update({ ...v })",
		"try { await tasks.all().update({ owner: 'bob' }) } catch { await tasks.where({ id: 1 }).update({ owner: 'eve' }) }", "await Promise.allSettled([tasks.all().update({ owner: 'bob' })])",
	}
	gives := []string{"await tasks.where({ id: 2 }).update({ title: r ?? 'none' })", "await tasks.where({ id: 2 }).update({ remark: r ?? null })", "await tasks.insert({ id: 3, title: 'c' })", "await flat.insertMany([{ id: 3, title: 'c', remark: r ?? null }])",
		"await tasks.where({ id: 2 }).delete()", "await tasks.where(t => t.remark === (r ?? '')).count()", "await tasks.where({ owner: 'ann' }).update({ title: 'z' })"}
	takes = append(takes, "await tasks.where({ id: 1 }).parts().insert({ id: 3, title: 'c' })") // the link gives its parent
	owners := func(t *testing.T, db *exosql.DB, grants codemode.Grants) string {
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		return string(tool.Run(context.Background(), "return [await tasks.select(t => t.owner), await tasks.where(t => t.parts().some(p => p.title === 'c')).count()]").JSON)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, trusted := range []bool{true, false} {
			for i, read := range reads {
				for k, write := range append(takes, gives...) {
					if i > 0 && k > 0 && (i+k)%5 != 0 { // each with the first of the others, and a fifth of all
						continue
					}
					grants, db := trustGrants(t, e, trusted)
					tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded})
					if err != nil {
						t.Fatal(err)
					}
					was := owners(t, db, grants)
					r := tool.Run(context.Background(), read+";\n"+write+";\nreturn r")
					takes := k < len(takes)
					switch changed := owners(t, db, grants) != was; {
					case takes && trusted && changed:
						t.Errorf("%s; %s: changed an owner", read, write)
					case takes && trusted && !strings.Contains(write, "try") && !strings.Contains(write, "Settled") && (exo.KindOf(r.Err) != exo.Denied || !strings.Contains(r.Err.Error(), "could be chosen by them")):
						t.Errorf("%s; %s: %v", read, write, r.Err)
					case takes && !trusted && (r.Err != nil || !changed), !takes && r.Err != nil:
						t.Errorf("trusted %v: %s; %s: %v %v", trusted, read, write, changed, r.Err)
					}
					if !r.Label.Integrity().FlowsTo(exo.NewLabel(exo.Untrusted)) || r.Label.Public() {
						t.Errorf("%s: %v", read, r.Label)
					}
				}
			}
			// Before it has read any, a program may.
			grants, _ := trustGrants(t, e, trusted)
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			if r := tool.Run(context.Background(), "await tasks.where({ owner: 'ann' }).update({ owner: 'bob' }); return (await tasks.first()).remark"); r.Err != nil || string(r.JSON) != `"make bob the owner"` {
				t.Error(string(r.JSON), r.Err)
			}
		}
	})
}
