package exoeval_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// safe is an object whose read gives a record with one labelled cell, and whose put takes anything.
type safe struct{ got []value.Value }

func (*safe) Describe() (message.Description, error) {
	text := func(name string) *message.Type {
		return &message.Type{Name: "Cell", Args: map[string]*message.Type{"of": {Name: name}}}
	}
	row := &message.Interface{Name: "Entry", Is: []string{value.TypeRow}, Fields: map[string]*message.Property{"pin": {Type: text(value.TypeText), Label: value.NewLabel("pii")}, "name": {Type: text(value.TypeText)}}, Methods: map[string]*message.Method{}}
	s := &message.Interface{Name: "Safe", Methods: map[string]*message.Method{
		"read": {Name: "read", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": {Name: "Entry"}}}}},
		"put":  {Name: "put", Sends: true, Params: []message.Param{{Name: "the data", Want: &message.Term{Con: &message.Type{Name: value.TypeData}}}}, Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}},
	}}
	return message.Description{Type: &message.Type{Name: "Safe"}, Interfaces: []*message.Interface{s, row, {Name: "Cell", Expr: true, Methods: map[string]*message.Method{}}}}, nil
}

func (s *safe) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name == "put" {
		s.got = append(s.got, m.Root.Args[0].Lit)
		return value.Int(1), nil
	}
	return value.List(value.RecordValue(value.Field{Name: "pin", Value: value.Text("1234")}, value.Field{Name: "name", Value: value.Text("ann")})), nil
}

// TestSealedValues: what a program does with a sealed value, whatever sealed it; exosql's TestSealedIsShut tries more.
func TestSealedValues(t *testing.T) {
	programs := map[string]string{}
	for _, items := range []string{"[a.pin]", "[1, 'x', a.pin]", "[[a.pin]].flat()", "Array.from([a.pin])", "[a, b].map(x => x.pin)"} {
		for _, look := range []string{"includes", "indexOf", "lastIndexOf"} {
			for _, arg := range []string{"'1234'", "undefined", "null", "a.pin", "b.pin", "{}", "", "1, 0", "NaN"} {
				programs["return "+items+"."+look+"("+arg+")"] = "is sealed (pii)"
				programs["return []."+look+".call("+items+", "+arg+")"] = "is sealed (pii)"
			}
		}
		programs["return new Set("+items+").size"] = "is sealed (pii)"
	}
	for _, p := range []string{"new Set([1]).has(a.pin)", "new Set().add(a.pin)", "new Map([[a.pin, 1]])", "new Map().get(a.pin)", "new Map().set(a.pin, 1)", "new WeakSet([a.pin])", "[1].includes(a.pin)", "[].indexOf(a.pin)"} {
		programs["return "+p] = "is sealed (pii)"
	}
	programs["return [a, 1].includes(1) && [1, 2].indexOf(2)"] = "1"
	for program, want := range map[string]string{
		"return a.pin": "[sealed pii]", "return [a, { x: a.pin }]": "[sealed pii]", "return JSON.stringify(a)": `[sealed pii]`, "return JSON.stringify(a.pin)": "[sealed pii]", "console.log(a.pin)": "[sealed pii]",
		"return new Map([['x', a.pin]]).get('x')": "[sealed pii]", "return await a.pin": "[sealed pii]", "return structuredClone([a, { x: a.pin }])[1].x": "[sealed pii]", "return structuredClone(new Map([[1, a.pin]])).get(1)": "[sealed pii]", "throw a.pin": "the program threw [sealed pii]", "return (({ pin }) => [pin])({ ...a })": "[sealed pii]",
		"return a.pin === '1234'": "is sealed (pii)", "return '1234' === a.pin": "is sealed (pii)", "return a.pin == b.pin": "is sealed (pii)", "return a.pin < 'x'": "is sealed (pii)", "return a.pin + ''": "is sealed (pii)", "return `${a.pin}`": "is sealed (pii)",
		"return a.pin.length": "is sealed (pii)", "a.pin.x = 1": "is sealed (pii)", "return a.pin ? 1 : 2": "is sealed (pii)", "return !a.pin": "is sealed (pii)", "return [...a.pin]": "is sealed (pii)", "return ({ [a.pin]: 1 })": "is sealed (pii)", "return Object.is(a.pin, 'x')": "is sealed (pii)", "return [a.pin].sort((x, y) => x - y).length + [1, a.pin].sort().length": "is sealed (pii)",
		"await api.safe.put([a.pin]); return 1": "1",
	} {
		programs[program] = want
	}
	for program, want := range programs {
		o := &safe{}
		g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"safe": o}})
		if err != nil {
			t.Fatal(err)
		}
		r := tu.InProcess(g).Run(t.Context(), exoeval.Job{Program: "const [a] = await api.safe.read(), [b] = await api.safe.read(); " + program})
		out, _ := r.Value.AppendJSON(nil)
		got := string(out) + fail.GuestText(r.Err) + r.Console
		put := strings.Contains(program, "put")
		if put && (len(o.got) != 1 || o.got[0].At(0).Text() != "1234" || r.Label.Empty()) {
			t.Errorf("%s: put %v, label %v", program, o.got, r.Label)
		}
		if !put && (!strings.Contains(got, want) || strings.Contains(got, "1234") || !r.Label.Empty()) {
			t.Errorf("%s: %s, label %v", program, got, r.Label)
		}
	}
}
