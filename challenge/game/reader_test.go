package game_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestReader: with a role of their own, programs run as one that may read the
// tables and do nothing else to them, and what an earlier process left is gone.
func TestReader(t *testing.T) {
	url := database(t)
	admin := tu.Admin(t, url)
	defer admin.Close()
	role := "exo_reader_" + strings.ToLower(string(game.NewKey())[5:15])
	if _, err := admin.Exec(`CREATE ROLE ` + role + ` LOGIN; CREATE SCHEMA exochallenge_left_over; CREATE SCHEMA precious`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := tu.Admin(t, tu.Server(t)).Exec("DROP ROLE " + role); err != nil {
			t.Error(err)
		}
	})
	g := newGame(t, tu.SQLite, 2)
	copies, err := game.OpenCopies(t.Context(), game.CopyOptions{URL: url, Reader: tu.AsUser(t, url, role), Most: 2})
	if err != nil {
		t.Fatal(err)
	}
	g.Copies = copies
	if a := newPlayer(t, g, "player0000").play("wallet", game.Program, "(api) => api.currentUser.accounts()"); !a.Verdict.OK() || a.Rows != 3 || a.Engine != "postgres" {
		t.Errorf("%+v", a)
	}
	schemas := func() (s string) {
		if err := admin.QueryRow(`SELECT coalesce(string_agg(nspname, ' ' ORDER BY nspname), '') FROM pg_namespace WHERE starts_with(nspname, 'exochallenge_') OR nspname = 'precious'`).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	name, rest, _ := strings.Cut(schemas(), " ")
	if rest != "precious" || name == "exochallenge_left_over" {
		t.Errorf("%s and %s", name, rest)
	}
	var read, write bool
	if err := admin.QueryRow(`SELECT has_table_privilege($1, $2, 'SELECT'), has_table_privilege($1, $2, 'INSERT, UPDATE, DELETE, TRUNCATE')`, role, name+".wallets").Scan(&read, &write); err != nil || !read || write {
		t.Errorf("reads %t, writes %t: %v", read, write, err)
	}
	if err := copies.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if s := schemas(); s != "precious" {
		t.Errorf("left: %s", s)
	}
	for _, bad := range []game.CopyOptions{{URL: "postgres://"}, {URL: url, Reader: "postgres://host/x"}, {URL: "\x00secret"}, {}} {
		if _, err := game.OpenCopies(t.Context(), bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
