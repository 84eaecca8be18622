package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const servedBySeveral = `exo: 1
reviewed: true
databases:
  shop: { url: env:SEVERAL_DB, witness: true, cursors: env:SEVERAL_CURSORS }
record: { database: env:SEVERAL_DB, key: "file:record.key" }
approvals: { store: env:SEVERAL_DB, key: env:SEVERAL_APPROVALS }
access: { store: env:SEVERAL_DB }
admits: [pii]
labels: { pii: secret }
principal: { shop: int }
facets:
  item:
    scope: shop = $principal.shop
    table: items
    columns: { id: {}, name: {}, price: { label: [pii] }, n: {} }
    update: [n]
    delete: true
    approve: { delete: true }
grants: { items: item }
serve:
  resource: https://shop.example.com/mcp
  tokens:
    ann: { token: env:SEVERAL_ANN, claims: { shop: 1 } }
    bob: { token: env:SEVERAL_BOB, claims: { shop: 2 } }
`

// ask runs a program at one of the servers, and returns what the client reads.
func ask(t *testing.T, url, token, code string) string {
	t.Helper()
	params, _ := json.Marshal(map[string]any{"name": "execute", "arguments": map[string]any{"code": code}})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+string(params)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	var got struct {
		Result struct{ Content []struct{ Text string } }
	}
	line := regexp.MustCompile(`(?m)^(data: )?(\{.*)$`).FindSubmatch(b)
	if line == nil || json.Unmarshal(line[2], &got) != nil || len(got.Result.Content) == 0 {
		return string(b)
	}
	return got.Result.Content[0].Text
}

// several is what processes of one file share.
type several struct {
	url, path, public string
	db                *sql.DB
	ann, bob          string // tokens
}

func newSeveral(t *testing.T) *several {
	t.Helper()
	s := &several{url: tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on"), ann: strings.Repeat("ann1", 10), bob: strings.Repeat("bob2", 10)}
	s.db = tu.Admin(t, s.url)
	s.exec(t, exosql.CreateWitness+`; CREATE TABLE items (id INT PRIMARY KEY, shop INT NOT NULL, name TEXT NOT NULL, price INT NOT NULL, n INT NOT NULL);
		INSERT INTO items SELECT i, 1 + i % 2, 'item ' || i, i * 10, 0 FROM generate_series(1, 60) i`)
	for name, value := range map[string]string{"SEVERAL_DB": s.url, "SEVERAL_CURSORS": strings.Repeat("c", 32), "SEVERAL_APPROVALS": strings.Repeat("a", 32), "SEVERAL_ANN": s.ann, "SEVERAL_BOB": s.bob} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	s.path = filepath.Join(dir, "exo.yaml")
	write(t, s.path, servedBySeveral)
	r := exo(t, "", "record", "init", "-key", "file:"+filepath.Join(dir, "record.key"), "-identity", filepath.Join(dir, "auditor"), "env:SEVERAL_DB")
	if r.code != cli.ExitDone {
		t.Fatal(r)
	}
	s.public = strings.TrimSpace(strings.Split(r.out, "\n")[1])
	if r := exo(t, "", "validate", s.path); r.code == cli.ExitDone || !strings.Contains(r.out, "`exo gen store`") {
		t.Errorf("without the table: %v", r)
	}
	s.exec(t, exo(t, "", "gen", "store").out)
	return s
}

func (s *several) exec(t *testing.T, text string) {
	t.Helper()
	if _, err := s.db.Exec(text); err != nil {
		t.Fatal(err)
	}
}

// TestSeveralServers: processes that serve one file share its record, what waits for a person, the labels of clients and the key of cursors, so that each
// call of a client may reach another one.
func TestSeveralServers(t *testing.T) {
	s := newSeveral(t)
	url, db, path, public, ann, bob := s.url, s.db, s.path, s.public, s.ann, s.bob
	var urls []string
	for range 3 {
		urls = append(urls, overHTTP(t, path, "-label-store", url))
	}
	n := 0
	next := func(token, code string) string {
		n++
		return ask(t, urls[n%len(urls)], token, code)
	}

	// A cursor of one process goes on in another, and not for another principal.
	var cursor string
	var names []string
	for range 10 {
		var page struct {
			Result struct {
				Rows []struct{ Name string }
				Next *string
			}
		}
		text := next(ann, fmt.Sprintf("items.select(i => ({ name: i.name })).page(7%s)", cursor))
		if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Result.Rows) == 0 {
			t.Fatal(text)
		}
		for _, row := range page.Result.Rows {
			names = append(names, row.Name)
		}
		if page.Result.Next == nil {
			break
		}
		q, _ := json.Marshal(*page.Result.Next)
		cursor = ", " + string(q)
	}
	if len(names) != 30 {
		t.Errorf("%d rows by pages of three processes: %v", len(names), names)
	}
	if got := next(bob, "items.select(i => ({ name: i.name })).page(7"+cursor+")"); !strings.Contains(got, "begin again at the first page") {
		t.Errorf("a cursor of another principal: %s", got)
	}

	// The twin, without a key of cursors, begins again at each process.
	alone := filepath.Join(filepath.Dir(path), "alone.yaml")
	write(t, alone, strings.Replace(servedBySeveral, ", cursors: env:SEVERAL_CURSORS", "", 1))
	if got := ask(t, overHTTP(t, alone, "-label-store", url), ann, "items.select(i => ({ name: i.name })).page(7"+cursor+")"); !strings.Contains(got, "begin again at the first page") {
		t.Errorf("a key of its own takes another's cursor: %s", got)
	}
	t.Setenv("SEVERAL_CURSORS", "short")
	if r := exo(t, "", "validate", path); r.code == cli.ExitDone || !strings.Contains(r.out+r.err, "want at least 32 random ones") {
		t.Errorf("%+v", r)
	}
	t.Setenv("SEVERAL_CURSORS", strings.Repeat("c", 32))

	// Access that is taken back is taken back in all processes.
	revokedInAll(t, db, path, urls, func(url, code string) string { return ask(t, url, ann, code) }, func(url, code string) string { return ask(t, url, bob, code) })

	// Changes at the same time in all processes are all kept, once.
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			for range 20 {
				got := ask(t, urls[i%len(urls)], bob, "items.where(i => i.id.eq(3)).update(i => ({ n: i.n + 1 }))")
				if !strings.Contains(got, `"conflict"`) {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Error("always in conflict")
		})
	}
	all.Wait()
	var count int
	if err := db.QueryRow("SELECT n FROM items WHERE id = 3").Scan(&count); err != nil || count != 24 {
		t.Errorf("24 changes made %d: %v", count, err)
	}

	// What one has prepared a person agrees to elsewhere, and the next call hears of it once.
	if got := next(ann, "items.where(i => i.id.eq(4)).delete()"); !strings.Contains(got, `"pending"`) {
		t.Fatal(got)
	}
	waits := exo(t, "", "approvals", "list", "-format", "json", "-file", path)
	var sets []struct{ ID, Digest string }
	if err := json.Unmarshal([]byte(waits.out), &sets); err != nil || len(sets) != 1 {
		t.Fatalf("%+v: %v", waits, err)
	}
	if r := exo(t, "", "approvals", "approve", "-file", path, "-yes", sets[0].Digest, sets[0].ID); r.code != cli.ExitDone {
		t.Errorf("%+v", r)
	}
	heard := 0
	for range 6 {
		if strings.Contains(next(ann, "items.count()"), sets[0].ID) {
			heard++
		}
	}
	if heard != 1 {
		t.Errorf("the client heard %d times what became of it", heard)
	}

	// A label that one showed counts in the others.
	if got := next(ann, "const p = await items.where(i => i.id.eq(6)).select(i => i.price); return await reveal(p[0])"); !strings.Contains(got, "60") {
		t.Fatal(got)
	}
	for range 3 {
		if got := next(ann, "items.where(i => i.id.eq(6)).update({ n: 1 })"); !strings.Contains(got, "pii") {
			t.Errorf("a process does not know what another one has shown: %s", got)
		}
	}
	if got := next(bob, "items.where(i => i.id.eq(5)).update({ n: 1 })"); strings.Contains(got, "error") {
		t.Errorf("another client: %s", got)
	}

	if r := exo(t, "", "record", "verify", "-key", public, "env:SEVERAL_DB"); r.code != cli.ExitDone {
		t.Errorf("%+v", r)
	}
}
