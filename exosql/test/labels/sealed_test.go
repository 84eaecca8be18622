package labels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type human struct {
	ID, Boss int64
	Name     string
	Email    *string
	Pay      int64
}

// sealedWorld are people whose email is "pii" and whose pay is "pay". mail.send admits pii, chat.send nothing,
// and what they sent is in sent.
type sealedWorld struct {
	grants map[string]exo.Object
	sent   []string
}

func newSealedWorld(t *testing.T, e tu.Engine, rows string) *sealedWorld {
	t.Helper()
	db := e.Open(t, "CREATE TABLE people (id {int} PRIMARY KEY, boss {int} NOT NULL, name TEXT NOT NULL, email TEXT, pay {int});\n\t\tINSERT INTO people VALUES "+rows)
	people := exosql.NewTable[human]("people")
	id := exosql.NewKey(people, "id", func(p *human) *int64 { return &p.ID })
	boss := exosql.NewColumn(people, "boss", func(p *human) *int64 { return &p.Boss })
	name := exosql.NewColumn(people, "name", func(p *human) *string { return &p.Name })
	email := exosql.NewNullable(people, "email", func(p *human) **string { return &p.Email }).WithLabel("pii").MaxBytes(40)
	pay := exosql.NewColumn(people, "pay", func(p *human) *int64 { return &p.Pay }).WithLabel("pay")
	f := exosql.NewFacet(people, "person", id, name, email, pay, exosql.Via(exosql.One("manager", boss, id), exosql.NewFacet(people, "boss", id, name, email)))
	w := &sealedWorld{}
	type letter struct {
		To   string `json:"to"`
		Text string `json:"text"`
		N    int64  `json:"n,omitempty"`
	}
	send := func(name string, admits ...string) exo.Object {
		s, err := service.New(name, "sends texts", service.Method("send", "sends a text", func(_ context.Context, l letter) (service.None, error) {
			w.sent = append(w.sent, name+" to "+l.To+": "+l.Text)
			return service.None{}, nil
		}).Admits(value.NewLabel(admits...)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	w.grants = map[string]exo.Object{"people": f.Of(exosql.Grant(db, people, exosql.AllRows[human]())), "mail": send("mail", "pii"), "chat": send("chat"), "reveal": exo.Reveal()}
	return w
}

// run is what a program gives: its result, the labels of the run, and what was sent.
func (w *sealedWorld) run(t *testing.T, how exoeval.Evaluator, limits exo.Limits, admits value.Label, program string) (out string, kind fail.Kind) {
	t.Helper()
	w.sent = nil
	g, err := exo.NewGate(exo.Config{Grants: w.grants, Admits: admits, Limits: limits, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	bound, err := how.Bind(g, exoeval.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	r := bound.Run(t.Context(), exoeval.Job{Program: program})
	if r.Err != nil {
		return fail.GuestText(r.Err) + r.Console, fail.KindOf(r.Err)
	}
	b, err := r.Value.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append([]string{string(b) + " " + r.Label.String() + r.Console}, w.sent...), " | "), 0
}

const twoPeople = "(1, 2, 'ann', 'ann@a.example', 70), (2, 1, 'bob', NULL, 80)"

// TestSealed: what a program may do with labelled columns that it is only shown, in both evaluators on both engines.
func TestSealed(t *testing.T) {
	tu.NotRaced(t)
	pii := value.NewLabel("pii")
	for _, c := range []struct {
		name, program string
		admits        value.Label
		want          string
	}{
		{"whole rows", "people.orderBy(p => p.id)", value.Label{},
			`[{"id":1,"name":"ann","email":"[sealed pii]","pay":"[sealed pay]"},{"id":2,"name":"bob","email":"[sealed pii]","pay":"[sealed pay]"}] {}`},
		{"what the result admits is opened", "people.orderBy(p => p.id)", pii,
			`[{"id":1,"name":"ann","email":"ann@a.example","pay":"[sealed pay]"},{"id":2,"name":"bob","email":null,"pay":"[sealed pay]"}] {pii}`},
		{"the first", "people.orderBy(p => p.id).first()", value.Label{}, `{"id":1,"name":"ann","email":"[sealed pii]","pay":"[sealed pay]"} {}`},
		{"selected", "people.where(p => p.id === 2).select(p => ({ e: p.email, deep: { p: p.pay, n: p.name } }))", value.Label{}, `[{"e":"[sealed pii]","deep":{"p":"[sealed pay]","n":"bob"}}] {}`},
		{"values alone", "people.select(p => p.email)", value.Label{}, `["[sealed pii]","[sealed pii]"] {}`},
		{"of a link", "people.orderBy(p => p.id).select(p => ({ n: p.name, m: p.manager().email }))", pii, `[{"n":"ann","m":null},{"n":"bob","m":"ann@a.example"}] {pii}`},
		{"joined", "people.orderBy(p => p.id).join(({ person }) => person.manager()).select(({ person, boss }) => ({ n: person.name, m: boss.email }))", value.Label{}, `[{"n":"ann","m":"[sealed pii]"},{"n":"bob","m":"[sealed pii]"}] {}`},
		{"by way of a limit", "people.orderBy(p => p.id).limit(1).where(p => p.id > 0).select(p => ({ e: p.email }))", pii, `[{"e":"ann@a.example"}] {pii}`},
		{"pages", "const p = await people.select(p => ({ id: p.id, e: p.email })).page(1); const q = await people.select(p => ({ id: p.id, e: p.email })).page(1, p.next); return [p.rows, q.rows]", pii, `[[{"id":1,"e":"ann@a.example"}],[{"id":2,"e":null}]] {pii}`},
		{"counted", "people.count()", value.Label{}, `2 {}`},
		{"another key", "people.groupBy(p => p.name).orderBy(g => g.name).select(g => ({ n: g.name, c: g.count() }))", value.Label{}, `[{"n":"ann","c":1},{"n":"bob","c":1}] {}`},
		{"kept in objects, arrays and Maps", "const [a] = await people.orderBy(p => p.id); const m = new Map([['e', a.email]]); return [{ x: [m.get('e')] }, { ...a }.email, [a].map(p => p.email)]", pii, `[{"x":["ann@a.example"]},"ann@a.example",["ann@a.example"]] {pii}`},
		{"as text", "const a = await people.orderBy(p => p.id).first(); console.log(a.email, a); return JSON.stringify({ a, e: a.email }) + JSON.stringify(a.pay)", pii,
			`"{\"a\":{\"id\":1,\"name\":\"ann\",\"email\":\"[sealed pii]\",\"pay\":\"[sealed pay]\"},\"e\":\"[sealed pii]\"}\"[sealed pay]\"" {}[sealed pii] {"id":1,"name":"ann","email":"[sealed pii]","pay":"[sealed pay]"}` + "\n"},
		{"sent where it is admitted", "const a = await people.where(p => p.id === 1).first(); await mail.send({ to: 'ann', text: a.email }); return 'done'", value.Label{}, `"done" {} | mail to ann: ann@a.example`},
		{"not sent where it is not", "const a = await people.where(p => p.id === 1).first(); return chat.send({ to: 'ann', text: a.email }).catch(e => e.message)", value.Label{}, `"chat.send: a sealed value in this call may not leave this way: it is labelled pii" {}`},
		{"nor what has another label", "const a = await people.where(p => p.id === 1).first(); return mail.send({ to: 'ann', text: a.email, n: a.pay }).catch(e => e.message)", value.Label{}, `"mail.send: a sealed value in this call may not leave this way: it is labelled pay" {}`},
		{"sent, and then something public", "const a = await people.where(p => p.id === 1).first(); await mail.send({ to: 'ann', text: a.email }); await chat.send({ to: 'all', text: a.name }); return 1", value.Label{}, `1 {} | mail to ann: ann@a.example | chat to all: ann`},
		{"NULL is no text", "const a = await people.where(p => p.id === 2).first(); await mail.send({ to: 'bob', text: a.email }); return 1", value.Label{}, `1 {}`},
		{"revealed", "const a = await people.where(p => p.id === 1).first(); return (await reveal(a.email)).split('@')[1]", pii, `"a.example" {pii}`},
		{"revealed within a list", "const all = await people.orderBy(p => p.id).select(p => ({ n: p.name, e: p.email })); return (await reveal(all)).filter(p => p.e === null).map(p => p.n)", pii, `["bob"] {pii}`},
		{"what comes after is plain", "const a = await people.where(p => p.id === 1).first(); await reveal(a.email); return (await people.where(p => p.id === 1).first()).email.length", pii, `13 {pii}`},
		{"compared in the database", "const a = await people.where(p => p.id === 1).first(); return people.where(p => p.email === a.email).select(p => p.name)", pii, `["ann"] {pii}`},
		{"of a list, in a filter", "const all = await people.select(p => p.email); return people.where({ email: all[0] }).count()", pii, `1 {pii}`},
		{"awaited", "const a = await people.where(p => p.id === 1).first(); const e = await a.email; return [e, await Promise.resolve(e)]", pii, `["ann@a.example","ann@a.example"] {pii}`},
		{"a revealed value goes where it is admitted", "const a = await people.where(p => p.id === 1).first(); const e = await reveal(a.email); await mail.send({ to: e, text: e }); return 1", pii, `1 {pii} | mail to ann@a.example: ann@a.example`},
	} {
		each(t, twoPeople, func(t *testing.T, w *sealedWorld, how exoeval.Evaluator) {
			if got, _ := w.run(t, how, exo.Limits{}, c.admits, c.program); got != c.want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", c.name, c.program, got, c.want)
			}
		})
	}
}

// each calls f with a world on each engine.
func each(t *testing.T, rows string, f func(t *testing.T, w *sealedWorld, how exoeval.Evaluator)) {
	t.Helper()
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newSealedWorld(t, e, rows)
		for _, how := range evaluators(t, e) {
			f(t, w, how)
		}
	})
}

// evaluators are those that a test of sealed values runs programs with on an engine. A worker is a process for each program, and
// between it and the database is the gate: with PostgreSQL behind it a normal run tries one test in four.
func evaluators(t *testing.T, e tu.Engine) []exoeval.Evaluator {
	t.Helper()
	if e.Name == tu.Postgres.Name && !tu.OneIn(t, 4).Next() {
		return []exoeval.Evaluator{exoeval.InProcess{}}
	}
	return []exoeval.Evaluator{exoeval.InProcess{}, worker.Shared()}
}

// TestSealedIsShut: whoever looks at a sealed value gets an error that says what it is and what to write, and nothing of it.
func TestSealedIsShut(t *testing.T) {
	tu.NotRaced(t)
	each(t, twoPeople, func(t *testing.T, w *sealedWorld, how exoeval.Evaluator) {
		for _, use := range []string{
			"if (e) n++", "e ? 1 : 2", "e && 1", "e || 1", "e ?? 1", "!e", "e === 'x'", "'x' === e", "e == null", "null == e", "e !== f", "e === f", "e != 'x'", "e < 'x'", "'x' < e", "e >= f",
			"e + 'x'", "'x' + e", "e + f", "-e", "+e", "~e", "e * 2", "e ** 2", "`${e}`", "e.length", "e.toUpperCase()", "e.split('@')", "e['x']", "e[0]", "e.x = 1", "delete e.x && e.x", "'x' in e", "e instanceof String",
			"String(e)", "Number(e)", "Boolean(e)", "parseInt(e)", "isNaN(e)", "BigInt(e)", "Array.from(e)", "[...e]", "Object.keys(e).length + e", "Object.is(e, 'x')", "new Date(e)", "new Set([e])", "new Map([[e, 1]])", "({ [e]: 1 })", "o[e]", "a[e]", "a.includes(e)", "a.indexOf(e)",
			"[e, f].sort()", "['x', e].join()", "[e].includes('x')", "Math.max(e, 1)", "'x'.concat(e)", "'ann'.startsWith(e)", "/a/.test(e)", "'ann'.replace('a', e)", "switch (e) { case 'x': n++ }", "while (e) { n++ }", "for (const c of e) n++", "a.filter(x => e)", "a.find(() => e)", "a.some(() => e)", "[e].filter(Boolean)",
			"throw e", "new Error(e)", "encodeURIComponent(e)", "structuredClone(e) + 1", "e()", "new e()", "class X extends e {}", "Object.assign({}, e) + e", "Reflect.ownKeys(e)", "isFinite(e)", "Symbol(e)", "a.at(e)", "'x'.repeat(p)", "new Array(p).length", "a.slice(p)", "setTimeout(() => {}, p)", "new Intl.NumberFormat().format(p)", "JSON.parse(e)", "localeCompare = 'x'.localeCompare(e)",
			"await people.limit(p)", "await people.as(e)", "await people.where(x => e)", "await people.where(x => e === 'x')", "await people.where(x => e && x.id === 1)", "await people.orderBy(e)", "e.then(x => x)", "Promise.all(e)",
		} {
			program := "const [x, y] = await people.orderBy(p => p.id); const e = x.email, f = y.email, p = x.pay, a = ['x', 'y'], o = {}; let n = 0; " + use + "; return 'went on'"
			got, kind := w.run(t, how, exo.Limits{}, value.Label{}, program)
			if kind == 0 && quiet[use] == "" || strings.Contains(got, "ann@") || kind != 0 && kind != fail.Denied && kind != fail.Invalid && kind != fail.Program && kind != fail.Syntax {
				t.Errorf("%s: %s (%v)", use, got, kind)
			}
		}
		got, kind := w.run(t, how, exo.Limits{}, value.Label{}, "const a = await people.first(); return a.email.length")
		if want := "[sealed pii] is sealed (pii): programs can't look at it, compare it or calculate with it; return it or pass it on unchanged; or open it with `await reveal(x)`, and then this program's results and effects carry its labels"; kind != fail.Denied || !strings.Contains(got, want) {
			t.Errorf("%v: %s", kind, got)
		}
	})
}

// quiet are the uses that tell nothing and are no error, and why.
var quiet = map[string]string{
	"delete e.x && e.x": "nothing can be deleted",
	"[e].includes('x')": "what is looked for is compared with it, and it equals nothing",
}

// TestSealedTellsNothing: runs that differ in labelled cells alone, within a limit of bytes read that the longer of them
// would exceed, and with what contradicts the declaration.
func TestSealedTellsNothing(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		long, broken := "'"+strings.Repeat("x", 5000)+"'", e.Pick("x'00ff'", "'b'")
		both := evaluators(t, e)
		var worlds []*sealedWorld
		for _, cells := range []string{"'ann@a.example', 70", "NULL, 70", "'', 1", long + ", 123456789012", broken + ", 70", "'b', NULL"} { // pay is declared NOT NULL
			worlds = append(worlds, newSealedWorld(t, e, "(1, 2, 'ann', "+cells+"), (2, 1, 'bob', 'b', 80)"))
		}
		for _, program := range []string{
			"for (let i = 0; i < 60; i++) { console.log(i); await people }", "for (let i = 0; i < 60; i++) { console.log(i); await people.select(p => ({ a: p.email, b: { c: p.email } })) }", "for (let i = 0; i < 60; i++) { console.log(i); await people.limit(2).where(p => p.id > 0).select(p => p.email) }",
			"people", "people.first()", "const a = await people; return [a, a.length, JSON.stringify(a).length]", "people.select(p => ({ a: p.email, b: p.email }))", "const p = await people.page(1); return [p.rows, p.next.length]",
			"const a = await people.orderBy(p => p.id).first(); try { a.email.x } catch (e) { return e.message }",
			"const a = await people.orderBy(p => p.id).first(); console.log(a.email); await chat.send({ to: 'x', text: a.email }).catch(e => console.log(e.message)); return 1",
			"const a = await people.orderBy(p => p.id).first(); const r = await mail.send({ to: 'x', text: a.email }); return r",
			"const a = await people.orderBy(p => p.id).first(); return people.where(p => p.email === a.email).count()", "people.where(p => p.email === 'b').count().then(n => { throw new Error('n' + n) })",
			"people.where(p => p.id / (p.pay - 70) > 1).count()", "reveal((await people)[0])",
		} {
			for _, how := range both {
				var first string
				for i, w := range worlds {
					got, _ := w.run(t, how, exo.Limits{Bytes: 4000}, value.Label{}, program)
					got, _, _ = strings.Cut(got, " | mail") // the mail itself differs, to whom it may
					if i == 0 {
						first = got
					} else if got != first {
						t.Errorf("%s, world %d:\n%s\n%s", program, i, got, first)
					}
				}
			}
		}
		// What leaves is what is there, up to the size that the column declares.
		for i, want := range []string{"mail to x: ann@a.example", "", "mail to x: ", "mail to x: [too large]"} {
			worlds[i].run(t, exoeval.InProcess{}, exo.Limits{}, value.Label{}, "const a = await people.orderBy(p => p.id).first(); await mail.send({ to: 'x', text: a.email })")
			if got := strings.Join(worlds[i].sent, ""); got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		}
	})
}

// TestSealedOrder: rows that are asked for in no order come in none that an index over a labelled column has.
func TestSealedOrder(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var first string
		for _, pay := range [][2]string{{"70", "80"}, {"80", "70"}} {
			w := newSealedWorld(t, e, "(1, 2, 'ann', 'a', "+pay[0]+"), (2, 1, 'bob', 'b', "+pay[1]+"); CREATE INDEX by_pay ON people (pay, name)")
			for _, program := range []string{"people.select(p => p.name)", "people.select(p => ({ n: p.name, p: p.pay }))", "people.orderBy(p => p.name.length).select(p => p.name)", "people.manager().select(p => p.name)", "people", "people.join(({ person }) => person.manager()).select(({ boss }) => boss.name)"} {
				got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.Label{}, program)
				first += got + "\n"
			}
			if half := len(first) / 2; pay[0] == "80" && first[:half] != first[half:] {
				t.Errorf("%s", first)
			}
		}
	})
}

// TestSealedByPolicy: a policy that looks at arguments could tell a program by what it refuses, so before it does the run
// carries the label. A budget looks at none.
func TestSealedByPolicy(t *testing.T) {
	each(t, twoPeople, func(t *testing.T, w *sealedWorld, how exoeval.Evaluator) {
		plain := w.grants["mail"]
		defer func() { w.grants["mail"] = plain }()
		w.grants["mail"] = exo.Wrap(plain, exo.Policy{Before: func(*exo.Message) bool { return true }})
		program := "const a = await people.where(p => p.id === 1).first(); await mail.send({ to: 'ann', text: a.email }); return 1"
		if got, kind := w.run(t, how, exo.Limits{}, value.Label{}, program); kind != fail.Denied || len(w.sent) > 0 {
			t.Errorf("%s, sent %v", got, w.sent)
		}
		if got, _ := w.run(t, how, exo.Limits{}, value.NewLabel("pii"), program); got != "1 {pii} | mail to ann: ann@a.example" {
			t.Error(got)
		}
		for what, o := range map[string]exo.Object{"a run": policy.RunBudget(plain, policy.Allowance{Messages: 5, Effects: 5}), "all runs": policy.LifeBudget(plain, policy.Allowance{Messages: 5, Effects: 5})} {
			w.grants["mail"] = o
			if got, _ := w.run(t, how, exo.Limits{}, value.Label{}, program); got != "1 {} | mail to ann: ann@a.example" {
				t.Errorf("a budget of %s: %s", what, got)
			}
		}
	})
}

// TestSealedWrites: a program may write a labelled column as any other: what is there it is not told, unless a rule of the database tells, whose
// write is refused until the host allows it. What a run has read of the label, sealed values included, it may write to such columns alone.
func TestSealedWrites(t *testing.T) {
	const insert = "people.insert({ id: 9, boss: 1, name: 'x', pay: 1, email: 'free@a.example' })"
	const copies = "const e = await people.where({ id: 1 }).first(); return people.where({ id: 2 }).update({ "
	refused, untold, withheld := "has to change or permit something first", "may not leave this way", "the program read values"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			what, rule, program string
			allow               string
			admits              bool // the result may carry the label
			want                string
		}{
			{"update", "", "people.where({ id: 2 }).update({ email: 'x' })", "", false, "1 {} x"},
			{"insert", "", insert, "", false, "{} bob@b.example"},
			{"insert, and look at it", "", "(" + insert + ").then(r => r.email)", "", false, "[sealed pii]"},
			{"without it", "", "people.where({ id: 2 }).update({ name: 'bert' })", "", false, "1 {} bob@b.example"},
			{"unique", " UNIQUE", "people.where({ id: 2 }).update({ email: 'x' })", "", false, refused},
			{"unique, inserted", " UNIQUE", insert, "", false, refused},
			{"unique, allowed", " UNIQUE", "people.where({ id: 2 }).update({ email: 'x' })", "reveals unique(email)", false, "1 {} x"},
			{"a check of it alone", " CHECK (email <> '')", "people.where({ id: 2 }).update({ email: 'x' })", "", false, "1 {} x"},
			{"a check of both", ", CHECK (email <> name)", "people.where({ id: 2 }).update({ name: 'x' })", "", false, refused},
			{"a sealed value to it", "", copies + "email: e.email })", "", false, withheld},
			{"a sealed value to it, and it may be told", "", copies + "email: e.email })", "", true, "1 {pii} ann@a.example"},
			{"a sealed value to another", "", copies + "name: e.email })", "", true, untold},
			{"a sealed value to both", "", copies + "email: e.email, name: 'x' })", "", true, untold},
			{"by what it holds", "", "people.where(p => p.email === 'bob@b.example').update({ email: 'x' })", "", true, "1 {pii} x"},
			{"another by what it holds", "", "people.where(p => p.email === 'bob@b.example').update({ name: 'x' })", "", true, untold},
			{"a row by what one holds", "", "await people.where(p => p.email === 'x').count(); return " + insert, "", true, untold},
			{"gone by what it holds", "", "people.where(p => p.email === 'x').delete()", "", true, untold},
		} {
			if strings.HasPrefix(c.program, "await") || strings.HasPrefix(c.program, "const") {
				c.program = "return (async () => { " + c.program + " })()"
			}
			mail, check := "email TEXT"+c.rule, ""
			if strings.HasPrefix(c.rule, ",") {
				mail, check = "email TEXT", c.rule
			}
			file := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, boss {int} NOT NULL, name TEXT NOT NULL, "+mail+", pay {int} NOT NULL"+check+")", "INSERT INTO people VALUES (1, 2, 'ann', 'ann@a.example', 70), (2, 1, 'bob', 'bob@b.example', 80)")})
			people := exosql.NewTable[human]("people")
			id := exosql.NewKey(people, "id", func(p *human) *int64 { return &p.ID })
			boss := exosql.NewColumn(people, "boss", func(p *human) *int64 { return &p.Boss })
			name := exosql.NewColumn(people, "name", func(p *human) *string { return &p.Name })
			email := exosql.NewNullable(people, "email", func(p *human) **string { return &p.Email }).WithLabel("pii")
			pay := exosql.NewColumn(people, "pay", func(p *human) *int64 { return &p.Pay })
			rows := exosql.Grant(file, people, exosql.AllRows[human]())
			f := exosql.NewFacet(people, "person", id, boss, name, email, pay).AllowInsert(id, boss, name, email, pay).AllowUpdate(name, email).AllowDelete().Permit(exosql.AllowUnique("id"))
			if c.allow != "" {
				f.Permit(exosql.AllowRevealing("unique(email)"))
			}
			w := &sealedWorld{grants: map[string]exo.Object{"people": f.Of(rows)}}
			var admits value.Label
			if c.admits {
				admits = value.NewLabel("pii")
			}
			got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, admits, strings.Replace("return "+c.program, "return return", "return", 1))
			all, err := rows.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			after := ""
			for _, p := range all {
				if p.ID == 2 && p.Email != nil {
					after = " " + *p.Email
				}
			}
			if !strings.Contains(got+after, c.want) || strings.Contains(c.want, "may not") && after != " bob@b.example" {
				t.Errorf("%s: %s%s, want %s", c.what, got, after, c.want)
			}
		}
	})
}

// TestHostReadsWhole: what Go code reads of a labelled column is what is there, however large it is declared for programs; so is what a
// program is shown within a row, whose run has the label.
func TestHostReadsWhole(t *testing.T) {
	long := strings.Repeat("x", 5000)
	type letter struct {
		ID, To int64
		Text   string
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(`CREATE TABLE letters (id {int} PRIMARY KEY, "to" {int} NOT NULL, text TEXT NOT NULL)`, "INSERT INTO letters VALUES (1, 1, '"+long+"')")})
		letters := exosql.NewTable[letter]("letters")
		id := exosql.NewKey(letters, "id", func(l *letter) *int64 { return &l.ID })
		to := exosql.NewColumn(letters, "to", func(l *letter) *int64 { return &l.To })
		text := exosql.NewColumn(letters, "text", func(l *letter) *string { return &l.Text }).WithLabel("pii").MaxBytes(100)
		rows, err := exosql.Grant(db, letters, exosql.AllRows[letter]()).All(t.Context())
		if err != nil || len(rows) != 1 || rows[0].Text != long {
			t.Errorf("%v %d rows, %.40q", err, len(rows), rows[0].Text)
		}
		f := exosql.NewFacet(letters, "letter", id, text)
		f.Add(exosql.Via(exosql.Many("answers", id, to), exosql.NewFacet(letters, "answer", id, text)))
		w := &sealedWorld{grants: map[string]exo.Object{"letters": f.Of(exosql.Grant(db, letters, exosql.AllRows[letter]()))}}
		for program, want := range map[string]string{
			"letters.select(l => ({ a: l.answers().select(a => a.text) }))": `[{"a":["` + long + `"]}] {pii}`,
			"letters.select(l => l.text)":                                   `["[too large]"] {pii}`,
		} {
			if got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.NewLabel("pii"), program); got != want {
				t.Errorf("%s: %.100s", program, got)
			}
		}
	})
}

// TestManyCopies: a value that is shown many times in a row makes no row too large by its length. More than 64 are refused, whatever they hold.
func TestManyCopies(t *testing.T) {
	copies := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: p.email, ", i)
		}
		return "(await people.select(p => ({ " + b.String() + " }))).length"
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, size := range []int{1, 600_000} {
			w := newSealedWorld(t, e, "(1, 2, 'ann', '"+strings.Repeat("x", size)+"', 70)")
			if got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.Label{}, "return "+copies(64)); got != "1 {}" {
				t.Errorf("%d bytes: %.200s", size, got)
			}
			if got, kind := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.Label{}, "return "+copies(65)); kind != fail.Limit || !strings.Contains(got, "a row shows 65 labelled values; 64 is the limit") {
				t.Errorf("%d bytes: %.200s", size, got)
			}
		}
	})
}
