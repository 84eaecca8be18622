package schema_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/schema"
)

// TestCellsOfOddNames: the form of a column is found by its own cells, whatever the table calls its columns: none of them hides the number of
// a row or is taken for it.
func TestCellsOfOddNames(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+t.TempDir()+"/x.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE a (exo_rowid DATETIME, "EXO_ROWID_" DATE, rowid DATETIME, oid INT)`,
		"INSERT INTO a VALUES ('2024-01-01 00:00:00', '2024-01-01 00:00:00', 1704164645000, 1), (NULL, NULL, 1704164645001, 1)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	live, err := schema.ReadSQLite(t.Context(), db)
	if err == nil {
		err = live.LookAtCells(t.Context(), db)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		form string
		held int
	}{"exo_rowid": {"sql", 1}, "EXO_ROWID_": {"sql", 1}, "rowid": {"unix-ms", 2}} {
		c := live.Table(schema.Name{Name: "a"}).Column(name)
		if form, n := c.Cells.Form(c.Kind); form != want.form || n != want.held || c.Cells.Held != want.held {
			t.Errorf("%s: %s, %d of %d, want %v", name, form, n, c.Cells.Held, want)
		}
	}
}

// TestCellsOfManyTables: of one table 500 rows are looked at from each end, and of many tables so few of each that a command does not wait.
func TestCellsOfManyTables(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+t.TempDir()+"/x.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
	for i := range 400 {
		statement := fmt.Sprintf("CREATE TABLE t%d (id INTEGER PRIMARY KEY, at DATETIME)", i)
		if i == 0 {
			statement += "; INSERT INTO t0 " + rows + " SELECT i, datetime(i, 'unixepoch') FROM n"
		}
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		if i != 0 && i != 79 && i != 399 {
			continue
		}
		live, err := schema.ReadSQLite(t.Context(), db)
		if err == nil {
			err = live.LookAtCells(t.Context(), db)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]int{0: 1000, 79: 1000, 399: 200}[i]
		if c := live.Table(schema.Name{Name: "t0"}).Column("at").Cells; c.Held != want || c.Forms["sql"] != want {
			t.Errorf("%d tables: %+v, want %d", i+1, c, want)
		}
	}
}
