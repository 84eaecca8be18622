//go:build unix

package repl

import (
	"regexp"
	"strings"
	"testing"
)

// TestEditorNoColor: NO_COLOR leaves the editor, and takes all colours away.
func TestEditorNoColor(t *testing.T) {
	colour := regexp.MustCompile("\x1b\\[[0-9;]*m")
	use := func(env ...string) string {
		x := start(t, "secret", env)
		x.Ends("owner 1>")
		x.answer("api.notes.where(n => n.id > 0)")
		x.answer(".sql")
		x.answer("api.notes.whom")
		x.Send("api.\t\x1b[A")
		x.Shows("api.notes")
		return x.Written()
	}
	plain := use("NO_COLOR=1")
	for _, seq := range colour.FindAllString(plain, -1) {
		for _, n := range strings.Split(seq[2:len(seq)-1], ";") {
			if len(n) == 2 && strings.ContainsAny(n[:1], "349") && n[1] != '9' || len(n) == 3 {
				t.Errorf("NO_COLOR=1, and %q is written", seq)
			}
		}
	}
	if !strings.Contains(plain, "[private notes] 2 rows") {
		t.Errorf("no label in %q", plain)
	}
	if coloured := use(); !strings.Contains(coloured, "m private notes \x1b[0m") || !strings.Contains(coloured, "\x1b[35mSELECT\x1b[0m") {
		t.Errorf("without NO_COLOR there is no colour: %q", coloured)
	}
}

// TestHostileRows: nothing that the database holds reaches the terminal as a
// sequence: not from a cell, a record, a list, the console, an error, a name, or
// the arguments of a statement.
func TestHostileRows(t *testing.T) {
	x := start(t, "hostile", nil)
	x.Ends("owner 1>")
	for _, program := range []string{
		"api.me.notes()",
		"api.me.notes().where({ id: 4 }).first()",
		"const r = await api.me.notes(); return r.map(x => x.text)",
		"const r = await api.me.first(); return { [r.name]: [r.name], x: r.name }",
		"const r = await api.me.first(); return [{ [r.name]: [r.name] }]",
		"const r = await api.me.first(); console.log(r.name, r); return r.name",
		"const r = await api.me.first(); throw new Error(r.name); return 1",
		"const r = await api.me.first(); return api.me.where({ name: r.name }).count()",
		".sql",
		".trace",
		".owner 9",
		".owner 2",
	} {
		x.enter(program)
	}
	s := x.Written()
	for _, bad := range []string{"\x1b[2J", "\x1b]", "\x1bP", "\u009b", "\b", "\a", "\x7f", "\u202e", "\u2066", "\x1b[31mred"} {
		if strings.Contains(s, bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
	if !strings.Contains(s, `\u001b[2J\u001b[31mred`) {
		t.Error("the twin: the hostile text was never shown")
	}
}
