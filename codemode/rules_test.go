package codemode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/policy"
)

// held are the programs that hold the rules: want is the result as JSON, or,
// after "error ", what the error says.
var held = []struct{ rule, code, want string }{
	{"form", "(api) => 1", "1"},
	{"form", "async (api) => { const n = await api.org.projects().count(); return n }", "2"},
	{"form", "const n = await api.org.projects().count(); return n", "2"},
	{"form", "let s = 0; for (const x of new Map([[1, 2]]).values()) { try { s += x } finally { s++ } } class A { get b() { return s } } return new A().b", "3"},
	{"form", "import x from 'fs'; return 1", "error import"},
	{"form", "return require('fs')", "error require"},
	{"form", "return await fetch('https://example.com')", "error fetch"},
	{"form", "return 10n", "error BigInt"},
	{"form", "setTimeout(() => {}, 1)", "error setTimeout"},
	{"await", "const q = api.org.projects(); const a = await q, b = await q.execute(); return [a.length, b.length, a.map(r => r.title).join()]", `[2,2,"Site,Old"]`},
	{"await", "return api.org.projects().where({ archived: true })", `[{"id":2,"title":"Old","budget":10,"archived":true}]`},
	{"await", "const q = api.org.projects(); return [await q.count(), (await q.first()).title]", `[2,"Site"]`},
	{"await", "const f = async () => api.org.projects(); const [a, b] = await Promise.all([api.org.projects(), f()]); return { a: a.length, b: b.length, c: (await f()).length, d: api.org.projects().where({ archived: true }) }", `{"a":2,"b":2,"c":2,"d":[{"id":2,"title":"Old","budget":10,"archived":true}]}`},
	{"await", "return api.org.projects().reduce((n, p) => n + p.title.length, 0)", "error execute"},
	{"promise", "const [a, b] = await Promise.all([api.mail.list(), api.mail.list({ folder: 'x' })]); return [a[0].subject, b.length]", `["hi",1]`},
	{"order", "return [await api.org.projects().orderBy(p => p.id.asc()).limit(1).where({ archived: true }).count(), await api.org.projects().where({ archived: true }).limit(1).count()]", "[0,1]"},
	{"unordered", "const by = async (q) => (await q).map(t => t.title).join(); const q = api.org.projects().tasks(); return [await by(q.orderBy(t => t.title)), await by(q.orderBy(t => t.title.desc())), (await by(q)).split(',').sort().join()]", `["Burn,Draft,Ship","Ship,Draft,Burn","Burn,Draft,Ship"]`},
	{"columns", "return api.org.projects().tasks().where(({ task }) => task.status === 'open' && task.hours > 1 && !task.done).count()", "1"},
	{"columns", "return api.org.projects().tasks().where(t => t.status.in(['open', 'done']) || t.title.eq('Ship')).count()", "3"},
	{"columns", "return api.org.projects().tasks().where(t => t.hours >= 1.5 && t.hours <= 2 && t.hours < 2 && t.title !== 'x').count()", "1"},
	{"columns", "return api.org.projects().tasks().where(t => t.done ? t.hours > 1 : t.hours > 2).count()", "1"},
	{"columns", "return api.org.projects().tasks().where(t => { if (t.done) { return t.hours > 1 } return t.hours > 2 })", "error if"},
	{"columns", "return api.org.projects().tasks().where(t => `${t.title}!` === 'Ship!').count()", "1"},
	{"columns", "return api.org.projects().tasks().where(t => t.title.repeat(2) === 'X')", "error repeat"},
	{"link", "return (await api.org.projects().tasks()).map(t => t.title)", `["Draft","Ship","Burn"]`},
	{"link", "return (await api.org.projects().join(({ project }) => project.tasks()).select(({ project, task }) => ({ p: project.title, t: task.title }))).length", "3"},
	{"link", "return api.org.members().join(api.org.projects(), ({ member, project }) => member.id === project.id).select(({ member, project }) => ({ m: member.name, p: project.title }))", `[{"m":"Ann","p":"Site"},{"m":"Bob","p":"Old"}]`},
	{"links", "return api.org.projects().tasks().orderBy(t => t.id).select(t => ({ p: t.project().title, who: t.assignee().name, none: !t.assignee() }))", `[{"none":false,"p":"Site","who":"Ann"},{"none":false,"p":"Site","who":"Bob"},{"none":true,"p":"Old","who":null}]`},
	{"links", "return api.org.projects().orderBy(p => p.id).select(p => ({ n: p.tasks().count(), open: p.tasks().where(t => !t.done).count(), sum: p.tasks().sum(t => t.hours), max: p.tasks().max(t => t.hours), some: p.tasks().some(t => t.done), every: p.tasks().every(t => t.done), none: p.tasks().none(t => t.done) }))", `[{"every":false,"max":2,"n":2,"none":false,"open":1,"some":true,"sum":3.5},{"every":false,"max":0,"n":1,"none":true,"open":1,"some":false,"sum":0}]`},
	{"row", "return api.org.join(({ org }) => org.projects()).orderBy(({ project }) => project.id.asc()).limit(1)", `[{"id":1,"name":"Acme"}]`},
	{"row", "return api.org.projects().limit(1).select(({ project }) => ({ x: project.title }))", `[{"x":"Site"}]`},
	{"as", "return api.org.projects().join(({ project }) => project.tasks().as('task')).join(({ task }) => task.project().as('project2')).select(({ project, project2 }) => ({ a: project.id, b: project2.id })).limit(1)", `[{"a":1,"b":1}]`},
	{"as", "return api.org.projects().join(({ project }) => project.tasks()).join(({ task }) => task.project())", "error .as('project2')"},
	{"values", "return api.org.projects().tasks().where(t => t.dueAt >= '2024-04-30T00:00:00Z').select(t => ({ due: t.task.dueAt }))", `[{"due":"2024-05-01T00:00:00.000Z"}]`},
	{"values", "return api.org.projects().tasks().where(t => t.dueAt.gt(new Date('2024-04-30'))).count()", "1"},
	{"values", "return [typeof (await api.mail.list())[0].at, (await api.mail.send({ to: [], subject: '', at: new Date() })).held]", `["string",true]`},
	{"console", "console.log({ a: [1] }); const a = Date.now(); for (let i = 0; i < 1e4; i++); return Date.now() - a", "0"},
	{"errors", "const a = 1;\n  return api.org.nothing()", "error 2:"},
}

// TestRules: the rules are true, and each is held by a program.
func TestRules(t *testing.T) {
	w := newWorld(t)
	g := codemode.Grants{"org": w.five, "mail": mailbox(t)}
	rules, _, err := codemode.Prompted(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	tool := newTool(t, g, nil)
	tested := map[string]bool{"labels": true} // by TestLabels
	for _, h := range held {
		tested[h.rule] = true
		if rules[h.rule] == "" {
			t.Errorf("no rule %s", h.rule)
		}
		o := call(t, tool, h.code)
		if says, ok := strings.CutPrefix(h.want, "error "); ok {
			if o.Error == nil || !strings.Contains(o.Error.Message, says) && !(says == "2:" && o.Error.Line == 2 && o.Error.Column > 1) {
				t.Errorf("%s: %s\nwant an error with %q, got %+v", h.rule, h.code, says, o)
			}
			continue
		}
		if j, _ := json.Marshal(o.Result); o.Error != nil || string(j) != normal(t, h.want) {
			t.Errorf("%s: %s\nwant %s, got %s %+v", h.rule, h.code, h.want, j, o.Error)
		}
	}
	for id := range rules {
		if !tested[id] {
			t.Errorf("no program holds the rule %s", id)
		}
	}
}

func normal(t *testing.T, s string) string {
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	j, _ := json.Marshal(v)
	return string(j)
}

// TestExamplesRun: whatever is granted, the description's programs run.
func TestExamplesRun(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		g    codemode.Grants
		want int
	}{
		"one table":      {codemode.Grants{"org": w.one}, 2},
		"two tables":     {codemode.Grants{"org": w.two}, 2},
		"five tables":    {codemode.Grants{"org": w.five}, 2},
		"with a service": {codemode.Grants{"org": w.five, "mail": mailbox(t)}, 2},
		"two grants":     {codemode.Grants{"a": mailbox(t), "m": w.five, "z": policy.Only(w.five, "count")}, 2},
		"labels":         {codemode.Grants{"people": w.secret}, 2},
		"a link to self": {codemode.Grants{"people": w.selfLink}, 2},
		"a service":      {codemode.Grants{"mail": policy.Only(mailbox(t), "list", "send")}, 2},
		"one method":     {codemode.Grants{"mail": policy.Only(mailbox(t), "send")}, 2},
		"an opener":      {codemode.Grants{"drive": drive(t)}, 1},
		"only first":     {codemode.Grants{"org": policy.Only(w.five, "first", "where")}, 1},
		"only count":     {codemode.Grants{"org": policy.Only(w.five, "count")}, 1},
		"no where":       {codemode.Grants{"org": policy.Only(w.five, "execute", "select", "limit", "projects")}, 2},
		"no select":      {codemode.Grants{"people": policy.Only(w.secret, "execute", "where")}, 0},
		"odd names":      {codemode.Grants{"odd": odd{}}, 2},
	} {
		_, examples, err := codemode.Prompted(c.g, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		tool := newTool(t, c.g, nil)
		if len(examples) != c.want {
			t.Errorf("%s: %d examples", name, len(examples))
		}
		for _, e := range examples {
			if !strings.Contains(tool.Description(), e) {
				t.Errorf("%s: not in the description: %s", name, e)
			}
			if o := call(t, tool, e); o.Error != nil {
				t.Errorf("%s: %s\n%+v", name, e, *o.Error)
			}
		}
	}
}

// TestDecimalRule: programs are told of Decimal where a column of decimals is granted,
// and nowhere else, and what they are told works.
func TestDecimalRule(t *testing.T) {
	const told = "`a.total + b.total * 2`"
	for column, want := range map[string]bool{"total": true, "share": false} {
		g := codemode.Grants{"things": kinds(t, column)}
		rules, _, err := codemode.Prompted(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := newTool(t, g, nil).Description()
		if strings.Contains(rules["values"], told) != want || strings.Contains(text, told) != want || strings.Contains(text, "Number(") {
			t.Errorf("%s: %s", column, rules["values"])
		}
	}
	tool := newTool(t, codemode.Grants{"things": kinds(t, "total")}, nil)
	for code, want := range map[string]string{
		"const [row] = await things; return [row.total, row.total + 1, row.total > 9, Decimal(row.total).plus('0.1').minus(1).times(3).div(7).round(2), Decimal(row.total).toFixed(2)]": `["12.5","13.5",true,"4.97","12.50"]`,
		"const a = Decimal('-1.50'); return [a.neg(), a.abs(), a.cmp(1), a.eq('-1.5'), a.lt(0), a.gt(0), a === Decimal('-1.5')]":                                                        `["1.5","1.5",-1,true,true,false,true]`,
		"return things.where(t => t.total === Decimal('12.50') && t.total < '13' && t.total > 12 && t.total.between(Decimal(12), 13)).count()":                                          "1",
	} {
		o := call(t, tool, code)
		if j, _ := json.Marshal(o.Result); o.Error != nil || string(j) != normal(t, want) {
			t.Errorf("%s: want %s, got %s %+v", code, want, j, o.Error)
		}
	}
}
