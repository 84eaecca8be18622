//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// TestApproveAtTerminal: a person types yes, and above 200 changes their number; another answer changes nothing, and the set still waits.
func TestApproveAtTerminal(t *testing.T) {
	path, db := approvedFile(t)
	answer := func(id, prompt, with string) (int, string) {
		x := ttytest.Start(t, []string{asProgram + "=1"}, program(t), "approvals", "approve", id, "-file", path)
		x.Ends(prompt)
		x.Send(with + "\r")
		code := x.Exit()
		return code, x.Written()
	}
	v := prepare(t, path, raise)
	for _, with := range []string{"no", "y", "2", ""} {
		if code, text := answer(v.ID, "type yes:", with); code != cli.ExitFound || total(t, db) != 600 || !strings.Contains(text, "still waits") {
			t.Errorf("%q: %d\n%s", with, code, text)
		}
	}
	if code, text := answer(v.ID, "type yes:", "yes"); code != cli.ExitDone || total(t, db) != 900 || !strings.Contains(text, "\x1b[32m") {
		t.Errorf("yes: %d\n%q", code, text)
	}
	if _, err := db.Exec("WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO deals SELECT i, 1, 'deal ' || i, 10 FROM n"); err != nil {
		t.Fatal(err)
	}
	before := total(t, db)
	v = prepare(t, path, raise)
	if code, text := answer(v.ID, "number of changes:", "yes"); code != cli.ExitFound || total(t, db) != before {
		t.Errorf("yes to many: %d\n%s", code, text)
	}
	if code, text := answer(v.ID, "number of changes:", "293"); code != cli.ExitDone || total(t, db) == before {
		t.Errorf("their number: %d\n%s", code, text)
	}
}
