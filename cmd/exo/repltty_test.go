//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// TestReplAtTerminal: Ctrl-C is for the program that runs: neither the terminal nor
// exo, which waits for it, ends.
func TestReplAtTerminal(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t) // what is built is not
	exo := program(t)
	db := accessModule(t)
	tmp := t.TempDir()
	env := append([]string{asProgram + "=1", "TMPDIR=" + tmp}, goCaches(t)...) // HOME is the test's own, and the go command keeps its cache there
	x := ttytest.Start(t, env, exo, "repl", "./internal/access", "-db", db, "-user", "1")
	s := x.Ends("user 1>")
	if !strings.Contains(s, "access acts for user 1. ") || !strings.Contains(s, ".1 api.me\n") {
		t.Errorf("the greeting:\n%s", s)
	}
	x.Send("while (true) {} return 1\r")
	x.Shows("Ctrl-C stops it")
	x.Send("\x03")
	x.Shows("cancelled: ")
	x.Ends("user 1>")
	x.Send("api.me.fi\t\r")
	x.Shows("name  ann")
	x.Ends("user 1>")
	x.Send("\x04")
	if code := x.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
