package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/difference"
	"github.com/exoagent/exoagent/internal/grantfile/pending"
	"github.com/exoagent/exoagent/internal/testutil"
)

const approvedShop = `exo: 1
reviewed: true
wall: none
databases:
  shop: {url: "sqlite:shop.db", witness: true}
principal: {org: int}
approvals: {key: "file:approvals.key", store: approvals}
facets:
  deal:
    table: deals
    scope: org = $principal.org
    columns: [id, title, amount]
    insert: [title, amount]
    update: [amount]
    delete: true
    approve: {columns: [amount], delete: true}
grants: {deals: deal}
`

// approvedFile is a grant file with a rule, its database and its key.
func approvedFile(t *testing.T) (path string, db *sql.DB) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "exo.yaml")
	write(t, path, approvedShop)
	db, err := sql.Open("sqlite", filepath.Join(dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, q := range []string{"CREATE TABLE exo_runs (run text NOT NULL PRIMARY KEY, kept boolean NOT NULL, at_ms bigint NOT NULL)",
		"CREATE TABLE deals (id INTEGER PRIMARY KEY, org INTEGER NOT NULL, title TEXT NOT NULL, amount INTEGER NOT NULL)",
		"INSERT INTO deals VALUES (1, 1, 'Roof', 100), (2, 1, 'Wall', 200), (3, 2, 'Door', 300)"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if r := exo(t, "", "approvals", "init", "-file", path); r.code != cli.ExitDone {
		t.Fatal(r)
	}
	return path, db
}

func total(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT sum(amount) FROM deals").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// prepare runs a program that has to wait, and returns its change set.
func prepare(t *testing.T, path, program string) (v difference.View) {
	t.Helper()
	r := exo(t, "", "run", path, "-as", "org=1", "-e", program)
	m := regexp.MustCompile(`waits as change set (\w+)`).FindStringSubmatch(r.err)
	if r.code != cli.ExitFound || m == nil {
		t.Fatalf("%s: %+v", program, r)
	}
	shown := exo(t, "", "approvals", "show", m[1], "-file", path, "-format", "json")
	if err := json.Unmarshal([]byte(shown.out), &v); err != nil || v.ID != m[1] {
		t.Fatalf("%v: %+v", err, shown)
	}
	return v
}

const raise = "deals.all().update(d => ({ amount: d.amount * 2 }))"

// TestApprovals: a change waits; a script agrees by the digest alone, and only by that of what waits; it happens once.
func TestApprovals(t *testing.T) {
	path, db := approvedFile(t)
	file := []string{"-file", path}
	key, err := os.Stat(filepath.Join(filepath.Dir(path), "approvals.key"))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v %v", key.Mode(), err)
	}
	if r := exo(t, "", append([]string{"approvals", "init"}, file...)...); r.code == cli.ExitDone {
		t.Errorf("a second key was made: %+v", r)
	}
	v := prepare(t, path, raise)
	if r := exo(t, "", append([]string{"approvals", "list"}, file...)...); !strings.Contains(r.out, v.ID) || !strings.Contains(r.out, "deal: 2 changed") {
		t.Errorf("list: %+v", r)
	}
	for name, args := range map[string][]string{"no digest": {}, "half of it": {"-yes", v.Digest[:11]}, "another": {"-yes", strings.Repeat("0", 64)}, "more than it": {"-yes", v.Digest + "0"}} {
		if r := exo(t, "yes\n", append(append([]string{"approvals", "approve", v.ID}, file...), args...)...); r.code == cli.ExitDone || total(t, db) != 600 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	approve := append([]string{"approvals", "approve", v.ID, "-yes", v.Digest}, file...)
	if r := exo(t, "", approve...); r.code != cli.ExitDone || total(t, db) != 900 {
		t.Errorf("approve: %+v, %d", r, total(t, db))
	}
	if r := exo(t, "", approve...); r.code != cli.ExitFound || !strings.Contains(r.err, "the change set is applied") || total(t, db) != 900 {
		t.Errorf("a second time: %+v, %d", r, total(t, db))
	}
	v = prepare(t, path, "deals.where({ id: 1 }).delete()")
	if r := exo(t, "", append([]string{"approvals", "reject", v.ID, "-why", "not\u202e now"}, file...)...); r.code != cli.ExitDone {
		t.Errorf("reject: %+v", r)
	}
	if r := exo(t, "", append([]string{"approvals", "show", v.ID}, file...)...); !strings.Contains(r.out, `"not\u{202e} now"`) || !strings.Contains(r.out, "is rejected") {
		t.Errorf("show: %+v", r)
	}
	if r := exo(t, "", append([]string{"approvals", "settle"}, file...)...); r.code != cli.ExitDone || r.out != "settled: 0\n" {
		t.Errorf("settle: %+v", r)
	}
}

// TestApprovalsConflict: what the database has become since is not overwritten, and the person reads what differs.
func TestApprovalsConflict(t *testing.T) {
	path, db := approvedFile(t)
	v := prepare(t, path, raise)
	if _, err := db.Exec("UPDATE deals SET amount = 101 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	r := exo(t, "", "approvals", "approve", v.ID, "-yes", v.Digest, "-file", path)
	if r.code != cli.ExitFound || !strings.Contains(r.err, "would now do something else") || !strings.Contains(r.err, "202") || total(t, db) != 601 {
		t.Errorf("%+v, %d", r, total(t, db))
	}
}

// TestSettleApprovals: a change set whose process was stopped while it applied it waits again if the database did not keep it. If the database has lost
// what it kept, the change set is unknown: its changes could be made twice.
func TestSettleApprovals(t *testing.T) {
	for _, lost := range []bool{false, true} {
		settleApprovals(t, lost)
	}
}

func settleApprovals(t *testing.T, lost bool) {
	path, db := approvedFile(t)
	v := prepare(t, path, raise)
	f, err := readGrants(path)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := pending.Open(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	ago, err := review.New(review.Options{Store: kept.Store, Key: kept.Key, Now: func() time.Time { return time.Now().Add(-11 * time.Minute) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ago.Approve(t.Context(), v.ID, v.Digest, review.Approver{Name: "ann", How: review.Terminal}); err != nil { // and its process ends
		t.Fatal(err)
	}
	if r := exo(t, "", "approvals", "approve", v.ID, "-yes", v.Digest, "-file", path); r.code != cli.ExitFound {
		t.Errorf("while it is applied: %+v", r)
	}
	change := "UPDATE exo_runs SET at_ms = 1" // it knew its runs before
	if lost {
		change = "DELETE FROM exo_runs"
	}
	if _, err := db.Exec(change); err != nil {
		t.Fatal(err)
	}
	if r := exo(t, "", "approvals", "settle", "-file", path); r.out != "settled: 1\n" {
		t.Errorf("settle: %+v", r)
	}
	r := exo(t, "", "approvals", "approve", v.ID, "-yes", v.Digest, "-file", path)
	if lost && (!strings.Contains(r.err, "the change set is unknown") || total(t, db) != 600) || !lost && (r.code != cli.ExitDone || total(t, db) != 900) {
		t.Errorf("afterwards: %+v", r)
	}
}

// TestApprovalsPage: the file of docs/approvals.md is valid, each command that the page names is there, and its rules ask.
func TestApprovalsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testutil.Root(), "docs", "approvals.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	path, _ := approvedFile(t)
	write(t, path, string(block[1]))
	if r := exo(t, "", "show", path); r.code != cli.ExitDone || !strings.Contains(r.out, "to changes of more than 10 rows of a principal in a day; to deletes; to changes of amount") {
		t.Errorf("%+v", r)
	}
	prepare(t, path, raise)
	names := regexp.MustCompile("`exo approvals (\\w+)").FindAllSubmatch(page, -1)
	for _, m := range names {
		if r := exo(t, "", "help", "approvals", string(m[1])); r.code != cli.ExitDone || !strings.Contains(r.out, "usage: exo approvals "+string(m[1])) {
			t.Errorf("%s: %+v", m[1], r)
		}
	}
	if len(names) < 4 {
		t.Errorf("%d commands", len(names))
	}
}

// TestServeChanges: the page of exo serve applies a change set with the grants of the principal for whom it was prepared. Without a session the page is
// not there, for the client's own token neither.
func TestServeChanges(t *testing.T) {
	path, db := approvedFile(t)
	token := strings.Repeat("t0ken", 8)
	t.Setenv(tokenVariable, token)
	v := prepare(t, path, raise)
	at := strings.TrimSuffix(overHTTP(t, path, "-as", "org=1"), "/mcp")
	ask := func(c *http.Client, method, to string, form url.Values, header ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(context.Background(), method, to, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	for _, to := range []string{"/changes", "/changes/" + v.ID, "/changes/link/" + strings.Repeat("0", 32)} {
		unknown, says := ask(http.DefaultClient, "GET", at+"/nothing", nil)
		if got, text := ask(http.DefaultClient, "GET", at+to, nil, "Authorization", "Bearer "+token); got != unknown || text != says || got != 404 {
			t.Errorf("%s: %d %s", to, got, text)
		}
	}
	if got, _ := ask(http.DefaultClient, "POST", at+"/changes/"+v.ID+"/approve", url.Values{"digest": {v.Digest}}, "Authorization", "Bearer "+token); got != 404 || total(t, db) != 600 {
		t.Errorf("a client agrees to its own change: %d, %d", got, total(t, db))
	}
	link := exo(t, "", "approvals", "link", "-file", path, "-as", "ann", "-at", at+"/changes")
	if link.code != cli.ExitDone {
		t.Fatal(link)
	}
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar}
	if got, text := ask(c, "POST", strings.TrimSpace(link.out), nil, "Origin", at); got != 200 || !strings.Contains(text, v.ID) {
		t.Fatalf("the link: %d %s", got, text)
	}
	_, text := ask(c, "GET", at+"/changes/"+v.ID, nil)
	code := regexp.MustCompile(`name="code" value="(\w+)"`).FindStringSubmatch(text)
	if code == nil {
		t.Fatal(text)
	}
	if got, text := ask(c, "POST", at+"/changes/"+v.ID+"/approve", url.Values{"digest": {v.Digest}, "code": {code[1]}}, "Origin", at); got != 200 || !strings.Contains(text, "applied") || total(t, db) != 900 {
		t.Errorf("%d, %d: %s", got, total(t, db), text)
	}
	var by string
	if r := exo(t, "", "approvals", "show", v.ID, "-file", path); r.code == cli.ExitDone {
		by = regexp.MustCompile(`decided by .*`).FindString(r.out)
	}
	if !strings.Contains(by, `"ann", known by the link`) {
		t.Errorf("on record: %s", by)
	}
}
