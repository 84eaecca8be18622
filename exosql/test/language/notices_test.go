package language_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestRepeatedRows: where a join repeats a row, a sum, mean or median of it carries a notice with the form that takes each row once. Whether rows
// are repeated is found by counting them. The form gives what JavaScript adds up of each row once.
func TestRepeatedRows(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		repeated, not := 0, 0
		for _, c := range []struct{ base, join, names string }{
			{"tasks", "join(({ task }) => task.comments())", "task comment"},
			{"tasks", "join(({ task }) => task.project())", "task project"},
			{"tasks", "join(({ task }) => task.assignee())", "task member"},
			{"tasks", "leftJoin(({ task }) => task.assignee())", "task member"},
			{"tasks", "leftJoin(({ task }) => task.comments())", "task comment"},
			{"org.projects()", "join(({ project }) => project.tasks())", "project task"},
			{"org.projects()", "join(({ project }) => project.tasks()).join(({ task }) => task.comments())", "project task comment"},
			{"tasks", "join(({ task }) => task.project()).join(({ task }) => task.comments())", "task project comment"},
			{"tasks", "join(tasks.as('other'), ({ task, other }) => task.id === other.id)", "task other"},
			{"tasks", "join(tasks.as('other'), ({ task, other }) => task.status === other.status)", "task other"},
			{"tasks", "leftJoin(tasks.as('other'), ({ task, other }) => other.id === task.priority)", "task"},
			{"tasks", "leftJoin(tasks.as('other'), ({ task, other }) => other.priority === task.id)", "task"},
			{"tasks", "join(people, ({ task, person }) => task.id > person.id)", "task person"},
		} {
			for _, name := range strings.Fields(c.names) {
				q := c.base + "." + c.join
				o := r.Run(t, fmt.Sprintf("const q = %s.where(({ %s }) => %[2]s.id !== null); return [await q.count(), await q.countDistinct(({ %[2]s }) => %[2]s.id)]", q, name))
				var rows, distinct int
				if _, err := fmt.Sscanf(o.JSON, "[%d,%d]", &rows, &distinct); err != nil || rows == 0 {
					t.Errorf("%s: %s", q, o)
					continue
				}
				for _, of := range []string{"sum", "avg", "median", "max", "countDistinct"} {
					for _, form := range []string{"return await %s.%s(({ %[3]s }) => %[3]s.id)", "return await %s.partitionBy().limit(1).select(({ window }) => window.%s(({ %[3]s }) => %[3]s.id))", "return await %s.groupBy(() => ({ one: true })).select(g => g.%s(({ %[3]s }) => %[3]s.id))"} {
						o := r.Run(t, fmt.Sprintf(form, q, of, name))
						if o.JSON == "" {
							continue // no such form
						}
						notices := strings.Join(o.Result.Notices, "; ")
						changes := of == "sum" || of == "avg" || of == "median"
						if want := changes && rows > distinct; want && !strings.Contains(notices, of+" uses each "+name+" once for every ") || !changes && notices != "" {
							t.Errorf("%s of %s in %d rows of %d:\n%s\nnotices: %s", of, name, rows, distinct, fmt.Sprintf(form, q, of, name), notices)
						} else if want {
							repeated++
						} else if notices == "" {
							not++
						} else {
							t.Logf("%s of %s is not repeated here: %s", of, name, notices)
						}
					}
				}
			}
		}
		if repeated < 40 || not < 100 {
			t.Errorf("%d are repeated, %d not", repeated, not)
		}
		o := r.Run(t, "return [await tasks.join(({ task }) => task.comments()).sum(({ task }) => task.id), await tasks.where(x => x.comments().some(y => y.id > 0)).sum(t => t.id), (await tasks.where(t => t.comments().exists())).reduce((n, t) => n + t.id, 0)]")
		if want := "sum uses each task once for every comment that the join adds to it; to use each once, leave the join out: a condition on comment is where(x => x.comments().some(y => …)) on the query of task"; strings.Join(o.Result.Notices, ";") != want {
			t.Errorf("%s %q", o, o.Result.Notices)
		}
		var join, once, plain int
		if _, err := fmt.Sscanf(o.JSON, "[%d,%d,%d]", &join, &once, &plain); err != nil || join == once || once != plain {
			t.Error(o)
		}
	})
}

// TestMergedRows: a sum, mean or median of rows to which several rows lead by a link carries a notice with the form that takes one for each
// of them, which has none.
func TestMergedRows(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		for _, of := range []string{"sum", "avg", "median"} {
			want := of + " uses each project once, however many rows link to it; to use it once for each task leave out .project(), and write " + of + "(x => x.project().…)"
			for _, form := range []string{"tasks.project().%s(p => p.id)", "tasks.project().where(p => p.id > 0).%s(p => p.id)", "org.projects().select(p => ({ n: p.tasks().project().%s(x => x.id) }))"} {
				if o := r.Run(t, fmt.Sprintf("return await "+form, of)); strings.Join(o.Result.Notices, ";") != want || o.JSON == "" {
					t.Errorf("%s: %s %q", form, o, o.Result.Notices)
				}
			}
			for _, form := range []string{"tasks.%s(x => x.project().id)", "org.projects().tasks().%s(x => x.id)", "tasks.select(t => ({ n: t.comments().%s(c => c.id) }))"} {
				if o := r.Run(t, fmt.Sprintf("return await "+form, of)); len(o.Result.Notices) > 0 || o.JSON == "" {
					t.Errorf("%s: %s %q", form, o, o.Result.Notices)
				}
			}
		}
		o := r.Run(t, "return [await tasks.project().count(), await tasks.countDistinct(t => t.project().id)]")
		var once, distinct int
		if _, err := fmt.Sscanf(o.JSON, "[%d,%d]", &once, &distinct); err != nil || once != distinct || len(o.Result.Notices) > 0 {
			t.Errorf("%s %q", o, o.Result.Notices)
		}
	})
}

// TestCountOfLeftJoin: a count over a left join says that rows without a match count, with the form that leaves them out.
func TestCountOfLeftJoin(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		o := r.Run(t, "return await tasks.leftJoin(({ task }) => task.comments()).groupBy(({ task }) => task.id).select(g => ({ all: g.count(), some: g.where(({ comment }) => comment.id !== null).count() }))")
		if want := "count() counts each task without a comment too, because of the left join; to leave these out write where(({ comment }) => comment.id !== null).count()"; strings.Join(o.Result.Notices, ";") != want {
			t.Errorf("%s %q", o, o.Result.Notices)
		}
		if !strings.Contains(o.JSON, `{"all":1,"some":0}`) {
			t.Error(o)
		}
		if o := r.Run(t, "return await tasks.join(({ task }) => task.comments()).groupBy(({ task }) => task.id).select(g => g.count())"); len(o.Result.Notices) > 0 || o.JSON == "" {
			t.Errorf("%s %q", o, o.Result.Notices)
		}
	})
}
