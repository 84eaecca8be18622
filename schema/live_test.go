package schema_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
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

// same makes two catalogues comparable: what only a live database knows is taken
// away, and so are the texts that PostgreSQL writes anew.
func same(d *schema.Database) *schema.Database {
	d.Role, d.Creators, d.Hidden = schema.Role{}, nil, nil
	text := func(s *string) {
		if *s != "" && d.Engine == schema.Postgres {
			*s = "…"
		}
		*s = quotes.Replace(*s) // a column that gets another name gets other quotes too
	}
	for _, v := range d.Views {
		v.Columns, v.Bypasses = nil, nil
	}
	for _, x := range d.Domains {
		text(&x.Default)
		for i := range x.Checks {
			text(&x.Checks[i].Expr)
		}
	}
	for _, t := range d.Tables {
		t.Owned, t.Inherited, t.Writable, t.PartPolicies, t.WholePolicies = false, false, nil, nil, nil
		if t.Virtual {
			t.Columns = nil
		}
		text(&t.PartitionBy)
		for i := range t.Columns {
			text(&t.Columns[i].Default)
			text(&t.Columns[i].GenExpr)
		}
		for i := range t.Checks {
			text(&t.Checks[i].Expr)
		}
		slices.SortFunc(t.Checks, func(a, b schema.Check) int { return strings.Compare(a.Name+a.Expr, b.Name+b.Expr) })
		for i := range t.Indexes {
			text(&t.Indexes[i].Where)
			for j := range t.Indexes[i].Parts {
				text(&t.Indexes[i].Parts[j].Expr)
			}
		}
		for i := range t.Policies {
			text(&t.Policies[i].Using)
			text(&t.Policies[i].Check)
		}
	}
	return d
}

var quotes = strings.NewReplacer(`"`, "", "[", "", "]", "", "`", "")

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

// agree checks that a definition means what the engine takes it for.
func agree(t testing.TB, engine schema.Engine, ddl string) *schema.Database {
	t.Helper()
	want, text, err := live(t, engine, ddl)
	if err != nil {
		var e *schema.SyntaxError
		if errors.As(err, &e) {
			t.Fatalf("reading what the engine took: %v\n%s", err, text)
		}
		t.Fatalf("the engine refuses it: %v\n%s", err, text)
	}
	got, err := schema.ParseDDL(text, engine)
	if err != nil {
		t.Fatalf("ParseDDL refuses what the engine takes: %v\n%s", err, text)
	}
	if a, b := show(t, same(got)), show(t, same(want)); a != b {
		t.Fatalf("parsed:\n%s\nof\n%s", difference(a, b), text)
	}
	return got
}
