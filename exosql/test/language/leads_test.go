package language_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// leads are programs as they are written at the first try. One is answered, or its error names a form, and the program with
// that form is answered.
var leads = []struct{ program, form, then, answer string }{
	{"tasks.where({ id: 1002 }).select(t => t.priority ** 2)", "", "", "[25]"},
	{"tasks.where({ id: 1002 }).select(t => Math.pow(t.priority, 3))", "", "", "[125]"},
	{"tasks.where({ id: 1002 }).select(t => t.priority ** 1)", "", "", "[5]"},
	{"docs.where({ id: 2 }).select(d => d.data.size.asNumber() ** 2)", "", "", "[6.25]"},
	{"tasks.select(t => t.priority ** 0.5)", "must be a whole number from 1 to 8; for another select the column", "(await tasks.where({ id: 1004 }).select(t => t.priority)).map(p => (p - 1) ** 0.5)", "[2]"},
	{"tasks.select(t => Math.pow(2, t.priority))", "the exponent of `Math.pow` with task.priority must be a whole number", "(await tasks.where({ id: 1003 }).select(t => t.priority)).map(p => Math.pow(2, p))", "[2]"},
	{"tasks.select(t => t.title ** 2)", "`**` can't be used with task.title, which is text", "1", "1"},
	{"docs.select(d => d.data.size ** 2)", ".asNumber()", "docs.where({ id: 2 }).select(d => d.data.size.asNumber() ** 2)", "[6.25]"},

	{"tasks.where({ id: 1003 }).select(t => +t.priority)", "", "", "[1]"},
	{"tasks.where(t => Number(t.priority) > 3).count()", "", "", "2"},
	{"tasks.where({ id: 1003 }).select(t => +t.dueAt)", ".getTime()", "tasks.where({ id: 1001 }).select(t => t.dueAt.getTime())", "[1767323045000]"},
	{"docs.select(d => +d.data.size)", ".asNumber()", "docs.where({ id: 2 }).select(d => d.data.size.asNumber())", "[2.5]"},
	{"tasks.where({ id: 1003 }).select(t => +t.assignee().id)", "write task.assignee().id", "tasks.where({ id: 1003 }).select(task => task.assignee().id)", "[null]"},

	{"tasks.select(t => ({ id: t.title.length })).where(t => t.id > 1000)", "choose another name in select, or write this call before select", "tasks.where(t => t.id > 1003).select(t => ({ id: t.title.length })).count()", "2"},
	{"tasks.select(t => ({ id: t.title.length })).orderBy(t => t.id)", "choose another name in select, or write this call before select", "tasks.where({ id: 1003 }).select(t => ({ size: t.title.length, id: t.id })).orderBy(t => t.id).count()", "1"},
	{"tasks.groupBy(t => t.status).select(g => ({ status: g.count() })).orderBy(x => x.status)", "choose another name in select", "tasks.groupBy(t => t.status).select(g => ({ n: g.count() })).orderBy(x => x.n).count()", "3"},
	{"tasks.select(t => ({ id: t.title.length })).select(x => ({ a: x.id }))", "choose another name in select", "tasks.select(t => ({ size: t.title.length })).select(x => ({ a: x.size })).count()", "5"},
	{"tasks.select(t => ({ id: t.title.length })).where({ id: 5 })", "choose another name in select", "tasks.where({ id: 1003 }).select(t => ({ id: t.title.length })).count()", "1"},
	{"tasks.select(t => ({ id: t.title.length })).orderBy('id')", "choose another name in select", "tasks.select(t => ({ size: t.title.length })).orderBy('size').count()", "5"},
	{"tasks.select(t => ({ id: t.id, n: t.priority })).where(t => t.id === 1003 && t.n === 1)", "", "", `[{"id":1003,"n":1}]`},

	{"tasks.select(t => t.priority ?? 'n/a')", "String(task.priority) ?? '…'", "tasks.where({ id: 1003 }).select(task => String(task.priority) ?? '…')", `["1"]`},
	{"tasks.select(t => t.dueAt ?? 'n/a')", "String(task.dueAt) ?? '…'", "tasks.where({ id: 1003 }).select(task => String(task.dueAt) ?? '…')", `["…"]`},
	{"docs.select(d => d.data.size ?? 'n/a')", ".asText()", "docs.where({ id: 3 }).select(d => d.data.size.asText() ?? 'n/a')", `["3"]`},

	{"tasks.groupBy('status').sum('priority')", ".select(g => ({ status: g.status, sum: g.sum(t => t.priority) }))", "tasks.groupBy('status').select(g => ({ status: g.status, sum: g.sum(t => t.priority) })).first()", `{"status":"doing","sum":5}`},
	{"tasks.groupBy(t => [t.status, t.done]).avg(t => t.priority)", ".select(g => ({ status: g.status, done: g.done, avg: g.avg(t => t.priority) }))", "tasks.groupBy(t => [t.status, t.done]).select(g => ({ status: g.status, done: g.done, avg: g.avg(t => t.priority) })).first()", `{"status":"doing","done":false,"avg":5}`},
	{"tasks.groupBy('status').orderBy('priority')", "group.max(t => t.priority)", "tasks.groupBy('status').orderBy(group => group.max(t => t.priority)).first()", `{"status":"done"}`},
	{"tasks.groupBy('status').max(g => g.count())", "", "", "3"},

	{"tasks.select(t => ({ id: t.id, p: t.priority })).where(t => t.p > 4).count()", "", "", "2"},
	{"tasks.select(t => ({ id: t.id, p: t.priority })).where({ p: 1 })", "", "", `[{"id":1003,"p":1}]`},
	{"tasks.select(t => ({ id: t.id, p: t.priority })).where({ or: [{ p: { lt: 2 } }, { id: 1001 }] }).count()", "", "", "2"},
	{"tasks.groupBy('status').select(g => ({ n: g.count() })).where({ n: { gt: 1 } })", "", "", `[{"n":3}]`},

	{"tasks.select(t => t.id).union(tasks.select(t => t.priority)).orderBy(x => x).limit(2)", "", "", "[1,2]"},
	{"tasks.select(t => t.id).union(tasks.select(t => t.priority)).orderBy(x => x.desc()).first()", "", "", "1090"},
	{"tasks.select(t => t.id).union(tasks.select(t => t.priority)).orderBy('value', 'desc').first()", "", "", "1090"},
	{"tasks.select(t => t.status).union(tasks.select(t => t.title)).where(x => x === 'ACME draw')", "", "", `["ACME draw"]`},
	{"tasks.select(t => t.status).union(tasks.select(t => t.title)).where(x => x.startsWith('op')).select(x => ({ x, n: x.length }))", "", "", `[{"x":"open","n":4}]`},
	{"tasks.select(t => ({ s: t.status })).union(tasks.select(t => ({ s: t.title }))).where(r => r.s === 'ACME draw')", "", "", `[{"s":"ACME draw"}]`},
	{"tasks.select(t => ({ s: t.status })).union(tasks.select(t => ({ s: t.title }))).orderBy(r => r)", "like row.s", "tasks.select(t => ({ s: t.status })).union(tasks.select(t => ({ s: t.title }))).orderBy(row => row.s).first()", `{"s":"ACME build"}`},
	{"tasks.where(t => t === 1003)", "like task.id", "tasks.where(task => task.id === 1003).count()", "1"},
	{"tasks.groupBy('status').orderBy(g => g)", "like group.status or group.count()", "tasks.groupBy('status').orderBy(group => group.count().desc()).first()", `{"status":"open"}`},
	{"tasks.where(t => t.status.startsWith('do')).count()", "", "", "2"}, // a part of a value is none of the column's
}

// TestErrorsLeadOn: each error of leads names a form that is answered.
func TestErrorsLeadOn(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, strings.Split(e.SQL(kit.DocumentsDDL), ";\n")...)
		grants := maps.Clone(tu.Tenant(db, tu.Acme))
		grants["docs"] = exosql.NewFacet(kit.Documents, "doc", kit.DocumentID, kit.DocumentName, kit.DocumentData).Of(exosql.Grant(db, kit.Documents, kit.DocumentOwner.Eq(1)))
		r := tu.NewRunner(t, grants, exo.Limits{})
		for _, x := range leads {
			o := r.Run(t, "return await "+x.program)
			if x.form != "" {
				if o.Kind == 0 || !strings.Contains(o.Message, x.form) {
					t.Errorf("%s\n%s\nwant an error with %s", x.program, o, x.form)
				}
				o = r.Run(t, "return await "+x.then)
			}
			if o.Kind != 0 || o.JSON != x.answer {
				t.Errorf("%s\n%s\n%s\nwant %s", x.program, x.then, o, x.answer)
			}
		}
	})
}
