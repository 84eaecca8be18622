package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/undo"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// undoer opens a writer with all rights.
func (b *imaged) undoer() engine.Writer {
	b.t.Helper()
	other := *b
	other.as = "postgres"
	other.connect()
	return other.w
}

// reverse undoes a run as another one.
func (b *imaged) reverse(w engine.Writer, run, as string) []undo.Refusal {
	b.t.Helper()
	ctx := context.Background()
	live, err := schema.ReadSQLite(ctx, b.raw)
	if b.e.Name == tu.Postgres.Name {
		live, err = schema.ReadPostgres(ctx, b.raw)
	}
	if err == nil {
		err = w.Begin(ctx)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = w.Rollback(ctx) }()
	_, refused, err := undo.Reverse(ctx, w, live, run, nil)
	if err == nil && len(refused) == 0 {
		err = errors.Join(w.KeepImages(ctx, as, time.Now()), w.Commit(ctx))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return refused
}

// TestUndoAgainstTables: after random programs and their undo, all tables are as before, but for numbers of sequences; after the undo of the undo, they are as after the program.
func TestUndoAgainstTables(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		b := openImaged(t, e)
		programs := programs(e)
		u := b.undoer()
		n, no := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			run := fmt.Sprint("run", n)
			before := b.dump()
			b.begin(10_000, 1<<20)
			if !b.run(programs.Draw(t, "program")) {
				return
			}
			if len(b.captured()) == 0 {
				if err := b.w.Rollback(context.Background()); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err := errors.Join(b.w.KeepImages(context.Background(), run, time.Now()), b.w.Commit(context.Background())); err != nil {
				t.Fatal(err)
			}
			after := b.dump()
			if refused := b.reverse(u, run, run+"u"); refused != nil {
				no++
				t.Logf("%v", refused)
				if now := b.dump(); !maps.Equal(now, after) {
					t.Fatalf("a refused undo changed\n%v\nto\n%v", after, now)
				}
				return
			}
			if now := b.dump(); !maps.Equal(now, before) {
				t.Fatalf("before\n%v\nafter the undo\n%v", before, now)
			}
			if refused := b.reverse(u, run+"u", run+"uu"); refused != nil {
				no++
				return
			}
			if now := b.dump(); !maps.Equal(now, after) {
				t.Fatalf("after the program\n%v\nafter the undo of the undo\n%v", after, now)
			}
		})
		t.Logf("%d of %d undos refused", no, n)
	})
}

// TestUndoRefuses: an undo changes nothing if a row is not as the run left it, or if it would take other rows with it.
func TestUndoRefuses(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		b := openImaged(t, e)
		u := b.undoer()
		for n, c := range []struct{ run, since, why string }{
			{"UPDATE parents SET hidden = 'x' WHERE id = 102", "UPDATE parents SET name = 'bo' WHERE id = 102", "the row was changed since"},
			{"UPDATE pairs SET v = 'x' WHERE b = 'x'", "DELETE FROM pairs WHERE b = 'x' AND a = 1", "not as the run left it"},
			{"DELETE FROM gens WHERE id = 1", "INSERT INTO gens (id, a, c) VALUES (1, 1, 'n')", "the database refuses"},
			{"INSERT INTO parents (id, name) VALUES (50, 'fifty')", "INSERT INTO children VALUES (50, 50, 'since')", "the database refuses"},
			{"INSERT INTO bare VALUES (7, 'n')", "UPDATE bare SET y = 'm' WHERE x = 7", "not as the run left it"},
			{"UPDATE gens SET c = 'x' WHERE id = 2", "UPDATE gens SET c = 'd' WHERE id = 2", "not as the run left it"},
		} {
			run := fmt.Sprint("r", n)
			b.begin(100, 1<<16)
			if err := errors.Join(b.do(c.run), b.w.KeepImages(t.Context(), run, time.Now()), b.w.Commit(t.Context())); err != nil {
				t.Fatal(c.run, err)
			}
			b.exec(c.since)
			before := b.dump()
			refused := b.reverse(u, run, run+"u")
			if len(refused) == 0 || !strings.Contains(refused[0].Why, c.why) {
				t.Errorf("%s; %s: %v", c.run, c.since, refused)
			}
			if now := b.dump(); !maps.Equal(now, before) {
				t.Errorf("%s; %s: it changed\n%v\nto\n%v", c.run, c.since, before, now)
			}
		}
	})
}
