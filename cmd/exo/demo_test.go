package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
)

// TestDemo: one command, no key: both lanes at the terminal, or on a page that takes the place of no file.
func TestDemo(t *testing.T) {
	const ends = "exoagent: 0 of 4 addresses, 0 of 2 keys, 0 mails to the stranger, 0 orders refunded\n"
	if r := exo(t, "", "demo"); r.code != cli.ExitDone || !strings.HasSuffix(r.out, ends) {
		t.Errorf("code %d\n%s%s", r.code, r.out, r.err)
	}
	page := filepath.Join(t.TempDir(), "demo.html")
	if r := exo(t, "", "demo", "-html", page); r.code != cli.ExitDone || r.out != "" {
		t.Errorf("code %d\n%s%s", r.code, r.out, r.err)
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), strings.TrimSpace(ends[len("exoagent:"):])) {
		t.Errorf("%v\n%s", err, text)
	}
	if r := exo(t, "", "demo", "-html", page); r.code == cli.ExitDone || !strings.Contains(r.err, "demo.html") {
		t.Errorf("it writes over a file: code %d, %s", r.code, r.err)
	}
	if r := exo(t, "", "demo", "x"); r.code != cli.ExitUsage {
		t.Errorf("code %d", r.code)
	}
}
