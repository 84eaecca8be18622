package store_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// TestModerate: a name goes and does not come back, a player goes by the name that
// the export has, a hole gets the host's word and stays.
func TestModerate(t *testing.T) {
	f := open(t, store.Options{})
	ctx := t.Context()
	rude, token := f.player()
	calm, calmToken := f.playerAt("elsewhere")
	a := f.attempt(rude, "wallet", game.Program, true, 10)
	control := f.attempt(rude, "wallet", game.Notice, true, 10)
	f.attempt(calm, "wallet", game.Notice, true, 10)
	claim := func(p string, lane game.Lane, name string) {
		t.Helper()
		k, _, err := f.Key(ctx, p, "wallet", lane)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.Claim(ctx, p, string(k), name); err != nil {
			t.Fatal(err)
		}
	}
	names := func() string {
		var out []string
		t.Helper()
		holes, err := f.GuardedWins(ctx, 9)
		leaders, err2 := f.Leaders(ctx, 9)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		for _, w := range append(holes, leaders...) {
			if w.Name != "" {
				out = append(out, w.Name)
			}
		}
		slices.Sort(out)
		return strings.Join(out, ",")
	}
	if err := f.HideName(ctx, a.ID); err != nil { // before it has one
		t.Fatal(err)
	}
	claim(rude, game.Program, "rude")
	claim(rude, game.Notice, "ruder")
	claim(calm, game.Notice, "calm")
	if got := names(); got != "calm,ruder" {
		t.Error(got)
	}
	if err := f.HideName(ctx, control.ID); err != nil || names() != "calm" {
		t.Error(names(), err)
	}
	if err := f.Annotate(ctx, a.ID, "mended in v2"); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	if ws, err := f.GuardedWins(ctx, 9); err != nil || len(ws) != 1 || ws[0].Note != "mended in v2" {
		t.Errorf("%+v %v", ws, err)
	}
	claim(rude, game.Filter, "rudest")
	var exported store.Line
	if _, err := f.Export(ctx, writer(func(b []byte) {
		if exported.Player == "" {
			if err := json.Unmarshal(b, &exported); err != nil {
				t.Fatal(err)
			}
		}
	})); err != nil {
		t.Fatal(err)
	}
	if err := f.EndAlias(ctx, exported.Player); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Player(ctx, token); !errors.Is(err, store.ErrNone) {
		t.Error("the player is there", err)
	}
	if _, err := f.Player(ctx, calmToken); err != nil || names() != "calm" {
		t.Error(names(), err)
	}
	for what, err := range map[string]error{
		"name": f.HideName(ctx, "none"), "alias": f.EndAlias(ctx, "none"), "empty": f.EndAlias(ctx, ""), "hole": f.Annotate(ctx, "none", "x"), "a control's": f.Annotate(ctx, control.ID, "x"),
	} {
		if !errors.Is(err, store.ErrNone) {
			t.Error(what, err)
		}
	}
}

// TestUpgrade: a file of the version before is played on with.
func TestUpgrade(t *testing.T) {
	f := open(t, store.Options{})
	p, _ := f.player()
	f.attempt(p, "wallet", game.Program, true, 10)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", f.path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("DROP TABLE hours; ALTER TABLE wins DROP COLUMN note; DROP INDEX attempts_by_state; ALTER TABLE attempts DROP COLUMN process; PRAGMA user_version=2"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f.Store = nil
	f.reopen()
	f.reopen()
	if ws, err := f.GuardedWins(t.Context(), 9); err != nil || len(ws) != 1 || ws[0].Note != "" {
		t.Errorf("%+v %v", ws, err)
	}
	if h, err := f.History(t.Context(), 4); err != nil || h.Attempts[game.Program][3] != 1 {
		t.Errorf("attempts of before are not in the history: %+v %v", h, err)
	}
}
