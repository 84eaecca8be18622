package exo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
)

// TestNotices: what objects remark is kept once, in the order of the messages, so many and so long; and of a message that
// comes after what may not be shown, nothing: whether it was sent may depend on that. The twin is a run whose result admits the label.
func TestNotices(t *testing.T) {
	remarks := func(w *world) *int {
		n := 0
		w.todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
			n++
			m.AddNotice(fmt.Sprint("remark ", n))
			m.AddNotice(fmt.Sprint("remark ", n))
			return value.List(), nil
		}
		return &n
	}
	for _, admits := range []bool{false, true} {
		cfg := Config{}
		want := []string{"remark 1"}
		if admits {
			cfg.Admits = value.NewLabel("diary")
			want = append(want, "remark 2", "remark 3")
		}
		w := newWorld(t, cfg)
		n := remarks(w)
		w.send(titles())
		w.send(diaries())
		w.send(titles())
		if got := w.s.Notices(); *n != 3 || !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", *n, got, want)
		}
	}
	w := newWorld(t, Config{})
	remarks(w)
	for range 3 * maxNotices {
		w.send(titles())
	}
	if got := w.s.Notices(); len(got) != maxNotices || got[maxNotices-1] != fmt.Sprint("remark ", maxNotices) {
		t.Errorf("%q", got)
	}
	w = newWorld(t, Config{})
	w.todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		m.AddNotice(strings.Repeat("x", 1<<20))
		return value.List(), nil
	}
	w.send(titles())
	if got := w.s.Notices(); len(got) != 1 || len(got[0]) > maxNoticeBytes+len("…") {
		t.Errorf("%d notices", len(got))
	}
	new(Message).AddNotice("of no session")
}
