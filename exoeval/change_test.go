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
)

// jobs can be read, and changed by a record of values. It is what a table is to programs, without one.
type jobs struct{}

func (*jobs) Describe() (message.Description, error) {
	record := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "status", Type: &message.Type{Name: value.TypeText}}}}
	values := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "status", Type: &message.Type{Name: value.TypeText}, Opt: true}, {Name: "n", Type: &message.Type{Name: value.TypeInt}, Opt: true}, {Name: "dec", Type: &message.Type{Name: value.TypeDecimal}, Opt: true}, {Name: "done", Type: &message.Type{Name: value.TypeBool}, Opt: true}}}
	whole := &message.Term{Con: &message.Type{Name: value.TypeInt}}
	i := &message.Interface{Name: "Jobs", Order: []string{"first", "update", "delete"}, Methods: map[string]*message.Method{
		"first":  {Name: "first", Sends: true, Result: &message.Term{Con: record}},
		"update": {Name: "update", Sends: true, Effect: message.Immediate, Params: []message.Param{{Name: "the values", Want: &message.Term{Con: values}, Plain: true}}, Result: whole},
		"delete": {Name: "delete", Sends: true, Effect: message.Immediate, Result: whole},
	}, Words: []message.Words{message.NewWords(
		message.Phrase{On: "changed.where", Text: "say which before {method}"},
		message.Phrase{On: "fixed", Text: "`{name}` can't be assigned"},
		message.Phrase{On: "changes", Text: "a number has no members"},
	)}}
	return message.Description{Type: &message.Type{Name: "Jobs"}, Interfaces: []*message.Interface{i}}, nil
}

func (*jobs) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name != "first" {
		return value.Int(1), nil
	}
	return value.RecordValue(value.Field{Name: "status", Value: value.Text("todo")}), nil
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
		{`return jobs.update({ dec: 9007199254740993 })`, "!`dec` is given 9007199254740993, which JavaScript rounds to"},
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
			got = "!" + fail.GuestText(r.Err)
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
