package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/cli"
)

// whileLocked asks for a change of the row 2 of items while a transaction of its own has locked that row. It calls stop, which may be nil, when the program waits
// for the row, and returns the answer and the value that the row then had.
func whileLocked(t *testing.T, db *sql.DB, ask func() string, stop func()) (answer string, kept int) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	pid, waiting := 0, 0
	if err := tx.QueryRow("SELECT pg_backend_pid() FROM items WHERE id = 2 FOR UPDATE").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() { said <- ask() }()
	for until := time.Now().Add(time.Minute); waiting == 0; time.Sleep(10 * time.Millisecond) {
		if err := db.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))", pid).Scan(&waiting); err != nil || time.Now().After(until) {
			t.Fatal("the program does not wait for the row: ", err)
		}
	}
	if stop != nil {
		stop()
		answer = <-said // while the row is locked: the program does not get it
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if stop == nil {
		answer = <-said
	}
	if err := db.QueryRow("SELECT n FROM items WHERE id = 2").Scan(&kept); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE items SET n = 0 WHERE id = 2"); err != nil {
		t.Fatal(err)
	}
	return answer, kept
}

// revokedInAll: a principal that the operator revokes is stopped in the process where its program runs, refused in each, and let in again; others go on.
// The server's urls serve the file at path. The program that is stopped waits for a row that this test has locked; its twin, which nobody stops, changes it.
func revokedInAll(t *testing.T, db *sql.DB, path string, urls []string, ann, bob func(url, code string) string) {
	t.Helper()
	const change = `await items.where(i => i.id === 2).update({ n: 77 }); return 'changed'`
	locked := func(stop func()) (answer string, kept int) {
		return whileLocked(t, db, func() string { return ann(urls[0], change) }, stop)
	}
	if answer, kept := locked(nil); kept != 77 || !strings.Contains(answer, "changed") {
		t.Fatalf("the twin: %s, %d", answer, kept)
	}
	revoke := func() {
		if r := exo(t, "", "access", "revoke", "-as", "shop=1", "-why", "her laptop was stolen", path); r.code != cli.ExitDone || r.out != "shop=1 is revoked\n" {
			t.Fatal(r)
		}
	}
	if answer, kept := locked(revoke); kept != 0 || !strings.Contains(answer, "revoked") || strings.Contains(answer, "laptop") {
		t.Errorf("a program of a revoked principal goes on: %s, %d", answer, kept)
	}
	time.Sleep(2 * time.Second) // for the processes in which nothing ran
	for _, url := range urls {
		if got := ann(url, "return await items.count()"); !strings.Contains(got, "revoked") {
			t.Errorf("%s still lets her in: %s", url, got)
		}
		if got := bob(url, "return await items.count()"); !strings.Contains(got, "30") {
			t.Errorf("%s refuses another: %s", url, got)
		}
	}
	if r := exo(t, "", "run", path, "-as", "shop=1", "-e", "return 1"); r.code == cli.ExitDone || !strings.Contains(r.err, "taken back") {
		t.Errorf("exo run does not know: %v", r)
	}
	if r := exo(t, "", "access", "list", path); !strings.Contains(r.out, "shop=1") || !strings.Contains(r.out, "stolen") {
		t.Error(r)
	}
	for _, args := range []string{"restore -as shop=1", "revoke -subject ann", "revoke -all", "restore -subject ann", "restore -all"} {
		if r := exo(t, "", strings.Fields("access "+args+" "+path)...); r.code != cli.ExitDone {
			t.Error(r)
		}
		time.Sleep(1500 * time.Millisecond)
		let := map[string]bool{"ann": args == "restore -as shop=1" || args == "restore -all", "bob": !strings.HasSuffix(args, "-all") && args != "restore -subject ann" || args == "restore -all"}
		for name, say := range map[string]func(url, code string) string{"ann": ann, "bob": bob} {
			if got := say(urls[1], "return await items.count()"); strings.Contains(got, "30") != let[name] {
				t.Errorf("%s after %s: %s", name, args, got)
			}
		}
	}
}

// TestAccessCommand: what is wrong is said with the right form, and exo validate refuses a store that exo serve refuses.
func TestAccessCommand(t *testing.T) {
	t.Setenv("GRANTS_TEST_DB", budgetedItems(t))
	path, text := filepath.Join(t.TempDir(), "exo.yaml"), openedFile
	type command struct {
		args string
		code int
		says string
	}
	check := func(all []command) {
		t.Helper()
		for _, c := range all {
			if r := exo(t, "", strings.Fields(c.args+" "+path)...); r.code != c.code || !strings.Contains(r.out+r.err, c.says) {
				t.Errorf("%s: %v", c.args, r)
			}
		}
	}
	write(t, path, text)
	check([]command{
		{"access list", cli.ExitFound, "add the line `access: { store: access }`"},
		{"access revoke", cli.ExitUsage, "say whose access: -as CLAIMS"},
		{"access revoke -all -as org=1", cli.ExitUsage, "say whose access: -as CLAIMS"},
		{"access revoke -all=false", cli.ExitUsage, "say whose access: -as CLAIMS"},
		{"access revoke -all -as=", cli.ExitUsage, "say whose access: -as CLAIMS"},
		{"access revoke -as org=1 -subject=", cli.ExitUsage, "say whose access: -as CLAIMS"},
		{"access revoke -subject ann -as=", cli.ExitUsage, "say whose access: -as CLAIMS"},
		{"access revoke -as ,", cli.ExitUsage, "-as names no claim"},
		{"access revoke -principal org=1 -all", cli.ExitUsage, "say whose access: -as CLAIMS"},
		{"access revoke -subject ann", cli.ExitUsage, "lets in no client"},
		{"access restore -as shop=1", cli.ExitUsage, "`principal` of the file has no claim `shop`; there is only `org`"},
		{"access restore -issuer x", cli.ExitUsage, "-issuer needs -subject NAME"},
	})
	write(t, path, text+"access: { store: access }\n")
	check([]command{
		{"access list", cli.ExitDone, "nobody is revoked"},
		{"access list -json", cli.ExitDone, "[]"},
		{"access restore -as org=1", cli.ExitFound, "the list has no such entry"},
		{"access revoke -as org=1 -why \x1b[31mleft", cli.ExitDone, "org=\"1\" is revoked"},
		{"access list", cli.ExitDone, `\u001b[31mleft`},
		{"access list -json", cli.ExitDone, `"principal": "org=\"1\""`},
		{"access revoke -all", cli.ExitDone, "all principals are revoked"},
		{"access list", cli.ExitDone, "all principals"},
		{"access restore -all", cli.ExitDone, "have access again"},
		{"access revoke -principal shop=7", cli.ExitDone, "shop=7 is revoked"},
		{"access list", cli.ExitDone, "the entry shop=7 no longer concerns any principal"},
		{"access restore -principal shop=7", cli.ExitDone, "shop=7 has access again"},
		{"serve -as org=1 -notice 5s", cli.ExitUsage, "-notice is only for -http"},
		{"serve -as org=1 -http 127.0.0.1:0 -drain -5s", cli.ExitUsage, "want a time of 0 or more"},
		{"show", cli.ExitDone, "access"},
	})
	write(t, path, text+"access: { store: env:NO_SUCH_VARIABLE }\n")
	for _, command := range []string{"validate", "serve -as org=1"} {
		if r := exo(t, "", append(strings.Fields(command), path)...); r.code == cli.ExitDone || !strings.Contains(r.err+r.out, "NO_SUCH_VARIABLE") {
			t.Errorf("%s: %v", command, r)
		}
	}
}
