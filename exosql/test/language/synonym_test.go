package language_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// synonyms are forms of other libraries, each beside the program that it must be to the letter: the
// same statements with the same result. C is a callback with the text behind the last #.
var synonyms = []struct{ habit, ours string }{
	{"tasks.filter(C).select('id')#t.priority > 2 && !t.done", "tasks.where(C).select(t => ({ id: t.id }))"},
	{"tasks.map(C)#t.title + (t.done ? '!' : '?')", "tasks.select(C)"},
	{"tasks.map(C)#({ id: t.id, late: t.dueAt < '2026-01-02' })", "tasks.select(C)"},
	{"tasks.find(C)#t.status === 'done' || t.priority > 9", "tasks.where(C).first()"},
	{"tasks.findFirst(C)#t.status === 'done'", "tasks.where(C).first()"},
	{"tasks.first(C)#t.status === 'done'", "tasks.where(C).first()"},
	{"tasks.count(C)#t.status === 'done'", "tasks.where(C).count()"},
	{"tasks.orderByDesc(C).limit(2)#t.priority * 10 + t.id % 10", "tasks.orderBy(t => (t.priority * 10 + t.id % 10).desc()).limit(2)"},
	{"tasks.orderBy(C, 'desc').limit(2)#t.title.length", "tasks.orderBy(t => t.title.length.desc()).limit(2)"},
	{"tasks.groupBy('status').having(C)#t.count() > 1", "tasks.groupBy(t => t.status).where(C)"},
	{"tasks.where(p => p.comments().any(C)).select('id')#t.body.contains('nice')", "tasks.where(p => p.comments().some(t => t.body.includes('nice'))).select(t => ({ id: t.id }))"},
	{"tasks.where(p => p.comments().all(C)).select('id')#t.body.contains('nice')", "tasks.where(p => p.comments().every(t => t.body.includes('nice'))).select(t => ({ id: t.id }))"},
	{"tasks.where(p => p.comments().filter(C).count() > 0).select('id')#t.body.contains('nice')", "tasks.where(p => p.comments().where(t => t.body.includes('nice')).count() > 0).select(t => ({ id: t.id }))"},

	{"tasks.findMany({ where: { status: 'open', priority: { gte: 3 } }, orderBy: { priority: 'desc' }, skip: 0, take: 1, select: { id: true, title: true } })",
		"tasks.where(t => t.status.eq('open') && t.priority.ge(3)).orderBy(t => t.priority.desc()).offset(0).limit(1).select(t => ({ id: t.id, title: t.title }))"},
	{"tasks.findMany({ take: 1, select: ['id'], orderBy: 'id', where: { done: false } })", "tasks.where({ done: false }).orderBy(t => t.id).limit(1).select(t => ({ id: t.id }))"},
	{"tasks.findAll({ order: [['priority', 'DESC'], ['id', 'ASC']] })", "tasks.orderBy(t => [t.priority.desc(), t.id.asc()])"},
	{"tasks.find({ status: { $in: ['open', 'done'] } })", "tasks.where(t => t.status.in(['open', 'done']))"},
	{"tasks.findUnique({ where: { id: 1001 } })", "tasks.where({ id: 1001 }).first()"},
	{"tasks.findOne({ id: 1001 })", "tasks.where({ id: 1001 }).first()"},
	{"tasks.count({ where: { done: true } })", "tasks.where({ done: true }).count()"},
	{"tasks.count('*')", "tasks.count()"},
	{"tasks.where({ OR: [{ status: 'doing' }, { priority: { lt: 2 } }] })", "tasks.where(t => t.status.eq('doing') || t.priority.lt(2))"},
	{"tasks.where({ $and: [{ done: false }, { priority: { $gt: 2, $lte: 4 } }] })", "tasks.where(t => t.done.eq(false) && (t.priority.gt(2) && t.priority.le(4)))"},
	{"tasks.where({ NOT: { status: 'open' }, dueAt: null })", "tasks.where(t => !t.status.eq('open') && t.dueAt.isNull())"},
	{"tasks.where({ dueAt: { not: null }, status: { not: 'open' }, title: { contains: 'd', startsWith: 'ACME' } })",
		"tasks.where(t => t.dueAt.isNotNull() && !t.status.eq('open') && (t.title.includes('d') && t.title.startsWith('ACME')))"},
	{"tasks.where({ priority: { between: [2, 3] } })", "tasks.where(t => t.priority.between(2, 3))"},
	{"tasks.where({ assignee: { name: { contains: 'ann' } } })", "tasks.where(t => t.assignee().some(m => m.name.includes('ann')))"},
	{"tasks.where({ assignee: { is: { name: 'ACME ann' } } })", "tasks.where(t => t.assignee().some({ name: 'ACME ann' }))"},
	{"tasks.where({ assignee: { isNot: { name: 'ACME ann' } } })", "tasks.where(t => t.assignee().none({ name: 'ACME ann' }))"},
	{"tasks.where({ assignee: null })", "tasks.where(t => !t.assignee().exists())"},
	{"tasks.where({ comments: { some: { body: 'ACME nice' }, every: { author: { name: 'x' } } } })",
		"tasks.where(t => t.comments().some({ body: 'ACME nice' }) && t.comments().every(c => c.author().some({ name: 'x' })))"},
	{"tasks.where('status', 'open').andWhere('priority', '>', 2)", "tasks.where(t => t.status.eq('open')).where(t => t.priority.gt(2))"},
	{"tasks.whereIn('status', ['done', 'doing'])", "tasks.where(t => t.status.in(['done', 'doing']))"},
	{"tasks.whereNull('dueAt').whereNotNull('title')", "tasks.where(t => t.dueAt.isNull()).where(t => t.title.isNotNull())"},
	{"tasks.whereBetween('priority', [2, 3])", "tasks.where(t => t.priority.between(2, 3))"},
	{"tasks.eq('status', 'open').gt('priority', 2).ilike('title', '%DRAW%')", "tasks.where(t => t.status.eq('open')).where(t => t.priority.gt(2)).where(t => t.title.ilike('%DRAW%'))"},
	{"tasks.sort({ priority: -1, id: 1 }).skip(1).take(2)", "tasks.orderBy(t => [t.priority.desc(), t.id.asc()]).offset(1).limit(2)"},
	{"tasks.orderBy('priority', 'desc').orderBy('id')", "tasks.orderBy(t => t.priority.desc()).orderBy(t => t.id)"},
	{"tasks.orderBy('priority', 'id')", "tasks.orderBy(t => t.priority).orderBy(t => t.id)"},
	{"tasks.orderBy({ priority: 'desc' }).select('id', 'title')", "tasks.orderBy(t => t.priority.desc()).select(t => ({ id: t.id, title: t.title }))"},
	{"tasks.orderBy('id').all()", "tasks.orderBy(t => t.id).execute()"},
	{"tasks.orderBy('id').then(rows => rows.length)", "tasks.orderBy(t => t.id).execute().then(rows => rows.length)"},
	{"tasks.countBy('status').orderBy('count', 'desc').limit(1)", "tasks.countBy(t => t.status).orderBy(g => g.count().desc()).limit(1)"},
	{"tasks.groupBy('status', 'done').select(g => ({ s: g.status, n: g.sum('priority'), d: g.count({ done: true }) }))",
		"tasks.groupBy(t => ({ status: t.status, done: t.done })).select(g => ({ s: g.status, n: g.sum(t => t.priority), d: g.where({ done: true }).count() }))"},
	{"tasks.join(({ task }) => task.project()).where('task.status', 'open').orderBy('project.name', 'desc').select('task.id', 'project.name')",
		"tasks.join(({ task }) => task.project()).where(({ task }) => task.status.eq('open')).orderBy(({ project }) => project.name.desc()).select(({ task, project }) => ({ id: task.id, name: project.name }))"},
}

// waysOfGiving are where a callback can come from; F is its body.
var waysOfGiving = []string{
	"", // in its place
	"const f = t => F;", "const f = function (t) { return F };", "function f(t) { return F }", "const { f } = { f: t => F };", "const o = { f(t) { return F } }, f = o.f;",
	"const f = (() => t => F)();", "const f = [t => F][0];", "const f = (t => F).bind(null);", "const f = (t) => { const x = F; return x };",
}

// TestSynonyms: a form of another library sends what ours does, wherever its callback comes from. A function
// that is declared, or bound, may be an error instead: it is compiled once, for arrays.
func TestSynonyms(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, tu.Tenant(e.Open(t), tu.Acme), exo.Limits{})
		run := func(program string, mayFail bool) string {
			o := r.Run(t, program)
			if mayFail && strings.Contains(o.Message, "has no value in the program; write the condition in the callback itself") {
				return ""
			}
			if o.Kind != 0 {
				t.Errorf("%s\n%s", program, o)
			}
			s := o.JSON
			for _, q := range o.SQL {
				s += fmt.Sprintf("\n%s %v", q.SQL, q.Args)
			}
			return s
		}
		given := func(program, callback string) string { return strings.NewReplacer("(C", "("+callback).Replace(program) }
		for _, x := range synonyms {
			habit, body, callback := strings.Cut(x.habit, "#")
			want := run("return await "+given(x.ours, "t => "+body), false)
			for _, way := range waysOfGiving {
				program := way + "return await "
				switch {
				case !callback && way != "":
					continue
				case way == "":
					program += given(habit, "t => "+body)
				default:
					program = strings.ReplaceAll(way, "F", body) + "return await " + given(habit, "f")
				}
				if got := run(program, strings.HasPrefix(way, "function") || strings.Contains(way, "f(t) {") || strings.Contains(way, "bind")); got != want && got != "" {
					t.Errorf("%s\ngives\n%s\nand not, as %s,\n%s", program, got, x.ours, want)
				}
			}
		}
	})
}

// TestNoSynonym: what could mean two things is an error, and so is a part of a form that means nothing.
func TestNoSynonym(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, tu.Tenant(e.Open(t), tu.Acme), exo.Limits{})
		for _, x := range []struct{ program, want string }{
			{"tasks.map(t => ({ title: t.title.toUpperCase() })).filter(t => t.title === 'A')", "`filter` after .select(…) would use what select shows"},
			{"tasks.select('id').map(t => t.title)", "(await tasks.select('id').execute()).map"},
			{"tasks.select('id').find(t => t.done)", "(await tasks.select('id').execute()).find"},
			{"tasks.select('id').count(t => t.done)", "(await tasks.select('id').execute()).count"},
			{"tasks.groupBy('status').count()", "for the number of rows of each write .select"},
			{"tasks.count('id')", "takes no arguments; write conditions and orders before it"},
			{"tasks.first(3)", "takes no arguments; write conditions and orders before it"},
			{"tasks.find(3)", "write .where(t => condition)"},
			{"tasks.get()", "write .execute() for all rows"},
			{"tasks.having(t => t.done)", "after .groupBy(t => t.key)"},
			{"tasks.filter((t, i) => i > 2)", "the callback gets one argument"},
			{"tasks.sort((a, b) => a.id - b.id)", "the callback gets one argument"},
			{"tasks.map(async t => t.id)", "must not be async"},
			{"tasks.filter(Boolean)", "is a row of the database"},
			{"tasks.limit(3, 2)", "takes one number; to leave out rows before them write .offset(…)"},
			{"tasks.findMany({ where: { done: true }, cursor: { id: 3 } })", "has no option `cursor`"},
			{"tasks.findMany({ where: undefined })", "undefined"},
			{"tasks.findMany({ where: { done: undefined } })", "undefined"},
			{"tasks.findMany({ where: {} })", "the filter is empty"},
			{"tasks.findMany({ take: 1, limit: 2 })", "means the same as another option"},
			{"tasks.findMany({ where: { nope: 1 } })", "no member `nope`"},
			{"tasks.findMany({ done: true, take: 1 })", "has no option `done`"},
			{"tasks.findMany({ done: true }, 1)", "takes one argument"},
			{"tasks.where({ title: { contains: 'x', mode: 'insensitive' } })", "write { ilike: '%…%' }"},
			{"tasks.where({ title: {} })", "has no condition"},
			{"tasks.where({ OR: [] })", "is empty"},
			{"tasks.where({ OR: [{}] })", "is empty"},
			{"tasks.where({ OR: 'x' })", "wants an object of conditions"},
			{"tasks.where({ title: { asc: true } })", "is no condition of task.title"},
			{"tasks.where({ dueAt: { isNull: false } })", "takes only true"},
			{"tasks.where({ comments: { body: 'x' } })", "is a link"},
			{"tasks.where({ comments: { count: 3 } })", "is a link"},
			{"tasks.where({ assignee: { password: 'x' } })", "no member `password`"},
			{"tasks.where('title', 'upper', 'X')", "is no condition of task.title"},
			{"tasks.where('password', 'x')", "no member `password`"},
			{"tasks.where('done = 1')", "wants a callback"},
			{"tasks.orderBy('password')", "no member `password`"},
			{"tasks.orderBy({ title: 'up' })", "the direction of task.title is 'asc' or 'desc'"},
			{"tasks.orderBy('title', 'isNull')", "no member `isNull`"},
			{"tasks.select({ id: true, title: false })", "wants a callback"},
			{"tasks.select('id as x')", "no member"},
			{"tasks.select('id', 3)", "wants a callback"},
			{"tasks.join(({ task }) => task.project()).where('status', 'open')", "this query has several tables"},
			{"tasks.filter", "a method was named and not called"},
			{"tasks.where(t => t.title.contains && t.done)", "call it"},
			{"tasks[0]", "(await tasks.execute())[0]"},
			{"tasks.length", "(await tasks.execute()).length"},
			{"(() => { for (const t of tasks) return t })()", "has not run yet"},
			{"[...tasks]", "has not run yet"},
			{"tasks.includes(3)", "elsewhere await it, and look in the rows"},
			{"tasks.flatMap(t => [t.id])", "(await tasks.execute()).flatMap"},
		} {
			if o := r.Run(t, "return await "+x.program); o.Kind == 0 || !strings.Contains(o.Message, x.want) {
				t.Errorf("%s\n%s\nwant %s", x.program, o, x.want)
			}
			// Who catches the error is outside of the callback again.
			after := "try { await " + x.program + " } catch {}\nreturn await tasks.count()"
			if o := r.Run(t, after); o.JSON != "5" {
				t.Errorf("%s\n%s\nwant 5", after, o)
			}
		}
	})
}
