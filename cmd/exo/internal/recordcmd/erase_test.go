package recordcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
)

// made is a record in a folder, with its keys.
type made struct{ log, key, identity string }

func makeLog(t *testing.T) made {
	t.Helper()
	dir := t.TempDir()
	m := made{filepath.Join(dir, "log"), "file:" + filepath.Join(dir, "key"), filepath.Join(dir, "identity")}
	if code, out := run(t, "init", "-key", m.key, "-identity", m.identity, m.log); code != 0 {
		t.Fatal(out)
	}
	return m
}

func (m made) open(t *testing.T) *record.Folder {
	t.Helper()
	private, err := tree.ReadSigningKey(m.log, m.key)
	if err != nil {
		t.Fatal(err)
	}
	f, err := record.OpenFolder(m.log, private)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// public returns the public key of the log.
func (m made) public(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(m.log, "log.json"))
	var about tree.About
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(about.Key)
}

// add records a run of one message, which ends if it should.
func (m made) add(t *testing.T, principal string, ends bool, details ...any) exo.RunID {
	t.Helper()
	f := m.open(t)
	defer f.Close()
	id := exo.NewRunID()
	steps := []exo.Entry{{Step: exo.Begun, Start: &exo.Start{Principal: exo.Principal(principal), Program: "x"}}, {Step: exo.Outcome, Call: 1, Details: details}, {Step: exo.Ended}}
	if !ends {
		steps = steps[:2]
	}
	for _, e := range steps {
		e.RunID, e.At = id, time.Now()
		if err := f.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

// readable lists the runs that the identity still reads.
func (m made) readable(t *testing.T) (ids []string) {
	t.Helper()
	_, out := run(t, "tail", "-identity", m.identity, m.log)
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "(erased)") {
			ids = append(ids, strings.Fields(line)[2])
		}
	}
	return ids
}

func ids(all ...exo.RunID) (texts []string) {
	for _, id := range all {
		texts = append(texts, id.String())
	}
	return texts
}

// TestErasePrincipal: the runs of one principal are erased, and none of another whose name begins, ends or is spelled alike.
func TestErasePrincipal(t *testing.T) {
	m := makeLog(t)
	ann := []exo.RunID{m.add(t, "user=1", true), m.add(t, "user=1", true)}
	var others []exo.RunID
	for _, name := range []string{"user=11", "user=", "user=1,org=2", "superuser=1", "USER=1", " user=1", "user=1\n", ""} {
		others = append(others, m.add(t, name, true))
	}
	args := func(more ...string) []string {
		return append(append([]string{"erase", "-principal", "user=1"}, more...), m.log)
	}
	for _, c := range [][]string{args("-key", m.key), args("-identity", m.identity), args("-identity", m.identity, "-key", m.key, "-before", "2026-01-31"), args("-identity", m.identity, "-key", m.key, "-row", "a:1")} {
		if code, out := run(t, c...); code != cli.ExitUsage {
			t.Errorf("%v: %d %s", c, code, out)
		}
	}
	if code, out := run(t, args("-identity", m.identity, "-dry-run")...); code != 0 || out != "2 runs match\n" || len(m.readable(t)) != 10 {
		t.Errorf("%d %s", code, out)
	}
	open := m.add(t, "user=1", false)
	if code, out := run(t, args("-identity", m.identity, "-key", m.key)...); code != cli.ExitFound || !strings.Contains(out, "2 runs match\n2 data keys destroyed") || !strings.Contains(out, open.String()) || strings.Contains(out, ann[0].String()) {
		t.Errorf("%d %s", code, out)
	}
	if got, want := m.readable(t), ids(append(others, open)...); !slices.Equal(got, want) {
		t.Errorf("%v can be read, want %v", got, want)
	}
}

// TestPrincipalByClaims: -principal also finds principals whom a token named, by all their claims, and one of them by its whole name.
func TestPrincipalByClaims(t *testing.T) {
	m := makeLog(t)
	ann, bob := `"ann" of "https://issuer", customer=1`, `"bob, \"of\"" of "https://issuer", customer=1`
	for _, name := range []string{ann, bob, "customer=1", `"eve" of "https://issuer", customer=11`, `"customer=1" of "x"`, `"x" of customer=1`, `"eve" of "https://issuer", customer=1 user=2`} {
		m.add(t, name, true)
	}
	for name, want := range map[string]int{"customer=1": 3, ann: 1, bob: 1, "customer=11": 1, "user=2": 0, "customer=1 user=2": 1} {
		code, out := run(t, "tail", "-identity", m.identity, "-principal", name, m.log)
		if code != 0 || strings.Count(out, "\n") != want {
			t.Errorf("%s: %d %s", name, code, out)
		}
	}
	if code, out := run(t, "erase", "-identity", m.identity, "-key", m.key, "-principal", "customer=1", m.log); code != 0 || !strings.Contains(out, "3 runs match\n3 data keys destroyed") || len(m.readable(t)) != 4 {
		t.Errorf("%d %s", code, out)
	}
}

// TestEraseNamesUnread: erasing names the files with lines that could not be read: data keys may be in them.
func TestEraseNamesUnread(t *testing.T) {
	m := makeLog(t)
	id := m.add(t, "user=1", true)
	left := filepath.Join(m.log, "unread-000000000000000.jsonl-17")
	if err := os.WriteFile(left, []byte("half a line"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := run(t, "erase", "-key", m.key, m.log, id.String()); code != 0 || !strings.Contains(out, "1 files have lines that could not be read") || !strings.Contains(out, left) {
		t.Errorf("%d %s", code, out)
	}
}

// TestEraseRow: the runs whose record names a row are erased. A row whose key contains it, or of another table, is another row. What is left
// out of a record could name the row.
func TestEraseRow(t *testing.T) {
	read := func(table string, args ...value.Value) any {
		return exosql.Query{SQL: `SELECT "t0"."id" FROM "` + table + `" AS "t0" WHERE "t0"."id" = ?`, Args: args}
	}
	changed := func(table string, key ...value.Value) any {
		return exosql.Changes{Rows: []exosql.Change{{Table: table, Key: key, Before: value.RecordValue()}}}
	}
	n, s := value.Int, value.Text
	m := makeLog(t)
	named := ids(
		m.add(t, "by its key", true, read("orders", n(42))),
		m.add(t, "as text", true, read("orders", s("42"))),
		m.add(t, "in a list", true, read("orders", value.List(n(7), n(42)))),
		m.add(t, "in a text of a list", true, read("orders", s(`[7,42]`))),
		m.add(t, "by another table's statement", true, read("orders"), read("customers", n(42))),
		m.add(t, "its image", true, changed("orders", n(42))),
		m.add(t, "the image of an alias", true, read("orders"), changed("mine", n(42))),
		m.add(t, "a large value", true, read("orders", s(strings.Repeat("x", 1<<20)))),
		m.add(t, "a large statement", true, exosql.Query{SQL: strings.Repeat("x", 1<<20)}),
		m.add(t, "a detail that is left out", true, strings.Repeat("x", 2<<20)),
	)
	others := ids(
		m.add(t, "a longer key", true, read("orders", n(420), n(142), s("42x"), s(" 42"), s("[420]"), s("42]")), changed("orders", n(421))),
		m.add(t, "a list", true, read("orders")),
		m.add(t, "a negative key", true, read("orders", n(-42))),
	)
	apart := ids(
		m.add(t, "another table", true, read("customers", n(42)), changed("customers", n(42))),
		m.add(t, "a longer table", true, read("orders_old", n(42)), read("old_orders", n(42))),
		m.add(t, "no database", true, map[string]any{"args": []int{42}, "table": "orders"}, "orders", 42),
	)
	args := []string{"erase", "-identity", m.identity, "-row"}
	if code, out := run(t, append(args, "orders:42", "-dry-run", m.log)...); code != 0 || out != fmt.Sprintf("%d runs match\n%d more have a statement on the table, and their record does not say which rows it read or changed\n", len(named), len(others)) {
		t.Errorf("%d %s", code, out)
	}
	if code, out := run(t, append(args, "orders:42", "-key", m.key, m.log)...); code != 0 {
		t.Errorf("%d %s", code, out)
	}
	if got, want := m.readable(t), append(others, apart...); !slices.Equal(got, want) {
		t.Errorf("%v can be read, want %v", got, want)
	}
	if code, out := run(t, append(args, "orders", "-key", m.key, m.log)...); code != 0 || !strings.Contains(out, "3 runs match") {
		t.Errorf("%d %s", code, out)
	}
	if got := m.readable(t); !slices.Equal(got, apart) {
		t.Errorf("%v can be read, want %v", got, apart)
	}
	two := m.add(t, "two columns", true, changed("lines", n(7), s("a")))
	m.add(t, "turned round", true, changed("lines", s("a"), n(7)))
	if code, out := run(t, append(args, "lines:7,a", "-key", m.key, m.log)...); code != 0 || !strings.Contains(out, "1 runs match") || slices.Contains(m.readable(t), two.String()) {
		t.Errorf("%d %s", code, out)
	}
	for _, row := range []string{":42", "orders:"} {
		if code, out := run(t, append(args, row, "-dry-run", m.log)...); code != cli.ExitUsage {
			t.Errorf("%s: %d %s", row, code, out)
		}
	}
}

// TestEraseRowReply: a list of a table has read a row whose key is in its reply, where the record keeps replies. So an export has the replies.
func TestEraseRowReply(t *testing.T) {
	m := makeLog(t)
	f := m.open(t)
	f.KeepReplies(record.Replies{})
	add := func(key int64, table string) exo.RunID {
		id := exo.NewRunID()
		reply := value.List(value.RecordValue(value.Field{Name: "id", Value: value.Int(key)}))
		for _, e := range []exo.Entry{
			{Step: exo.Begun, Start: &exo.Start{Program: "x", Grants: func() []byte { return []byte("grants") }}},
			{Step: exo.Outcome, Call: 1, Details: []any{exosql.Query{SQL: `SELECT "t0"."id" FROM "` + table + `" AS "t0"`}}, Raw: exo.RawReply{Value: reply}},
			{Step: exo.Ended},
		} {
			e.RunID, e.At = id, time.Now()
			if err := f.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		return id
	}
	named, other, elsewhere := add(42, "orders"), add(421, "orders"), add(42, "customers")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, out := run(t, "export", "-identity", m.identity, m.log); strings.Count(out, `"reply":{`) != 3 || strings.Count(out, `"value":"`) != 3 {
		t.Errorf("the export has no replies: %s", out)
	}
	if code, out := run(t, "erase", "-identity", m.identity, "-key", m.key, "-row", "orders:42", m.log); code != 0 || !strings.HasPrefix(out, "1 runs match") {
		t.Errorf("%d %s", code, out)
	}
	if got := m.readable(t); !slices.Equal(got, ids(other, elsewhere)) {
		t.Errorf("%v can be read, not %v of %v", got, ids(other, elsewhere), named)
	}
}

// TestEraseBelievesNoLine: who can write the folder, and has neither key, puts lines of another log in the place of a run's, which name the
// principal whose runs an operator erases. Nothing is erased.
func TestEraseBelievesNoLine(t *testing.T) {
	m := makeLog(t)
	victim := m.add(t, "user=9", true)
	for range 3 { // opening reads the last MiB
		m.add(t, "user=2", true, strings.Repeat("x", 900<<10))
	}
	m.add(t, "user=1", true)
	text, err := os.ReadFile(filepath.Join(m.log, "log.json"))
	if err != nil {
		t.Fatal(err)
	}
	var about tree.About
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	origin, private, public, err := tree.NewKey()
	two := filepath.Join(t.TempDir(), "two")
	if err := errors.Join(err, tree.Create(two, tree.About{Origin: origin, Key: public, Recipients: about.Recipients}, private)); err != nil {
		t.Fatal(err)
	}
	f, err := record.OpenFolder(two, private)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []exo.Entry{{Step: exo.Begun, Start: &exo.Start{Principal: "user=1", Program: "x"}}, {Step: exo.Outcome, Call: 1}, {Step: exo.Ended}} {
		e.RunID, e.At = victim, time.Now()
		if err := f.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	lines := func(dir string) (all []string, path string) {
		path = filepath.Join(dir, "000000000000000.jsonl")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.SplitAfter(string(text), "\n"), path
	}
	own, path := lines(m.log)
	genuine := []byte(strings.Join(own, ""))
	forged, _ := lines(two)
	of := func(l string) bool { return strings.Contains(l, victim.String()) }
	forged = slices.DeleteFunc(forged, func(l string) bool { return !of(l) })
	n := 0
	for i := range own {
		if of(own[i]) {
			own[i], n = forged[n], n+1
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(own, "")), 0o600); err != nil || n != 3 {
		t.Fatal(n, err)
	}
	if code, out := run(t, "erase", "-identity", m.identity, "-principal", "user=1", "-dry-run", m.log); code != 0 || !strings.Contains(out, "2 runs match") {
		t.Errorf("the forged lines deceive nobody: %d %s", code, out)
	}
	back := &restoring{func() { _ = os.WriteFile(path, genuine, 0o600) }}
	if code := cli.Run(t.Context(), cli.Stdio{Out: back, Err: io.Discard}, Commands(), []string{"record", "erase", "-identity", m.identity, "-key", m.key, "-principal", "user=1", m.log}); code != cli.ExitCannot {
		t.Errorf("code %d", code)
	}
	if err := os.WriteFile(path, genuine, 0o600); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(m.readable(t), victim.String()) {
		t.Error("the run of another principal is erased")
	}
}

// restoring calls a function when something is printed: an attacker puts the lines back once the runs were chosen.
type restoring struct{ do func() }

func (r *restoring) Write(b []byte) (int, error) {
	r.do()
	return len(b), nil
}
