//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// TestInitAtTerminal: what isn't given is asked, a wrong answer once more, and an empty one is the proposal.
func TestInitAtTerminal(t *testing.T) {
	url, _ := database(t, shop)
	file := filepath.Join(t.TempDir(), "exo.yaml")
	x := ttytest.Start(t, []string{asProgram + "=1"}, program(t), "init", file)
	x.Ends("file:PATH):")
	x.Send(url + "\r")
	x.Shows("customers: from 1 of 2 other tables (likely)")
	x.Ends("The table of tenants, or none [customers]:")
	x.Send("nope\r")
	x.Shows("want one of customers, none")
	x.Send("\r")
	x.Ends("or none) [none]:")
	x.Send("cursor\r")
	x.Shows("mcpServers")
	if code := x.Exit(); code != cli.ExitDone {
		t.Errorf("exit %d\n%s", code, x.Screen())
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "scope: customer_id = $principal.customer\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
