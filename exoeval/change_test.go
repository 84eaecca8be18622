package exoeval_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
)

// jobs can be read, and changed by a record of values. It is what a table is to programs, without one.
type jobs struct{}

func (*jobs) Describe() (exo.Description, error) {
	record := &exo.Type{Name: exo.TypeRecord, Fields: []exo.TypeField{{Name: "status", Type: &exo.Type{Name: exo.TypeText}}}}
	values := &exo.Type{Name: exo.TypeRecord, Fields: []exo.TypeField{{Name: "status", Type: &exo.Type{Name: exo.TypeText}, Opt: true}, {Name: "n", Type: &exo.Type{Name: exo.TypeInt}, Opt: true}, {Name: "dec", Type: &exo.Type{Name: exo.TypeDecimal}, Opt: true}, {Name: "done", Type: &exo.Type{Name: exo.TypeBool}, Opt: true}}}
	whole := &exo.Term{Con: &exo.Type{Name: exo.TypeInt}}
	i := &exo.Interface{Name: "Jobs", Order: []string{"first", "update", "delete"}, Methods: map[string]*exo.Method{
		"first":  {Name: "first", Sends: true, Result: &exo.Term{Con: record}},
		"update": {Name: "update", Sends: true, Effect: exo.Immediate, Params: []exo.Param{{Name: "the values", Want: &exo.Term{Con: values}, Plain: true}}, Result: whole},
		"delete": {Name: "delete", Sends: true, Effect: exo.Immediate, Result: whole},
	}, Words: []exo.Words{exo.NewWords(
		exo.Phrase{On: "changed.where", Text: "say which before {method}"},
		exo.Phrase{On: "fixed", Text: "`{name}` can't be assigned"},
		exo.Phrase{On: "changes", Text: "a number has no members"},
	)}}
	return exo.Description{Type: &exo.Type{Name: "Jobs"}, Interfaces: []*exo.Interface{i}}, nil
}

func (*jobs) Eval(_ context.Context, m *exo.Message) (exo.Value, error) {
	if m.Root.Name != "first" {
		return exo.Int(1), nil
	}
	return exo.RecordValue(exo.Field{Name: "status", Value: exo.Text("todo")}), nil
}

// TestChanges: what a program means to change is changed as it was said, or the program ends with an error, caught or not.
func TestChanges(t *testing.T) {
	for _, x := range []struct{ program, want string }{
		{`return await jobs.update({ status: "done" }) + 1`, "2"},
		{`return { ...await jobs.first(), status: "done" }.status`, `"done"`},
		{`const j = await jobs.first(); j.late = true; return j.late`, "true"},
		{`return jobs.delete()`, "1"},

		{`const j = await jobs.first(); j.status = "done"; return j`, "!`status` can't be assigned"},
		{`return Object.assign(await jobs.first(), { status: "done" })`, "!`status` can't be assigned"},
		{`try { await jobs.update({ status: "done" }).where() } catch {} return 1`, "!say which before update"},
		{`const n = await jobs.update({ status: "done" }); return n.count ?? 0`, "!a number has no members"},
		{`const [n] = await jobs.delete(); return n`, "!a number has no members"},
		{`return jobs.update({ n: 2 ** 53 - 1 })`, "1"},
		{`return jobs.update({ n: "9007199254740993" })`, "1"},
		{`return jobs.update({ n: 9007199254740993 })`, "!`n` is given a number beyond 2^53"},
		{`return jobs.update({ dec: "9007199254740993" })`, "1"},
		{`return jobs.update({ dec: 9007199254740992 })`, "1"},
		{`return jobs.update({ dec: 2 ** 53 + 2 })`, "!`dec` is given a number beyond 2^53"},
		{`return jobs.update({ dec: 9007199254740993 })`, "!`dec` is given 9007199254740993, of which"},
		{`return jobs.update({ done: false })`, "1"},
		{`return jobs.update({ done: new Boolean(false) })`, "!write false"},
		{`return jobs.update({ status: Object("a") })`, "!write 'a'"},
		{`return jobs.delete([].find(x => x))`, "!is given undefined"},
	} {
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"jobs": &jobs{}}, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		r := exoeval.NewLocal(gate).Run(t.Context(), exoeval.Job{Program: x.program})
		got := ""
		if r.Err != nil {
			got = "!" + exo.GuestText(r.Err)
		} else if b, err := r.Value.AppendJSON(nil); err != nil {
			t.Fatal(err)
		} else {
			got = string(b)
		}
		if why, fails := strings.CutPrefix(x.want, "!"); got != x.want && !(fails && strings.HasPrefix(got, "!") && strings.Contains(got, why)) {
			t.Errorf("%s\ngives %s\nwant %s", x.program, got, x.want)
		}
	}
}
