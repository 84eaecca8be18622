package exo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestChanger: what a unit is about to change is in the record before it commits, and a recorder
// that does not take it, or a unit that can't tell, keeps it from committing. A run that only reads tells nothing.
func TestChanger(t *testing.T) {
	for _, c := range []struct {
		name    string
		methods []string
		refuse  error
		fails   bool
		kept    int
		log     string
		told    int
	}{
		{"a change", []string{"put"}, nil, false, 1, "put prepare tell commit", 1},
		{"a change that is refused", []string{"put"}, errors.New("only shown"), false, 0, "put prepare tell rollback", 1},
		{"a unit that can't tell", []string{"put"}, nil, true, 0, "put prepare tell rollback", 0},
		{"nothing", []string{"count"}, nil, false, 0, "count prepare commit", 0},
	} {
		s := &shop{name: "a", tells: "what changes"}
		if c.fails {
			s.fail = map[string]func(context.Context) error{"tell": func(context.Context) error { return errors.New("broken") }}
		}
		told := 0
		w := end(t, s, func(e Entry) error {
			for _, d := range e.Details {
				if d == "what changes" {
					if told++; e.Step != Committing || s.kept != 0 {
						t.Errorf("%s: told at %s", c.name, e.Step)
					}
					return c.refuse
				}
			}
			return nil
		}, nil, c.methods...)
		acts := slices.DeleteFunc(s.log, func(what string) bool { return strings.HasPrefix(what, "record ") })
		if got := strings.Join(acts, " "); got != c.log || s.kept != c.kept || told != c.told || (w.err != nil) != (c.kept == 0 && c.name != "nothing") {
			t.Errorf("%s: %s, %d kept, told %d times, %v", c.name, got, s.kept, told, w.err)
		}
	}
}
