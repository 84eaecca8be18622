package scope_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func TestLeftJoinAndDistinct(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		for program, want := range map[string]string{
			// A task without an assignee stays; so does one whose assignee is out of scope, as if it had none.
			"tasks.leftJoin(t => t.assignee()).orderBy(({ task }) => task.id).select(({ task, member }) => ({ id: task.id, by: member.name }))":                               `[{"id":1001,"by":"ACME ann"},{"id":1002,"by":"ACME bob"},{"id":1003,"by":null},{"id":1004,"by":"ACME bob"},{"id":1090,"by":null}]`,
			"tasks.leftJoin(t => t.assignee().where(m => m.name.like('%ann'))).orderBy(({ task }) => task.id).select(({ task, member }) => ({ id: task.id, by: member.id }))": `[{"id":1001,"by":11},{"id":1002,"by":null},{"id":1003,"by":null},{"id":1004,"by":null},{"id":1090,"by":null}]`,
			// The condition is the join's; where comes after it.
			"tasks.leftJoin(t => t.assignee(), ({ member }) => member.id.eq(11)).where(({ member }) => member.id.is(null)).orderBy(({ task }) => task.id).select(({ task }) => ({ id: task.id }))": `[{"id":1002},{"id":1003},{"id":1004},{"id":1090}]`,
			"tasks.leftJoin(t => t.assignee()).where(({ member }) => member.name.isNot('ACME bob')).orderBy(({ task }) => task.id).select(({ task }) => ({ id: task.id }))":                        `[{"id":1001},{"id":1003},{"id":1090}]`,
			// A whole row of what is missing has nulls.
			"tasks.leftJoin(t => t.assignee()).where(({ task }) => task.id.eq(1003)).select(({ member }) => member)":                                                                   `[{"id":null,"name":null,"email":null}]`,
			"tasks.leftJoin(t => t.assignee()).where(({ task }) => task.id.eq(1003)).select(({ task, member }) => ({ t: task.id, m: member }))":                                        `[{"t":1003,"m":{"id":null,"name":null,"email":null}}]`,
			"tasks.leftJoin(t => t.assignee()).leftJoin(({ member }) => member.leads()).orderBy(({ task }) => task.id).select(({ task, project }) => ({ t: task.id, p: project.id }))": `[{"t":1001,"p":101},{"t":1002,"p":null},{"t":1003,"p":null},{"t":1004,"p":null},{"t":1090,"p":null}]`,
			"tasks.leftJoin(t => t.assignee()).join(({ member }) => member.leads()).select(({ task, project }) => ({ t: task.id, p: project.id }))":                                    `[{"t":1001,"p":101}]`,
			// Another query, with a condition.
			"tasks.leftJoin(people.where(p => p.name.like('%ann')), ({ task, person }) => task.priority.gt(3)).orderBy(({ task }) => task.id).select(({ task, person }) => ({ t: task.id, p: person.id }))":           `[{"t":1001,"p":null},{"t":1002,"p":11},{"t":1003,"p":null},{"t":1004,"p":11},{"t":1090,"p":null}]`,
			"tasks.leftJoin(people.orderBy(p => p.id.desc()).limit(1), ({ task }) => task.id.eq(1001)).orderBy(({ task }) => task.id).limit(2).select(({ task, person }) => ({ t: task.id, p: person.id }))":          `[{"t":1001,"p":12},{"t":1002,"p":null}]`,
			"tasks.leftJoin(org.projects().join(({ project }) => project.org()), ({ project }) => project.id.eq(101)).orderBy(({ task }) => task.id).limit(1).select(({ task, org }) => ({ t: task.id, o: org.id }))": `[{"t":1001,"o":1}]`,

			// Each result row once: the first in the query's order, at its place.
			"tasks.orderBy(t => t.id.desc()).select(t => ({ s: t.status })).distinct()":                                                                       `[{"s":"open"},{"s":"done"},{"s":"doing"}]`,
			"tasks.select(t => ({ s: t.status })).distinct().orderBy(t => t.status)":                                                                          `[{"s":"doing"},{"s":"done"},{"s":"open"}]`,
			"tasks.orderBy(t => t.id).select(t => ({ s: t.status, d: t.done })).distinct().limit(2)":                                                          `[{"s":"open","d":false},{"s":"doing","d":false}]`,
			"tasks.orderBy(t => t.id).select(t => ({ n: t.priority.mod(2) })).distinct()":                                                                     `[{"n":1},{"n":0}]`,
			"tasks.orderBy(t => t.dueAt.desc()).select(t => ({ y: t.dueAt.year() })).distinct()":                                                              `[{"y":2026},{"y":2025},{"y":null}]`,
			"tasks.orderBy(t => t.id).limit(3).select(t => ({ s: t.priority.gt(2) })).distinct()":                                                             `[{"s":true},{"s":false}]`,
			"tasks.select(t => ({ one: 1 })).distinct()":                                                                                                      `[{"one":1}]`,
			"org.projects().join(({ project }) => project.tasks()).orderBy(({ project }) => project.id).select(({ project }) => ({ p: project })).distinct()": `[{"p":{"id":101,"name":"ACME rocket","budget":1000.5}},{"p":{"id":102,"name":"ACME garden","budget":null}}]`,
			"org.projects().tasks().distinct().orderBy(t => t.id).limit(1).select(t => ({ id: t.id }))":                                                       `[{"id":1001}]`,
			// Inside a join it is for each row of the outer query.
			"people.join(({ person }) => org.projects().tasks().orderBy(t => t.id).select(t => ({ s: t.status })).distinct(), ({ task }) => task.id.gt(0)).orderBy(({ person }) => person.id).select(({ person, task }) => ({ p: person.id, s: task.status }))": `[{"p":11,"s":"open"},{"p":12,"s":"open"},{"p":11,"s":"doing"},{"p":12,"s":"doing"},{"p":11,"s":"done"},{"p":12,"s":"done"}]`,
			"org.projects().join(({ project }) => project.tasks().orderBy(t => t.id).select(t => ({ s: t.status })).distinct()).orderBy(({ task }) => task.id).select(({ project, task }) => ({ p: project.id, s: task.status }))":                              `[{"p":101,"s":"open"},{"p":101,"s":"doing"},{"p":101,"s":"done"},{"p":102,"s":"open"}]`,
		} {
			if o := r.Run(t, "return await "+program+".execute()"); o.JSON != want {
				t.Errorf("%s\n got %s\nwant %s", program, o, want)
			}
		}
		for program, want := range map[string]string{
			"tasks.select(t => ({ s: t.status })).distinct().count()":                               "3",
			"tasks.leftJoin(t => t.assignee()).count()":                                             "5",
			"tasks.select(t => ({ s: t.status })).distinct().first()":                               `{"s":"open"}`,
			"tasks.leftJoin(t => t.comments()).select(t => ({ id: t.task.id })).distinct().count()": "5",
		} {
			if o := r.Run(t, "return await "+program); o.JSON != want {
				t.Errorf("%s\n got %s\nwant %s", program, o, want)
			}
		}
		for program, want := range map[string]string{
			"tasks.leftJoin(people)":                                                               "needs a condition",
			"tasks.leftJoin(t => t.assignee().limit(1))":                                           "leftJoin",
			"tasks.leftJoin(t => t.assignee().join(({ member }) => member.org()))":                 "leftJoin",
			"tasks.leftJoin(t => t.comments().orderBy(c => c.id).limit(1).where(c => c.id.gt(0)))": "leftJoin",
		} {
			if o := r.Run(t, "return await "+program+".execute()"); o.Kind != fail.Invalid || !strings.Contains(o.Message, want) {
				t.Errorf("%s\n got %s\nwant %s", program, o, want)
			}
		}
	})
}
