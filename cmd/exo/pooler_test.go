package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestPooledDatabase: a command that reads a catalogue, or runs definitions, does so in a session of its own: by a pooler that shares
// sessions it says what to do, and by one in session mode it goes on.
func TestPooledDatabase(t *testing.T) {
	server := tu.Server(t)
	ddl := filepath.Join(t.TempDir(), "all.sql")
	if err := os.WriteFile(ddl, []byte("CREATE TABLE things (id bigint PRIMARY KEY);"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, shared := range map[string]bool{"transaction": true, "statement": true, "session": false} {
		url := tu.PgBouncer(t, server, mode, 5)
		for name, args := range map[string][]string{
			"-db": {"gen", "-db", url, "-o", t.TempDir()}, "-scratch": {"gen", "-ddl", ddl, "-engine", "postgres", "-scratch", url, "-o", t.TempDir()},
			"init": {"init", "-db", url, filepath.Join(t.TempDir(), "exo.yaml")},
		} {
			r := exo(t, "", args...)
			if said := strings.Contains(r.err, "session mode"); said != shared || strings.Contains(r.err, "AfterConnect") || strings.Contains(r.err, "left over") {
				t.Errorf("%s mode, %s: %v", mode, name, r)
			}
		}
	}
}
