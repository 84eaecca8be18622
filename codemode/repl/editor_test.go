//go:build unix

package repl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

var times = regexp.MustCompile(`[0-9.]+ ms`)

// enter sends a line, and gives the screen when there is another prompt.
func (x *tty) enter(line string) string {
	x.t.Helper()
	const prompted = "\x1b[?2004h"                                  // the editor has begun
	before, was := strings.Count(x.Written(), prompted), x.Screen() // this prompt's sign may come only now
	x.Send(line + "\r")
	return x.Until("another prompt", func(s string) bool {
		return s != was && strings.Count(x.Written(), prompted) > before && (strings.HasSuffix(s, "owner 1>") || strings.HasSuffix(s, "owner 2>"))
	})
}

// answer sends a line and gives what is between it and the next prompt.
func (x *tty) answer(line string) string {
	x.t.Helper()
	blocks := strings.Split(times.ReplaceAllString(x.enter(line), "T ms"), "owner 1>")
	_, out, _ := strings.Cut(blocks[len(blocks)-2], "\n")
	return out
}

func TestEditor(t *testing.T) {
	x := start(t, "notes", nil)
	x.Ends("owner 1>")
	const table = " id  text    stars\nint  text     int?\n───  ──────  ─────\n  1  first       5\n  2  second  null\n2 rows, T ms, 1 query in T ms; .sql shows it\n"
	if got := x.answer("api.me.notes().orderBy(n => n.id)"); got != table {
		t.Errorf("a table:\n%s\nwant\n%s", got, table)
	}
	if got := x.answer(".sql"); !strings.HasPrefix(got, "SELECT ") || !strings.Contains(got, "\n  [1]  2 rows, T ms\n") {
		t.Errorf(".sql shows\n%s", got)
	}

	// Several lines are one program. The arrows move in it, and Enter in the middle
	// runs the whole.
	x.Send("[\r")
	x.Ends("owner 1> [")
	x.Send("1,\r")
	x.Ends("│        1,")
	x.Send("3].length")
	x.Ends("         3].length")
	x.Send("\x1b[A")
	x.Send(" 2,")
	x.Shows("1, 2,")
	if got := x.answer("\x1b[B"); !strings.HasSuffix(got, "3].length\n3\nT ms\n") {
		t.Errorf("three lines: %q", got)
	}

	// What was typed comes back, whole.
	x.Send("\x1b[A")
	x.Ends("│        1, 2,\n         3].length")
	x.Send("\x03") // Ctrl-C drops it, and the session goes on
	x.Ends("3].length\nowner 1>")
	if got := x.answer("40 + 2"); got != "42\nT ms\n" {
		t.Errorf("after Ctrl-C: %q", got)
	}
	x.Send("\x04") // Ctrl-D
	if code := x.Exit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}

func TestEditorCompletes(t *testing.T) {
	x := start(t, "notes", nil)
	x.Ends("owner 1>")
	x.Send("api.me.no\t.wh\tn => n.te\t === 'first')")
	x.Ends("owner 1> api.me.notes().where(n => n.text === 'first')")
	if got := x.answer(""); !strings.Contains(got, "\n1 row, ") {
		t.Errorf("%s", got)
	}
	// Several are listed, with what they are, and Tab goes through them.
	x.Send("api.me.notes().select(n => n.\t")
	x.Shows("owner 1> api.me.notes().select(n => n.id\n")
	x.Shows("stars  -- a whole number or null")
	x.Send("\t")
	x.Shows("owner 1> api.me.notes().select(n => n.text\n")
	x.Send(".le\t)")
	x.Ends("owner 1> api.me.notes().select(n => n.text.length)")
	x.Send("\x03")
	x.Ends("length)\nowner 1>")
	x.Send(".he\t")
	x.Ends("owner 1> .help")
}

func TestEditorPaste(t *testing.T) {
	x := start(t, "notes", nil)
	x.Ends("owner 1>")
	var lines []string
	for range 200 {
		lines = append(lines, "  total += (await api.me.notes().count()); // \x1b[31m\x07")
	}
	program := "let total = 0;\r" + strings.Join(lines, "\r") + "\r\rreturn total;"
	x.Send("\x1b[200~" + program + "\x1b[201~")
	x.Ends("owner 1> «1: 203 lines»") // more than the screen holds; nothing of it ran
	if got := x.answer(""); !strings.HasSuffix(got, "400\nT ms, 200 queries in T ms; .sql shows them\n") {
		t.Errorf("the program gave %q", got[max(0, len(got)-200):])
	}
	x.Send("\x1b[A") // it comes back from the history as it was
	x.Ends("owner 1> «2: 203 lines»")
	if got := x.answer(""); !strings.HasSuffix(got, "400\nT ms, 200 queries in T ms; .sql shows them\n") {
		t.Errorf("again it gave %q", got)
	}

	// What fits is shown, and edited.
	x.Send("\x1b[200~const n = 6;\r\x1b[31mconst m = 7;\a\rreturn n * m\x1b[201~")
	x.Ends("owner 1> const n = 6;\n│        [31mconst m = 7;\n         return n * m")
	x.Send("\x1b[A\x01\x1b[3~\x1b[3~\x1b[3~\x1b[3~") // up, to the beginning of the line, delete
	x.Ends("owner 1> const n = 6;\n│        const m = 7;\n         return n * m")
	if got := x.answer(""); !strings.HasSuffix(got, "\n42\nT ms\n") {
		t.Errorf("%q", got)
	}
	if strings.Contains(x.Written(), "\x07") {
		t.Error("the editor printed a control character that was pasted")
	}
}

// TestEditorAtTheBottom: where the screen is full, a program of several lines is
// shown whole, and what was printed before it stays.
func TestEditorAtTheBottom(t *testing.T) {
	x := start(t, "notes", []string{"PAGER="})
	x.Ends("owner 1>")
	x.answer("console.log('line\\n'.repeat(60) + 'end')")
	x.Send("[\r1,\r2,\r3\x1b[A\x1b[A")
	x.Send("0")
	s := x.Shows("10,")
	if got := strings.Join(ttytest.Last(s, 9), "\n"); !strings.HasSuffix(times.ReplaceAllString(got, "T ms"), "\nline\nend\nnull\nT ms\nowner 1> [\n│        10,\n│        2,\n         3") {
		t.Errorf("the screen ends with\n%s", got)
	}
	if got := x.answer("\x1b[B\x1b[B]"); !strings.HasSuffix(got, "[10,2,3]\nT ms\n") {
		t.Errorf("%q", got)
	}
}

// TestEditorResize: after the window has become narrow what is typed is still
// edited rightly, and tables fit.
func TestEditorResize(t *testing.T) {
	x := start(t, "notes", nil)
	x.Ends("owner 1>")
	x.Resize(40, 20)
	got := x.answer("api.me.notes().select(n => ({ a: n.text, b: `${n.text} is a long text, longer than it was` }))")
	if !strings.Contains(got, "first   first is a long text, longer th…\n") {
		t.Errorf("%s", got)
	}
	for _, line := range strings.Split(got, "\n") {
		if printable.Width(line) > 40 {
			t.Errorf("%q is wider than the window", line)
		}
	}
}

func TestEditorHistory(t *testing.T) {
	state := t.TempDir()
	x := start(t, "notes", []string{"XDG_STATE_HOME=" + state})
	x.Ends("owner 1>")
	x.answer("[1,\r2]")
	x.answer("'second'")
	x.answer("'second'")
	x.Send("\x04")
	x.Exit()

	path := filepath.Join(state, "exoagent", "notes.history")
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", fi, err)
	}
	if got, _ := os.ReadFile(path); string(got) != "\"[1,\\n2]\"\n\"'second'\"\n" {
		t.Errorf("the history is %q", got)
	}
	// What somebody else wrote into the file can't drive the terminal.
	if err := os.WriteFile(path, []byte("\"[1,\\n2]\"\nbroken\n\"'\\u001b[31m\\u0007x'\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	x = start(t, "notes", []string{"XDG_STATE_HOME=" + state})
	x.Ends("owner 1>")
	x.Send("\x1b[A")
	x.Ends("owner 1> '[31mx'")
	x.Send("\x1b[A")
	x.Ends("owner 1> [1,\n         2]")
	if strings.Contains(x.Written(), "\x07") {
		t.Error("the editor printed a control character of the history")
	}
	x.Send("\x03")
	x.Ends("2]\nowner 1>")
	x.answer("7")
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi, err)
	}

	none := t.TempDir()
	x = start(t, "notes", []string{"XDG_STATE_HOME=" + none}, "-no-history")
	x.Ends("owner 1>")
	x.answer("7")
	x.Send("\x1b[A") // within the session there is one
	x.Ends("owner 1> 7")
	x.Send("\x04")
	if files, err := os.ReadDir(none); err != nil || len(files) != 0 {
		t.Errorf("%v %v", files, err)
	}
}

// TestEditorInterrupt: Ctrl-C ends a program that computes, and one that waits for
// the database, but not the session; also when it is pressed more than once.
func TestEditorInterrupt(t *testing.T) {
	x := start(t, "slow", nil)
	x.Ends("owner 1>")
	for _, program := range []string{"while (true) {} return 1", slowQuery} {
		x.Send(program + "\r")
		x.Shows("Ctrl-C stops it") // the spinner
		x.Send("\x03\x03")
		s := x.Ends("owner 1>")
		if !strings.Contains(s, "cancelled: ") {
			t.Errorf("%s:\n%s", program, s)
		}
		if got := x.answer("1 + 1"); got != "2\nT ms\n" {
			t.Errorf("after %s: %q", program, got)
		}
		if s := x.Screen(); strings.Contains(s, "Ctrl-C stops it") {
			t.Errorf("the spinner is left on the screen:\n%s", s)
		}
	}
}
