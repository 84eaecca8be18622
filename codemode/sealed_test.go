package codemode_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type payee struct {
	ID, Pay int64
	Note    string
}

// sealedGrants are people with a labelled pay, and a payroll that admits it and does what book says.
func sealedGrants(t *testing.T, book func(int64) error) codemode.Grants {
	t.Helper()
	people := exosql.NewTable[payee]("people")
	id := exosql.NewKey(people, "id", func(p *payee) *int64 { return &p.ID })
	pay := exosql.NewColumn(people, "pay", func(p *payee) *int64 { return &p.Pay }).WithLabel("pay")
	db := tu.SQLite.Open(t, "CREATE TABLE people (id INTEGER PRIMARY KEY, pay INTEGER NOT NULL);\n\t\tINSERT INTO people VALUES (1, 70), (2, 80)")
	payroll, err := service.New("payroll", "", service.Method("book", "books an amount", func(_ context.Context, in struct {
		Amount int64 `json:"amount"`
	}) (service.None, error) {
		return service.None{}, book(in.Amount)
	}).Admits(value.NewLabel("pay")))
	if err != nil {
		t.Fatal(err)
	}
	return codemode.Grants{"people": exosql.NewFacet(people, "person", id, pay).Of(exosql.Grant(db, people, exosql.AllRows[payee]())), "payroll": payroll}
}

// TestSealedEffects: whether an effect that held a sealed value went well is a bit of the value. What a model reads is the same.
func TestSealedEffects(t *testing.T) {
	const program = "await payroll.book({ amount: (await people.first()).pay }); return 'asked'"
	texts := map[string]bool{}
	for name, book := range map[string]func(int64) error{
		"well": func(int64) error { return nil }, "badly": func(int64) error { return errors.New("70 is too much") }, "refused": func(n int64) error { return service.Refuse("%d is too much", n) },
	} {
		var got int64
		tool, err := codemode.New(sealedGrants(t, func(n int64) error { got = n; return book(n) }), &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), program)
		text := r.EffectsNote()
		texts[text+string(r.JSON)] = true
		if got != 70 || !r.Changed() || !strings.Contains(text, "handed over; its outcome is not shown") || len(r.Effects) != 1 || (r.Effects[0].State == exo.StateApplied) != (name == "well") {
			t.Errorf("%s: %v %q %v, booked %d", name, r.Err, text, r.Effects, got)
		}
	}
	if len(texts) != 1 {
		t.Errorf("the model is told which: %v", texts)
	}
	// The twin: of a plain value the model is told.
	tool, err := codemode.New(sealedGrants(t, func(int64) error { return service.Refuse("too much") }), &codemode.Options{Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	if r := tool.Run(t.Context(), "await payroll.book({ amount: 70 })"); !strings.Contains(r.EffectsNote(), "too much") {
		t.Error(r.EffectsNote())
	}
}

// TestReveal: programs get reveal where something that is sealed may leave by some way, unless the host has another use for the name.
func TestReveal(t *testing.T) {
	book := func(int64) error { return nil }
	run := func(grants codemode.Grants, opt *codemode.Options) (tool *codemode.Tool, out string) {
		t.Helper()
		opt.Record = exo.Unrecorded
		tool, err := codemode.New(grants, opt)
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), "const p = await people.first(); const n = await reveal(p.pay); await payroll.book({ amount: n + 1 }); return n")
		return tool, string(r.JSON) + fail.GuestText(r.Err)
	}
	tool, out := run(sealedGrants(t, book), &codemode.Options{Admits: value.NewLabel("pay")})
	if out != "70" || !strings.Contains(tool.Description(), "marked [pay] are sealed until they are returned, or passed to methods marked [takes …]. A program that compares, sorts or calculates with the column, or opens one by `await reveal(x)`, can call such methods alone") ||
		!strings.Contains(tool.Declarations(), "interface Reveal { (value: any): Promise<any> }") {
		t.Errorf("%s\n%s", out, tool.Description())
	}
	if _, out = run(sealedGrants(t, book), &codemode.Options{}); !strings.Contains(out, "may not leave this way") {
		t.Error(out)
	}
	none := sealedGrants(t, book)
	delete(none, "payroll")
	if tool, out = run(none, &codemode.Options{}); !strings.Contains(out, "`reveal` is not defined") || strings.Contains(tool.Description(), "reveal(") || !strings.Contains(tool.Description(), "are sealed") {
		t.Errorf("%s\n%s", out, tool.Description())
	}
	own := sealedGrants(t, book)
	own["reveal"] = own["payroll"]
	if _, out = run(own, &codemode.Options{}); !strings.Contains(out, "reveal") {
		t.Error(out)
	}
	// Where everything that leaves admits the label there is nothing to seal.
	if tool, out = run(none, &codemode.Options{Admits: value.NewLabel("pay")}); strings.Contains(tool.Description(), "sealed") {
		t.Errorf("%s\n%s", out, tool.Description())
	}
	r := tool.Run(t.Context(), "return (await people).map(p => p.pay + 1)")
	if string(r.JSON) != "[71,81]" || r.Label.Empty() {
		t.Errorf("%s %v %v", r.JSON, r.Err, r.Label)
	}
}

// TestLabelsAreShort: what a model reads of labels, of both kinds and with all that can be said of them, is under 250 tokens. Where nothing
// is labelled, or nothing is refused for it, there is nothing.
func TestLabelsAreShort(t *testing.T) {
	size := func(of func(*exosql.Column[payee, int64], *exosql.Column[payee, string]), op func(service.Operation) service.Operation) (int, string) {
		people := exosql.NewTable[payee]("people")
		id := exosql.NewKey(people, "id", func(p *payee) *int64 { return &p.ID })
		pay := exosql.NewColumn(people, "pay", func(p *payee) *int64 { return &p.Pay })
		note := exosql.NewColumn(people, "note", func(p *payee) *string { return &p.Note })
		of(pay, note)
		db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE people (id INTEGER PRIMARY KEY, pay INTEGER NOT NULL, note TEXT NOT NULL)")})
		grants := codemode.Grants{"people": exosql.NewFacet(people, "person", id, pay, note).AllowUpdate(note).Of(exosql.Grant(db, people, exosql.AllRows[payee]()))}
		if op != nil {
			payroll, err := service.New("payroll", "", op(service.Method("book", "books an amount", func(_ context.Context, in struct {
				Amount int64 `json:"amount"`
			}) (service.None, error) {
				return service.None{}, nil
			})))
			if err != nil {
				t.Fatal(err)
			}
			grants["payroll"] = payroll
		}
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		return tool.Size().Description, tool.Description()
	}
	none := func(*exosql.Column[payee, int64], *exosql.Column[payee, string]) {}
	label := func(pay *exosql.Column[payee, int64], note *exosql.Column[payee, string]) {
		pay.WithLabel("pay")
		note.WithLabel(value.Untrusted)
	}
	same := func(op service.Operation) service.Operation { return op }
	plain, _ := size(none, same)
	full, text := size(label, func(op service.Operation) service.Operation {
		return op.Admits(value.NewLabel("pay", value.Untrusted)).Trusted("amount")
	})
	if more := full - plain; more < 100 || more*3463 > 250*4822 { // see TestSizeIsBounded of examples/saas
		t.Errorf("%d tokens more", more)
	}
	for _, want := range []string{"marked [pay] are sealed", "Outsiders write what is marked [untrusted]", "[takes pay, untrusted]", "/* [trusted] */", "pay Int [pay]", "note Text [untrusted]", "await reveal(x)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if _, text := size(func(_ *exosql.Column[payee, int64], note *exosql.Column[payee, string]) {
		note.WithLabel(value.Untrusted)
	}, nil); strings.Contains(text, "Outsiders") || strings.Contains(text, "sealed") {
		t.Error("a rule that refuses nothing")
	}
	if _, text := size(func(pay *exosql.Column[payee, int64], note *exosql.Column[payee, string]) {
		note.WithLabel(value.Untrusted)
		note.Trusted()
	}, nil); !strings.Contains(text, "Outsiders") {
		t.Error("a column that demands trust")
	}
	if _, text := size(none, same); strings.Contains(text, "abel") || strings.Contains(text, "sealed") || strings.Contains(text, "trusted") {
		t.Error("labels where there are none")
	}
}

// TestShown: what a model was told of a run carries the labels that its tool admits, and who wrote it.
func TestShown(t *testing.T) {
	tool, err := codemode.New(sealedGrants(t, func(int64) error { return nil }), &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("pay", "other")})
	if err != nil {
		t.Fatal(err)
	}
	for read, want := range map[string]string{"": "{}", "pay": "{pay}", "secret": "{}", "pay secret untrusted:mail": "{pay,untrusted:mail}"} {
		if got := tool.Shown(&codemode.Result{Label: value.NewLabel(strings.Fields(read)...)}); got.String() != want {
			t.Errorf("%s: %s", read, got)
		}
	}
	r := tool.Run(t.Context(), "return (await people.first()).pay")
	if got := tool.Shown(r); string(r.JSON) != "70" || !got.Equal(value.NewLabel("pay")) {
		t.Errorf("%s %s", r.JSON, got)
	}
	// CallJob begins with the label that it is given.
	if out, r := tool.CallJob(t.Context(), codemode.Job{Label: value.NewLabel("secret")}, []byte(`{"code": "return 1"}`)); r.Err == nil || !r.Label.Equal(value.NewLabel("secret")) {
		t.Errorf("%v %s", r.Err, out)
	}
}

// TestLabelledService: what a service returns comes sealed to a program in a process of its own, too.
func TestLabelledService(t *testing.T) {
	type letter struct {
		From string   `json:"from"`
		Text []string `json:"text"`
		N    int      `json:"n"`
	}
	inbox, err := service.New("inbox", "", service.Read("read", "", func(context.Context, struct{}) ([]letter, error) {
		return []letter{{"ann", []string{"x", "y"}, 7}}, nil
	}).
		Labelled(value.NewLabel("pii"), "from", "text").Labelled(value.NewLabel("untrusted:mail"), "n"),
		service.Read("news", "what is new", func(context.Context, struct{}) (string, error) { return "x", nil }).Labelled(value.NewLabel(value.Untrusted)))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"inbox": inbox}, &codemode.Options{Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	if text := tool.Description(); !strings.Contains(text, "[untrusted] what is new") {
		t.Errorf("a model is not told whose text the news are: %s", text)
	}
	if r := tool.Run(t.Context(), "return await inbox.read()"); string(r.JSON) != `[{"from":"[sealed pii]","text":"[sealed pii]","n":7}]` || r.Label.String() != "{untrusted:mail}" {
		t.Errorf("%s %v %v", r.JSON, r.Label, r.Err)
	}
}
