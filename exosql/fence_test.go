package exosql_test

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// trapPostgres stands before PostgreSQL's own strpos, costs less than any
// comparison, so that the planner would try it first, and fails when it is given a text
// of the other tenant.
const trapPostgres = `CREATE FUNCTION strpos(s text, part text) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 0.0001 AS $$
BEGIN
	IF pg_catalog.strpos(s, 'BOLT') > 0 THEN RAISE EXCEPTION 'trapped'; END IF;
	RETURN pg_catalog.strpos(s, part);
END $$;
CREATE FUNCTION starts_with(s text, part text) RETURNS bool LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 0.0001 AS $$
BEGIN
	IF pg_catalog.strpos(s, 'BOLT') > 0 THEN RAISE EXCEPTION 'trapped'; END IF;
	RETURN pg_catalog.starts_with(s, part);
END $$;
CREATE FUNCTION substr(s text, a int, b int) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 0.0001 AS $$
BEGIN
	IF pg_catalog.strpos(s, 'BOLT') > 0 THEN RAISE EXCEPTION 'trapped'; END IF;
	RETURN pg_catalog.substr(s, a, b);
END $$`

// trap opens a database in which includes and startsWith can be seen at work. sprung
// says whether an outcome shows that one was tried on a text of the other tenant.
func trap(t *testing.T, e tu.Engine, more ...string) (r *tu.Runner, sprung func(tu.Outcome) bool) {
	var seen atomic.Bool
	exosql.TrapSQLite(func(text string) {
		if strings.Contains(text, "BOLT") {
			seen.Store(true)
		}
	})
	t.Cleanup(func() { exosql.TrapSQLite(func(string) {}) })
	url := "sqlite::memory:"
	if e.Name == tu.Postgres.Name {
		url = e.URL(t)
		url = tu.WithParam(t, url, "search_path", tu.Param(t, url, "search_path")+",pg_catalog")
		for setting, v := range map[string]string{"parallel_setup_cost": "0", "parallel_tuple_cost": "0", "min_parallel_table_scan_size": "0", "max_parallel_workers_per_gather": "4", "join_collapse_limit": "1", "from_collapse_limit": "1"} {
			url = tu.WithParam(t, url, setting, v) // what makes a planner bold
		}
		more = append(more, trapPostgres)
	}
	db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: func(ctx context.Context, db *sql.DB) error {
		if err := e.Fill(append(more, "CREATE INDEX tasks_title ON tasks (title)", "CREATE INDEX members_name ON members (name)")...)(ctx, db); err != nil {
			return err
		}
		// The same without a fence: the trap springs.
		const open = "SELECT count(*) FROM tasks AS t0 WHERE t0.project_id IN (SELECT id FROM projects WHERE org_id = 1) AND (%s)"
		for _, cond := range []string{e.Pick("t0.id = 2001 AND exo_includes(title, 'x') OR t0.id = 2", "strpos(title, 'x') > 0"), e.Pick("t0.id = 2001 AND exo_starts(title, 'x') OR t0.id = 2", "starts_with(title, 'x')"), e.Pick("t0.id = 2001 AND exo_search('x', title) OR t0.id = 2", "substr(title, 1, 65536) = 'x'")} {
			var n int
			err := db.QueryRowContext(ctx, fmt.Sprintf(open, cond)).Scan(&n)
			if !seen.Swap(false) && (err == nil || !strings.Contains(err.Error(), "trapped")) {
				return fmt.Errorf("the trap does not spring for %s: %v", cond, err)
			}
		}
		return nil
	}})
	if e.Name == tu.Postgres.Name {
		if err := exosql.TrapPostgres(t.Context(), db, tu.Param(t, url, "search_path")); err != nil {
			t.Fatal(err)
		}
	}
	return tu.As(t, db, tu.Acme, exo.Limits{}), func(o tu.Outcome) bool {
		return seen.Swap(false) || o.Kind == fail.Internal || strings.Contains(o.Message, "no number")
	}
}

// TestFence: no expression of a program is tried on a row before its scope has
// admitted that row, whatever the engine's planner would like, so that no time depends
// on what is in it.
func TestFence(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, sprung := trap(t, e)
		for _, program := range []string{
			"tasks.where(t => t.title.includes('x'))",
			"tasks.where(t => t.id === 2001 && t.title.includes('x'))",
			"tasks.where(t => t.id.in([2001, 2002]) && t.title.includes('x'))",
			"tasks.where(t => (t.id === 2001 && t.title.includes('x')) || t.id === 2)",
			"tasks.where(t => !t.title.includes('x'))",
			"tasks.where(t => (t.id === 2001 && t.title.like('%x%')) || t.id === 2)",
			"tasks.where(t => (t.id === 2001 && t.title.lower() === 'x') || t.id === 2)",
			"tasks.where(t => (t.id === 2001 && (t.title + 'x').includes('y')) || t.id === 2)",
			"tasks.where(t => t.title.startsWith('B') && t.priority > 1)",
			"tasks.where(t => t.id === 2001).where(t => t.title.includes('x'))",
			"tasks.where(t => t.title.includes('x')).where(t => t.id === 2001)",
			"tasks.join(({ task }) => task.assignee()).where(({ member }) => member.name.includes('x'))",
			"tasks.join(({ task }) => task.assignee()).where(({ task, member }) => (member.id === 21 && member.name.includes('x')) || task.title.includes('x'))",
			"tasks.join(({ task }) => task.assignee().where(m => m.name.includes('x') || m.id === 21))",
			"tasks.join(({ task }) => task.assignee(), ({ member }) => member.name.includes('x') || member.id === 21)",
			"tasks.join(people, ({ task, person }) => person.name.includes('x') || task.title.includes('x') || person.id === 21)",
			"tasks.join(people, ({ task, person }) => task.title === person.name || person.name.includes('x'))",
			"tasks.where(t => t.title.includes('A')).join(people.where(p => p.name.includes('A')), ({ task, person }) => task.id === person.id || person.id.eq(21))",
			"tasks.leftJoin(({ task }) => task.assignee()).where(({ member }) => member.name.includes('x') || member.id === 21)",
			"tasks.leftJoin(({ task }) => task.assignee().where(m => m.name.includes('x') || m.id === 21))",
			"tasks.leftJoin(({ task }) => task.assignee(), ({ task, member }) => member.name.includes('x') || task.title.includes('x') || member.id === 21)",
			"tasks.leftJoin(people, ({ task, person }) => person.name.includes('x') || task.title.includes('x'))",
			"tasks.leftJoin(people.where(p => p.name.includes('x')), ({ task, person }) => person.id === task.id || person.name.includes('y'))",
			"tasks.where(t => t.title.includes('A')).assignee().where(m => m.name.includes('x') || m.id === 21)",
			"tasks.assignee().assignedTasks().where(t => t.title.includes('x') || t.id === 2001)",
			"tasks.join(({ task }) => task.comments().where(c => task.title.includes('x')).author())",
			"tasks.join(({ task }) => task.comments().where(c => task.title.includes('x') || c.id === 6001).author().where(m => task.title.includes('y')))",
			"tasks.join(({ task }) => task.comments().orderBy(c => task.title.includes('x')).limit(1).author())",
			"tasks.leftJoin(({ task }) => task.comments().where(c => task.title.includes('x')).author())",
			"tasks.leftJoin(({ task }) => people.where(p => p.name.includes(task.title) || p.id === 21))",
			"tasks.join(({ task }) => people.where(p => p.name.includes(task.title) || p.id === 21))",
			"tasks.leftJoin(({ task }) => task.project().tasks().as('u'), ({ task, u }) => (u.id.eq(2001) && u.title.includes('x')) || u.id.eq(2))",
			"org.leftJoin(({ org }) => org.projects().tasks(), ({ task }) => task.title.includes('x') || task.id === 2001)",
			"tasks.leftJoin(({ task }) => task.comments().author().where(m => m.name.includes('x') || m.id === 21))",
			"tasks.leftJoin(({ task }) => people.where(p => p.name.includes('x') || p.id.eq(task.id)))",
			"tasks.leftJoin(({ task }) => task.comments().orderBy(c => c.body.includes('x')))",
			"top.leftJoin(({ task }) => task.comments(), ({ comment }) => comment.body.includes('x') || comment.id === 6001)",
			"tasks.orderBy(t => t.title.includes('x')).limit(3)",
			"tasks.join(tasks.as('a'), ({ task, a }) => a.id === task.id).join(tasks.as('b'), ({ task, b }) => b.id === task.id).orderBy(({ b }) => b.title.includes('x')).limit(3)",
			"top.where(t => (t.id === 2001 && t.title.includes('x')) || t.id === 2).comments().where(c => c.body.includes('x') || c.id === 6001)",
			"top.comments().task().where(t => t.title.includes('x') || t.id === 2001)",
			"org.projects().tasks().comments().where(c => c.body.includes('x') || c.id === 6001)",
			"org.projects().where(p => p.name.includes('A')).tasks().where(t => t.title.includes('x') || t.id === 2001)",
			"tasks.orderBy(t => t.title.includes('x')).limit(2).where(t => t.title.includes('x') || t.id === 2001)",
			"tasks.orderBy(t => t.title.slice(0, 3).includes('x'))",
			"tasks.select(t => ({ x: t.title.includes('x') })).distinct()",
			"tasks.join(({ task }) => task.comments().orderBy(c => c.body.includes('x')).limit(1)).where(({ task, comment }) => comment.body.includes('x') || task.id === 2001 || task.title.includes('x'))",
			"tasks.select(t => ({ s: t.status })).distinct().where(t => t.title.includes('x') || t.id === 2001)",
			"tasks.groupBy(t => t.title.includes('x'))",
			"tasks.orderBy(t => t.title.includes('x')).groupBy(t => t.title).select(g => ({ l: g.collect(t => t.title + 'x') }))",
			"tasks.groupBy(t => t.status).select(g => ({ l: g.collect(t => t.title.lower()), k: g.where(t => t.title.includes('x')).collect(t => t.title) }))",
			"tasks.where(t => t.id === 2001).groupBy(t => t.title).select(g => ({ t: g.title, l: g.collect(t => t.title) })).where(g => g.title.includes('x'))",
			"tasks.countBy(t => t.title.includes('x')).select(g => ({ ...g, m: g.where(t => t.title.includes('y')).median(t => t.title.length) }))",
			"tasks.groupBy(t => ({ a: t.title, b: t.id === 2001 && t.title.includes('x') })).where(g => g.a.includes('x'))",
			"tasks.where(t => t.id === 2001).groupBy(t => t.title).where(g => g.where(t => t.title.includes('x')).count() > 0 || g.title.includes('y'))",
			"tasks.groupBy(t => t.status).select(g => ({ n: g.where(t => t.title.includes('x')).count(), m: g.max(t => t.title.lower()), d: g.countDistinct(t => t.title + 'x') }))",
			"tasks.groupBy(t => t.id).orderBy(g => g.max(t => t.title.includes('x') ? 1 : 0)).limit(2).where(g => g.id === 2001)",
			"tasks.join(({ task }) => task.assignee()).groupBy(({ member }) => member.name.includes('x')).select(g => ({ n: g.min(({ task, member }) => task.title + member.name) }))",
			"tasks.leftJoin(({ task }) => task.comments()).groupBy(({ comment }) => ({ x: comment.body.includes('x') })).where(g => g.where(({ comment }) => comment.body.includes('y') || comment.id === 6001).count() > 0)",
			"top.groupBy(t => t.title.includes('x')).orderBy(g => g.count())",
		} {
			for _, call := range []string{".execute()", ".count()", ".first()", ".limit(1).execute()"} {
				if o := r.Run(t, "return await "+program+call); sprung(o) || o.Kind != 0 && o.Kind != fail.Invalid {
					t.Errorf("%s%s\n%v\n%v", program, call, o, o.SQL)
				}
			}
		}
	})
}

// Nor does what a callback asks of a link, in whatever place: neither a condition on the linked rows, nor one on
// the row itself that decides about them, nor what is calculated of both.
func TestFenceLinks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, sprung := trap(t, e)
		for _, program := range []string{
			"tasks.where(t => t.assignee().name.includes('x'))",
			"tasks.where(t => t.id === 2001 && t.assignee().name.includes('x'))",
			// The engine must not put 2001 for the id within the question, which would then be asked before there is a row.
			"tasks.distinct().where(t => t.id === 2001 && t.comments().some(c => c.body.includes('x')))",
			"tasks.distinct().where(t => t.id.in([2001]) && t.comments().some(c => c.body.includes('x')))",
			"tasks.distinct().where(t => 2001 === t.id && t.comments().none(c => c.body.includes('x')))",
			"tasks.distinct().where(t => t.id === Math.abs(-2001) && t.comments().some(c => c.body.includes('x')))",
			"tasks.limit(3).where(t => t.id.eq(2001)).where(t => t.comments().count().gt(0) && t.comments().max(c => c.body.includes('x') ? 1 : 0) > 0)",
			"tasks.distinct().where(t => t.comments().some(c => c.body.includes('x'))).join(people, ({ task, person }) => task.id === 2001)",
			"tasks.distinct().select(t => ({ id: t.id, n: t.comments().where(c => c.body.includes('x')).count() })).where(t => t.id === 2001)",
			"tasks.groupBy(t => t.id).where(g => g.id === 2001).select(g => ({ id: g.id, n: g.where(t => t.comments().some(c => c.body.includes('x'))).count() }))",
			"tasks.distinct().join(({ task }) => task.comments()).where(({ task, comment }) => comment.id === 6001 && comment.author().name.includes('x'))",
			"tasks.distinct().leftJoin(({ task }) => task.comments(), ({ task, comment }) => comment.id === 6001 && comment.author().comments().some(c => c.body.includes('x')))",
			"tasks.where(t => (t.id === 2001 && t.assignee().name.includes('x')) || t.id === 2)",
			"tasks.where(t => t.project().lead().name.includes('x') || t.project().org().name.includes('x'))",
			"tasks.where(t => t.assignee().where(m => m.name.includes('x') || m.id === 21).exists())",
			"tasks.where(t => t.assignee().where(m => (m.id === 21 && m.name.includes('x')) || m.id === 2).email === 'x')",
			"org.projects().where(p => p.tasks().some(t => t.title.includes('x') || t.id === 2001))",
			"org.projects().where(p => p.tasks().every(t => (t.id === 2001 && t.title.includes('x')) || t.id === 2))",
			"org.projects().where(p => p.tasks().none(t => t.title.startsWith('B') && t.priority > 1))",
			"org.projects().where(p => p.id === 201 && p.tasks().some(t => p.name.includes('x')))",
			"org.projects().where(p => p.tasks().where(t => t.title.includes('x')).where(t => t.id === 2001).count() > 0)",
			"org.projects().where(p => p.tasks().max(t => t.title.includes('x') ? 1 : 0) > 0)",
			"org.projects().where(p => p.tasks().sum(t => (p.name + t.title).includes('x') ? 1 : 0) > 0)",
			"org.projects().select(p => ({ a: p.tasks().median(t => t.title.includes('x') ? 1 : 0), b: p.tasks().countDistinct(t => t.title.includes('x')), c: p.tasks().min(t => t.title.lower() + 'x') }))",
			"org.projects().orderBy(p => p.tasks().count()).orderBy(p => p.lead().name.includes('x'))",
			"org.projects().orderBy(p => p.tasks().orderBy(t => t.title.includes('x')).limit(1).sum(t => t.priority))",
			"org.projects().select(p => ({ n: p.tasks().comments().where(c => c.body.includes('x') || c.id === 6001).count(), by: p.tasks().comments().author().some(m => m.name.includes('x') || m.id === 21) }))",
			"org.projects().where(p => p.tasks().some(t => t.comments().some(c => (c.body + t.title + p.name).includes('x'))))",
			"org.projects().select(p => ({ n: p.tasks().join(({ task }) => task.assignee()).where(({ task, member }) => member.name.includes('x') || member.id === 21).count() }))",
			"org.projects().select(p => ({ n: p.tasks().leftJoin(({ task }) => task.comments().where(c => c.author().name.includes('x'))).count() }))",
			"tasks.groupBy(t => t.assignee().name.includes('x')).select(g => ({ n: g.where(t => t.project().name.includes('x')).count(), m: g.max(t => t.comments().max(c => c.body.lower())) }))",
			"tasks.join(({ task }) => task.comments().where(c => c.author().name.includes('x') || task.assignee().name.includes('x')))",
			"tasks.leftJoin(({ task }) => task.comments().where(c => c.author().name.includes('x') || c.id === 6001))",
			"tasks.leftJoin(({ task }) => task.assignee(), ({ task, member }) => member.leads().some(p => p.name.includes('x')) || task.comments().some(c => c.body.includes('x')))",
			"tasks.join(people, ({ task, person }) => task.comments().some(c => c.body.includes(person.name)) || task.project().name.includes('x'))",
			"tasks.leftJoin(people, ({ task, person }) => task.comments().some(c => c.body.includes(person.name)))",
			"top.where(t => t.project().tasks().some(x => x.title.includes('x') || x.id === 2001))",
			"tasks.select(t => ({ x: t.assignee().name.includes('x') })).distinct()",
			"tasks.orderBy(t => t.assignee().name.includes('x')).limit(2).where(t => t.assignee().name.includes('x') || t.id === 2001)",
		} {
			for _, call := range []string{".execute()", ".count()", ".first()", ".limit(1).execute()"} {
				if o := r.Run(t, "return await "+program+call); sprung(o) || o.Kind != 0 {
					t.Errorf("%s%s\n%v\n%v", program, call, o, o.SQL)
				}
			}
		}
	})
}

// Nor does an aggregate of a whole query try anything on a row out of scope.
func TestFenceAggregates(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, sprung := trap(t, e)
		for _, program := range []string{
			"tasks.max(t => t.title.lower())",
			"tasks.countDistinct(t => t.title.includes('x'))",
			"tasks.where(t => t.id === 2001).min(t => t.title + 'x')",
			"tasks.sum(t => t.title.includes('x') ? 1 : 0)",
			"tasks.median(t => t.title.includes('x') ? 1 : 0)",
			"tasks.join(({ task }) => task.assignee()).max(({ member }) => member.name.upper())",
			"tasks.leftJoin(({ task }) => task.comments()).avg(({ comment }) => comment.body.length)",
			"org.projects().tasks().comments().max(c => c.body.trim())",
			"top.max(t => t.title.lower())",
		} {
			if o := r.Run(t, "return await "+program); sprung(o) || o.Kind != 0 {
				t.Errorf("%s\n%v\n%v", program, o, o.SQL)
			}
		}
	})
}

// TestFenceRandom is TestFence for queries that nobody thought of.
func TestFenceRandom(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, sprung := trap(t, e)
		rapid.Check(t, func(rt *rapid.T) {
			program := "tasks"
			names, texts := []string{"task"}, map[string]string{"task": "title", "member": "name", "person": "name", "comment": "body", "project": "name"}
			ids := map[string]int{"task": 2001, "member": 21, "person": 22, "comment": 6001, "project": 201}
			var cond func(depth int) string
			cond = func(depth int) string {
				n := rapid.SampledFrom(names).Draw(rt, "name")
				switch k := rapid.IntRange(0, 9).Draw(rt, "cond"); {
				case k > 7: // of a link, by the row's own columns too
					way, name, _ := strings.Cut(rapid.SampledFrom(map[string][]string{
						"task": {"assignee member", "comments comment", "project().lead member", "comments().author member"}, "member": {"assignedTasks task", "comments comment", "leads project"},
						"comment": {"task task", "author member"}, "project": {"tasks task", "lead member", "tasks().comments comment"}, "person": {""},
					}[n]).Draw(rt, "way"), " ")
					if way == "" {
						return n + ".name.includes('x')"
					}
					if depth == 0 {
						return fmt.Sprintf("%s.%s().where(%s => %[3]s.id === %d).exists()", n, way, name, ids[name])
					}
					outer := names
					names = []string{name, n}
					if n == name {
						names = names[:1]
					}
					inner := cond(depth - 1)
					names = outer
					ask := rapid.SampledFrom([]string{"some(%s => %s)", "every(%s => %s)", "none(%s => %s)", "where(%s => %s).exists()", "where(%s => %s).count().gt(0)", "max(%s => (%s) ? 1 : 0).eq(1)"}).Draw(rt, "ask")
					if strings.HasPrefix(ask, "max") {
						inner = fmt.Sprintf("%s.id > 0 && (%s)", name, inner)
					}
					return n + "." + way + "()." + fmt.Sprintf(ask, name, inner)
				case depth > 0 && k == 0:
					return "(" + cond(depth-1) + " && " + cond(depth-1) + ")"
				case depth > 0 && k == 1:
					return "(" + cond(depth-1) + " || " + cond(depth-1) + ")"
				case depth > 0 && k == 2:
					return "!(" + cond(depth-1) + ")"
				case k == 3:
					return fmt.Sprintf("%s.id === %d", n, ids[n])
				case k == 4:
					return fmt.Sprintf("%s.id.in([%d, 1])", n, ids[n])
				case k == 5:
					return fmt.Sprintf("%s.%s.startsWith('B')", n, texts[n])
				default:
					return fmt.Sprintf("%s.%s.includes('x')", n, texts[n])
				}
			}
			arg := func() string { return "({ " + strings.Join(names, ", ") + " })" }
			where := func() string {
				a := arg()
				if len(names) == 1 {
					a = names[0]
				}
				return ".where(" + a + " => " + cond(2) + ")"
			}
			for range rapid.IntRange(1, 6).Draw(rt, "steps") {
				switch rapid.IntRange(0, 6).Draw(rt, "step") {
				case 0:
					if len(names) < 4 && names[0] == "task" {
						kind := rapid.SampledFrom([]string{"join", "leftJoin"}).Draw(rt, "kind")
						link := rapid.SampledFrom([]string{"assignee member", "comments comment", "project project", "comments().author member", "project().lead member", "assignee().leads project"}).Draw(rt, "link")
						way, name, _ := strings.Cut(link, " ")
						if !strings.Contains(strings.Join(names, " ")+" ", name+" ") {
							before := arg()
							names = append(names, name)
							inner := ""
							if rapid.Bool().Draw(rt, "inner") {
								outer := names
								names = []string{name}
								inner = where()
								names = outer
							}
							program += fmt.Sprintf(".%s(%s => task.%s()%s)", kind, before, way, inner)
						}
					}
				case 1:
					if !strings.Contains(program, "people") && len(names) < 4 {
						names = append(names, "person")
						program += fmt.Sprintf(".%s(people, %s => %s)", rapid.SampledFrom([]string{"join", "leftJoin"}).Draw(rt, "kind"), arg(), cond(1))
					}
				case 2:
					if len(names) == 1 && rapid.Bool().Draw(rt, "follow") {
						way := rapid.SampledFrom(map[string][]string{
							"task": {"assignee member", "comments comment", "project project"}, "member": {"assignedTasks task", "comments comment", "leads project"},
							"comment": {"task task", "author member"}, "project": {"tasks task", "lead member"}, "person": {"", ""},
						}[names[0]]).Draw(rt, "way")
						if link, name, ok := strings.Cut(way, " "); ok && len(names) == 1 {
							program += "." + link + "()"
							names = []string{name}
						}
						break
					}
					if rapid.Bool().Draw(rt, "deep") && strings.Contains(strings.Join(names, " "), "task") && !strings.Contains(strings.Join(names, " "), "member") && len(names) < 4 {
						before, outer := arg(), names
						names = []string{"task", "comment"}
						inner := cond(1)
						names = append(outer, "member")
						program += fmt.Sprintf(".%s(%s => task.comments().where(comment => %s).author())", rapid.SampledFrom([]string{"join", "leftJoin"}).Draw(rt, "kind"), before, inner)
						break
					}
					program += ".limit(5)"
				case 3:
					if len(names) > 1 {
						program += ".orderBy(" + arg() + " => " + cond(1) + ")"
					}
				case 4:
					program += ".distinct()"
				default:
					program += where()
				}
			}
			for _, call := range []string{".count()", ".execute()"} {
				if o := r.Run(t, "return await "+program+call); sprung(o) || o.Kind != 0 && o.Kind != fail.Invalid {
					rt.Fatalf("%s%s\n%v\n%v", program, call, o, o.SQL)
				}
			}
		})
	})
}

const itemsSQL = "CREATE TABLE items (id {int} PRIMARY KEY, owner {int} NOT NULL, name TEXT NOT NULL, day TEXT NOT NULL) {strict}"

// TestAdmitted: what compares a key with values, or a column that has AllowUnscopedLookup,
// stands where an index serves it, within fences too, and nothing else does.
func TestAdmitted(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(itemsSQL, "INSERT INTO items VALUES (1, 1, 'a', 'd'), (2, 2, 'a', 'd')")})
		facet := exosql.NewFacet(kit.Items, "item", kit.ItemID, kit.ItemOwner, kit.ItemName, kit.ItemDay)
		r := tu.NewRunner(t, map[string]exo.Object{"items": facet.Of(exosql.Grant(db, kit.Items, exosql.And(kit.ItemOwner.Eq(1), kit.ItemOwner.Ge(1))))}, exo.Limits{}) // a range: always fenced
		for cond, inside := range map[string]bool{
			"i.id === 1": true, "i.id.in([1, 2])": true, "i.day === 'd'": true, "i.day > 'c'": true, "i.day.in(['d'])": true, "i.day.isNotNull()": true,
			"i.id > 0": false, "i.id !== 2": false, "i.id.notIn([2])": false, "i.name === 'a'": false, "i.name.in(['a'])": false, "i.owner === 1": false, "i.day === i.name || i.id === 1": false,
			"i.id === i.owner": false, "i.id.add(0) === 1": false, "!(i.id === 2)": false, "i.day.like('d')": false, "i.day !== 'x'": false,
		} {
			for _, before := range []string{"", ".where(i => i.name.includes('a'))", ".where(i => i.name > '').where(i => i.name < 'b')"} {
				o := r.Run(t, "return await items"+before+".where(i => "+cond+").count()")
				if o.JSON != "1" {
					t.Errorf("%s%s: %v", before, cond, o)
					continue
				}
				text := o.SQL[0].SQL
				_, outside, fenced := strings.Cut(text, "OFFSET 0")
				_, outside, _ = strings.Cut(outside, "WHERE") // what is asked outside
				if want := strings.Count(before, "where"); !inside && (!fenced || strings.Count(outside, " AND ") < want) || inside && (fenced != (before != "") || strings.Count(outside, " AND ") != max(0, want-1)) {
					t.Errorf("%s%s: inside should be %t: %s", before, cond, inside, text)
				}
			}
		}
	})
}

// TestFenceOrder: an order that a program limits is not walked along an index past
// everybody's rows, unless the index is of a key or the host has declared it; and a
// condition of the host that comes after its own limit is behind a fence like any.
func TestFenceOrder(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(itemsSQL, "INSERT INTO items VALUES (1, 1, 'a', 'd'), (2, 2, 'a', 'd')")})
		facet := exosql.NewFacet(kit.Items, "item", kit.ItemID, kit.ItemOwner, kit.ItemName, kit.ItemDay)
		mine := exosql.Grant(db, kit.Items, exosql.And(kit.ItemOwner.Eq(1), kit.ItemOwner.Ge(1))) // a range: always fenced
		r := tu.NewRunner(t, map[string]exo.Object{
			"items": facet.Of(mine), "named": facet.Of(mine.OrderBy(kit.ItemName.Asc())), "lately": facet.Of(mine.OrderBy(kit.ItemDay.Desc())),
			"few": facet.Of(mine.OrderBy(kit.ItemID.Asc()).Limit(5).Where(kit.ItemName.Eq("a"))),
		}, exo.Limits{})
		for program, fences := range map[string]int{
			"items.orderBy(i => i.name).first()": 1, "items.orderBy(i => i.owner.desc()).first()": 1, "items.orderBy(i => i.name.lower()).first()": 1,
			"items.orderBy(i => i.id).first()": 0, "items.orderBy(i => [i.day.desc(), i.id]).first()": 0, "items.orderBy(i => [i.day, i.name]).first()": 1,
			"named.first()": 1, "lately.first()": 0,
			"few.where(i => i.name.includes('a')).first()": 1, "few.first()": 0,
		} {
			o := r.Run(t, "return (await "+program+").id")
			if o.JSON != "1" || strings.Count(o.SQL[0].SQL, "OFFSET 0") != fences {
				t.Errorf("%s: %v %v", program, o, o.SQL)
			}
		}
	})
}

// TestFenceRound: a condition within a link may read the row that the link begins at.
// No planner has been seen to try it before that row's scope, and none could.
func TestFenceRound(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		o := r.Run(t, "return await tasks.join(({ task }) => task.comments().where(c => task.title.includes('x')).author()).count()")
		if o.JSON != "0" || strings.Count(o.SQL[0].SQL, "OFFSET 0") != 2 {
			t.Errorf("%v %v", o, o.SQL)
		}
		for cond, fences := range map[string]int{"v.id === task.id": 0, "v.id === task.priority": 2, "v.priority === task.priority": 2, "v.id === task.id && v.title.includes('x')": 2} {
			o := r.Run(t, "return await tasks.join(tasks.as('v'), ({ task, v }) => "+cond+").count()")
			if o.Kind != 0 || strings.Count(o.SQL[0].SQL, "OFFSET 0") != fences {
				t.Errorf("%s: %v %v", cond, o, o.SQL)
			}
		}
		if o := r.Run(t, "return await tasks.join(({ task }) => task.project().lead()).count()"); o.Kind != 0 || strings.Contains(o.SQL[0].SQL, "OFFSET 0") {
			t.Errorf("nothing is asked, and there is a fence: %v %v", o, o.SQL)
		}
	})
}

// TestStatistics: PostgreSQL's planner tries no pattern on the texts of its statistics,
// which are of all rows: its estimate does not depend on the pattern. Without the
// subquery round it, it does.
func TestStatistics(t *testing.T) {
	e := tu.Postgres
	url := e.URL(t)
	db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Fill("INSERT INTO tasks SELECT n, 101, NULL, 'common text', 'open', FALSE, 1, NULL FROM generate_series(10000, 13000) AS n", "ANALYZE tasks")})
	plain, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	estimate := func(query string, args ...any) string {
		t.Helper()
		var plan string
		if err := plain.QueryRow("EXPLAIN (FORMAT JSON) "+query, args...).Scan(&plan); err != nil {
			t.Fatal(query, err)
		}
		return fmt.Sprint(regexp.MustCompile(`"(Total Cost|Plan Rows)": [0-9.]+`).FindAllString(plan, -1))
	}
	const twin = "SELECT id FROM tasks WHERE title LIKE $1"
	if estimate(twin, "common%") == estimate(twin, "rare%") {
		t.Error("the twin's estimate does not depend on the pattern")
	}
	r := tu.As(t, db, tu.Acme, exo.Limits{})
	o := r.Run(t, "return await tasks.where(t => t.title.like('common%')).count()")
	if o.JSON != "3001" {
		t.Fatal(o)
	}
	q := o.SQL[0].SQL
	var args []any
	for range strings.Count(q, "$") - 1 {
		args = append(args, 1)
	}
	if a, b := estimate(q, append(args, "common%")...), estimate(q, append(args, "rare%")...); a != b {
		t.Errorf("%s: %s and %s", q, a, b)
	}
}

// TestConditionOnAMissingRow: a condition on a row that a left join may not have found
// leaves out the rows without one. It must not slip into the derived table of the other
// query, where it would only refuse matches.
func TestConditionOnAMissingRow(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		mine := exosql.Follow(exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme)), tu.OrgProjects)
		r := tu.NewRunner(t, map[string]exo.Object{
			"projects": exosql.NewFacet(tu.Projects, "project", tu.ProjectID, tu.ProjectName).Of(mine),
			"tasks":    exosql.NewFacet(tu.Tasks, "task", tu.TaskID, tu.TaskProject).Of(exosql.Follow(mine, tu.ProjectTasks)),
		}, exo.Limits{})
		o := r.Run(t, `const q = tasks.leftJoin(projects.where((p) => p.name.includes('ACME')), ({ task, project }) => project.id.eq(task.projectId))
			return [await q.count(), await q.where(({ project }) => project.id.eq(101)).count(), await q.where(({ project }) => project.id.in([102])).count(), await q.where(({ project }) => project.id.isNull()).count()]`)
		if o.JSON != "[5,3,2,0]" {
			t.Errorf("got %s, want [5,3,2,0]", o)
		}
	})
}
