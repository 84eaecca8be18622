//go:build unix

package terminal

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// childEnv says which app this test binary is, when it is started at a terminal.
const childEnv = "TERMINAL_TEST_APP"

func TestMain(m *testing.M) {
	if a, ok := ttyApps[os.Getenv(childEnv)]; ok {
		Main(a)
	}
	os.Exit(m.Run())
}

// tty is a command at a pseudo-terminal, and what its screen shows.
type tty struct {
	t    *testing.T
	pty  *os.File
	cmd  *exec.Cmd
	vt   vt10x.Terminal
	gone chan struct{} // the command closed the terminal

	mu  sync.Mutex
	raw strings.Builder // all that it wrote
}

const ttyRows, ttyCols = 40, 100

// start runs an app at a terminal. Its history is in a directory of the test's own.
func start(t *testing.T, app string, env []string, args ...string) *tty {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+app, "TERM=xterm-256color", "NO_COLOR=", "INPUTRC=/dev/null", "HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: ttyRows, Cols: ttyCols})
	if err != nil {
		t.Fatal(err)
	}
	x := &tty{t: t, pty: f, cmd: cmd, vt: vt10x.New(vt10x.WithWriter(f), vt10x.WithSize(ttyCols, ttyRows)), gone: make(chan struct{})}
	go func() {
		defer close(x.gone)
		buf := make([]byte, 4096)
		for {
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			x.mu.Lock()
			x.raw.Write(buf[:n])
			_, _ = x.vt.Write(buf[:n]) // it answers where the cursor is
			x.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = f.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return x
}

func (x *tty) send(keys string) {
	x.t.Helper()
	if _, err := x.pty.Write([]byte(keys)); err != nil {
		x.t.Fatal(err)
	}
}

// screen is what can be read on it, without the spaces at the ends of lines.
func (x *tty) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	lines := strings.Split(x.vt.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// written is all that was written so far, with its escape sequences.
func (x *tty) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// until waits for the screen to end with a text, and returns it.
func (x *tty) until(what string, ok func(screen string) bool) string {
	x.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		s := x.screen()
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			w := x.written()
			x.t.Fatalf("the screen does not show %s:\n%s\nwritten last: %q", what, s, w[max(0, len(w)-400):])
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (x *tty) shows(text string) string {
	x.t.Helper()
	return x.until(text, func(s string) bool { return strings.Contains(s, text) })
}

// ends waits until a text is the last thing on the screen.
func (x *tty) ends(text string) string {
	x.t.Helper()
	return x.until(text+" at the end", func(s string) bool { return strings.HasSuffix(s, text) })
}

// exit waits for the end of the command and gives its code.
func (x *tty) exit() int {
	x.t.Helper()
	<-x.gone
	_ = x.cmd.Wait()
	return x.cmd.ProcessState.ExitCode()
}

// last is the last lines of a screen.
func last(screen string, n int) []string {
	lines := strings.Split(screen, "\n")
	return slices.Clone(lines[max(0, len(lines)-n):])
}
