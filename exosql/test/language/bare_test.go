package language_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestSelectOneValue: select of one expression gives the values without a record around each, whatever
// stands before and after it.
func TestSelectOneValue(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, tu.Tenant(e.Open(t), tu.Acme), exo.Limits{})
		for _, x := range []struct{ program, want string }{
			{"tasks.orderBy(t => t.id).select(t => t.id)", `[1001,1002,1003,1004,1090]`},
			{"tasks.select(({ task }) => task.id).orderBy(t => t.id).limit(2)", `[1001,1002]`},
			{"tasks.orderBy(t => t.id).select(t => t.id).first()", `1001`},
			{"tasks.where(t => t.id < 0).select(t => t.id)", `[]`},
			{"tasks.where(t => t.id < 0).select(t => t.id).first()", `null`},
			{"tasks.select(t => t.status).distinct().orderBy(t => t.status)", `["doing","done","open"]`},
			{"tasks.select(t => t.status).distinct().count()", `3`},
			{"tasks.select(t => t.id).count()", `5`},
			{"tasks.orderBy(t => t.id).select(t => t.title.length + 1)", `[10,11,10,11,25]`},
			{"tasks.orderBy(t => t.id).select(t => t.done ? 'yes' : t.status)", `["open","doing","yes","open","open"]`},
			{"tasks.orderBy(t => t.id).select(t => t.dueAt).limit(3)", `["2026-01-02T03:04:05.000Z","2026-01-02T03:04:05.000Z",null]`},
			{"tasks.orderBy(t => t.id).select(t => t.assignee().name)", `["ACME ann","ACME bob",null,"ACME bob",null]`},
			{"tasks.orderBy(t => t.id).select(t => t.comments().count())", `[2,2,0,0,0]`},
			{"tasks.join(({ task }) => task.project()).orderBy(({ task }) => task.id).select(({ project }) => project.name).limit(1)", `["ACME rocket"]`},
			{"tasks.leftJoin(({ task }) => task.assignee()).orderBy(({ task }) => task.id).select(({ member }) => member.name)", `["ACME ann","ACME bob",null,"ACME bob",null]`},
			{"tasks.groupBy(t => t.status).select(g => g.count())", `[1,1,3]`},
			{"tasks.groupBy(t => t.status).select(g => g.status)", `["doing","done","open"]`},
			{"tasks.countBy(t => t.status).select(g => g.count())", `[1,1,3]`},
			{"tasks.select(t => ({ a: t.id })).select(t => t.id).orderBy(t => t.id).limit(1)", `[1001]`},
			{"tasks.select(t => t.id).select(t => ({ a: t.id })).orderBy(t => t.id).limit(1)", `[{"a":1001}]`},
		} {
			o := r.Run(t, "return await "+x.program)
			if o.Kind != 0 || o.JSON != x.want {
				t.Errorf("%s\n%s\nwant %s", x.program, o, x.want)
			}
		}
	})
}
