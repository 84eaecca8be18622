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
