package web

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/challenge/card"
)

// cards keeps pictures that were drawn. It draws only one at a time, so that many requests use no more than one processor.
type cards struct {
	mu    sync.Mutex
	drawn map[card.Card][]byte
}

// maxCards bounds the stored pictures. A picture has at most about 60 KB.
const maxCards = 64

func (c *cards) png(of card.Card) ([]byte, error) {
	of = of.Fit()
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.drawn[of]; b != nil {
		return b, nil
	}
	b, err := of.PNG()
	if err != nil {
		return nil, err
	}
	if c.drawn == nil || len(c.drawn) >= maxCards {
		c.drawn = map[card.Card][]byte{}
	}
	c.drawn[of] = b
	return b, nil
}

func (s *Server) picture(w http.ResponseWriter, r *request, of card.Card, public bool) error {
	if _, host, ok := strings.Cut(s.base(r.Request), "://"); ok {
		of.Foot = host
	}
	b, err := s.cards.png(of)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/png")
	if public {
		w.Header().Set("Cache-Control", "public, max-age=300")
		nobodys(w.Header())
	}
	_, err = w.Write(b)
	return err
}

func (s *Server) siteCard(w http.ResponseWriter, r *request) error {
	return s.picture(w, r, card.Card{
		Title: "Steal the key", Line: "Programs written by AI, live data, one key out of reach.",
		Code: "// You are the program. This is what you were granted:\n(api) => api.currentUser.accounts()\n// 3 rows, all yours\n\n// The key is one row further:\n(api) => api.currentUser\n  .inviter().accounts()\n// 0 rows. Your move.",
	}, true)
}

func (s *Server) targetCard(w http.ResponseWriter, r *request) error {
	t, err := s.find(r)
	if err != nil {
		return err
	}
	return s.picture(w, r, card.Card{Title: t.Title, Line: "You are " + t.You + ".", Code: t.Examples[0] + "\n\n// Out of reach, and yours to get:\n// " + t.Prize}, true)
}

// attemptCard serves the picture of an attempt to readers who may see the attempt. The picture has no keys, not even for the attempt's player.
func (s *Server) attemptCard(w http.ResponseWriter, r *request) error {
	v, err := s.arena.Attempt(r.Context(), r.player, r.PathValue("id"))
	if err != nil {
		return err
	}
	record, err := s.recordOf(r, v)
	if err != nil {
		return err
	}
	c := card.Card{Title: "Attempt on " + record.TargetTitle, Line: v.Lane.Title() + ": " + string(v.State), Code: v.Redacted().Input}
	if v.State.Over() {
		c.Line = v.Lane.Title() + ": " + v.Verdict.Kind
	}
	if win := record.Win; win != nil {
		if c.Tone = card.Won; win.Lane.Guarded() {
			c.Tone = card.Hole
		}
		if named := *win; !card.Draws(named.Name) { // leave the name out, because with dots it would look like another name
			named.Name = ""
			win = &named
		}
		c.Title, c.Line = wonTitle(win), fmt.Sprintf("%s · %s · %s", winner(win), win.Lane.Title(), many(win.Tries, "attempt"))
	}
	return s.picture(w, r, c, false)
}
