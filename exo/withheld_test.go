package exo

import (
	"fmt"
	"testing"
)

// TestDecided: once a run has read what its result may not carry, nothing that it asks for later changes what is said of it. Before that, all counts.
func TestDecided(t *testing.T) {
	for _, c := range []struct {
		name   string
		begun  Label
		admits Label
		calls  []string
		want   string
		causes int
	}{
		{"nothing is withheld", Label{}, NewLabel("pii"), []string{"mail", "text"}, "{pii,untrusted}", 2},
		{"by the first", Label{}, Label{}, []string{"mail", "text"}, "{pii}", 1},
		{"by the last", Label{}, Label{}, []string{"text", "mail"}, "{pii,untrusted}", 2},
		{"by one with two tags", Label{}, Label{}, []string{"from", "text"}, "{pii,untrusted}", 2},
		{"from the beginning", NewLabel("pii"), Label{}, []string{"text"}, "{pii}", 1},
		{"what it began with may leave", NewLabel("pii"), NewLabel("pii"), []string{"text"}, "{pii,untrusted}", 2},
		{"another reader's, before", NewLabel("own@ann:1"), NewLabel("own@ann:1"), nil, "{own@ann:1}", 1},
	} {
		w := notesWorld(t, Config{Admits: c.admits})
		s, err := w.gate.Begin(t.Context(), Run{Label: c.begun}, "", nil)
		wantOK(t, c.name, err)
		w.s = s
		for _, name := range c.calls {
			_, err := w.send(msg(ref(notesID), call(0, name)))
			wantOK(t, name, err)
		}
		if got := s.Decided().String(); got != c.want || len(s.Causes()) != c.causes {
			t.Errorf("%s: %s by %v, want %s", c.name, got, s.Causes(), c.want)
		}
		if c.name == "by the first" && (s.Label().String() != "{pii,untrusted}" || fmt.Sprint(s.Release()) == "") {
			t.Errorf("%s: the run has %s", c.name, s.Label())
		}
		s.Finish(t.Context(), Null(), nil)
	}
	if !(*Session)(nil).Decided().Empty() || !new(Session).Decided().Empty() {
		t.Error("of no run")
	}
}
