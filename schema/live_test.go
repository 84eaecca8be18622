package schema_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// live runs a definition in a fresh database, and reads its catalogue.
func live(t testing.TB, engine schema.Engine, ddl string) (*schema.Database, string, error) {
	t.Helper()
	if engine == schema.SQLite {
		db, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		if _, err := db.Exec(ddl); err != nil {
			return nil, ddl, err
		}
		d, err := schema.ReadSQLite(context.Background(), db)
		return d, ddl, err
	}
	db := testutil.Admin(t, testutil.Server(t))
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	name := "exo_schema_" + strings.ToLower(rand.Text()[:12])
	ddl = "CREATE SCHEMA " + name + ";\nSET LOCAL search_path TO " + name + ";\n" + strings.ReplaceAll(ddl, "@", name)
	if _, err := tx.Exec(ddl); err != nil {
		return nil, ddl, err
	}
	d, err := schema.ReadPostgres(context.Background(), tx, name)
	return d, ddl, err
}

func show(t testing.TB, d *schema.Database) string {
	t.Helper()
	b, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// difference is the first place where two texts differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			from := max(0, i-12)
			return strings.Join(x[from:min(i+6, len(x))], "\n") + "\n---- is, live ----\n" + strings.Join(y[min(from, len(y)):min(i+6, len(y))], "\n")
		}
	}
	return ""
}
