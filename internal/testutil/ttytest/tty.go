//go:build unix

// Package ttytest runs commands at a pseudo-terminal, for tests.
package ttytest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// TTY is a command at a pseudo-terminal with a screen.
type TTY struct {
	t    *testing.T
	pty  *os.File
	cmd  *exec.Cmd
	vt   vt10x.Terminal
	gone chan struct{} // closed when the command closes the terminal

	mu  sync.Mutex
	raw strings.Builder // everything that the command wrote
}

// These are the columns and rows of the screen.
const (
	Rows = 40
	Cols = 100
)

// Start runs a command at a terminal. The command's history is in a folder of the test. env overrides other variables, because it comes last.
func Start(t *testing.T, env []string, path string, args ...string) *TTY {
	t.Helper()
	return StartTyped(t, "", env, path, args...)
}

// StartTyped is Start at a terminal where these keys were typed before the command began.
func StartTyped(t *testing.T, keys string, env []string, path string, args ...string) *TTY {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "INPUTRC=/dev/null", "HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	f, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = pty.Setsize(f, &pty.Winsize{Rows: Rows, Cols: Cols})
	if err == nil {
		_, err = f.WriteString(keys)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.Close()
		t.Fatal(err)
	}
	x := &TTY{t: t, pty: f, cmd: cmd, vt: vt10x.New(vt10x.WithWriter(f), vt10x.WithSize(Cols, Rows)), gone: make(chan struct{})}
	go func() {
		defer close(x.gone)
		buf, kept := make([]byte, 4096), 0
		for {
			n, err := f.Read(buf[kept:])
			if err != nil {
				return
			}
			x.mu.Lock()
			x.raw.Write(buf[kept : kept+n])
			n += kept
			whole := wholeRunes(buf[:n])
			_, _ = x.vt.Write(buf[:whole]) // the screen may answer, for example with the cursor's position
			kept = copy(buf, buf[whole:n])
			x.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = f.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return x
}

// wholeRunes returns how many bytes of b are complete characters. The screen would drop a character that two reads cut.
func wholeRunes(b []byte) int {
	for i := 1; i <= min(len(b), utf8.UTFMax); i++ {
		if at := len(b) - i; utf8.RuneStart(b[at]) {
			if utf8.FullRune(b[at:]) {
				break
			}
			return at
		}
	}
	return len(b)
}

func (x *TTY) Send(keys string) {
	x.t.Helper()
	if _, err := x.pty.Write([]byte(keys)); err != nil {
		x.t.Fatal(err)
	}
}

// Screen returns the text on the screen, without spaces at the ends of lines.
func (x *TTY) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	lines := strings.Split(x.vt.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Written returns everything written so far, with escape sequences.
func (x *TTY) Written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// Until waits until ok accepts the screen, and returns the screen.
func (x *TTY) Until(what string, ok func(screen string) bool) string {
	x.t.Helper()
	deadline := time.Now().Add(2 * time.Minute) // some tests build their command, at the same time as other tests
	for {
		s := x.Screen()
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			w := x.Written()
			x.t.Fatalf("the screen does not show %s:\n%s\nwritten last: %q", what, s, w[max(0, len(w)-400):])
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (x *TTY) Shows(text string) string {
	x.t.Helper()
	return x.Until(text, func(s string) bool { return strings.Contains(s, text) })
}

// Ends waits until a text is the last text on the screen.
func (x *TTY) Ends(text string) string {
	x.t.Helper()
	return x.Until(text+" at the end", func(s string) bool { return strings.HasSuffix(s, text) })
}

// Exit waits for the end of the command and returns its exit code.
func (x *TTY) Exit() int {
	x.t.Helper()
	<-x.gone
	_ = x.cmd.Wait()
	return x.cmd.ProcessState.ExitCode()
}

// Last returns the last lines of a screen.
func Last(screen string, n int) []string {
	lines := strings.Split(screen, "\n")
	return slices.Clone(lines[max(0, len(lines)-n):])
}

// Resize changes the size of the window.
func (x *TTY) Resize(cols, rows int) {
	x.t.Helper()
	x.mu.Lock()
	x.vt.Resize(cols, rows)
	x.mu.Unlock()
	if err := pty.Setsize(x.pty, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)}); err != nil {
		x.t.Fatal(err)
	}
}
