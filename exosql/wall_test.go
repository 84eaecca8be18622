package exosql_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The second wall: whatever text reached a guarded connection, it could read
// the tables and columns of the plan and do nothing else. The twin is a plain
// connection, on which each statement works.
func TestWall(t *testing.T) {
	ctx := context.Background()
	db := tu.Open(t)
	plain, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "plain.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if err := tu.Fill(ctx, plain); err != nil {
		t.Fatal(err)
	}
	reads := []string{"orgs.id", "orgs.name"}
	if err := exosql.Guarded(ctx, db, "SELECT id, name FROM orgs WHERE id = 1", reads...); err != nil {
		t.Fatalf("what the plan reads is refused: %v", err)
	}
	if err := exosql.Guarded(ctx, db, "SELECT count(*) FROM orgs", reads...); err != nil {
		t.Fatalf("counting is refused: %v", err)
	}
	if err := exosql.Guarded(ctx, db, "SELECT id FROM orgs"); err == nil {
		t.Error("a connection that runs no plan reads")
	}
	for _, q := range []string{
		"SELECT api_key FROM orgs",
		"SELECT * FROM orgs",
		"SELECT id FROM orgs WHERE api_key LIKE 'H%'",
		"SELECT id FROM orgs ORDER BY api_key",
		"SELECT id FROM members",
		"SELECT count(*) FROM members",
		"SELECT 1 FROM members",
		"SELECT id FROM orgs WHERE EXISTS (SELECT 1 FROM tasks)",
		"SELECT id FROM orgs UNION SELECT id FROM tasks",
		"WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x LIMIT 9) SELECT n FROM x",
		"SELECT name FROM sqlite_master",
		"SELECT name FROM sqlite_schema",
		"SELECT * FROM pragma_table_info('orgs')",
		"SELECT name FROM pragma_database_list",
		"SELECT sqlite_version()",
		"SELECT hex(randomblob(4))",
		"SELECT id FROM orgs WHERE upper(name) = 'x'",
		"SELECT id FROM orgs WHERE name LIKE '%'",
		"SELECT json_group_array(id) FROM orgs",
		"PRAGMA query_only",
		"PRAGMA query_only = 0",
		"PRAGMA trusted_schema = 1",
		"PRAGMA table_info(orgs)",
		"ATTACH ':memory:' AS other",
		"ATTACH '/etc/passwd' AS other",
		"DETACH main",
		"INSERT INTO tags VALUES (9, 'x')",
		"UPDATE orgs SET name = 'x'",
		"DELETE FROM orgs",
		"CREATE TABLE x (a)",
		"CREATE TEMP TABLE x (a)",
		"CREATE TEMP VIEW x AS SELECT api_key FROM orgs",
		"CREATE TEMP TRIGGER x AFTER INSERT ON orgs BEGIN DELETE FROM tasks; END",
		"DROP TABLE tags",
		"ALTER TABLE tags RENAME TO t",
		"REINDEX",
		"ANALYZE",
		"VACUUM",
		"VACUUM INTO '/tmp/exo-wall.db'",
		"BEGIN IMMEDIATE",
		"SAVEPOINT a",
		"EXPLAIN SELECT api_key FROM orgs",
		"SELECT id FROM orgs; DROP TABLE tags",
		"SELECT load_extension('x')",
	} {
		if err := exosql.Guarded(ctx, db, q, reads...); err == nil {
			t.Errorf("allowed: %s", q)
		}
	}
	for _, q := range []string{
		"SELECT api_key FROM orgs", "SELECT id FROM members", "SELECT name FROM sqlite_master", "PRAGMA query_only = 0", "ATTACH ':memory:' AS other",
		"INSERT INTO tags VALUES (9, 'x')", "SELECT id FROM orgs ORDER BY api_key", "SELECT hex(randomblob(4))", "CREATE TEMP TABLE x (a)", "SELECT id FROM orgs WHERE upper(name) = 'x'",
	} {
		if _, err := plain.ExecContext(ctx, q); err != nil {
			t.Errorf("the twin refuses %s: %v", q, err)
		}
	}
	// The refusals left everything as it was.
	if n, err := exosql.Follow(tu.OrgOf(db, tu.Acme), tu.OrgMembers).Count(ctx); err != nil || n != 2 {
		t.Error(n, err)
	}
}

// TestWallBehindViews: a plan that reads a view admits the table behind it in the text of the view alone. SQLite asks the same of the view's
// table and of main.table where only the rows count, so a statement that named the database would count them: no plan's does.
func TestWallBehindViews(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE base (id INTEGER PRIMARY KEY, org INTEGER)", "CREATE VIEW mine AS SELECT id FROM base WHERE org = 1",
		"CREATE VIEW apart AS SELECT DISTINCT id FROM base", "CREATE VIEW nested AS SELECT id FROM mine", "CREATE VIEW twice AS SELECT a.id FROM base AS a, base AS b")})
	for _, view := range []string{"mine", "apart", "nested", "twice"} {
		for text, admitted := range map[string]bool{
			"SELECT id FROM $": true, "SELECT count(*) FROM $": true, "SELECT 1 FROM $ AS t0": true, "SELECT EXISTS (SELECT 1 FROM $)": true, "SELECT count(*) FROM (SELECT 1 FROM $)": true,
			"SELECT count(*) FROM base": false, "SELECT 1 FROM base": false, "SELECT 1 FROM $, base": false, "SELECT id FROM $ WHERE EXISTS (SELECT 1 FROM base)": false,
			"SELECT count(*) FROM $ JOIN base": false, "SELECT id FROM base": false, "SELECT org FROM main.base": false,
			"SELECT count(*) FROM main.base": true,
		} {
			if err := exosql.Guarded(t.Context(), db, strings.ReplaceAll(text, "$", view), view+".id"); (err == nil) != admitted {
				t.Errorf("%s: %s: %v", view, text, err)
			}
		}
	}
}

func TestOpen(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	file := filepath.Join(dir, "a b?mode=rwc#x.db") // a path that tries to be options
	db, err := exosql.Open(ctx, "sqlite:"+file, &exosql.OpenOptions{Setup: tu.Fill})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := exosql.Grant(db, tu.Tasks, exosql.AllRows[tu.Task]()).Count(ctx); err != nil || n != 8 {
		t.Error(n, err)
	}
	db.Close()
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file has another name: %v", err)
	}
	// Once more, read only, from a file that nobody may write.
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	db, err = exosql.Open(ctx, "sqlite:"+file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).Count(ctx); err != nil || n != 3 {
		t.Error(n, err)
	}
	db.Close()
	for _, url := range []string{"", "sqlite", "sqlite:", "mysql://x", "sqlite:" + filepath.Join(dir, "missing.db"), "sqlite:" + dir, "file.db"} {
		if db, err := exosql.Open(ctx, url, nil); err == nil {
			db.Close()
			t.Errorf("%q was opened", url)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "missing.db")); err == nil {
		t.Error("a missing database was created")
	}
	if _, err := exosql.Open(ctx, "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "NOT SQL")
		return err
	}}); err == nil || !strings.Contains(err.Error(), "syntax") {
		t.Errorf("a failing Setup: %v", err)
	}
}

func TestMemoryDatabasesAreApart(t *testing.T) {
	ctx := context.Background()
	a, b := tu.Open(t), tu.OpenWith(t, "DELETE FROM tags")
	na, err1 := exosql.Grant(a, tu.Tags, exosql.AllRows[tu.Tag]()).Count(ctx)
	nb, err2 := exosql.Grant(b, tu.Tags, exosql.AllRows[tu.Tag]()).Count(ctx)
	if na != 3 || nb != 0 || err1 != nil || err2 != nil {
		t.Error(na, nb, err1, err2)
	}
}
