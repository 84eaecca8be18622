package web

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/card"
)

// TestCards: a picture is drawn once, and however many are asked for, a few are kept.
func TestCards(t *testing.T) {
	var c cards
	a, err := c.png(card.Card{Title: "x", Code: "x" + strings.Repeat(" ", 9)})
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := c.png(card.Card{Title: "x", Code: "x"}); &a[0] != &b[0] {
		t.Error("the same picture is drawn twice")
	}
	for i := range maxCards + 3 {
		c.drawn[card.Card{Title: strings.Repeat("x", i)}] = a
	}
	if _, err := c.png(card.Card{Title: "another"}); err != nil || len(c.drawn) > maxCards {
		t.Errorf("%d are kept: %v", len(c.drawn), err)
	}
}
