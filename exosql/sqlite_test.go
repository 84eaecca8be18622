package exosql_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// alone opens a file with one guarded connection, and another way to write to it.
func alone(t *testing.T) (*exosql.DB, *sql.Conn) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "alone.db")
	db, err := exosql.Open(t.Context(), "sqlite:"+file, &exosql.OpenOptions{Conns: 1, Setup: tu.Fill})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	writer, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writer.Close() })
	c, err := writer.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return db, c
}

// TestLockedForWriting: where another process has the whole database, and no write-ahead log lets others read, who would write
// is told to try again, and nothing was done.
func TestLockedForWriting(t *testing.T) {
	t.Parallel() // it waits for as long as a program does
	db, writer := alone(t)
	do(t, writer, "BEGIN EXCLUSIVE")
	called := false
	f := func(*exosql.Tx) error { called = true; return nil }
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := db.Transact(ctx, f); !errors.Is(err, context.DeadlineExceeded) || called {
		t.Errorf("with a deadline: %v", err)
	}
	if err := db.Transact(t.Context(), f); fail.KindOf(err) != fail.Conflict || !errors.Is(err, exo.ErrNothingDone) || called {
		t.Errorf("%v, and the function was called: %t", err, called)
	}
	do(t, writer, "COMMIT")
	if err := db.Transact(t.Context(), f); err != nil || !called {
		t.Error(err)
	}
}

func do(t *testing.T, c *sql.Conn, statement string) {
	t.Helper()
	if _, err := c.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(statement, err)
	}
}

// A query waits for a writer that has the database, and stops waiting with its context.
func TestWaitsForAWriter(t *testing.T) {
	t.Parallel() // it waits for as long as a query does
	db, writer := alone(t)
	tags := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]())
	count := func(ctx context.Context) chan error {
		done := make(chan error, 1)
		go func() {
			n, err := tags.Count(ctx)
			if err == nil && n != 4 {
				err = errors.New("it did not see what was written")
			}
			done <- err
		}()
		for exosql.Busy(db) == 0 {
			time.Sleep(time.Millisecond)
		}
		return done
	}
	do(t, writer, "BEGIN EXCLUSIVE")
	do(t, writer, "INSERT INTO tags VALUES (9, 'new')")
	done := count(t.Context())
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	do(t, writer, "COMMIT")
	if err := <-done; err != nil {
		t.Error(err)
	}

	do(t, writer, "BEGIN EXCLUSIVE")
	ctx, cancel := context.WithCancel(t.Context())
	done = count(ctx)
	cancel()
	if err := <-done; !errors.Is(err, fail.ErrCancelled) {
		t.Errorf("cancelled while it waits: %v", err)
	}
	if exosql.WaitsOn(ctx) || !exosql.WaitsOn(t.Context()) {
		t.Error("who waits is not who still wants to know")
	}
	if _, err := tags.Count(t.Context()); fail.KindOf(err) != fail.Internal {
		t.Errorf("a writer that does not end: %v", err)
	}
	do(t, writer, "ROLLBACK")
	if n, err := tags.Count(t.Context()); n != 4 || err != nil {
		t.Error(n, err)
	}
}

// What a run compared with is not in the statement that the next run finds, however the run ended.
func TestStatementsForget(t *testing.T) {
	db, _ := alone(t)
	ctx := t.Context()
	tasks := exosql.Grant(db, tu.Tasks, exosql.AllRows[tu.Task]())
	secret := func(title string) exosql.Relation[tu.Task] {
		return tasks.Where(exosql.Or(tu.TaskTitle.Ne(title), tu.TaskDue.Eq(time.Date(1999, 1, 2, 3, 4, 5, 0, time.UTC))))
	}
	if rows, err := secret("SECRET" + strings.Repeat("x", 100)).All(ctx); err != nil || len(rows) != 8 {
		t.Fatal(len(rows), err)
	}
	bound := exosql.Bound(db)
	if len(bound) != 1 || !strings.Contains(bound[0], "SELECT") || strings.Contains(bound[0], "SECRET") || strings.Contains(bound[0], "1999") {
		t.Errorf("%q", bound)
	}
	// Stopped in the middle by the budget for rows; the same plan, whole, afterwards.
	facet := exosql.NewFacet(tu.Tasks, "task", tu.TaskID, tu.TaskTitle)
	grants := map[string]exo.Object{"tasks": facet.Of(tasks)}
	const program = "return (await tasks.where((t) => t.title.ne('SECRET')).execute()).length"
	for range 2 {
		if o := tu.NewRunner(t, grants, exo.Limits{Bytes: 100}).Run(t, program); o.Kind != fail.Limit {
			t.Errorf("a small budget: %s", o)
		}
		if s := strings.Join(exosql.Bound(db), "\n"); strings.Contains(s, "SECRET") {
			t.Errorf("after the stop: %s", s)
		}
		if o := tu.NewRunner(t, grants, exo.Limits{}).Run(t, program); o.JSON != "8" {
			t.Errorf("afterwards: %s", o)
		}
	}
	if n := exosql.Prepared(db); n != 2 {
		t.Errorf("%d statements are kept, want 2", n)
	}
	// A stopped statement holds no lock.
	if _, err := secret("y").All(ctx); err != nil {
		t.Error(err)
	}
}

// A reader leaves no lock behind: a writer gets the database at once, also after
// a query that was stopped or that failed.
func TestReadersLeaveNoLock(t *testing.T) {
	db, writer := alone(t)
	do(t, writer, "PRAGMA busy_timeout = 0")
	facet := exosql.NewFacet(tu.Tasks, "task", tu.TaskID, tu.TaskTitle)
	grants := map[string]exo.Object{"tasks": facet.Of(exosql.Grant(db, tu.Tasks, exosql.AllRows[tu.Task]()))}
	if o := tu.NewRunner(t, grants, exo.Limits{Bytes: 100}).Run(t, "return await tasks.execute()"); o.Kind != fail.Limit {
		t.Fatal(o)
	}
	do(t, writer, "UPDATE tasks SET title = x'00' WHERE id = 1002")
	if o := tu.NewRunner(t, grants, exo.Limits{}).Run(t, "return await tasks.execute()"); o.Kind != 0 {
		t.Fatal(o)
	}
	do(t, writer, "UPDATE tasks SET title = 'x' WHERE id = 1002")
	if o := tu.NewRunner(t, grants, exo.Limits{}).Run(t, "return (await tasks.execute()).length"); o.JSON != "8" {
		t.Fatal(o)
	}
}

// A text as long as a chunk of the arena, longer, and empty; and many of them.
func TestTextsOfAllLengths(t *testing.T) {
	db := tu.OpenWith(t, `DELETE FROM tags; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
		INSERT INTO tags SELECT i, replace(hex(zeroblob(i * i % 9001)), '00', char(97 + i % 26)) FROM n`)
	rows, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).OrderBy(tu.TagID.Asc()).All(t.Context())
	if err != nil || len(rows) != 1000 {
		t.Fatal(len(rows), err)
	}
	for i, r := range rows {
		if want := strings.Repeat(string(rune('a'+i%26)), i*i%9001); r.ID != int64(i) || r.Name != want {
			t.Fatalf("row %d holds %.40q, %d bytes", r.ID, r.Name, len(r.Name))
		}
	}
	for _, text := range []string{"", "é", strings.Repeat("long ", 40_000)} {
		if n, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).Where(tu.TagName.Eq(text)).Count(t.Context()); err != nil || n != map[string]int64{"": 1}[text] {
			t.Errorf("%d rows equal a text of %d bytes: %v", n, len(text), err)
		}
	}
}

// What Go's own drivers write for a time.Time is a time.
func TestTimesWrittenByGo(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.FixedZone("CET", 3600))
	db := tu.OpenWith(t, "CREATE TABLE events (id INTEGER PRIMARY KEY, at DATETIME); INSERT INTO events VALUES (1, '"+at.String()+"'), (2, '"+at.String()+" m=+0.5')")
	events := exosql.NewTable[event]("events")
	exosql.NewKey(events, "id", func(e *event) *int64 { return &e.ID })
	exosql.NewColumn(events, "at", func(e *event) *time.Time { return &e.At })
	rows, err := exosql.Grant(db, events, exosql.AllRows[event]()).All(t.Context())
	if err != nil || len(rows) != 2 || !rows[0].At.Equal(at) || !rows[1].At.Equal(at) {
		t.Error(rows, err)
	}
}

// SQLite forgets an interrupt that comes between two statements. One whose context
// ends at that time is stopped all the same.
func TestInterruptBeforeTheFirstStep(t *testing.T) {
	db, writer := alone(t)
	do(t, writer, "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO tags SELECT i, 'x' FROM n")
	reads := map[string]map[string]bool{"tags": {"id": true}}
	err := exosql.Late(db, "SELECT count(*) FROM tags AS a, tags AS b WHERE a.id + b.id < 0", reads)
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("it ran to its end: %v", err)
	}
}
