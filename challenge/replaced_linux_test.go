package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
)

// TestReplaced: a host goes on when its binary is replaced under it, in all lanes.
func TestReplaced(t *testing.T) {
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "challenge")
	if err := os.WriteFile(binary, b, 0o700); err != nil {
		t.Fatal(err)
	}
	p := startAs(t, binary, "-data", t.TempDir())
	if err := os.Remove(binary); err != nil {
		t.Fatal(err)
	}
	who, err := newPlayer(t.Context(), p.at)
	if err != nil {
		t.Fatal(err)
	}
	for lane, input := range map[game.Lane]string{game.Program: "() => 1", game.Notice: "SELECT 1"} {
		if a, err := who.play(t.Context(), "wallet", lane, input); err != nil || !a.Verdict.OK() {
			t.Errorf("%s: %+v %v", lane, a, err)
		}
	}
}
