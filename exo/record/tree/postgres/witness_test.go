package postgres_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
	"github.com/exoagent/exoagent/internal/dbwitness"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const witnessVar = "EXO_TEST_WITNESS_URL"

// witnessed are logs with a witness in a second database: one in a folder, and one in a database.
var witnessed = map[string]func(t *testing.T, k treetest.Keys) *treetest.Store{
	"folder": func(t *testing.T, k treetest.Keys) *treetest.Store {
		dir := filepath.Join(t.TempDir(), "log")
		if err := tree.Create(dir, k.About, k.Private); err != nil {
			t.Fatal(err)
		}
		first := filepath.Join(dir, "000000000000000.jsonl")
		return &treetest.Store{Keys: k, From: tree.Dir(dir), Open: func() (treetest.Log, error) { return tree.Open(dir, k.Private) },
			Read: func() [][]byte { text, _ := os.ReadFile(first); return [][]byte{text} },
			Write: func(lines [][]byte) {
				if err := os.WriteFile(first, lines[0], 0o600); err != nil {
					t.Fatal(err)
				}
			}}
	},
	"database": func(t *testing.T, k treetest.Keys) *treetest.Store {
		url := urlOf(t)
		if err := postgres.Create(t.Context(), url, k.About, k.Private); err != nil {
			t.Fatal(err)
		}
		admin, table := tu.Admin(t, url), connect(t, url)
		return &treetest.Store{Keys: k, From: tree.In(table), Open: func() (treetest.Log, error) { return postgres.Open(t.Context(), url, k.Private, nil) },
			Read: func() (lines [][]byte) {
				for r, err := range table.Rows(t.Context(), 0, true) {
					if err != nil {
						t.Fatal(err)
					}
					lines = append(lines, lineOf(r))
				}
				return lines
			},
			Write: func(lines [][]byte) { put(t, admin, lines) }}
	},
}

// goOn opens the log, and appends a run.
func goOn(t *testing.T, s *treetest.Store) error {
	t.Helper()
	l, err := s.Open()
	if err != nil {
		return err
	}
	treetest.Run(t, l, 5, "what it says")
	return l.Close()
}

// TestDatabaseWitness: the log and its table are put back to how they were. A witness in a second database finds it, and its host's role can't put the
// witness back, too. The twins: without the witness, and as the owner, who can take the trigger away, nothing is found.
func TestDatabaseWitness(t *testing.T) {
	for name, made := range witnessed {
		t.Run(name, func(t *testing.T) {
			owner := tu.Postgres.URL(t)
			t.Setenv(witnessVar, owner)
			k := treetest.NewKeys(t, false)
			k.About.Witness = "env:" + witnessVar
			s := made(t, k)
			admin, schema := tu.Admin(t, owner), tu.Param(t, owner, "search_path")
			role := schema + "_role"
			change(t, admin, "CREATE ROLE "+role+" LOGIN")
			t.Cleanup(func() { _, _ = admin.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role) })
			change(t, admin, "GRANT USAGE ON SCHEMA "+schema+" TO "+role)
			change(t, admin, strings.ReplaceAll(dbwitness.Rights, "…", role))
			host := tu.AsUser(t, owner, role)
			t.Setenv(witnessVar, host)

			if err := goOn(t, s); err != nil {
				t.Fatal(err)
			}
			old := s.Read()
			var size int64
			var checkpoint string
			if err := admin.QueryRow("SELECT size, checkpoint FROM exo_record_witness").Scan(&size, &checkpoint); err != nil || size == 0 {
				t.Fatal(size, err)
			}
			if err := goOn(t, s); err != nil {
				t.Fatal(err)
			}
			if v := s.Verify(t); !v.Complete() || v.Unasked != nil || v.Seen != v.Entries || !strings.Contains(strings.Join(v.Lines(), "\n"), "lags 0 behind") {
				t.Fatalf("%s", strings.Join(v.Lines(), "\n"))
			}
			s.Write(old)
			db := tu.Admin(t, host)
			for _, text := range []string{"DELETE FROM exo_record_witness", "TRUNCATE exo_record_witness", "UPDATE exo_record_witness SET size = size - 1", "DROP TABLE exo_record_witness",
				"UPDATE exo_record_witness SET checkpoint = ''", "UPDATE exo_record_witness SET size = size + 1, origin = 'x'", "ALTER TABLE exo_record_witness DISABLE TRIGGER ALL"} {
				if _, err := db.Exec(text); err == nil {
					t.Errorf("%s: the host's role may", text)
				}
			}
			if _, err := db.Exec("UPDATE exo_record_witness SET size = $1, checkpoint = $2", size, checkpoint); err == nil || !strings.Contains(err.Error(), "forgets nothing") {
				t.Error(err)
			}
			// Operators of the role's own, in a schema that it may write to, change nothing for the trigger.
			change(t, admin, "GRANT CREATE ON SCHEMA "+schema+" TO "+role)
			for _, text := range []string{"CREATE FUNCTION " + schema + ".no(bigint, bigint) RETURNS bool LANGUAGE sql AS 'SELECT false'", "CREATE OPERATOR " + schema + ".<= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = " + schema + ".no)",
				"CREATE FUNCTION " + schema + ".no(text, text) RETURNS bool LANGUAGE sql AS 'SELECT false'", "CREATE OPERATOR " + schema + ".<> (LEFTARG = text, RIGHTARG = text, FUNCTION = " + schema + ".no)"} {
				change(t, db, text)
			}
			for _, path := range []string{schema + ", pg_catalog", "pg_temp, " + schema + ", pg_catalog"} {
				c, err := db.Conn(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.ExecContext(t.Context(), "SET search_path = "+path)
				if err == nil {
					_, err = c.ExecContext(t.Context(), "UPDATE "+schema+".exo_record_witness SET size = $1, checkpoint = $2", size, checkpoint)
				}
				if err == nil || !strings.Contains(err.Error(), "forgets nothing") {
					t.Errorf("with operators of its own: %v", err)
				}
				_, _ = c.ExecContext(t.Context(), "RESET search_path")
				_ = c.Close()
			}
			if v := s.Verify(t); v.Intact() || !strings.Contains(v.Changed[0], "missing at the end: the witness has seen them") {
				t.Errorf("%s", strings.Join(v.Lines(), "\n"))
			}
			if err := goOn(t, s); err == nil || !strings.Contains(err.Error(), "missing at the end") {
				t.Error(err)
			}
			if v, err := tree.Verify(s.From, k.About.Key, ""); err != nil || !v.Complete() { // the twin
				t.Error(v, err)
			}
			change(t, admin, "ALTER TABLE exo_record_witness DISABLE TRIGGER ALL")
			change(t, admin, "UPDATE exo_record_witness SET size = $1, checkpoint = $2", size, checkpoint)
			if v := s.Verify(t); !v.Complete() || v.Unasked != nil { // the twin
				t.Errorf("%s", strings.Join(v.Lines(), "\n"))
			}
			if err := goOn(t, s); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDatabaseWitnessIsGone: a witness that has lost its table, its row or its server, or has a row that somebody changed, is said, and the log does not
// open. No error has a password.
func TestDatabaseWitnessIsGone(t *testing.T) {
	for name, made := range witnessed {
		t.Run(name, func(t *testing.T) {
			owner := tu.Postgres.URL(t)
			t.Setenv(witnessVar, owner)
			k := treetest.NewKeys(t, false)
			k.About.Witness = "env:" + witnessVar
			s := made(t, k)
			if err := goOn(t, s); err != nil {
				t.Fatal(err)
			}
			admin := tu.Admin(t, owner)
			for _, c := range []struct{ url, text, want string }{
				{owner, "ALTER TABLE exo_record_witness DISABLE TRIGGER ALL; UPDATE exo_record_witness SET size = 900", "a checkpoint of 5 entries in the place of one of 900 entries"},
				{owner, "UPDATE exo_record_witness SET size = 5, checkpoint = replace(checkpoint, '5', '6')", "not signed"},
				{owner, "TRUNCATE exo_record_witness", "the witness has no checkpoint of this log"},
				{owner, "DROP TABLE exo_record_witness", "exo_record_witness"},
				{"postgres://me:secret@127.0.0.1:1/x", "", "refused"},
				{"postgres://me:secret@127.0.0.1:port/x", "", "has no URL of a PostgreSQL database"},
				{"", "", "is not set"},
			} {
				t.Setenv(witnessVar, c.url)
				if c.text != "" {
					change(t, admin, c.text)
				}
				for _, err := range []error{goOn(t, s), s.Verify(t).Unasked, tree.Fits(s.From, k.Private, true)} {
					if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
						t.Errorf("%v, want %q", err, c.want)
					}
				}
			}
		})
	}
}

// TestDatabaseWitnessCantBeMade: a log whose witness can't be made is not made, and there is nothing in the way of the next try.
func TestDatabaseWitnessCantBeMade(t *testing.T) {
	k, dir, url := treetest.NewKeys(t, false), filepath.Join(t.TempDir(), "log"), urlOf(t)
	k.About.Witness = "env:" + witnessVar
	for _, at := range []string{"", "postgres://me:secret@127.0.0.1:1/x", tu.Postgres.URL(t)} {
		t.Setenv(witnessVar, at)
		for _, err := range []error{tree.Create(dir, k.About, k.Private), postgres.Create(t.Context(), url, k.About, k.Private)} {
			if want := !strings.Contains(at, "search_path"); (err != nil) != want || want && (!strings.Contains(err.Error(), "the witness env:"+witnessVar) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("%q: %v", at, err)
			}
		}
	}
}

// TestDatabaseWitnessIsRequired: while the witness's table can't be written, no durable entry is acknowledged; the twin does not require it. Two processes
// of one log give it checkpoints at the same time.
func TestDatabaseWitnessIsRequired(t *testing.T) {
	for name, made := range witnessed {
		t.Run(name, func(t *testing.T) {
			owner := tu.Postgres.URL(t)
			t.Setenv(witnessVar, owner)
			k := treetest.NewKeys(t, false)
			k.About.Witness = "env:" + witnessVar
			s := made(t, k)
			l, err := s.Open()
			if err != nil {
				t.Fatal(err)
			}
			other := l
			if s.Shared = name == "database"; s.Shared {
				if other, err = s.Open(); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.(interface{ RequireWitness(time.Duration) error }).RequireWitness(300 * time.Millisecond); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				treetest.Run(t, other, 5, "what it says")
				treetest.Run(t, l, 5, "what it says")
				v, err := tree.Verify(s.From, k.About.Key, k.About.Witness)
				if err != nil || v.Entries-v.Seen > 1 && !s.Shared {
					t.Error(err, v.Entries, v.Seen)
				}
			}
			// It is spoilt so that it keeps nothing any more, and says nothing of it. It is mended after that.
			admin := tu.Admin(t, owner)
			change(t, admin, "ALTER TABLE exo_record_witness RENAME TO kept; CREATE TABLE exo_record_witness (LIKE kept INCLUDING ALL); INSERT INTO exo_record_witness SELECT origin, 9223372036854775807, 'x' FROM kept") // in one transaction, since a log may be writing to it
			spoilt := treetest.NewRun()
			if err := l.Append(treetest.LeafOf(spoilt, tree.Begun), []byte("x"), false); err != nil {
				t.Error(err)
			}
			if err := l.Append(treetest.LeafOf(spoilt, "committing"), []byte("x"), true); err == nil {
				t.Error("a witness that keeps nothing was taken for one")
			}
			if err := l.Append(treetest.LeafOf(spoilt, tree.Ended), []byte("x"), true); err != nil {
				t.Error(err)
			}
			change(t, admin, "DROP TABLE exo_record_witness; ALTER TABLE kept RENAME TO exo_record_witness")
			tx, err := admin.Begin() // it hangs
			if err == nil {
				_, err = tx.Exec("LOCK TABLE exo_record_witness")
			}
			if err != nil {
				t.Fatal(err)
			}
			r := treetest.NewRun()
			if err := l.Append(treetest.LeafOf(r, tree.Begun), []byte("x"), false); err != nil {
				t.Error(err)
			}
			begun := time.Now()
			err = l.Append(treetest.LeafOf(r, "committing"), []byte("x"), true)
			if w, is := errors.AsType[*tree.WitnessError](err); !is || w.Has >= w.Want || time.Since(begun) > 5*time.Second {
				t.Error(err)
			}
			if err := l.Append(treetest.LeafOf(r, tree.Ended), []byte("x"), true); err != nil { // what became of it is on record
				t.Error(err)
			}
			if s.Shared {
				treetest.Run(t, other, 5, "the twin")
			}
			if err := tx.Rollback(); err != nil {
				t.Error(err)
			}
			treetest.Run(t, l, 5, "after that")
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if s.Shared {
				if err := other.Close(); err != nil {
					t.Error(err)
				}
			}
			if v := s.Verify(t); !v.Complete() || v.Seen != v.Entries {
				t.Errorf("%s", strings.Join(v.Lines(), "\n"))
			}
		})
	}
}
