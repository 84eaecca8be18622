//go:build unix

package repl

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestAskAtTerminal: an answer comes with the programs that it took, and what the
// model says can't drive the terminal.
func TestAskAtTerminal(t *testing.T) {
	x := start(t, "asked", nil)
	s := x.Ends("owner 1>")
	if !strings.Contains(s, "notes acts for owner 1, ann. Ask what you want to know, or type programs.") {
		t.Errorf("the greeting:\n%s", s)
	}
	const answer = "Let me look.\\u001b[2J 日\n│ async (api) => {\n│   return api.me.notes().count()\n│ } // \\u001b[2J\n2\nT ms, 1 query in T ms; .sql shows it\n" +
		"There are 2 notes. You asked once.\nfake:model, 1200 tokens in, 34 out, $0.0042\n"
	if got := strings.ReplaceAll(x.answer("how many notes are there?"), "日 \n", "日\n"); got != answer {
		t.Errorf("got\n%s\nwant\n%s", got, answer)
	}
	if got := x.answer("api.me.notes().count()"); got != "2\nT ms, 1 query in T ms; .sql shows it\n" {
		t.Errorf("a program: %q", got)
	}
	if got := x.answer(".ask and now?"); !strings.Contains(got, "You asked again and once.") {
		t.Errorf("the conversation went on as\n%s", got)
	}
	if got := x.answer(".trace"); !strings.Contains(got, "me.notes().count (line 2)  done") {
		t.Errorf("the model's program: %q", got)
	}
	if got := x.answer("fail"); got != "half of\nthe model did not answer: the service said \\u001b[31mno\n" {
		t.Errorf("a failure: %q", got)
	}
	x.Send("wait\r")
	x.Shows("waiting for the model's service (rate limit, 3s), ")
	x.Send("\x03\x03")
	if s := x.Ends("owner 1>"); !strings.HasSuffix(s, "stopped\nowner 1>") {
		t.Errorf("after Ctrl-C:\n%s", s)
	}
	// Whoever acts next has a conversation of their own.
	x.Send(".owner 2\r")
	x.Ends("owner 2>")
	x.Send("how many?\r")
	x.Shows("There are 1 notes. You asked once.")
	if strings.Contains(x.Written(), "\x1b[2J") {
		t.Error("the model cleared the screen")
	}
}

func TestAskOnceAtTerminal(t *testing.T) {
	x := start(t, "asked", nil, "-ask", "how many?")
	if code := x.Exit(); code != exitOK {
		t.Errorf("exit %d", code)
	}
	if s := x.Screen(); !strings.HasPrefix(s, "Let me look.") || !strings.Contains(s, "│   return api.me.notes().count()") || !strings.HasSuffix(s, "$0.0042") {
		t.Errorf("the screen:\n%s", s)
	}
	x = start(t, "asked", nil, "-ask", "wait")
	x.Shows("waiting for")
	x.Send("\x03")
	if code := x.Exit(); code != exitStopped {
		t.Errorf("exit %d", code)
	}
	if s := x.Screen(); !strings.HasSuffix(s, "notes: stopped") {
		t.Errorf("the screen:\n%s", s)
	}
}

// TestDumbTerminal: where the cursor can't be moved nothing tries to.
func TestDumbTerminal(t *testing.T) {
	for _, env := range []string{"TERM=dumb", "TERM="} {
		x := start(t, "asked", []string{env})
		x.Ends("owner 1>")
		x.Send("api.me.notes()\r")
		x.Shows("2 rows, ")
		x.Send("how many?\r")
		x.Shows("$0.0042")
		for tries := 0; !strings.Contains(x.Screen(), "cancelled: ") && tries < 20; tries++ {
			x.Send("while (true) {} return 1\r")
			x.Ends("return 1") // it begins soon
			time.Sleep(200 * time.Millisecond)
			x.Send("\x03")
			x.Ends("owner 1>")
		}
		x.Shows("cancelled: ")
		x.Send("\x04")
		if code := x.Exit(); code != exitOK {
			t.Errorf("%s: exit %d", env, code)
		}
		if s := x.Written(); strings.Contains(s, "\x1b") || !strings.Contains(s, "---") {
			t.Errorf("%s: %q", env, s)
		}
	}
}

// TestOutputRedirected: somebody types, and the output goes to a file.
func TestOutputRedirected(t *testing.T) {
	keys, end, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	defer end.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=hostile", "TERM=xterm-256color", "NO_COLOR=")
	cmd.Stdin = end
	if _, err := keys.Write([]byte("api.me.notes()\n.quit\n")); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(out); strings.Contains(s, "\x1b") || !strings.Contains(s, "\n3 rows, ") {
		t.Errorf("%q", s)
	}
}
