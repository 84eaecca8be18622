package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// BenchmarkTables is one more user of a file of N tables, which exo init has drafted.
func BenchmarkTables(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "exo")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, "../../cmd/exo").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db, file := filepath.Join(b.TempDir(), "d.db"), filepath.Join(b.TempDir(), "exo.yaml")
			if err := makeTables(b.Context(), db, n); err != nil {
				b.Fatal(err)
			}
			if out, err := exec.Command(bin, "init", "-db", "sqlite:"+db, "-tenant", "orgs", file).CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, bytes.Replace(text, []byte("reviewed: false"), []byte("reviewed: true"), 1), 0o600)
			}
			if err != nil {
				b.Fatal(err)
			}
			var u further
			for b.Loop() {
				if u, err = furtherUser(b.Context(), file); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(u.took.Nanoseconds()), "ns/user")
			b.ReportMetric(float64(u.kept/n), "B/grant")
		})
	}
}

// BenchmarkTimes reads the catalogue of 400 tables, each with three columns of times and 1,000 rows, and looks at what they hold.
func BenchmarkTimes(b *testing.B) {
	for _, e := range []testutil.Engine{testutil.SQLite, testutil.Postgres} {
		b.Run(e.Name, func(b *testing.B) {
			var statements []string
			for i := range 400 {
				statements = append(statements, fmt.Sprintf("CREATE TABLE t%d (id INTEGER PRIMARY KEY, a %[2]s, b %[2]s, c %[2]s)", i, e.Pick("DATETIME", "timestamptz")),
					fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO t%d SELECT i, x, x, x FROM (SELECT i, %s AS x FROM n) AS y", i, e.Pick("datetime(i * 1000, 'unixepoch')", "to_timestamp(i * 1000.123456)")))
			}
			url := e.URL(b)
			db := e.SQLDB(b, url)
			if _, err := db.ExecContext(b.Context(), strings.Join(statements, ";\n")); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				tx, err := db.BeginTx(b.Context(), &sql.TxOptions{ReadOnly: e != testutil.SQLite})
				if err != nil {
					b.Fatal(err)
				}
				var live *schema.Database
				if e == testutil.SQLite {
					if live, err = schema.ReadSQLite(b.Context(), tx); err == nil {
						err = live.LookAtCells(b.Context(), tx)
					}
				} else if live, err = schema.ReadPostgres(b.Context(), tx); err == nil {
					err = live.LookAtTimes(b.Context(), tx)
				}
				if err != nil || len(live.Tables) != 400 {
					b.Fatal(err)
				}
				if err := tx.Rollback(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
