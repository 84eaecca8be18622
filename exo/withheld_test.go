package exo

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// TestDecided: once a run has read what its result may not carry, nothing that it asks for later changes what is said of it. Before that, all counts.
func TestDecided(t *testing.T) {
	for _, c := range []struct {
		name   string
		begun  value.Label
		admits value.Label
		calls  []string
		want   string
		causes int
	}{
		{"nothing is withheld", value.Label{}, value.NewLabel("pii"), []string{"mail", "text"}, "{pii,untrusted}", 2},
		{"by the first", value.Label{}, value.Label{}, []string{"mail", "text"}, "{pii}", 1},
		{"by the last", value.Label{}, value.Label{}, []string{"text", "mail"}, "{pii,untrusted}", 2},
		{"by one with two tags", value.Label{}, value.Label{}, []string{"from", "text"}, "{pii,untrusted}", 2},
		{"from the beginning", value.NewLabel("pii"), value.Label{}, []string{"text"}, "{pii}", 1},
		{"what it began with may leave", value.NewLabel("pii"), value.NewLabel("pii"), []string{"text"}, "{pii,untrusted}", 2},
		{"another reader's, before", value.NewLabel("own@ann:1"), value.NewLabel("own@ann:1"), nil, "{own@ann:1}", 1},
	} {
		w := notesWorld(t, Config{Admits: c.admits})
		s, err := w.gate.Begin(t.Context(), Run{Label: c.begun}, "", nil)
		wantOK(t, c.name, err)
		w.s = s
		for _, name := range c.calls {
			_, err := w.send(msg(ref(notesID), call(0, name)))
			wantOK(t, name, err)
		}
		if got := s.ReportableLabel().String(); got != c.want || len(s.Causes()) != c.causes {
			t.Errorf("%s: %s by %v, want %s", c.name, got, s.Causes(), c.want)
		}
		if c.name == "by the first" && (s.Label().String() != "{pii,untrusted}" || fmt.Sprint(s.Release()) == "") {
			t.Errorf("%s: the run has %s", c.name, s.Label())
		}
		s.Finish(t.Context(), value.Null(), nil)
	}
	if !(*Session)(nil).ReportableLabel().Empty() || !new(Session).ReportableLabel().Empty() {
		t.Error("of no run")
	}
}

// TestFirstNamesNoReader: a program reads which of its calls read too much, and of what kind that was. Who may read the value is of the row.
func TestFirstNamesNoReader(t *testing.T) {
	w := &withheld{call: 2, label: value.NewLabel("pii@member:42", "pay", "untrusted")}
	for at, want := range map[fail.Pos]string{{}: "its call 2", {Line: 3, Column: 14}: "the call at line 3:14"} {
		if w.pos = at; w.first(value.NewLabel("pay")) != want+" was the first, and reads what is labelled pii" {
			t.Errorf("%v: %s", at, w.first(value.NewLabel("pay")))
		}
	}
}
