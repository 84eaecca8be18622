//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// silent is the URL of a database that takes connections and says nothing until it is hung up.
func silent(t *testing.T) (url string, asked <-chan struct{}, hangUp func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop, some := make(chan struct{}), make(chan struct{}, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			some <- struct{}{}
			go func() { <-stop; c.Close() }()
		}
	}()
	hangUp = func() { l.Close(); close(stop) }
	return "postgres://u@" + l.Addr().String() + "/x?sslmode=disable", some, hangUp
}

// slowCommands are those that ask a database, and what they say while it does not answer.
var slowCommands = []struct {
	args, says string
	builds     bool
}{
	{"init -db env:SLOW_URL new.yaml", "reading the catalogue of the PostgreSQL database x", false},
	{"validate slow.yaml", "holding slow.yaml against its databases", false},
	{"doctor slow.yaml", "holding slow.yaml against its databases", false},
	{"check -db $SLOW_URL ./internal/access", "inspecting example.com/shop/internal/access", true},
	{"indexes -db $SLOW_URL -user 1 ./internal/access", "inspecting example.com/shop/internal/access", true},
}

// TestSpinner: what takes long says what it waits for, at a terminal, and leaves nothing of that on the screen; on a pipe nothing is said.
func TestSpinner(t *testing.T) {
	bin := program(t)
	accessModule(t)
	if err := os.WriteFile("slow.yaml", []byte("exo: 1\ndatabases: {d: env:SLOW_URL}\nfacets: {t: {columns: [id], scope: shared}}\ngrants: {ts: t}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append([]string{asProgram + "=1"}, goCaches(t)...)
	for _, c := range slowCommands {
		t.Run(strings.Fields(c.args)[0], func(t *testing.T) {
			url, asked, hangUp := silent(t)
			x := ttytest.Start(t, append(env, "SLOW_URL="+url), bin, strings.Fields(strings.ReplaceAll(c.args, "$SLOW_URL", url))...)
			x.Shows(c.says + ", ")
			x.Shows("s; Ctrl-C stops it")
			<-asked
			hangUp()
			if code := x.Exit(); code == cli.ExitDone {
				t.Errorf("exit %d", code)
			}
			if s := x.Screen(); strings.Contains(s, c.says) || strings.Contains(s, "Ctrl-C") {
				t.Errorf("it is left on the screen:\n%s", s)
			}
			if c.builds {
				return // the next one would build it once more
			}
			url, asked, hangUp = silent(t)
			cmd := exec.Command(bin, strings.Fields(c.args)...)
			cmd.Env = append(os.Environ(), append(env, "SLOW_URL="+url, "TERM=xterm")...)
			done := make(chan string)
			go func() {
				text, _ := cmd.CombinedOutput()
				done <- string(text)
			}()
			<-asked
			time.Sleep(2 * cli.SpinAfter) // so that a spinner would have begun
			hangUp()
			if text := <-done; strings.ContainsAny(text, "\r\x1b") || strings.Contains(text, "Ctrl-C") || text == "" {
				t.Errorf("on a pipe: %q", text)
			}
		})
	}
}

// goCaches are the folders of the go command, for a process whose HOME is another.
func goCaches(t *testing.T) (env []string) {
	t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+filepath.Clean(strings.TrimSpace(string(out))))
	}
	return env
}
