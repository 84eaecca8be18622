package web

import (
	"net/http"
	"net/url"

	"github.com/exoagent/exoagent/challenge/game"
)

type claimView struct {
	From      *game.Target // the target that the player comes from
	Key, Name string       // the values in the form, as the player sent them
	Wrong     bool
	Right     bool
	Again     bool // the key was claimed before
	Win       holeView
	Won       []holeView
}

// claimForm shows the form, and a successful claim. A claim's POST redirects to this page, so that a reload sends nothing again. The address can only
// name a win that the player has claimed.
func (s *Server) claimForm(w http.ResponseWriter, r *request) error {
	q := r.URL.Query()
	return s.claimPage(w, r, claimView{From: s.arena.Game.Targets.Target(q.Get("from")), Again: q.Get("again") != ""}, q.Get("won"))
}

func (s *Server) claim(w http.ResponseWriter, r *request) error {
	key, name, from := r.PostFormValue("key"), r.PostFormValue("name"), s.arena.Game.Targets.Target(r.PostFormValue("from"))
	win, again, err := s.claimKey(w, r, key, name)
	if err != nil {
		return err
	}
	if win == nil {
		return s.claimPage(w, r, claimView{From: from, Wrong: true, Key: key, Name: name}, "")
	}
	q := url.Values{"won": {winID(win.Target, win.Lane)}}
	if again {
		q.Set("again", "1")
	}
	if from != nil {
		q.Set("from", from.ID)
	}
	http.Redirect(w, r.Request, "/claim?"+q.Encode(), http.StatusSeeOther)
	return nil
}

func winID(target string, lane game.Lane) string { return target + "." + string(lane) }

func (s *Server) claimPage(w http.ResponseWriter, r *request, v claimView, won string) error {
	if r.player != "" {
		ws, err := s.arena.Store.Won(r.Context(), r.player)
		if err != nil {
			return err
		}
		for _, x := range winsOf(ws, true) {
			h := holeView{x, s.titleOf(x.Target)}
			v.Won = append(v.Won, h)
			if x.Claimed && winID(x.Target, x.Lane) == won {
				v.Right, v.Win = true, h
			}
		}
	}
	p := page{Title: "Claim a key", Path: "/claim", Body: &v}
	switch {
	case v.Wrong:
		p.Head = "None of your keys"
	case v.Right:
		p.Head = "That is the key"
		if v.From == nil {
			v.From = s.arena.Game.Targets.Target(v.Win.Target)
		}
	}
	return s.show(w, r, "claim", p)
}
