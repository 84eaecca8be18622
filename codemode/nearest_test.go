package codemode

import (
	"context"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// TestNearestIsNearest: passing words over changes no answer, as long as there is a budget.
func TestNearestIsNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	word := func(n int) string {
		b := make([]rune, n)
		for i := range b {
			b[i] = []rune("abcdeé")[r.IntN(6)]
		}
		return string(b)
	}
	c := &catalogue{}
	for range 300 {
		c.words = append(c.words, word(1+r.IntN(16)))
	}
	sort.Strings(c.words)
	for _, w := range c.words {
		c.letters = append(c.letters, lettersOf(w))
	}
	some := 0
	for range 600 {
		w := word(1 + r.IntN(12)) // of one or two bytes each
		if len(w) > maxTypo {
			continue
		}
		got, want := c.nearest(w, (&budget{typos: maxTypos}).share(1)), scalar.Nearest(w, c.words)
		if got != want {
			t.Fatalf("%q: got %q, want %q", w, got, want)
		}
		if want != "" {
			some++
		}
	}
	if some < 100 {
		t.Errorf("only %d words were near others", some)
	}
	if got := c.nearest(strings.Repeat("a", maxTypo+1), (&budget{typos: maxTypos}).share(1)); got != "" {
		t.Errorf("a long word is near %q", got)
	}
}

// TestSearchBudget: what words cost does not grow with how many they are, and a
// search ends with its context.
func TestSearchBudget(t *testing.T) {
	c := &catalogue{index: map[string][]hit{}}
	for range 9000 {
		c.words = append(c.words, "abcdefgh")
		c.letters = append(c.letters, lettersOf("abcdefgh"))
	}
	c.index["common"] = make([]hit, 9000)
	left := budget{hits: maxAllHits, typos: maxTypos}
	told := 0
	for n := 8; n > 0; n-- {
		word := "abcdefhg"
		if n%2 == 0 {
			word = "common"
		}
		c.lookUp(word, left.share(n), func(hit, int) { told++ })
	}
	if told != maxAllHits-left.hits || left.hits < 0 || left.typos < 0 || left.typos > maxTypos/8 || told < maxAllHits/8 {
		t.Errorf("%d places, %+v left", told, left)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	l := &lookup{name: "search", answer: func(ctx context.Context, s string) (value.Value, error) { return c.found(c.search(ctx, s)), nil }}
	m := &exo.Message{Checked: message.Checked{Root: &message.Node{Args: []*message.Node{{Op: message.OpLit, Lit: value.Text("common")}}}}}
	if _, err := l.Eval(gone, m); err != context.Canceled {
		t.Errorf("a search whose context has ended: %v", err)
	}
}
