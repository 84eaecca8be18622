package exo

import (
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
)

// TestCauses: the host is told by which message a run got each tag, and what in it has the tag; the program is told nothing of it.
func TestCauses(t *testing.T) {
	w := newWorld(t, Config{Admits: value.NewLabel("began")})
	w.s.Finish(t.Context(), value.Null(), nil)
	w = &world{t: t, gate: w.gate}
	s, err := w.gate.Begin(t.Context(), Run{Label: value.NewLabel("began")}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Finish(t.Context(), value.Null(), nil) })
	w.s = s
	for _, x := range []message.Expr{titles(), diaries(), diaries()} {
		_, err := w.send(x)
		wantOK(t, "read", err)
	}
	var got []string
	for _, c := range s.Causes() {
		got = append(got, c.String())
	}
	want := []string{"began: the run began with it", "diary: by call 2, todos.select(…).execute, which reads Todo.diary"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
	_, err = w.send(sendMail("send"))
	for what, err := range map[string]error{"a sink": err, "the result": s.Release()} {
		if wantKind(t, what, err, fail.Denied); strings.Contains(fail.GuestText(err), "Todo.diary") || !strings.Contains(err.Error(), "which reads Todo.diary") {
			t.Errorf("%s: the guest reads %q, the host %q", what, fail.GuestText(err), err)
		}
		if errors.Unwrap(err) == nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if (*Session)(nil).Causes() != nil || new(Session).Causes() != nil {
		t.Error("of no run")
	}
}
