package exosql_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestSubqueriesRunOnce: a query in a callback that uses no row of it is run once, whatever statement runs, and not for each row.
func TestSubqueriesRunOnce(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, indexes := range notesIndexSets {
			url := e.URL(t)
			db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(append(kit.NotesSQL(e, 3000, indexes...), "ANALYZE")...)})
			hand := e.SQLDB(t, url)
			for _, r := range []*tu.Runner{tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{}), tu.NewRunner(t, kit.NotesOf(db, 1, true), exo.Limits{})} {
				for _, program := range []string{
					"notes.where(n => n.due.in(notes.where(o => o.text.includes('9')).select(o => o.due))).count()",
					"notes.where(n => n.due.notIn(notes.where(o => o.text.includes('9')).select(o => o.due))).count()",
					"notes.where(n => n.text === 'a' || n.folderId.in(folders.select(f => f.id))).count()",
					"notes.where(n => n.due > notes.avg(o => o.due)).count()",
					"notes.where(n => notes.some(o => o.code === 'c1') && n.due > notes.count()).count()",
				} {
					o := r.Run(t, "return await "+program)
					if o.Kind != 0 || len(o.SQL) != 1 {
						t.Fatal(program, o)
					}
					plan := planned(t, e, hand, o.SQL[0])
					for line := range strings.Lines(plan) {
						// PostgreSQL names the subquery of each row "SubPlan", unless it is hashed.
						if strings.Contains(line, "CORRELATED") || strings.Contains(line, "(SubPlan") || strings.Contains(line, "NOT (SubPlan") {
							t.Errorf("%s: %s: once for each row: %s%s", name, program, line, plan)
						}
					}
				}
			}
		}
	})
}

// planned is the engine's plan of a statement.
func planned(t *testing.T, e tu.Engine, hand *sql.DB, q exosql.Query) string {
	t.Helper()
	if e.Name == tu.Postgres.Name {
		return kit.Explained(t, hand, q.SQL, q.Args, "EXPLAIN")
	}
	// What is bound does not matter to it, nor what a function of ours is, which other connections have not.
	rows, err := hand.Query("EXPLAIN QUERY PLAN "+regexp.MustCompile(`exo_\w+\(`).ReplaceAllString(q.SQL, "format("), make([]any, len(q.Args))...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var line string
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line+"\n")
	}
	if err := rows.Err(); err != nil || len(lines) == 0 {
		t.Fatal(q.SQL, err)
	}
	return strings.Join(lines, "")
}

// TestAmongLikeLists: in and notIn of a query are what they are of the list of its values without nulls, in every place of
// a program, where neither is null.
func TestAmongLikeLists(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		for _, of := range []string{"tasks.select(x => x.id)", "tasks.where(x => x.done).select(x => x.id)", "tasks.where(x => x.id < 0).select(x => x.id)", "people.select(x => x.id)",
			"tasks.select(x => x.priority + 1000)", "tasks.select(x => x.priority * 0.5 + 1000.5)", "tasks.select(x => x.assignee().id + 990)",
			"org.projects().where(p => p.budget > 0).select(p => p.budget + 0.5)"} {
			for _, op := range []string{"in", "notIn"} {
				o := r.Run(t, fmt.Sprintf(`const q = %s, list = (await q).filter(x => x !== null), ask = list => t => t.id.%s(list);
const of = async list => JSON.stringify([
  await tasks.where(t => t.id.%[2]s(list)).orderBy(t => t.id).select(t => t.id), await tasks.where(t => !t.id.%[2]s(list)).orderBy(t => t.id).select(t => t.id),
  await tasks.orderBy(t => t.id).select(t => ({ id: t.id, x: t.id.%[2]s(list), y: t.id.%[2]s(list) ? 1 : 2 })),
  await tasks.where(ask(list)).count(), await tasks.groupBy(t => t.id.%[2]s(list)).select(g => ({ k: g.key, n: g.count() })),
  await tasks.orderBy(t => [t.id.%[2]s(list), t.id]).select(t => t.id), await org.projects().join(({ project }) => project.tasks().where(t => t.id.%[2]s(list))).count(),
  await org.projects().leftJoin(({ project }) => project.tasks().where(t => t.id.%[2]s(list))).count(), await tasks.sum(t => t.id.%[2]s(list) ? 1 : 0),
  await tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.where(t => t.id.%[2]s(list)).count() })),
  await org.projects().orderBy(p => p.id).select(p => ({ n: p.tasks().where(t => t.id.%[2]s(list)).count() })),
]);
const [a, b] = [await of(q), await of(list)]; return a === b || a + ' for the list ' + b`, of, op))
				if o.JSON != "true" {
					t.Errorf("%s %s: %v", op, of, o)
				}
			}
		}
	})
}

// TestWithheldAmong: a query that a policy keeps from being run is looked for in by no other query, and one that is revoked is gone.
func TestWithheldAmong(t *testing.T) {
	acme := tu.Tenant(tu.Open(t), tu.Acme)
	cut, revoke := policy.Revocable(acme["people"])
	r := tu.NewRunner(t, map[string]exo.Object{
		"tasks": acme["tasks"], "people": cut,
		"counts": policy.Only(acme["people"], "where", "select", "count"),
		"bare":   policy.Only(acme["people"], "where", "select", "execute"),
	}, exo.Limits{})
	for program, kind := range map[string]fail.Kind{
		"tasks.where(t => t.id.in(people.select(p => p.id))).count()":   0,
		"tasks.where(t => t.id.in(bare.select(p => p.id))).count()":     0,
		"tasks.where(t => t.id.in(counts.select(p => p.id))).count()":   fail.Invalid,
		"tasks.where(t => t.id > counts.count()).count()":               0,
		"tasks.where(t => t.id > bare.count()).count()":                 fail.Denied,
		"tasks.where(t => bare.some(p => p.id === t.id)).count()":       fail.Denied,
		"tasks.where(t => t.title.in(people.select(p => p.password)))":  fail.Denied,
		"tasks.where(t => people.max(p => p.password) === t.title)":     fail.Denied,
		"tasks.where(t => t.title.in(bare.select(p => p.email)))":       fail.Denied,
		"tasks.where(t => people.some(p => p.email === t.title))":       fail.Denied,
		"tasks.where(t => bare.where(p => p.org().id === 2).exists())":  fail.Denied,
		"tasks.where(t => t.id.in(bare.select(p => p.id).limit(1)))":    fail.Denied,
		"tasks.where(t => t.id.in(counts.select(p => p.id).execute()))": fail.Denied,
	} {
		if o := r.Run(t, "return await "+program); o.Kind != kind {
			t.Errorf("%s: %v", program, o)
		}
	}
	revoke()
	for _, program := range []string{"tasks.where(t => t.id.in(people.select(p => p.id))).count()", "tasks.where(t => t.id > people.count()).count()", "tasks.where(t => people.some(p => p.id > 0)).count()"} {
		if o := r.Run(t, "return await "+program); o.Kind != fail.Revoked {
			t.Errorf("%s: %v", program, o)
		}
	}
}

// TestAmongOtherScopes: the query inside is within the scope of its own grant, and the one outside within its own: neither widens
// or narrows the other.
func TestAmongOtherScopes(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		acme, bolt := tu.Tenant(db, tu.Acme), tu.Tenant(db, tu.Bolt)
		r := tu.NewRunner(t, map[string]exo.Object{"tasks": acme["tasks"], "org": acme["org"], "theirs": bolt["tasks"], "others": bolt["people"]}, exo.Limits{})
		o := r.Run(t, `return [
  await tasks.where(t => t.id.in(theirs.select(x => x.id))).count(), await theirs.where(t => t.id.in(tasks.select(x => x.id))).count(),
  await tasks.where(t => t.status.in(theirs.select(x => x.status))).select(t => t.id), await theirs.where(t => t.status.notIn(tasks.select(x => x.status))).count(),
  await tasks.where(t => t.assignee().id.in(others.select(x => x.id))).count(), await tasks.where(t => t.id > theirs.max(x => x.id)).count(), await theirs.where(t => t.id > tasks.max(x => x.id)).select(t => t.id),
  await tasks.where(t => theirs.some(x => x.assignee().id === t.assignee().id)).count(), await tasks.select(t => ({ n: theirs.count() })).distinct(),
]`)
		if want := `[0,0,[1001,1003,1004,1090],0,0,0,[2001,2002,2090],2,[{"n":3}]]`; o.JSON != want {
			t.Errorf("%v, want %s", o, want)
		}
	})
}

// TestAmongGuarded: where tables are read as wholes, the query inside keeps its fence: the engine joins it after its scope.
func TestAmongGuarded(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, _, _ := trapNotes(t, e, "CREATE INDEX folders_owner ON folders (owner)")
		// SQLite fences the query itself where what it gives is never null, and else a derived table, as PostgreSQL does.
		inside := e.Pick(`(IN \(SELECT "t\d"\."\w+" AS "k" FROM "notes" AS "t\d" WHERE .* LIMIT -1 OFFSET 0\)|\(SELECT "t\d"\."c\d" AS "k" FROM \(SELECT .* LIMIT -1 OFFSET 0\) AS "t\d")`,
			`\(SELECT ("t\d"\."c\d"|1|\(cast.*) AS "k" FROM \(SELECT .* OFFSET 0\) AS "t\d"`)
		for _, program := range []string{
			"notes.where(n => n.due.in(notes.where(o => o.text.includes('9')).select(o => o.due))).count()",
			"notes.where(n => n.code.notIn(notes.where(o => o.text.includes('9')).select(o => o.code))).count()",
		} {
			o := r.Run(t, "return await "+program)
			fence := regexp.MustCompile(`CASE WHEN \("t0"\."owner" = (\?|\$\d)\) THEN .*` + inside)
			if o.Kind != 0 || exosql.Tier(o.SQL[0]) != "guarded" || !fence.MatchString(o.SQL[0].SQL) {
				t.Errorf("%s: %v %s %v", program, o, exosql.Tier(o.SQL[0]), o.SQL)
			}
		}
	})
}

// TestAmongFenced: the query inside has a fence of its own, also where it has no condition: the values of the rows outside are
// looked up in none out of scope.
func TestAmongFenced(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, kit.NotesOf(e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kit.NotesSQL(e, 100)...)}), 1, true), exo.Limits{})
		for _, program := range []string{"notes.where(n => n.due.in(notes.select(o => o.due))).count()", "notes.where(n => n.code.notIn(notes.select(o => o.text))).count()"} {
			if o := r.Run(t, "return await "+program); o.Kind != 0 || strings.Count(o.SQL[0].SQL, "OFFSET 0") != 2 {
				t.Errorf("%s: %v %v", program, o, o.SQL)
			}
		}
	})
}
