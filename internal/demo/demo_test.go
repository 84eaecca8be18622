package demo

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/printable"
)

// TestPlay: the same wishes take everything out of one lane and nothing out of the other, which serves the honest ones.
func TestPlay(t *testing.T) {
	p, err := Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (Tally{Addresses: 4, Keys: 2, Mails: 1, Refunded: 5}); p.Raw != want {
		t.Errorf("with SQL left %+v, want %+v: the story proves nothing", p.Raw, want)
	}
	if p.Exo != (Tally{}) {
		t.Errorf("with exoagent left %+v", p.Exo)
	}
	var refused []int
	for i, s := range p.Steps {
		if s.Refused {
			refused = append(refused, i+1)
		}
	}
	if !slices.Equal(refused, []int{4, 5, 6}) || p.Steps[1].Exo != "1" || p.Steps[2].Exo != `[{"name":"Ann","email":"[sealed pii]"},{"name":"Bob","email":"[sealed pii]"}]` {
		t.Errorf("refused: %v; %q, %q", refused, p.Steps[1].Exo, p.Steps[2].Exo)
	}
	for i, says := range map[int]string{3: "`api_keys` is not defined", 4: "sealed value", 5: "outsiders"} {
		if !strings.Contains(p.Steps[i].Exo, says) {
			t.Errorf("step %d: %s", i+1, p.Steps[i].Exo)
		}
	}
	for _, width := range []int{20, 60, 89, 90, 120, 200} {
		var b strings.Builder
		if err := p.Text(&b, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if w := printable.Width(line); w > width && width >= 60 {
				t.Errorf("%d of %d columns: %s", w, width, line)
			}
		}
		if side := strings.Contains(b.String(), rawHas+" ") && strings.Contains(b.String(), " | "+exoHas); side != (width >= narrow) {
			t.Errorf("at %d columns side by side: %v", width, side)
		}
	}
	var b strings.Builder
	if err := p.HTML(&b); err != nil || strings.Contains(b.String(), "<!-- SYSTEM") || !strings.Contains(b.String(), "&lt;!-- SYSTEM") || strings.Contains(b.String(), "<script") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
