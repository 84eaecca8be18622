package arena_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/queue"
	"github.com/exoagent/exoagent/challenge/store"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "  Robin \t of\nLocksley ": "Robin of Locksley", "Zoë Größe": "Zoë Größe", "李雷": "李雷", "  ": "", "I ❤️ SQL": "I ❤ SQL", "नमस्ते": "नमस्ते", "عمر": "عمر", "<script>": "<script>", strings.Repeat("é", 40): strings.Repeat("é", 40),
	} {
		if got, ok := arena.Name(in); got != want || !ok {
			t.Errorf("%q: %q %t", in, got, ok)
		}
	}
	for _, in := range []string{strings.Repeat("é", 41), "a\x00", "a\u202eb", "\u2066x", "\u200b", "\ufeff", "\u3164", "\xff", "e\u0301\u0301\u0301\u0301\u0301\u0301",
		"\u0301", " \u0301 ", "a\u034f", "\u034f", "\u17b4", "\u180b", "\u2800", "\U0001d159", "\u115f", "\u1160", "\uffa0", "\U000e0041", "a\u00adb", "a\u200db", "\ue000",
	} {
		if got, ok := arena.Name(in); ok {
			t.Errorf("%q is a name: %q", in, got)
		}
	}
}

// TestPanic: whatever a target or the game does, an attempt ends, the player is
// told one word, and the next one is played.
func TestPanic(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	copies, err := game.OpenCopies(ctx, game.CopyOptions{Dir: filepath.Join(dir, "copies")})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(ctx, filepath.Join(dir, "store.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bad := *game.DefaultTargets[0]
	bad.Grants = func(*exosql.DB) codemode.Grants { panic("at /srv/secret") }
	var log bytes.Buffer
	ended := 0
	ar := &arena.Arena{
		Game:  &game.Game{Targets: game.Targets{&bad}, Copies: copies},
		Store: st, Queue: queue.New(1), Room: store.Room{PerPlayer: 9, Total: 9}, Log: slog.New(slog.NewTextHandler(&log, nil)), Ended: func(*game.Attempt) { ended++ },
	}
	p, _, err := st.NewPlayer(ctx, "home")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a, err := ar.Submit(ctx, queue.Sender{Address: "home", Player: p}, bad.ID, game.Program, "1")
		if err != nil {
			t.Fatal(err)
		}
		v, err := ar.Wait(ctx, ctx, p, a.ID)
		if err != nil || v.State != game.Interrupted || v.Verdict.Kind != "internal" || strings.Contains(v.Verdict.Message, "secret") {
			t.Errorf("%+v %v", v, err)
		}
	}
	if r := (*arena.Refusal)(nil); true {
		if _, err := ar.Submit(ctx, queue.Sender{Address: "home", Player: "nobody"}, bad.ID, game.Program, "1"); !errors.As(err, &r) || r.Reason != arena.NotFound {
			t.Error("an attempt of nobody", err)
		}
	}
	ar.Queue.Close(context.Background())
	if err := errors.Join(copies.Close(ctx), st.Close()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "a panic in an attempt") || strings.Contains(log.String(), "/srv/secret") || ended != 2 {
		t.Error(ended, log.String())
	}
}
