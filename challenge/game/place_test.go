package game_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// roles are new ones of a database, without any right that not everybody has.
func roles(t *testing.T, admin *sql.DB, names ...string) (out []string) {
	t.Helper()
	tail := strings.ToLower(string(game.NewKey())[5:15])
	for _, n := range names {
		role := "exo_" + n + "_" + tail
		if _, err := admin.Exec("CREATE ROLE " + role + " LOGIN"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := tu.Admin(t, tu.Server(t)).Exec("DROP ROLE " + role); err != nil {
				t.Error(err)
			}
		})
		out = append(out, role)
	}
	return out
}

func openCopies(t *testing.T, o game.CopyOptions) (*game.Copies, error) {
	t.Helper()
	c, err := game.OpenCopies(t.Context(), o)
	if err == nil {
		t.Cleanup(func() {
			if err := c.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	return c, err
}

// TestTry: a place in which no copy can be made, or none be read as programs are to
// read it, is refused before any player comes, with the one whose fault it is.
func TestTry(t *testing.T) {
	url, other := database(t), database(t)
	admin := tu.Admin(t, url)
	defer admin.Close()
	r := roles(t, admin, "owner", "reader", "weak")
	owner, reader, weak := r[0], r[1], r[2]
	var name string
	if err := admin.QueryRow("SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec("GRANT CREATE ON DATABASE " + name + " TO " + owner); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := admin.Exec("REVOKE ALL ON DATABASE " + name + " FROM " + owner); err != nil {
			t.Error(err)
		}
	}()
	as := func(role string) string { return tu.AsUser(t, url, role) }
	for _, c := range []struct {
		what  string
		o     game.CopyOptions
		super bool
		fault error
	}{
		{"two roles", game.CopyOptions{URL: as(owner), Reader: as(reader)}, false, nil},
		{"one role", game.CopyOptions{URL: as(owner)}, false, nil},
		{"a superuser", game.CopyOptions{URL: url}, true, nil},
		{"a superuser reads", game.CopyOptions{URL: as(owner), Reader: url}, true, game.ErrReader}, // it may write as well
		{"an owner without the right", game.CopyOptions{URL: as(weak)}, false, game.ErrURL},
		{"no such owner", game.CopyOptions{URL: as("exo_nobody")}, false, game.ErrURL},
		{"no such reader", game.CopyOptions{URL: as(owner), Reader: as("exo_nobody")}, false, game.ErrReader},
		{"a reader of another database", game.CopyOptions{URL: as(owner), Reader: tu.AsUser(t, other, reader)}, false, game.ErrReader},
		{"a reader who may write", game.CopyOptions{URL: as(owner), Reader: as(owner)}, false, game.ErrReader},
	} {
		copies, err := game.OpenCopies(t.Context(), c.o)
		if err == nil {
			var super bool
			super, err = copies.Try(t.Context(), game.DefaultTargets[0])
			if super != c.super {
				t.Errorf("%s: a superuser: %t", c.what, super)
			}
			if err := copies.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if (err != nil) != (c.fault != nil) || c.fault != nil && !errors.Is(err, c.fault) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	var left int
	if err := admin.QueryRow(`SELECT count(*) FROM pg_namespace WHERE starts_with(nspname, 'exochallenge_')`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d schemas are left: %v", left, err)
	}
	copies, err := openCopies(t, game.CopyOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if super, err := copies.Try(t.Context(), game.DefaultTargets[0]); super || err != nil {
		t.Error(super, err)
	}
}

// TestHeld: while one process plays with a database no other takes its schemas for
// left over, also when the connection that marks them has gone.
func TestHeld(t *testing.T) {
	url := database(t)
	admin := tu.Admin(t, url)
	defer admin.Close()
	first, err := game.OpenCopies(t.Context(), game.CopyOptions{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	use := func(player string) {
		t.Helper()
		_, release, err := first.Use(t.Context(), player, game.DefaultTargets[0], game.NewKey())
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	// schemas returns how many there are after another process has come and gone.
	schemas := func() (n int) {
		t.Helper()
		c, err := game.OpenCopies(t.Context(), game.CopyOptions{URL: url})
		if err == nil {
			err = c.Close(t.Context())
		}
		if err == nil {
			err = admin.QueryRow(`SELECT count(*) FROM pg_namespace WHERE starts_with(nspname, 'exochallenge_')`).Scan(&n)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	lose := func() {
		t.Helper()
		if _, err := admin.Exec(`SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`); err != nil {
			t.Fatal(err)
		}
	}
	use("player0000")
	if n := schemas(); n != 1 {
		t.Errorf("%d schemas of a process that lives", n)
	}
	lose()
	use("player0001")
	if n := schemas(); n != 2 {
		t.Errorf("%d schemas, when the connection was lost", n)
	}
	lose() // as if the process were dead
	if n := schemas(); n != 0 {
		t.Errorf("%d schemas of a dead process", n)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec("SELECT pg_advisory_lock(1702391601)"); err != nil { // as an earlier version does
		t.Fatal(err)
	}
	if _, err := game.OpenCopies(t.Context(), game.CopyOptions{URL: url}); !errors.Is(err, game.ErrURL) || !strings.Contains(err.Error(), "earlier version") {
		t.Error(err)
	}
}

// TestGone: one whose copy somebody has dropped plays again with the next attempt.
func TestGone(t *testing.T) {
	g := newGame(t, tu.SQLite, 2)
	url := database(t)
	admin := tu.Admin(t, url)
	defer admin.Close()
	copies, err := openCopies(t, game.CopyOptions{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	sqlite := g.Copies
	g.Copies = copies
	defer func() { g.Copies = sqlite }()
	p := newPlayer(t, g, "player0000")
	const input = "(api) => api.currentUser.accounts()"
	if a := p.play("wallet", game.Program, input); !a.Verdict.OK() {
		t.Fatalf("%+v", a.Verdict)
	}
	var schema string
	if err := admin.QueryRow(`SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'exochallenge_')`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec("DROP SCHEMA " + schema + " CASCADE"); err != nil {
		t.Fatal(err)
	}
	if a := p.play("wallet", game.Program, input); a.Verdict.Kind != "internal" {
		t.Errorf("%+v", a.Verdict)
	}
	if a := p.play("wallet", game.Program, input); !a.Verdict.OK() || a.Rows != 3 {
		t.Errorf("%+v", a.Verdict)
	}
}

// TestCloseHeld: a schema that somebody holds a lock on does not hold up the end.
func TestCloseHeld(t *testing.T) {
	url := database(t)
	admin := tu.Admin(t, url)
	defer admin.Close()
	copies, err := game.OpenCopies(t.Context(), game.CopyOptions{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	_, release, err := copies.Use(t.Context(), "player0000", game.DefaultTargets[0], game.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	release()
	var schema string
	if err := admin.QueryRow(`SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'exochallenge_')`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	tx, err := admin.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("LOCK TABLE " + schema + ".wallets"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := copies.Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := tx.Exec("SELECT 1 FROM " + schema + ".wallets"); err != nil {
		t.Error("the schema was not held", err)
	}
	if _, release, err := copies.Use(t.Context(), "player0001", game.DefaultTargets[0], game.NewKey()); err == nil {
		release()
		t.Error("a copy after the end")
	}
}

// TestCloseUsed: nor does one who never gives a copy back.
func TestCloseUsed(t *testing.T) {
	copies, err := game.OpenCopies(t.Context(), game.CopyOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	_, release, err := copies.Use(t.Context(), "player0000", game.DefaultTargets[0], game.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := copies.Close(ctx); err == nil {
		t.Error("a copy is in use")
	}
	release()
}

// TestSocket: a URL may name the folder of a local socket, and no other kind of database.
func TestSocket(t *testing.T) {
	for url, form := range map[string]bool{"postgres://u@/db?host=" + t.TempDir(): true, "postgresql:///db?host=/none": true, "postgres:///db": false, "mysql://u@h/db": false} {
		if _, err := game.OpenCopies(t.Context(), game.CopyOptions{URL: url}); err == nil || strings.Contains(err.Error(), "want postgres://") == form {
			t.Errorf("%s: %v", url, err)
		}
	}
}
