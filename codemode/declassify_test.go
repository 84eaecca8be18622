package codemode_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/declassify"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	recordfile "github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type addressee struct {
	ID          int64
	Email, Note string
}

// tellingGrants are people whose address is labelled pii and whose note outsiders wrote, a mailer that takes addresses, and an oracle that tells a
// little of them. unguarded has its tags taken off: a Read as any other.
func tellingGrants(t *testing.T, unguarded bool) codemode.Grants {
	t.Helper()
	people := exosql.NewTable[addressee]("people")
	id := exosql.NewKey(people, "id", func(p *addressee) *int64 { return &p.ID })
	email := exosql.NewColumn(people, "email", func(p *addressee) *string { return &p.Email }).WithLabel("pii")
	note := exosql.NewColumn(people, "note", func(p *addressee) *string { return &p.Note }).WithLabel(value.Untrusted)
	db := tu.SQLite.Open(t, "CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT NOT NULL, note TEXT NOT NULL);\n\t\tINSERT INTO people VALUES (1, 'ann@a.example', 'x'), (2, 'bob@b.example', 'y')")
	pii := value.NewLabel("pii")
	type start struct {
		Email string `json:"email"`
		With  string `json:"with"`
	}
	oracle, err := service.New("oracle", "", service.Declassify("starts", "whether an address begins so", func(_ context.Context, in start) (bool, error) {
		return strings.HasPrefix(in.Email, in.With), nil
	}, pii), service.Declassify("ends", "how many addresses end so", func(_ context.Context, in struct {
		Emails []string `json:"emails"`
		With   string   `json:"with"`
	}) (n int64, err error) {
		for _, e := range in.Emails {
			if strings.HasSuffix(e, in.With) {
				n++
			}
		}
		return n, nil
	}, pii).Between(0, 1000))
	if err != nil {
		t.Fatal(err)
	}
	mail, err := service.New("mail", "", service.Method("send", "", func(context.Context, struct {
		Text string `json:"text"`
	}) (service.None, error) {
		return service.None{}, nil
	}).Admits(pii))
	if err != nil {
		t.Fatal(err)
	}
	g := codemode.Grants{"oracle": oracle, "mail": mail, "people": exosql.NewFacet(people, "person", id, email, note).Of(exosql.Grant(db, people, exosql.AllRows[addressee]()))}
	if unguarded {
		g["oracle"] = exo.Wrap(oracle, exo.Policy{Narrow: func(d *message.Description) error {
			for _, m := range d.Interfaces[0].Methods {
				m.Declassifies = value.Label{}
			}
			return nil
		}})
	}
	return g
}

// guess finds an address letter by letter, with one question for each letter that it tries, and logs what it has.
const guess = `const p = await people.select(p => ({ email: p.email })).where(p => p.id === 1).first();
let have = "";
for (let more = true; more;) {
  more = false;
  for (const c of "abcdefghijklmnopqrstuvwxyz@.")
    if (await oracle.starts({ email: p.email, with: have + c })) { have += c; console.log(have); more = true; break }
}
return have`

// evaluators are where programs run.
var evaluators = map[string]exoeval.Evaluator{"in process": exoeval.InProcess{}, "in a worker": worker.Shared()}

// TestDeclassify: a program asks about sealed values and reads none of them; what it can find out is bounded by the budget alone. With enough bits it finds all.
func TestDeclassify(t *testing.T) {
	for where, evaluator := range evaluators {
		tool := func(bits exo.BitBudget, p exo.Principal, unguarded bool) *codemode.Tool {
			t.Helper()
			tool, err := codemode.New(tellingGrants(t, unguarded), &codemode.Options{Record: exo.Unrecorded, Bits: bits, Principal: p, Evaluator: evaluator, Limits: exo.Limits{Calls: 2000}})
			if err != nil {
				t.Fatal(err)
			}
			return tool
		}
		if r := tool(declassify.New(10_000), "ann", false).Run(t.Context(), guess); string(r.JSON) != `"ann@a.example"` || !r.Label.Empty() {
			t.Errorf("%s, the twin with bits without end: %s %v %v", where, r.JSON, r.Err, r.Label)
		}
		r := tool(declassify.New(9), "ann", false).Run(t.Context(), guess)
		if fail.KindOf(r.Err) != fail.Limit || r.Console != "a\n" || !strings.Contains(r.Err.Error(), "oracle.starts: limit: this call takes 2 bits of what a user may learn about sealed values in one day, and 1 of 9 bits are left until midnight UTC") {
			t.Errorf("%s: %q %v", where, r.Console, r.Err)
		}
		if r := tool(declassify.New(10_000), "ann", true).Run(t.Context(), guess); r.Err == nil || !r.Label.Equal(value.NewLabel("pii")) {
			t.Errorf("%s, without tags: %s %v", where, r.JSON, r.Label)
		}
		// A program that sends all its questions at once gets no more answers, and two tools and two programs have one budget.
		const storm = `const p = await people.select(p => ({ email: p.email })).first();
			await Promise.all(Array.from({ length: 40 }, () => oracle.starts({ email: p.email, with: "a" }).then(x => console.log(x))))`
		budget := declassify.New(9)
		for n, want := range []string{"true\ntrue\ntrue\ntrue\n", "", "true\ntrue\ntrue\ntrue\n"} {
			if r := tool(budget, exo.Principal([]string{"ann", "ann", "bob"}[n]), false).Run(t.Context(), storm); fail.KindOf(r.Err) != fail.Limit || r.Console != want {
				t.Errorf("%s, a storm, %d: %q %v", where, n, r.Console, r.Err)
			}
		}
		// A list of a thousand is one answer.
		r = tool(declassify.New(10), "ann", false).Run(t.Context(), `const l = await people.select(p => ({ email: p.email }));
			return await oracle.ends({ emails: Array.from({ length: 1000 }, (_, i) => l[i % 2].email), with: "a.example" })`)
		if string(r.JSON) != "500" {
			t.Errorf("%s, a list: %s %v", where, r.JSON, r.Err)
		}
	}
}

// TestLaundering: programs that would have told what they may not ask. Each is refused, with nothing taken; asked first, the same is answered.
func TestLaundering(t *testing.T) {
	const ann, ask = `const p = await people.select(p => ({ email: p.email })).where(p => p.id === 1).first(); `, `return await oracle.starts({ email: p.email, with: "ann" })`
	for where, evaluator := range evaluators {
		for program, want := range map[string]string{
			ann + ask: "",
			ann + "return await oracle.starts({ email: await text`x${p.email}`, with: 'x' })":                                                    "made by `text`",
			ann + "return await oracle.starts({ email: p.email, with: await text`${p.email}` })":                                                 "made by `text`",
			ann + "return await oracle.ends({ emails: [p.email, await text`${p.email}`], with: 'x' })":                                           "made by `text`",
			ann + "return await oracle.starts({ email: await reveal(p.email), with: 'x' })":                                                      "label that may not leave this way",
			ann + "await reveal(p.email); " + ask:                                                                                                "label that may not leave this way",
			ann + "reveal(p.email).catch(() => 0); " + ask:                                                                                       "label that may not leave this way",
			"await people.where(p => p.email.startsWith('ann')).count(); " + ann + ask:                                                           "label that may not leave this way",
			"await people.first(); " + ann + ask:                                                                                                 "outsiders wrote (untrusted",
			"const p = await people.first(); " + ask:                                                                                             "outsiders wrote (untrusted",
			ann + "return await oracle.starts({ email: p, with: 'x' })":                                                                          "must be",
			"return await oracle.starts({ email: (await people.select(p => ({ x: p.email.slice(0, 1) })).first()).x, with: 'a' })":               "label that may not leave this way",
			"return await oracle.starts({ email: (await people.select(p => ({ x: p.email + p.email })).first()).x, with: 'a' })":                 "as it was read",
			"return await oracle.starts({ email: (await people.select(p => ({ x: p.email, y: p.email.toLowerCase() })).first()).x, with: 'a' })": "as it was read",
			"return await oracle.starts({ email: (await people.select(p => p.email.toLowerCase()).first()), with: 'a' })":                        "as it was read",
			"return await oracle.starts({ email: (await people.select(p => ({ x: p.id === 1 ? p.email : 'x' })).first()).x, with: 'a' })":        "label that may not leave this way",
			"return await oracle.starts({ email: await people.max(p => p.email), with: 'a' })":                                                   "label that may not leave this way",
			ann + "return await oracle.starts(p)":                                                                                                "is missing",
			ann + "return await oracle.ends({ emails: p.email, with: 'x' })":                                                                     "must be",
			ann + "return await people.where(q => oracle.starts({ email: q.email, with: 'x' }))":                                                 "can't be called inside this callback",
		} {
			bits := declassify.New(100)
			tool, err := codemode.New(tellingGrants(t, false), &codemode.Options{Record: exo.Unrecorded, Bits: bits, Evaluator: evaluator})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), program)
			switch {
			case want == "" && (string(r.JSON) != "true" || !r.Label.Empty()):
				t.Errorf("%s, the twin: %s %v %v", where, r.JSON, r.Err, r.Label)
			case want != "" && (r.Err == nil || !strings.Contains(fail.GuestText(r.Err), want)):
				t.Errorf("%s, %s: %s %v, want %q", where, program, r.JSON, r.Err, want)
			}
			if left, err := bits.Take("", time.Now(), 1); want != "" && (left != 99 || err != nil) {
				t.Errorf("%s, %s: %d bits left, %v", where, program, left, err)
			}
		}
	}
}

// TestDeclassifyAgain: a budget in a store has less after a restart, and the record says how much.
func TestDeclassifyAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bits")
	var lines bytes.Buffer
	for n, want := range []string{"true", "true", ""} {
		kept, err := store.OpenFolder(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		bits, err := declassify.In(kept, 4)
		if err != nil {
			t.Fatal(err)
		}
		tool, err := codemode.New(tellingGrants(t, false), &codemode.Options{Record: recordfile.New(&lines), Bits: bits, Principal: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), `const p = await people.select(p => ({ email: p.email })).first(); return await oracle.starts({ email: p.email, with: "" })`)
		if string(r.JSON) != want {
			t.Errorf("%d: %s %v", n, r.JSON, r.Err)
		}
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	}
	// The record says what was let go, and what is left of the day.
	text := lines.String()
	for _, want := range []string{`"details":[{"declassified":["pii"],"bits":2,"left":2}]`, `"details":[{"declassified":["pii"],"bits":2,"left":0}]`} {
		if strings.Count(text, want) != 1 || strings.Contains(text, "a.example") {
			t.Errorf("want %s once in\n%s", want, text)
		}
	}
}

// TestDeclassifyIsDeclared: a model reads which values a declassifier takes and how little it tells; New refuses one without a budget.
func TestDeclassifyIsDeclared(t *testing.T) {
	if _, err := codemode.New(tellingGrants(t, false), &codemode.Options{Record: exo.Unrecorded}); err == nil || !strings.Contains(err.Error(), "Oracle.ends answers about sealed values, but nothing limits how much it reveals: set Bits") {
		t.Error(err)
	}
	tool, err := codemode.New(tellingGrants(t, false), &codemode.Options{Record: exo.Unrecorded, Bits: declassify.New(1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// [takes pii, tells 2 bits] whether an address begins so", "// [takes pii, tells 10 bits] how many", "Promise<boolean | null>", "What is marked [… tells N bits] answers about sealed values, or null, from a daily budget of bits."} {
		if !strings.Contains(tool.Description(), want) {
			t.Errorf("%q is missing in\n%s", want, tool.Description())
		}
	}
	plain, err := codemode.New(tellingGrants(t, true), &codemode.Options{Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.Description(), "bits") {
		t.Error("a rule of what is not there")
	}
	if more := tool.Size().Description - plain.Size().Description; more < 10 || more > 70 {
		t.Errorf("%d tokens more", more)
	}
}
