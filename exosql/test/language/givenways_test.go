package language_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// given is a place in a program where a method is given a callback, and what the program then answers: calculated here from the
// rows of the tests by hand, so no way of writing it decides what is right.
type given struct {
	before, query, method, after string
	row, table, body             string // the callback is row => body; among tables, row is the one with the name
	want                         string
}

var places = []given{
	{"", "tasks", "sum", "", "t", "task", "t.priority", "16"},
	{"", "tasks", "avg", "", "t", "task", "t.priority * 2", "6.4"},
	{"", "tasks", "min", "", "t", "task", "t.title", `"ACME build"`},
	{"", "tasks", "max", "", "t", "task", "t.priority + 1", "6"},
	{"", "tasks", "median", "", "t", "task", "t.priority", "3"},
	{"", "tasks", "count", "", "t", "task", "t.done", "1"},
	{"", "tasks", "countDistinct", "", "t", "task", "t.status", "3"},
	{"", "tasks", "countBy", "", "t", "task", "t.status", `[{"status":"doing","count":1},{"status":"done","count":1},{"status":"open","count":3}]`},
	{"", "tasks", "groupBy", ".select(g => g.count())", "t", "task", "t.status", "[1,1,3]"},
	{"", "tasks", "groupBy", ".count()", "t", "task", "({ s: t.status, d: t.done })", "3"},
	{"", "tasks.groupBy(t => t.status)", "select", "", "g", "group", "({ s: g.status, n: g.count(), m: g.max(t => t.priority) })", `[{"s":"doing","n":1,"m":5},{"s":"done","n":1,"m":1},{"s":"open","n":3,"m":5}]`},
	{"", "tasks.groupBy(t => t.status)", "where", ".select(g => g.status)", "g", "group", "g.count() > 1", `["open"]`},
	{"", "tasks.groupBy(t => t.status)", "orderBy", ".limit(1).select(g => g.status)", "g", "group", "g.sum(t => t.priority).desc()", `["open"]`},
	{"tasks.groupBy(t => t.status).select(g => ", "g", "sum", ")", "t", "task", "t.priority", "[5,1,10]"},
	{"tasks.groupBy(t => t.status).select(g => ", "g", "where", ".count())", "t", "task", "t.priority > 3", "[1,0,1]"},
	{"", "tasks.groupBy(t => t.status).select(g => ({ s: g.status, n: g.count() }))", "groupBy", ".select(g => g.count())", "r", "row", "r.n", "[2,1]"},
	{"", "org.projects().orderBy(p => p.id)", "select", "", "p", "project", "({ n: p.name, c: p.tasks().count() })", `[{"n":"ACME rocket","c":3},{"n":"ACME garden","c":2},{"n":"ACME led from outside","c":0}]`},
	{"org.projects().where(p => ", "p.tasks()", "some", ").select(p => p.name)", "t", "task", "t.done", `["ACME rocket"]`},
	{"org.projects().orderBy(p => p.id).where(p => ", "p.tasks()", "none", ").select(p => p.id)", "t", "task", "t.done", `[102,190]`},
	{"org.projects().orderBy(p => p.id).where(p => ", "p.tasks()", "every", ").select(p => p.id)", "t", "task", "t.priority > 1", `[102,190]`},
	{"org.projects().orderBy(p => p.id).select(p => ", "p.tasks()", "max", ")", "t", "task", "t.priority", `[5,5,null]`},
	{"org.projects().orderBy(p => p.id).select(p => ({ t: ", "p.tasks().orderBy(t => t.id).limit(1)", "select", " }))", "t", "task", "t.title", `[{"t":["ACME draw"]},{"t":["ACME plant"]},{"t":[]}]`},
	{"org.projects().orderBy(p => p.id).select(p => ({ t: ", "p.tasks()", "orderBy", ".limit(2).select(t => t.id) }))", "t", "task", "[t.priority.desc(), t.id]", `[{"t":[1002,1001]},{"t":[1004,1090]},{"t":[]}]`},
	{"", "tasks", "where", ".count()", "t", "task", "t.assignee().name === 'ACME bob'", "2"},
	{"", "tasks", "where", ".count()", "t", "task", "t.assignee() === null", "2"},
	{"", "tasks.orderBy(t => t.id)", "select", "", "t", "task", "t.project().name", `["ACME rocket","ACME rocket","ACME rocket","ACME garden","ACME garden"]`},
	{"tasks.where(t => t.id.in(", "tasks", "where", ".select(t => t.id))).count()", "t", "task", "t.priority > 3", "2"},
	{"tasks.where(t => t.id.notIn(", "tasks.where(t => t.done)", "select", ")).count()", "t", "task", "t.id", "4"},
	{"tasks.where(t => t.priority > ", "tasks", "avg", ").count()", "t", "task", "t.priority", "2"},
	{"", "tasks.orderBy(t => t.id)", "partitionBy", ".where(({ window }) => window.rowNumber() === 1).orderBy(({ task }) => task.id).select(({ task }) => task.id)", "t", "task", "t.status", "[1001,1002,1003]"},
	{"tasks.orderBy(t => t.id).partitionBy(t => t.status).orderBy(({ task }) => task.id).select(({ task, window }) => ", "window", "runningSum", ")", "t", "task", "t.priority", "[3,5,1,8,10]"},
	{"tasks.orderBy(t => t.id).partitionBy(t => t.status).orderBy(({ task }) => task.id).select(({ task, window }) => ", "window", "lag", ")", "t", "task", "t.priority", "[null,null,null,3,5]"},
	{"", "tasks.orderBy(t => [t.priority.desc(), t.id])", "distinctBy", ".orderBy(t => t.id).select(t => t.id)", "t", "task", "t.status", "[1002,1003,1004]"},
	{"(await ", "tasks", "orderBy", ".select(t => t.id).page(2)).rows", "t", "task", "[t.priority.desc(), t.id]", "[1002,1004]"},
	{"(await ", "tasks.orderBy(t => t.id)", "select", ".page(2)).rows", "t", "task", "({ i: t.id })", `[{"i":1001},{"i":1002}]`},
	{"", "tasks", "where", ".count()", "t", "task", "t.dueAt.year() === 2026", "3"},
	{"", "tasks", "where", ".count()", "t", "task", "t.dueAt > new Date('2026-01-02T03:04:05Z')", "1"},
	{"", "tasks.where(t => t.dueAt !== null)", "countBy", ".orderBy(g => g.y)", "t", "task", "({ y: t.dueAt.year() })", `[{"y":2025,"count":1},{"y":2026,"count":3}]`},
	{"", "tasks", "join", ".count()", "t", "task", "t.project()", "5"},
	{"", "docs", "where", ".orderBy(d => d.id).select(d => d.id)", "d", "doc", "d.data.os === 'mac'", "[1]"},
	{"", "docs", "where", ".orderBy(d => d.id).select(d => d.id)", "d", "doc", "d.data.size > 2", "[1,2]"},
	{"", "docs.orderBy(d => d.id).limit(3)", "select", "", "d", "doc", "d.data.os", `["mac","win",5]`},
	{"", "docs", "orderBy", ".select(d => d.id).first()", "d", "doc", "[d.data.size.asNumber().desc(), d.id]", "1"},
}

// written are the ways to write the callback R => B, of a table T.
var written = []string{
	"R => B", "(R) => (B)", "(R) => { return B }", "function (R) { return B }", "function named(R) { const x = B; return x }", "({ T: R }) => B", "({ T: R = 1 }) => B", "({ ['T']: R }) => B", "({ ...all }) => { const R = all.T; return B }", "(all) => { const { T: R } = all; return B }",
	"(R, ...rest) => B", "(R = null) => B", "(R, i = 0) => B", "(...[R]) => B", "function () { const R = arguments[0]; return B }", "(R) => { let out; if (true) { out = B } return out }", "(R) => { for (const x of [1]) { return B } }", "(R) => [R].map(R => B)[0]", "(R) => ((R) => B)(R)", "(R) => (0, B)",
	"({ f(R) { return B } }).f", "({ get f() { return R => B } }).f", "(R => B).bind(null)", "(R => B).bind({ x: 1 })", "(() => R => B)()", "(function () { return R => B })()", "(true ? R => B : null)", "(null ?? (R => B))", "(false || (R => B))", "(true && (R => B))", "[R => B][0]", "[R => B].at(-1)", "[R => B].find(f => true)", "[[R => B]].flat().pop()",
	"new Map([['f', R => B]]).get('f')", "[...new Set([R => B])][0]", "new (class { f = R => B })().f", "(class { static f = R => B }).f", "(class { static f(R) { return B } }).f", "Object.values({ f: R => B })[0]", "Object.assign({}, { f: R => B }).f", "({ ...{ f: R => B } }).f", "(function* () { yield R => B })().next().value", "(await Promise.resolve(R => B))", "(await (async () => R => B)())", "((f) => f)(R => B)", "((f = R => B) => f)()", "(({ f = R => B }) => f)({})", "(([f]) => f)([R => B])",
	"[x => x].map(f => R => B)[0]", "[R => B].reduce((a, f) => f)", "`${1}` === '1' ? R => B : null", "({ f: R => B })?.f", "({ f: R => B })?.['f']",
}

// none are ways to write what is no callback; but a callback may give a list to some methods.
var none = []string{
	"async R => B", "async function (R) { return B }", "function* (R) { yield B }", "new Proxy(R => B, {})", "() => (R => B)", "R => () => B", "R => { B }", "R => [B]", "R => Promise.resolve(B)", "`R => B`", "Function.prototype.call.bind(R => B, null)",
}

// calls are the ways to call the method M of the query Q with C.
var calls = []string{
	"Q.M(C)", "Q['M'](C)", "Q[`M`](C)", "Q?.M(C)", "Q.M?.(C)", "Q?.M?.(C)", "(Q).M((C))", "(0, Q).M(C)", "Q.M(...[C])", "Q.M.call(Q, C)", "Q.M.apply(Q, [C])", "Q.M.bind(Q)(C)", "Q.M.bind(Q, C)()", "Reflect.apply(Q.M, Q, [C])", "((q, f) => q.M(f))(Q, C)", "(q => q.M(C))(Q)", "[C].map(f => Q.M(f))[0]", "[Q].map(q => q.M(C))[0]", "(({ M }) => M(C))(Q)", "(f => f(C))(Q.M)",
	"new Map([['q', Q]]).get('q').M(C)", "({ q: Q }).q.M(C)", "new Proxy(Q, {}).M(C)", "Object.create(Q).M(C)", "(true ? Q : null).M(C)", "Q.M(C, undefined)", "Q.M(C, ...[])", "[Q, C].reduce((q, f) => q.M(f))", "Object.entries({ M: C }).map(([m, f]) => Q[m](f))[0]", "(class { static q = Q }).q.M(C)", "({ ...Q }).M(C)", "structuredClone(Q).M(C)",
}

var word = regexp.MustCompile(`\b[RBTQMC]\b`)

// write makes the program of a place, with its callback written and called in given ways.
func (g given) write(callback, call string) string {
	put := func(in string, by map[string]string) string {
		return word.ReplaceAllStringFunc(in, func(w string) string {
			if s, ok := by[w]; ok {
				return s
			}
			return w
		})
	}
	callback = put(callback, map[string]string{"R": g.row, "B": g.body, "T": g.table})
	return g.before + put(call, map[string]string{"Q": g.query, "M": g.method, "C": callback}) + g.after
}

// TestWaysOfGivingCallbacks: in whatever way a callback is written and a method is called, the answer is right, or an error.
func TestWaysOfGivingCallbacks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		step, n := 6, 0 // of the ways, each is taken at some places
		if tu.Long() {
			step = 1
		}
		db := e.Open(t, strings.Split(e.SQL(kit.DocumentsDDL), ";\n")...)
		grants := maps.Clone(tu.Tenant(db, tu.Acme))
		grants["docs"] = exosql.NewFacet(kit.Documents, "doc", kit.DocumentID, kit.DocumentName, kit.DocumentData).Of(exosql.Grant(db, kit.Documents, kit.DocumentOwner.Eq(1)))
		r := tu.NewRunner(t, grants, exo.Limits{})
		refused, tried, ordinary := map[string]int{}, 0, 0
		try := func(g given, callback, call string) {
			t.Helper()
			if n++; n%step != 0 {
				return
			}
			tried++
			program := g.write(callback, call)
			o := r.Run(t, "return await "+program)
			switch {
			case o.Kind == fail.Invalid || o.Kind == fail.Denied || o.Kind == fail.Syntax || o.Result.Err != nil && strings.HasPrefix(o.Message, "TypeError"):
				if call != calls[0] {
					refused[call]++
				} else if refused[callback]++; !slices.Contains(none, callback) {
					ordinary++
				}
				if callback == written[0] && call == calls[0] {
					t.Errorf("%s: %s", program, o)
				}
			case o.Result.Err != nil || !tu.SameJSON(o.JSON, g.want):
				t.Errorf("%s\n%s\nwant %s", program, o, g.want)
			}
		}
		for _, g := range places {
			for _, w := range append(written[:len(written):len(written)], none...) {
				try(g, w, calls[0])
			}
			for k, c := range calls {
				try(g, written[0], c)
				try(g, written[(k*7+len(g.body))%len(written)], c)
			}
		}
		for _, w := range slices.Sorted(maps.Keys(refused)) {
			t.Logf("refused %d times: %s", refused[w], w)
		}
		t.Logf("%d programs, %d callbacks refused that are some", tried, ordinary)
		if ordinary*10 > tried {
			t.Errorf("%d of %d programs are refused although their callback is one", ordinary, tried)
		}
	})
}
