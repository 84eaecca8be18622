package postgres_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// dead is how long a run of these tests is silent before another process may settle it.
const dead = time.Nanosecond

// killable is a table whose process can be killed: then it appends nothing any more.
type killable struct {
	*postgres.Table
	killed atomic.Bool
}

func (k *killable) Group(ctx context.Context, sizes []int64, runs []tree.Run, next func(tree.State) ([]tree.Row, error)) error {
	if k.killed.Load() {
		return errors.New("killed")
	}
	return k.Table.Group(ctx, sizes, runs, next)
}

// opened is a log with the table that can be killed.
type opened struct {
	*tree.Shared
	table *killable
}

// urlOf returns the URL of an empty schema.
func urlOf(t testing.TB) string {
	t.Helper()
	return tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on") // the server of the tests has it off
}

// database makes a log in a database.
func database(t testing.TB, witness bool) *treetest.Store { return in(t, urlOf(t), witness) }

func in(t testing.TB, url string, witness bool) *treetest.Store {
	t.Helper()
	return with(t, url, tu.Admin(t, url), connect(t, url), witness)
}

// with makes a log with connections that are open.
func with(t testing.TB, url string, admin *sql.DB, table *postgres.Table, witness bool) *treetest.Store {
	t.Helper()
	s := &treetest.Store{Keys: treetest.NewKeys(t, witness), Shared: true}
	if err := postgres.Create(t.Context(), url, s.Keys.About, s.Private); err != nil {
		t.Fatal(err)
	}
	s.From = tree.In(table)
	s.Open = func() (treetest.Log, error) {
		own, err := postgres.Connect(url)
		if err != nil {
			return nil, err
		}
		k := &killable{Table: own}
		l, err := tree.OpenShared(t.Context(), k, s.Private, &tree.SharedOptions{Dead: dead})
		return opened{l, k}, err
	}
	s.Crash = func(l treetest.Log, _ int) {
		o := l.(opened)
		o.table.killed.Store(true)
		_ = o.Close()
	}
	s.Read = func() (lines [][]byte) {
		for r, err := range table.Rows(t.Context(), 0, true) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, lineOf(r))
		}
		return lines
	}
	s.Write = func(lines [][]byte) { put(t, admin, lines) }
	s.About = func(text []byte) []byte {
		if text != nil {
			change(t, admin, "UPDATE exo_record_about SET about = $1", string(text))
		}
		text, err := table.About(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	return s
}

func connect(t testing.TB, url string) *postgres.Table {
	t.Helper()
	table, err := postgres.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	return table
}

func change(t testing.TB, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatal(err)
	}
}

// lineOf spells a row as a folder does. It is written a second time here, for a test of the first.
func lineOf(r tree.Row) []byte {
	if r.Checkpoint {
		return []byte(r.Line)
	}
	text := `{"leaf":` + r.Line
	if strings.Contains(r.Line, `"wrapped"`) {
		key := strings.Repeat("-", 40)
		if r.Key != nil {
			key = base64.StdEncoding.EncodeToString(r.Key)
		}
		text += `,"key":"` + key + `"`
	}
	if r.Sealed != nil {
		text += `,"sealed":"` + base64.StdEncoding.EncodeToString(r.Sealed) + `"`
	}
	return []byte(text + "}\n")
}

var entry = regexp.MustCompile(`^\{"leaf":(\{[^}]*\})(?:,"key":"([^"]*)")?(?:,"sealed":"([^"]*)")?\}\n$`)

// put writes lines as rows with the numbers that their places have, as the owner of the tables can.
func put(t testing.TB, db *sql.DB, lines [][]byte) {
	t.Helper()
	change(t, db, "DELETE FROM exo_record_lines")
	change(t, db, "DELETE FROM exo_record_keys")
	n := 0
	for _, line := range lines {
		if bytes.HasPrefix(line, []byte(`{"checkpoint"`)) {
			change(t, db, "INSERT INTO exo_record_lines (number, kind, line) VALUES ($1, 0, $2)", n, string(line))
			continue
		}
		m := entry.FindSubmatch(line)
		run := regexp.MustCompile(`"run":"([^"]*)"`).FindSubmatch(m[1])
		id := strings.Repeat("0", 32)
		if run != nil {
			id = string(run[1])
		}
		var sealed any
		if m[3] != nil {
			sealed, _ = base64.StdEncoding.DecodeString(string(m[3]))
		}
		change(t, db, "INSERT INTO exo_record_lines (number, kind, run, line, sealed) VALUES ($1, 1, $2::uuid, $3, $4)", n, id, string(m[1]), sealed)
		if key, err := base64.StdEncoding.DecodeString(string(m[2])); err == nil && len(key) > 0 {
			change(t, db, "INSERT INTO exo_record_keys VALUES ($1, $2)", n, key)
		}
		n++
	}
}

func TestModel(t *testing.T) {
	tu.NotRaced(t)
	url := urlOf(t)
	in(t, url, false)
	admin, table := tu.Admin(t, url), connect(t, url)
	treetest.Model(t, func(_ testing.TB, witness bool) *treetest.Store {
		change(t, admin, "TRUNCATE exo_record_about, exo_record_lines, exo_record_keys")
		return with(t, url, admin, table, witness)
	})
}

func TestTampering(t *testing.T) {
	tu.NotRaced(t)
	treetest.Tampering(t, database)
}
