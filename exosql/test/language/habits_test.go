package language_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestAggregateHabits: however a program writes an aggregate or a group, it is right, or refused with the form
// that is. A want that begins with a brace, a bracket, a digit or a quote is the result; else a part of the error.
func TestAggregateHabits(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, tu.Tenant(e.Open(t), tu.Acme), exo.Limits{})
		for _, x := range aggregateHabits {
			o := r.Run(t, "return await "+x.program)
			if result := strings.ContainsAny(x.want[:1], "{[\"0123456789"); result && (o.Kind != 0 || o.JSON != x.want) || !result && (o.Kind == 0 || !strings.Contains(o.Message, x.want)) {
				t.Errorf("%s\n%s\nwant %s", x.program, o, x.want)
			}
		}
	})
}

var aggregateHabits = []struct{ program, want string }{
	{"tasks.groupBy(t => [t.status, t.priority + 1]).select(g => g.key)", "has no name, and each of several keys needs one: write { a: …, b: … }"},
	{"tasks.groupBy('status')", `[{"status":"doing"},{"status":"done"},{"status":"open"}]`},
	{"tasks.groupBy('status', 'done')", `[{"status":"doing","done":false},{"status":"done","done":true},{"status":"open","done":false}]`},
	{"tasks.groupBy(['status'])", `[{"status":"doing"},{"status":"done"},{"status":"open"}]`},
	{"tasks.groupBy({ by: ['status'], _count: true })", "wants a callback, like ({ task }) => ({ name: task.column })"},
	{"tasks.groupBy({ status: true })", `[{"status":"doing"},{"status":"done"},{"status":"open"}]`},
	{"tasks.groupBy(t => t)", "the keys must be a column, like t => t.column, or an object of columns like { name: table."},
	{"tasks.groupBy(t => [])", "the keys must be a column, like t => t.column, or an object of columns like { name: table."},
	{"tasks.groupBy(t => 'status')", "the keys must be a column, like t => t.column, or an object of columns like { name: table."},
	{"tasks.groupBy(t => true)", "the keys must be a column, like t => t.column, or an object of columns like { name: table."},
	{"tasks.groupBy(t => null)", "the keys must be a column, like t => t.column, or an object of columns like { name: table."},
	{"tasks.groupBy(t => ({ s: 'x' }))", "the keys must be a column, like t => t.column, or an object of columns like { name: table."},
	{"tasks.groupBy(t => [t.status, t.done]).select(g => ({ s: g.status, d: g.done, n: g.count() })).limit(1)", `[{"s":"doing","d":false,"n":1}]`},
	{"tasks.groupBy(t => t.status, g => g.count())", "wants a callback, like ({ task }) => ({ name: task.column })"},
	{"tasks.groupBy(t => t.status).count(t => t.id)", "`id` is a column of its rows, so ask for an aggregate of it"},
	{"tasks.groupBy(t => t.status).sum(t => t.priority)", "of each group write .select(g => ({ status: g.status, sum: g.sum(t => t.priority) }))"},
	{"tasks.groupBy(t => t.status).select(g => ({ k: g.key, n: g.count() }))", `[{"k":"doing","n":1},{"k":"done","n":1},{"k":"open","n":3}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.count }))", "call it, group.count()"},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.count(t => t.id) }))", `group.where: the condition must be a condition`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.count('id') }))", "group.where(t => condition).count() counts some of the rows"},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.sum('priority') }))", `[{"s":"doing","n":5},{"s":"done","n":1},{"s":"open","n":10}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.priority.sum() }))", "`priority` is a column of its rows, so ask for an aggregate of it: group.max(t => t.prior"},
	{"tasks.groupBy(t => t.status).select(t => ({ s: t.status, n: sum(t.priority) }))", "write query.sum(t => t.column), or after groupBy g => ({ key: g.key, sum: g.sum(t => t.col"},
	{"tasks.groupBy(t => t.status).select(t => ({ s: t.status, n: t.priority.sum() }))", "`priority` is a column of its rows, so ask for an aggregate of it: group.max(t => t.prior"},
	{"tasks.groupBy(t => t.status).select((key, g) => ({ s: key, n: g.count() }))", "the callback gets one argument, the tables of the query by name: write ({ group }) => ({"},
	{"tasks.groupBy(t => t.status).select((g, key) => ({ s: key, n: g.count() }))", "the callback gets one argument, the tables of the query by name: write ({ group }) => ({"},
	{"tasks.groupBy(t => t.status).having(g => g.count() > 1)", `[{"status":"open"}]`},
	{"tasks.groupBy(t => t.status).where(g => g.count > 1)", "call it, group.count()"},
	{"tasks.groupBy(t => t.status).where(g => g.length > 1)", `[{"status":"open"}]`},
	{"tasks.groupBy(t => t.status).orderBy(g => -g.count())", `[{"status":"open"},{"status":"doing"},{"status":"done"}]`},
	{"tasks.groupBy(t => t.status).orderBy('count', 'desc').limit(1)", `[{"status":"open"}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.length }))", `[{"s":"doing","n":1},{"s":"done","n":1},{"s":"open","n":3}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.size }))", `[{"s":"doing","n":1},{"s":"done","n":1},{"s":"open","n":3}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: Math.max(g.priority) }))", "`priority` is a column of its rows, so ask for an aggregate of it: group.max(t => t.prior"},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: Math.max(...g.map(t => t.priority)) }))", "its rows can't be read, only aggregates of them, like group.collect(t => t.column) for a li"},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.reduce((n, t) => n + t.priority, 0) }))", "write group.sum(t => t.column)"},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.filter(t => t.done).length }))", `[{"s":"doing","n":0},{"s":"done","n":1},{"s":"open","n":0}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.count(t => t.done) }))", `[{"s":"doing","n":0},{"s":"done","n":1},{"s":"open","n":0}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.count({ done: true }) }))", `[{"s":"doing","n":0},{"s":"done","n":1},{"s":"open","n":0}]`},
	{"tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.first().title }))", "its rows can't be read, only aggregates of them, like group.min(t => t.column) and group.ma"},
	{"tasks.groupBy(t => t.status).select(g => g.count())", `[1,1,3]`},
	{"tasks.groupBy(t => t.status).select(g => [g.status, g.count()])", "the selection must be a column, an object like { name: table.column }, or one whole table"},
	{"tasks.groupBy(t => t.status).select(['status', 'count'])", `[{"status":"doing","count":1},{"status":"done","count":1},{"status":"open","count":3}]`},
	{"tasks.groupBy(t => t.status).select({ n: 'count' })", "wants a callback, like ({ group }) => ({ name: group.column })"},
	{"tasks.groupBy(t => t.status).aggregate(g => ({ n: g.count() }))", "write .groupBy(t => t.key).select(g => ({ key: g.key, n: g.count(), sum: g.sum(t => t.colu"},
	{"tasks.groupBy(t => t.status).agg({ n: 'count' })", "write .groupBy(t => t.key).select(g => ({ key: g.key, n: g.count(), sum: g.sum(t => t.colu"},
	{"tasks.groupBy(t => t.status).countDistinct(t => t.id)", "of each group write .select(g => ({ status: g.status, countDistinct: g.countDistinct(t => t.id) }))"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.distinct(t => t.id).count() }))", "write group.countDistinct(t => t.column)"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.countDistinct() }))", "needs the value: a callback, like ({ task }) => …, that gives a column, or an expression o"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.sum() }))", "needs the value: a callback, like ({ task }) => …, that gives a column of numbers, or a ca"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.percentile(t => t.priority, 0.5) }))", "for another write group.collect(t => t.column), and calculate with the rows of the result"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.stddev(t => t.priority) }))", "for another write group.collect(t => t.column), and calculate with the rows of the result"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.collect(t => t) }))", "the value must be a column, or an expression of columns"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.collect(t => ({ a: t.id })) }))", "the value must be a column, or an expression of columns"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.orderBy(t => t.id).collect(t => t.id) }))", "its rows can't be read, only aggregates of them, like group.collect(t => t.column) for a li"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.max(t => t.dueAt), by: g.maxBy(t => t.dueAt) }))", "its rows can't be read, only aggregates of them, like group.min(t => t.column) and group.ma"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.sum(t => t.done) }))", "the value must be a column of numbers, or a calculation with it"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.sum(t => t.title) }))", "the value must be a column of numbers, or a calculation with it"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.avg(t => t.dueAt) }))", "the value must be a column of numbers, or a calculation with it"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.every(t => t.done) }))", "write group.where(t => !condition).count()"},
	{"tasks.groupBy(t => t.status).select(g => ({ n: g.some(t => t.done) }))", "write group.where(t => condition).count() > 0"},
	{"tasks.count(t => t.done)", `1`},
	{"tasks.count('id')", "write conditions and orders before it, like .where(…)"},
	{"tasks.count({ done: true })", `1`},
	{"tasks.count({ where: { done: true } })", `1`},
	{"tasks.sum('priority')", `16`},
	{"tasks.sum()", "needs the value: a callback, like ({ task }) => …, that gives a column of numbers, or a ca"},
	{"tasks.sum(t => t.title)", "the value must be a column of numbers, or a calculation with it"},
	{"tasks.sum(t => t.done)", "the value must be a column of numbers, or a calculation with it"},
	{"tasks.avg(t => t.dueAt)", "the value must be a column of numbers, or a calculation with it"},
	{"tasks.max(t => t.done)", "the value must be a column of numbers, texts, times or days"},
	{"tasks.max()", "needs the value: a callback, like ({ task }) => …, that gives a column of numbers, texts,"},
	{"tasks.max(t => t)", "the value must be a column of numbers, texts, times or days"},
	{"tasks.min('priority')", `1`},
	{"tasks.select(t => ({ s: t.priority.sum() }))", "an aggregate is of rows: write query.sum(t => t.column), or .groupBy(t => t.key).select(g"},
	{"tasks.select(t => ({ n: count() }))", "write query.count(), or after groupBy g => ({ key: g.key, n: g.count() })"},
	{"tasks.select(t => ({ n: count(t.id) }))", "write query.count(), or after groupBy g => ({ key: g.key, n: g.count() })"},
	{"tasks.select(t => ({ n: t.id.count() }))", "an aggregate is of rows: write query.sum(t => t.column), or .groupBy(t => t.key).select(g"},
	{"tasks.select(t => ({ n: Math.max(t.priority) }))", "the greatest of many rows is query.max(t => t.column)"},
	{"tasks.select(t => ({ n: Math.max(t.priority, 3) }))", `[{"n":3},{"n":5},{"n":3},{"n":5},{"n":3}]`},
	{"tasks.reduce((n, t) => n + t.priority, 0)", "use (await tasks.execute()).reduce"},
	{"tasks.aggregate({ _sum: { priority: true } })", "write .groupBy(t => t.key).select(g => ({ key: g.key, n: g.count(), sum: g.sum(t => t.colu"},
	{"tasks.aggregate(t => ({ n: t.count() }))", "write .groupBy(t => t.key).select(g => ({ key: g.key, n: g.count(), sum: g.sum(t => t.colu"},
	{"tasks.total(t => t.priority)", `16`},
	{"tasks.average(t => t.priority)", `3.2`},
	{"tasks.mean(t => t.priority)", `3.2`},
	{"tasks.median('priority')", `3`},
	{"tasks.percentile(t => t.priority, 0.9)", "for another select the column, and calculate with the rows"},
	{"tasks.countDistinct('status')", `3`},
	{"tasks.countDistinct(t => [t.status, t.done])", "the value must be a column, or an expression of columns"},
	{"tasks.distinct(t => t.status).count()", "takes no callback, and acts on what is selected: write .select(t => t.column) before it"},
	{"tasks.select(t => ({ s: t.status })).distinct().count()", "3"},
	{"tasks.groupby(t => t.status)", `[{"status":"doing"},{"status":"done"},{"status":"open"}]`},
	{"tasks.group(t => t.status)", `[{"status":"doing"},{"status":"done"},{"status":"open"}]`},
	{"tasks.group_by('status')", `[{"status":"doing"},{"status":"done"},{"status":"open"}]`},
	{"tasks.countBy('status')", `[{"status":"doing","count":1},{"status":"done","count":1},{"status":"open","count":3}]`},
	{"tasks.countBy(t => t.status).orderBy(r => r.count)", "call it, group.count()"},
	{"tasks.countBy(t => t.status).orderBy(r => r.count.desc())", "call it, group.count()"},
	{"tasks.countBy(t => t.status).where(r => r.count > 1)", "call it, group.count()"},
	{"tasks.countBy(t => t.status).select(r => ({ s: r.status, n: r.count }))", "call it, group.count()"},
	{"tasks.sumBy(t => t.status, t => t.priority)", "write .groupBy(t => t.key).select(g => ({ key: g.key, n: g.count(), sum: g.sum(t => t.colu"},
	{"tasks.maxBy(t => t.id)", `{"id":1090,"title":"ACME helped from outside","status":"open","done":false,"priority":2,"dueAt":"2026-06-01T00:00:00.000Z"}`},
	{"tasks.collect(t => t.title)", "write (await tasks.select(t => ({ x: t.column })).execute()).map(r => r.x)"},
	{"(await tasks.sum(t => t.priority)).toFixed(2)", `"16.00"`},
	{"org.projects().select(p => ({ n: sum(p.tasks().priority) }))", "write query.sum(t => t.column), or after groupBy g => ({ key: g.key, sum: g.sum(t => t.col"},
}
