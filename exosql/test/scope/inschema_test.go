package scope_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type inRow struct{ ID, Org int64 }

// inTable declares a table of customers, and grants its rows of org 1.
func inTable(db *exosql.DB, t *exosql.Table[inRow]) exosql.Relation[inRow] {
	exosql.NewKey(t, "id", func(r *inRow) *int64 { return &r.ID })
	org := exosql.NewColumn(t, "org", func(r *inRow) *int64 { return &r.Org })
	return exosql.Grant(db, t, org.Eq(1))
}

// TestIn: a table in a schema that is not the first of the search path is read where In names it; another name of it is an
// error with the form to write. Its twin is the table of the same name in the first schema.
func TestIn(t *testing.T) {
	ctx := t.Context()
	server := kit.OwnDatabase(t)
	kit.Change(t, server, "CREATE SCHEMA sales", "CREATE TABLE customer (id bigint PRIMARY KEY, org bigint NOT NULL)", "CREATE TABLE sales.customer (id bigint PRIMARY KEY, org bigint NOT NULL)",
		"CREATE INDEX ON customer (org)", "CREATE INDEX ON sales.customer (org)", "INSERT INTO customer VALUES (1, 1)", "INSERT INTO sales.customer VALUES (2, 1)")
	path := server + map[bool]string{true: "&", false: "?"}[strings.Contains(server, "?")] + "search_path=public,sales"
	db := tu.Postgres.OpenURL(t, path, nil)
	sales := inTable(db, exosql.NewTable[inRow]("customer").InSchema("sales"))
	first := inTable(db, exosql.NewTable[inRow]("customer"))
	for r, want := range map[*exosql.Relation[inRow]]int64{&sales: 2, &first: 1} {
		if rows, err := r.All(ctx); err != nil || len(rows) != 1 || rows[0].ID != want {
			t.Errorf("%v %v, want %d", rows, err, want)
		}
		if err := exosql.Check(ctx, db, *r); err != nil {
			t.Error(err)
		}
	}
	whole := inTable(db, exosql.NewTable[inRow]("sales.customer"))
	off := inTable(tu.Postgres.OpenURL(t, server, nil), exosql.NewTable[inRow]("customer").InSchema("sales"))
	for want, check := range map[string]func() error{
		`exosql.NewTable[…]("customer").InSchema("sales")`:    func() error { return exosql.Check(ctx, db, whole) },
		"search_path=public,sales in the URL of the database": func() error { return exosql.Check(ctx, tu.Postgres.OpenURL(t, server, nil), off) },
		`declare the table without InSchema("sales")`: func() error {
			lite := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE customer (id INTEGER PRIMARY KEY, org INTEGER NOT NULL)")})
			r := inTable(lite, exosql.NewTable[inRow]("customer").InSchema("sales"))
			_, err := r.All(ctx)
			return err
		},
	} {
		if err := check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
