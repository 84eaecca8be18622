package control_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/control"
)

var fill = []control.Statement{
	{SQL: "CREATE TABLE t (a INTEGER, b TEXT)"},
	{SQL: "INSERT INTO t VALUES (1, 'x'), (2, ?)", Args: []string{"it's secret"}},
}

func run(t *testing.T, statement string) *control.Result {
	t.Helper()
	res, err := control.Run(t.Context(), control.Job{Fill: fill, SQL: statement})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return res
}

func TestRead(t *testing.T) {
	if r := run(t, "SELECT a, b FROM t ORDER BY a DESC"); r.Err != "" || string(r.Rows) != `[{"a":2,"b":"it's secret"},{"a":1,"b":"x"}]` || r.Count != 2 {
		t.Errorf("%+v %s", r, r.Rows)
	}
	if r := run(t, "SELECT sql FROM sqlite_master"); r.Err != "" || r.Count != 1 {
		t.Errorf("%+v", r)
	}
	if r := run(t, "SELEC"); !strings.Contains(r.Err, "syntax error") {
		t.Errorf("%+v", r)
	}
	if r := run(t, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 1000) SELECT i FROM n"); r.Count != 200 || !r.Cut {
		t.Errorf("%+v", r)
	}
}

// TestFence: everything but reading is refused, with nothing done.
func TestFence(t *testing.T) {
	dir := t.TempDir()
	for _, s := range []string{
		"ATTACH '" + dir + "/x.db' AS x", "VACUUM INTO '" + dir + "/x.db'", "PRAGMA temp_store_directory='" + dir + "'", "PRAGMA query_only=0",
		"INSERT INTO t VALUES (3, 'y')", "CREATE TABLE u (a)", "CREATE TEMP TABLE u (a)", "DROP TABLE t", "DELETE FROM t",
		"SELECT load_extension('/lib/x.so')", "CREATE TEMP VIEW v AS SELECT 1", "BEGIN",
	} {
		if r := run(t, s); r.Err == "" {
			t.Errorf("%s was run: %s", s, r.Rows)
		}
	}
	if r := run(t, "SELECT 1; ATTACH '"+dir+"/x.db' AS x"); r.Err == "" {
		t.Error("the second statement was run")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("files were made: %v %v", files, err)
	}
}

// TestWrites: where the game is to change rows, rows of its own tables are changed, and it is told whether
// those are that were not to; nothing else is open by it, and a bomb ends with a limit.
func TestWrites(t *testing.T) {
	dir := t.TempDir()
	play := func(s string) *control.Result {
		t.Helper()
		res, err := control.Run(t.Context(), control.Job{Fill: fill, SQL: s, Foreign: "SELECT * FROM t WHERE a <> 1"})
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return res
	}
	for s, changed := range map[string]bool{
		"SELECT * FROM t": false, "UPDATE t SET b = 'y' WHERE a = 1": false, "DELETE FROM t WHERE a = 1": false, "UPDATE t SET b = 'y'": true, "DELETE FROM t": true,
		"INSERT INTO t VALUES (3, 'z')": true, "INSERT INTO t VALUES (1, 'z')": false, "UPDATE t SET a = 2 WHERE a = 1": true, "SELECT 1; DELETE FROM t": true,
	} {
		if r := play(s); r.Err != "" || r.Changed != changed {
			t.Errorf("%s: %+v", s, r)
		}
	}
	for _, s := range []string{
		"ATTACH '" + dir + "/x.db' AS x", "VACUUM INTO '" + dir + "/x.db'", "PRAGMA writable_schema=1", "CREATE TABLE u (a)", "CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END", "DROP TABLE t",
		"ALTER TABLE t RENAME TO u", "INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)", "UPDATE SQLITE_MASTER SET sql = 'x'", "BEGIN", "SAVEPOINT x",
		"INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i, hex(randomblob(1000)) FROM n",
	} {
		if r := play(s); r.Err == "" || r.Changed {
			t.Errorf("%s: %+v", s, r)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("files were made: %v %v", files, err)
	}
}

// TestBombs: what would use up the host ends with a limit, or with SQLite's own.
func TestBombs(t *testing.T) {
	for _, s := range []string{
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n",
		"WITH RECURSIVE n(i, s) AS (SELECT 1, hex(randomblob(400000)) UNION ALL SELECT i+1, hex(randomblob(400000)) FROM n) SELECT count(*) FROM (SELECT * FROM n ORDER BY s)",
		"SELECT zeroblob(2000000000)", "SELECT printf('%.*c', 2000000000, 'x')",
		"SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000),
	} {
		if r := run(t, s); r.Err == "" {
			t.Errorf("%.80s gave %.80s", s, r.Rows)
		}
	}
}

func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := control.Run(ctx, control.Job{Fill: fill, SQL: "SELECT 1"}); err == nil {
		t.Errorf("%+v", r)
	}
}

func Example() {
	res, _ := control.Run(context.Background(), control.Job{SQL: "SELECT 1 AS one"})
	fmt.Println(string(res.Rows))
	// Output: [{"one":1}]
}
