package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestImages: each kind of change has its images, and they are exactly the difference of the whole tables.
func TestImages(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		b := openImaged(t, e)
		for _, k := range kinds {
			if k.only != "" && k.only != e.Name {
				continue
			}
			t.Run(k.name, func(t *testing.T) {
				b.t = t
				defer func() { _ = b.w.Rollback(t.Context()) }()
				b.begin(100, 1<<16)
				for _, text := range k.do {
					var err error
					fails := strings.HasPrefix(text, "!")
					switch text = strings.TrimPrefix(text, "!"); text {
					case "<":
						err = b.w.Mark(t.Context())
					case ">":
						if fails {
							fails, err = false, b.w.Back(t.Context())
						} else {
							err = b.w.Keep(t.Context())
						}
					default:
						var given []string
						if _, list, ok := strings.Cut(text, "("); ok && !strings.HasPrefix(text, "UPDATE") {
							list, _, _ = strings.Cut(list, ")")
							given = strings.Split(list, ", ")
						}
						err = b.do(text, given...)
					}
					if (err != nil) != fails {
						t.Fatalf("%s: %v", text, err)
					}
				}
				want := strings.NewReplacer("{day}", e.Pick("2021-01-01", "2021-01-01 00:00:00"), "{old}", e.Pick("2020-01-01", "2020-01-01 00:00:00")).Replace(k.want)
				images := b.captured()
				hidden := slices.Clone(images)
				for i, im := range hidden {
					hidden[i].After = slices.Clone(im.After)
					for _, f := range im.Filled {
						hidden[i].After[f] = engine.Cell{Text: e.Pick("'*'", "*")}
					}
				}
				if got := b.show(hidden); got != want {
					t.Errorf("images\n%s\nwant\n%s", got, want)
				}
			})
		}
	})
}

// TestImagesAgainstTables: after random writes, some of which fail or are undone, the images are exactly the difference of all tables.
func TestImagesAgainstTables(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		b := openImaged(t, e)
		programs := programs(e)
		rapid.Check(t, func(t *rapid.T) {
			before := b.dump()
			b.begin(10_000, 1<<20)
			if !b.run(programs.Draw(t, "program")) {
				return
			}
			images := b.captured()
			err := b.w.Commit(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if wrong := b.differs(before, b.dump(), images); wrong != "" {
				t.Fatal(wrong)
			}
		})
	})
}

// TestImagesOfAllRows: a statement that was compiled before images were kept is compiled again. SQLite would delete all rows of a table at once, without a word to the hook.
func TestImagesOfAllRows(t *testing.T) {
	b := openImaged(t, tu.SQLite)
	w := &plan.Write{Table: "bare", Delete: true}
	p := &plan.Plan{Text: "DELETE FROM bare", Write: w, Reads: b.reads, Shape: &value.Shape{}}
	deletes := func() {
		t.Helper()
		if _, err := b.w.Write(t.Context(), []engine.Change{{Plan: p, Args: [][]value.Value{{}}}}, plan.NewCollector(p, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.w.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	deletes()
	if err := b.w.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.begin(10, 1<<10)
	deletes()
	if got := b.captured(); len(got) != 3 {
		t.Errorf("%d images of 3 deleted rows", len(got))
	}
}

// TestImagesAreBounded: more rows or bytes than Capture admits are an error, and rows that were changed back do not count.
func TestImagesAreBounded(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		b := openImaged(t, e)
		for _, c := range []struct {
			rows, bytes int
			fits        bool
		}{{3, 1 << 10, true}, {2, 1 << 10, false}, {3, 10, false}, {0, 0, false}} {
			b.begin(c.rows, c.bytes)
			for range 3 {
				if err := errors.Join(b.do("UPDATE pairs SET v = 'x'"), b.do("UPDATE pairs SET v = 'y'")); err != nil {
					t.Fatal(err)
				}
			}
			_, err := b.w.Captured(t.Context())
			if (err == nil) != c.fits || err != nil && !errors.Is(err, engine.ErrTooManyImages) {
				t.Errorf("%+v: %v", c, err)
			}
			if !b.w.Open() {
				t.Errorf("%+v ended the unit", c)
			}
			if err := b.w.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestImagesNeedTriggers: PostgreSQL has images only if a trigger keeps each row that a write can reach.
func TestImagesNeedTriggers(t *testing.T) {
	b := openImaged(t, tu.Postgres)
	tables := []string{"parents", "children", "pairs", "bare", "gens", "odd", "parts", "told", "log", "grandchildren", "strays"}
	works := func(why string, want bool, write string) {
		t.Helper()
		defer func() { _ = b.w.Rollback(t.Context()) }()
		err := errors.Join(b.w.Begin(t.Context()), b.w.Capture(t.Context(), 100, 1<<16))
		if err == nil {
			if err = b.do(write); err == nil {
				_, err = b.w.Captured(t.Context())
			}
		}
		if want && err != nil || !want && !errors.Is(err, engine.ErrNoImages) {
			t.Errorf("%s: %v", why, err)
		}
	}
	deletes := "DELETE FROM parents WHERE id = 101"
	for _, c := range []struct{ why, breaks, mends, write string }{
		{"a disabled trigger", "ALTER TABLE parents DISABLE TRIGGER exo_undo", "ALTER TABLE parents ENABLE TRIGGER exo_undo", deletes},
		{"all triggers disabled", "ALTER TABLE parents DISABLE TRIGGER ALL", "ALTER TABLE parents ENABLE TRIGGER ALL", "UPDATE parents SET hidden = 'x' WHERE id = 101"},
		{"a trigger for replicas", "ALTER TABLE parents ENABLE REPLICA TRIGGER exo_undo", "ALTER TABLE parents ENABLE TRIGGER exo_undo", deletes},
		{"no trigger", "DROP TRIGGER exo_undo ON parents", "", deletes},
		{"a trigger of one event", "DROP TRIGGER exo_undo ON parents; CREATE TRIGGER exo_undo AFTER INSERT ON parents FOR EACH ROW EXECUTE FUNCTION exo_undo_keep()", "", deletes},
		{"a trigger of one column", "DROP TRIGGER exo_undo ON parents; CREATE TRIGGER exo_undo AFTER INSERT OR DELETE OR UPDATE OF name ON parents FOR EACH ROW EXECUTE FUNCTION exo_undo_keep()", "", deletes},
		{"another function", "DROP TRIGGER exo_undo ON parents; CREATE TRIGGER exo_undo AFTER INSERT OR DELETE OR UPDATE ON parents FOR EACH ROW EXECUTE FUNCTION tells()", "", "UPDATE told SET v = 'q'"},
		{"a cascade's table", "ALTER TABLE grandchildren DISABLE TRIGGER exo_undo", "ALTER TABLE grandchildren ENABLE TRIGGER exo_undo", deletes},
		{"one partition", "ALTER TABLE parts_high DISABLE TRIGGER exo_undo", "ALTER TABLE parts_high ENABLE TRIGGER exo_undo", "UPDATE parts SET v = 'q' WHERE id = 1"},
		{"a new child", "CREATE TABLE later (id bigint PRIMARY KEY, parent bigint REFERENCES parents (id) ON DELETE CASCADE)", "DROP TABLE later", deletes},
		{"a new table, which a trigger may write", "CREATE TABLE later (id bigint PRIMARY KEY)", "DROP TABLE later", "UPDATE told SET v = 'q'"},
	} {
		b.exec(c.breaks)
		works(c.why, false, c.write)
		if b.exec(c.mends); c.mends == "" {
			b.script(tables...)
		}
		works(c.why+", mended", true, c.write)
	}
	b.exec("CREATE TABLE parts_more PARTITION OF parts FOR VALUES FROM (100) TO (200)")
	works("a partition that was made since", true, "INSERT INTO parts VALUES (7, 150, 'v')")

	// A trigger that is disabled after the unit's snapshot: the catalogue of the snapshot does not show it.
	b.begin(100, 1<<16)
	if err := b.do("UPDATE told SET v = 'x' WHERE id = 99"); err != nil { // takes the snapshot
		t.Fatal(err)
	}
	b.exec("ALTER TABLE pairs DISABLE TRIGGER exo_undo")
	if err := b.do("UPDATE pairs SET v = 'x'"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.w.Captured(t.Context()); !errors.Is(err, engine.ErrNoImages) {
		t.Errorf("a trigger that was disabled meanwhile: %v", err)
	}
	if err := b.w.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.exec("ALTER TABLE pairs ENABLE TRIGGER exo_undo; DROP TABLE exo_undo CASCADE; DROP FUNCTION exo_undo_changed, exo_undo_forget")
	b.connect()
	works("a database without the script", false, "UPDATE pairs SET v = 'x'")
}

// TestImagesAreOfOneTransaction: the role of programs sees the images of its own transaction and no others, writes none, and keeps none behind.
func TestImagesAreOfOneTransaction(t *testing.T) {
	b := openImaged(t, tu.Postgres)
	role, err := sql.Open("pgx", tu.AsUser(t, b.url, b.as))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { role.Close() })
	conn, err := role.Conn(t.Context()) // a pool does not take back a connection in a transaction
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	count := func(db interface {
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}, query string) (n int) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	b.begin(10, 1<<10)
	if err := errors.Join(b.do("UPDATE pairs SET v = 'x'"), b.w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if n := count(b.raw, "SELECT count(*) FROM exo_undo"); n != 0 {
		t.Errorf("%d images of nobody's run are kept", n)
	}
	must := func(text string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	must("UPDATE pairs SET v = 'without a run'")
	must("BEGIN; SELECT set_config('exo.run', '', true); UPDATE pairs SET v = 'of no run'; COMMIT")
	if n := count(b.raw, "SELECT count(*) FROM exo_undo"); n != 0 {
		t.Errorf("%d images without a run", n)
	}
	must("BEGIN; SELECT set_config('exo.run', 'r1', true); UPDATE pairs SET v = 'y'")
	if n := count(conn, "SELECT count(*) FROM exo_undo_changed()"); n != 3 {
		t.Errorf("the transaction sees %d of its 3 images", n)
	}
	must("COMMIT; BEGIN; SELECT set_config('exo.run', 'r1', true); SELECT pg_current_xact_id()")
	if n := count(conn, "SELECT count(*) FROM exo_undo_changed()"); n != 0 {
		t.Errorf("another transaction sees %d images of the run", n)
	}
	must("SELECT exo_undo_forget(); COMMIT")
	if n := count(b.raw, "SELECT count(*) FROM exo_undo"); n != 3 {
		t.Errorf("%d of 3 images are left after another transaction forgot its own", n)
	}
	for _, text := range []string{"SELECT * FROM exo_undo", "INSERT INTO exo_undo (run, xact, rel) VALUES ('r', pg_current_xact_id(), 'pairs')", "SELECT exo_undo_keep()", "UPDATE exo_undo SET run = 'r'", "DELETE FROM exo_undo", "TRUNCATE exo_undo",
		"CREATE TEMP TABLE mine (x int); CREATE TRIGGER forged AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION exo_undo_keep()"} {
		if _, err := role.Exec(text); err == nil {
			t.Errorf("the role may %s", text)
		}
	}
}

// TestImagesRunAsTheOwner: the functions that run with the owner's rights find nothing by the caller's search path.
func TestImagesRunAsTheOwner(t *testing.T) {
	b := openImaged(t, tu.Postgres)
	b.exec("CREATE SCHEMA evil; GRANT ALL ON SCHEMA evil TO " + b.as)
	role, err := sql.Open("pgx", tu.AsUser(t, b.url, b.as))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { role.Close() })
	role.SetMaxOpenConns(1)
	for _, text := range []string{
		"CREATE TABLE evil.seen (who text); GRANT ALL ON evil.seen TO PUBLIC",
		"CREATE FUNCTION evil.current_setting(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO evil.seen VALUES (current_user); RETURN 'forged'; END $$",
		"CREATE FUNCTION evil.current_setting(text, boolean) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO evil.seen VALUES (current_user); RETURN 'forged'; END $$",
		"SET search_path = evil, pg_catalog, public",
		"BEGIN; SELECT pg_catalog.set_config('exo.run', 'r1', true); UPDATE pairs SET v = 'y'; SELECT count(*) FROM exo_undo_changed(); SELECT exo_undo_forget(); COMMIT",
	} {
		if _, err := role.Exec(text); err != nil && !strings.Contains(err.Error(), "read-only") {
			t.Fatalf("%s: %v", text, err)
		}
	}
	var seen string
	if err := b.raw.QueryRow("SELECT coalesce(string_agg(DISTINCT who, ' '), '') FROM evil.seen").Scan(&seen); err != nil {
		t.Fatal(err)
	}
	if seen != "" {
		t.Errorf("a function of the role ran as %s", seen)
	}
}
