package codemode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// searched is how tools are made whose declarations are always searched.
var searched = &codemode.Options{DeclarationTokens: 1, Evaluator: exoeval.InProcess{}}

// TestManyTables: what a model is shown does not grow with what is granted.
func TestManyTables(t *testing.T) {
	testutil.NotRaced(t)
	many := manyTables(t, 500)
	tool := newTool(t, many, nil)
	s := tool.Size()
	t.Logf("500 tables: %d tokens of declarations, %d of description", s.Declarations, s.Description)
	if !s.Searched || s.Declarations > 1000 || s.Declarations != codemode.Tokens(tool.Declarations()) || s.Description != codemode.Tokens(tool.Description()) {
		t.Errorf("%+v", s)
	}
	page, err := os.ReadFile("../docs/models.md")
	if row := fmt.Sprintf("\n| 500 tables and what they hang on | %d | %d | found by `search` and `describe`, which a program calls |\n", s.Description, s.Declarations); err != nil || !strings.Contains(string(page), row) {
		t.Errorf("docs/models.md does not have the row%s%v", row, err)
	}
	if len(s.Interfaces) != 501 || s.Interfaces[1].Name != "SalesInvoice" || s.Interfaces[1].Tokens < 50 || s.Interfaces[1].Tokens > 120 {
		t.Errorf("%d interfaces: %v", len(s.Interfaces), s.Interfaces[:2])
	}
	for _, want := range []string{"declare function search(", "declare function describe(", "declare const api: { company: CompanyQuery };"} {
		if !strings.Contains(tool.Declarations(), want) {
			t.Errorf("no %q in\n%s", want, tool.Declarations())
		}
	}
	// The same with 500 grants in the place of 500 links.
	each := codemode.Grants{}
	for k := range 500 {
		name := fmt.Sprintf("%s_%s", manyAreas[k/len(manyThings)], manyThings[k%len(manyThings)])
		s, err := service.New(name, "what happens with each "+name, service.Read("list", "all of them", func(context.Context, service.None) ([]string, error) { return nil, nil }))
		if err != nil {
			t.Fatal(err)
		}
		each[name] = s
	}
	if s := newTool(t, each, nil).Size(); !s.Searched || s.Declarations > 1000 {
		t.Errorf("500 grants: %+v", s)
	}
	if d := newTool(t, each, nil).Declarations(); !strings.Contains(d, "[name: string]: object; // 4") || !strings.Contains(d, "search tells their paths") {
		t.Errorf("the other grants are not mentioned:\n%s", d)
	}
	// A negative bound is none, a small tool is declared whole, and size says so.
	if s := newTool(t, many, &codemode.Options{DeclarationTokens: -1}).Size(); s.Searched || s.Declarations < 30_000 {
		t.Errorf("%v %d", s.Searched, s.Declarations)
	}
	w := newWorld(t)
	if s := newTool(t, codemode.Grants{"org": w.five}, nil).Size(); s.Searched || s.Declarations > 3000 || len(s.Interfaces) != 5 {
		t.Errorf("%+v", s)
	}
	if s := (&codemode.Tool{}).Size(); s.Interfaces != nil || s.Description != 0 {
		t.Errorf("%+v", s)
	}
}

// TestSearch: what is asked for comes first.
func TestSearch(t *testing.T) {
	testutil.NotRaced(t)
	w := newWorld(t)
	g := codemode.Grants{"org": w.five, "mail": mailbox(t)}
	maps.Copy(g, manyTables(t, 500))
	for _, tool := range []*codemode.Tool{newTool(t, g, searched), newTool(t, g, nil)} { // in process, and in a worker
		for text, want := range map[string]string{
			"invoices of billing":      "BillingInvoice api.company.billingInvoices()",
			"billing_invoice":          "BillingInvoice api.company.billingInvoices()",
			"billinginvoice":           "BillingInvoice api.company.billingInvoices()",
			"BILLING INVOICES":         "BillingInvoice api.company.billingInvoices()",
			"billing invioces":         "BillingInvoice api.company.billingInvoices()", // a typo
			"clinic visits and routes": "ClinicRoute api.company.clinicRoutes()",
			"hours":                    "Task api.org.members().assignedTasks(),api.org.projects().tasks()",
			"who is it assigned to":    "Member api.org.members()",
			"folder of messages":       "Mailbox api.mail",
			"send":                     "Mailbox api.mail",
			"due":                      "Task api.org.members().assignedTasks(),api.org.projects().tasks()",
			"odd":                      "Task api.org.members().assignedTasks(),api.org.projects().tasks()", // a value of an enum
			"in euros archived":        "Project api.org.projects(),api.org.members().assignedTasks().project()",
		} {
			o := call(t, tool, fmt.Sprintf("const [f] = await search(%q); return f.name + ' ' + f.paths.join()", text))
			if o.Error != nil || o.Result != want {
				t.Errorf("%s: %v %+v, want %s", text, o.Result, o.Error, want)
			}
		}
		for program, want := range map[string]string{
			"return search('hours')": `[{"name":"Task","paths":["api.org.members().assignedTasks()","api.org.projects().tasks()"],"members":["hours: Float"]}]`,
			"return search('the newest messages in a folder').then(f => f[0])": `{"name":"Mailbox","paths":["api.mail"],"about":"the user's mail","members":["list(argument?: { folder?: string }): Promise<{ id: number; subject: string; at: string; tags: string[] }[]> // the newest messages","send(argument: { to: string[] /* addresses */; subject: string; replyTo?: string; at: string | Date | null }): Promise<{ held: boolean; receipt: number }> // sends a message (happens after the program…"]}`,
			"return api.search('zebra')":                                       "[]",
			"return (await search('invoice')).length":                          "10",
		} {
			o := call(t, tool, program)
			if j, _ := json.Marshal(o.Result); o.Error != nil || string(j) != normal(t, want) {
				t.Errorf("%s: %s %+v\nwant %s", program, j, o.Error, want)
			}
		}
	}
}

// TestDescribe: everything that a declaration mentions has its own, and each is
// as it stands where all are declared.
func TestDescribe(t *testing.T) {
	testutil.NotRaced(t)
	w := newWorld(t)
	g := codemode.Grants{"org": w.five, "mail": mailbox(t)}
	tool, whole := newTool(t, g, searched), newTool(t, g, nil).Declarations()
	o := call(t, tool, `
		const seen = new Map(), todo = ['org', 'api.mail'];
		for (const name of todo) {
			if (seen.has(name)) continue;
			const text = await describe(name);
			seen.set(name, text);
			todo.push(...(text.match(/also knows: (.*)/)?.[1].split(', ') ?? []));
		}
		return Object.fromEntries(seen)`)
	if o.Error != nil {
		t.Fatalf("%+v", *o.Error)
	}
	described, all := o.Result.(map[string]any), ""
	for name, text := range described {
		for line := range strings.Lines(text.(string)) {
			if !strings.HasPrefix(line, "// ") && !strings.Contains(whole, strings.TrimSpace(line)) {
				t.Errorf("%s: %q is not in the declarations", name, line)
			}
		}
		all += text.(string) + "\n"
	}
	for line := range strings.Lines(whole) {
		if !strings.Contains(all, strings.TrimSpace(line)) && !strings.Contains(line, "declare const api") {
			t.Errorf("no description has %q", line)
		}
	}
	if !strings.HasPrefix(described["org"].(string), "// api.org\ninterface Org { id: Int;") || !strings.Contains(described["org"].(string), "interface OrgQuery extends Query<{ org: Org }, Org>") {
		t.Errorf("%s", described["org"])
	}
	for _, name := range []string{"Task", "task", "TaskQuery", "Task.hours", "Query<N, R>", "api.org", "org"} {
		if o := call(t, tool, fmt.Sprintf("return describe(%q)", name)); o.Error != nil {
			t.Errorf("%s: %+v", name, *o.Error)
		}
	}
	// A table with hundreds of links is told in part.
	o = call(t, newTool(t, manyTables(t, 500), searched), "return describe('Company')")
	if s, _ := o.Result.(string); len(s) > 9000 || !strings.Contains(s, "more lines: search finds the members by their words") {
		t.Errorf("%d bytes: %+v", len(s), o.Error)
	}
}

// TestFindThenQuery: as a model goes about it, in one program and over several.
func TestFindThenQuery(t *testing.T) {
	tool := newTool(t, manyTables(t, 500), nil)
	o := call(t, tool, `async (api) => {
		const [found] = await search('fleet refunds');
		const declared = await describe(found.name);
		const rows = await api.company.fleetRefunds().where(r => r.amount > 1).select(r => ({ name: r.name }));
		return { path: found.paths[0], knows: declared.includes('amount: Float; // in euros'), rows };
	}`)
	if j, _ := json.Marshal(o.Result); string(j) != normal(t, `{"path":"api.company.fleetRefunds()","knows":true,"rows":[{"name":"first fleet_refund"}]}`) {
		t.Errorf("%s %+v", j, o.Error)
	}
	// Several calls: what one has told is the text of the next.
	o = call(t, tool, "return (await search('claims at the bank'))[0].paths[0]")
	path, _ := o.Result.(string)
	o = call(t, tool, "(api) => "+path+".where({ name: 'second bank_claim' }).first()")
	if j, _ := json.Marshal(o.Result); string(j) != `{"amount":1,"id":3,"name":"second bank_claim"}` {
		t.Errorf("%s: %s %+v", path, j, o.Error)
	}
}

// TestPageOfSearch runs the program of docs/language.md.
func TestPageOfSearch(t *testing.T) {
	page, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(page), "<!-- test: TestPageOfSearch in codemode -->\n```js\n")
	program, _, _ = strings.Cut(program, "```")
	o := call(t, newTool(t, manyTables(t, 500), nil), program)
	if text, _ := o.Result.(string); !found || !strings.Contains(text, "Invoice") {
		t.Errorf("%v: %+v %+v", found, o.Result, o.Error)
	}
}

// TestSearchedExamples: the programs that the description shows run, and what it
// says of search is so.
func TestSearchedExamples(t *testing.T) {
	w := newWorld(t)
	for name, g := range map[string]codemode.Grants{"tables": {"org": w.five}, "a service": {"mail": mailbox(t)}, "labels": {"people": w.secret}, "many": manyTables(t, 60)} {
		tool := newTool(t, g, searched)
		if !strings.Contains(tool.Description(), "Everything you may see or do can be found by the functions declared below") || !strings.Contains(tool.Description(), "An empty list means") {
			t.Errorf("%s: %s", name, tool.Description())
		}
		programs := regexp.MustCompile("(?s)```js\n(.*?)```").FindAllStringSubmatch(tool.Description(), -1)
		if len(programs) == 0 {
			t.Errorf("%s: no examples", name)
		}
		for _, p := range programs {
			if o := call(t, tool, p[1]); o.Error != nil {
				t.Errorf("%s: %s: %+v", name, p[1], *o.Error)
			}
		}
		o := call(t, tool, "return [await search('zebra'), (await search('id name list')).length > 0]")
		if j, _ := json.Marshal(o.Result); string(j) != "[[],true]" {
			t.Errorf("%s: %s %+v", name, j, o.Error)
		}
	}
}

// TestSearchHidden: what was not granted and what does not exist read the same.
func TestSearchHidden(t *testing.T) {
	w := newWorld(t)
	tool := newTool(t, codemode.Grants{"org": w.five}, searched)
	whole := newTool(t, codemode.Grants{"org": w.five}, nil).Declarations()
	for _, hidden := range []string{"email", "boss", "reports", "org_id", "people", "person", "assignee_id", "pii"} { // columns, links and tables of the database
		if strings.Contains(whole, " "+hidden+"(") || strings.Contains(whole, " "+hidden+":") {
			t.Fatalf("%s is granted", hidden)
		}
		for _, name := range []string{hidden, strings.ToUpper(hidden[:1]) + hidden[1:], "Member." + hidden} {
			o := call(t, tool, fmt.Sprintf("return describe(%q)", name))
			if o.Error == nil {
				if text, _ := o.Result.(string); !strings.HasPrefix(name, "Member.") || strings.Contains(text, hidden) {
					t.Errorf("%s: %s", name, text)
				}
				continue
			}
			says, near, _ := strings.Cut(o.Error.Message, "; did you mean describe(")
			if near != "" && !strings.Contains(whole, strings.Trim(near, `"?)`)) || near == "" && !strings.Contains(says, "finds names by words") || o.Error.Kind != "denied" {
				t.Errorf("%s: %+v", name, *o.Error)
			}
		}
		o := call(t, tool, fmt.Sprintf("return search(%q)", hidden))
		if j, _ := json.Marshal(o.Result); strings.Contains(strings.ToLower(string(j)), hidden) {
			t.Errorf("%s: %s", hidden, j)
		}
	}
	// Every word of every answer stands in the declarations.
	for _, text := range []string{"org", "task project", "note body", "a e i o u", "member name", "open done", "budget euros hours"} {
		for _, f := range call(t, tool, fmt.Sprintf("return search(%q)", text)).Result.([]any) {
			f := f.(map[string]any)
			for _, m := range append(f["members"].([]any), f["name"]) {
				line, _, _ := strings.Cut(m.(string), " //")
				if !strings.Contains(whole, line) {
					t.Errorf("%s: %s is not declared", text, m)
				}
			}
		}
	}
}

// TestSearchHostile: there is nothing in search and describe but words.
func TestSearchHostile(t *testing.T) {
	testutil.NotRaced(t)
	w := newWorld(t)
	g := codemode.Grants{"org": w.five}
	for _, inProcess := range []bool{true, false} {
		tool := newTool(t, g, &codemode.Options{DeclarationTokens: 1, Evaluator: evaluator(inProcess), Limits: exo.Limits{Calls: 40}})
		for program, says := range map[string]string{
			"return search('x'.repeat(1000))":                                 "search: the question has 1000 bytes, more than the limit of 200; a few words are enough",
			"return describe('x'.repeat(201))":                                "describe: the question has 201 bytes",
			"return search('')":                                               `search: there are no words to search for; write some, like search("open invoices")`,
			"return search('(.*)+$ [^')":                                      "there are no words to search for",
			"return search({ toString() { return 'task' } })":                 "a function can't be passed on",
			"return search({ task: 1 })":                                      "must be text",
			"return search(['task'])":                                         "must be text",
			"return search()":                                                 "search: needs the words",
			"return search('a', 'b')":                                         "takes at most 1 argument(s)",
			"return search(null)":                                             "must be text",
			"return search`task`":                                             "must be text",
			"return describe('__proto__')":                                    `describe: nothing is named "__proto__" here`,
			"return describe('constructor')":                                  "nothing is named",
			"return describe('toString')":                                     "nothing is named",
			"return describe('search()')":                                     "nothing is named",
			"return describe('')":                                             "nothing is named",
			"return describe('.')":                                            "nothing is named",
			"return describe('\\u0000\\ud800')":                               "",
			"return api.org.where(o => search(o.name))":                       "can't be called inside this callback",
			"return api.org.where(o => o.name === search('a'))":               "can't be called inside this callback",
			"for (;;) await search('task')":                                   "may make at most 40",
			"const all = []; for (;;) all.push(describe('Task'))":             "limit of 40",
			"return search.constructor('return 1')()":                         "",
			"search = 1; return 1":                                            "`search` is a granted object and can't be assigned",
			"return new search('task')":                                       "not a constructor",
			"return await search":                                             "a function can't be passed on as data",
			"return api.org.where(search)":                                    "can't be called inside this callback",
			"return search('a b c d e f g h i j k l m n o p q r s t').length": "",
		} {
			o := call(t, tool, program)
			if says != "" && (o.Error == nil || !strings.Contains(o.Error.Message, says)) {
				t.Errorf("%s: %v %+v, want %s", program, o.Result, o.Error, says)
			}
		}
		for program, want := range map[string]string{
			"const a = await search('task'); a[0].name = 'x'; a.push(1); return (await search('task'))[0].name":                                                  `"Task"`,
			"return Array.isArray(await search(/(t+a+s+k*)+$/.source))":                                                                                          `true`, // the text of it is words like any other
			"const search = (x) => x; return search('mine')":                                                                                                     `"mine"`,
			"search.call = search.x = 1; return [typeof search, (await search.apply(null, ['task']))[0].name, (await [1].map(() => search)[0]('note'))[0].name]": `["function","Task","Note"]`,
			"const [a, b] = await Promise.all([search('task'), describe('Task')]); return [Array.isArray(a), typeof b]":                                          `[true,"string"]`,
			"try { await describe('Tsak') } catch (e) { return e.message }":                                                                                      `"describe: nothing is named \"Tsak\" here; did you mean describe(\"Task\")?"`,
			"return (await search('task task task TASK tasks')).length === (await search('task')).length":                                                        `true`,
		} {
			o := call(t, tool, program)
			if j, _ := json.Marshal(o.Result); o.Error != nil || string(j) != want {
				t.Errorf("%s: %s %+v, want %s", program, j, o.Error, want)
			}
		}
	}
}

// TestSearchIsOnRecord: a search is a call like any other.
func TestSearchIsOnRecord(t *testing.T) {
	var ops []string
	tool := newTool(t, codemode.Grants{"org": newWorld(t).five}, &codemode.Options{DeclarationTokens: 1, Evaluator: exoeval.InProcess{}, Record: exo.RecordFunc(func(e exo.Entry) error {
		ops = append(ops, e.Op)
		return nil
	})})
	call(t, tool, "return search('task')")
	if !slices.Contains(ops, "search") {
		t.Errorf("%v", ops)
	}
}

// TestSearchNames: a grant keeps its name, and what finds it gets another.
func TestSearchNames(t *testing.T) {
	w := newWorld(t)
	tool := newTool(t, codemode.Grants{"search": w.one, "describe": mailbox(t)}, searched)
	if d := tool.Declarations(); !strings.Contains(d, "declare function search2(") || !strings.Contains(d, "declare function describe2(") {
		t.Error(d)
	}
	o := call(t, tool, "return [await search.count(), (await search2('messages'))[0].paths[0], (await describe2('Mailbox')).length > 100, (await describe.list()).length]")
	if j, _ := json.Marshal(o.Result); o.Error != nil || string(j) != `[1,"api.describe",true,1]` {
		t.Errorf("%s %+v", j, o.Error)
	}
	if o := call(t, tool, "return describe2('Mailbx')"); o.Error == nil || !strings.Contains(o.Error.Message, `did you mean describe2("Mailbox")?`) {
		t.Errorf("%+v", o.Error)
	}
}

// TestSearchAgain: the same words have the same answer, in every tool of the same grants.
func TestSearchAgain(t *testing.T) {
	g := manyTables(t, 200)
	first := ""
	for range 5 {
		tool := newTool(t, g, searched)
		for range 3 {
			o := call(t, tool, "return [await search('amount of name'), await search('invoice order billing note'), await search('company'), await search('xqz'), await describe('Company')]")
			j, err := json.Marshal(o.Result)
			if err != nil || o.Error != nil {
				t.Fatal(err, o.Error)
			}
			if first == "" {
				first = string(j)
			}
			if string(j) != first {
				t.Fatalf("%s\nand before\n%s", j, first)
			}
		}
	}
}

// TestSearchBounded: whatever is asked, an answer is short.
func TestSearchBounded(t *testing.T) {
	testutil.NotRaced(t)
	tool := newTool(t, manyTables(t, 500), searched)
	o := call(t, tool, `
		const sizes = [];
		for (const words of ['a', 'name', 'amount name id company', 'bil inv ord pay cus con tic vis', 'text int', 'e'.repeat(200), 'a '.repeat(100)]) {
			const found = await search(words);
			sizes.push([found.length <= 10, found.every((f) => f.members.length <= 6 && f.paths.length <= 3), JSON.stringify(found).length < 12000]);
		}
		return sizes.flat().every((x) => x)`)
	if o.Error != nil || o.Result != true {
		t.Errorf("%v %+v", o.Result, o.Error)
	}
	o = call(t, tool, `
		const nonsense = 'qq1 qq2 qq3 qq4 qq5 qq6 qq7 qq8';
		return [(await search(nonsense + ' invoice')).length, (await search('invoice ' + nonsense)).length]`)
	if j, _ := json.Marshal(o.Result); string(j) != "[0,10]" {
		t.Errorf("%s %+v", j, o.Error)
	}
	var letters []service.Operation
	for k := range 9 {
		letters = append(letters, service.Method(fmt.Sprintf("letter%d", k), "sends a letter", func(context.Context, service.None) (service.None, error) { return service.None{}, nil }))
	}
	office, err := service.New("office", "letters", letters...)
	if err != nil {
		t.Fatal(err)
	}
	if o := call(t, newTool(t, codemode.Grants{"office": office}, searched), "return (await search('letter'))[0].members.length"); o.Result != 6.0 {
		t.Errorf("%v %+v", o.Result, o.Error)
	}
	if n := codemode.Hits(manyTables(t, 1000), "com"); n != 2000 { // of 3,000 places
		t.Errorf("%d places were looked at", n)
	}
	// What is told counts as read.
	small := newTool(t, codemode.Grants{"org": newWorld(t).five}, &codemode.Options{DeclarationTokens: 1, Evaluator: exoeval.InProcess{}, Limits: exo.Limits{Bytes: 3000}})
	if o := call(t, small, "for (let i = 0; i < 30; i++) await describe('Task'); return 1"); o.Error == nil || o.Error.Kind != "limit" {
		t.Errorf("%v %+v", o.Result, o.Error)
	}
}
