package exo

import (
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"testing"
)

// TestPreview: a run that is a preview undoes its units, the record says so, and nothing that acts outside of them is admitted. The
// twin commits, and its mail leaves.
func TestPreview(t *testing.T) {
	for _, preview := range []bool{true, false} {
		s := &shop{name: "a", settles: true}
		var events []Entry
		g, err := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: RecordFunc(func(e Entry) error { events = append(events, e); return nil })})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, gate: g}
		if w.s, err = g.Begin(t.Context(), Run{Preview: preview}, "", nil); err != nil {
			t.Fatal(err)
		}
		_, put := w.send(msg(ref(0), call(0, "put")))
		_, mail := w.send(msg(ref(0), call(0, "mail")))
		_, now := w.send(msg(ref(0), call(0, "count")))
		if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil || put != nil || now != nil {
			t.Fatalf("preview %v: %v %v %v", preview, err, put, now)
		}
		if refused := fail.KindOf(mail) == fail.Denied && strings.Contains(mail.Error(), "preview"); refused != preview {
			t.Errorf("preview %v: the mail: %v", preview, mail)
		}
		if slices.Contains(s.log, "mail") == preview || slices.Contains(s.log, "settle") == preview || slices.Contains(s.log, "rollback") != preview {
			t.Errorf("preview %v: %v", preview, s.log)
		}
		for _, e := range w.s.Effects() {
			if errors.Is(e.Err, ErrPreview) != preview || (e.State == StateRolledBack) != preview {
				t.Errorf("preview %v: %+v", preview, e)
			}
		}
		var steps []string
		for _, e := range events {
			if e.Call == 0 {
				steps = append(steps, e.Step.String()+" "+e.State.String())
			}
		}
		if got := strings.Join(steps, ", "); strings.Contains(got, "committing") == preview || strings.Contains(got, "committed rolled back") != preview {
			t.Errorf("preview %v: the record has %s", preview, got)
		}
	}
}
