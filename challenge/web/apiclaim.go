package web

import (
	"net/http"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

type apiWin struct {
	Target  string    `json:"target"`
	Lane    game.Lane `json:"lane"`
	At      time.Time `json:"at"`
	Name    string    `json:"name"`
	Tries   int       `json:"tries"`
	Claimed bool      `json:"claimed"`
	Attempt string    `json:"attempt,omitempty"` // the attempt, if everybody may see it
	Note    string    `json:"note,omitempty"`    // the host's remark on a hole
}

// winsOf returns wins as the API shows them. The attempts of control wins are private until their players share them.
func winsOf(ws []*store.Win, mine bool) []apiWin {
	out := []apiWin{}
	for _, w := range ws {
		x := apiWin{w.Target, w.Lane, w.At, w.Name, w.Tries, w.Claimed, "", w.Note}
		if w.Guarded || mine || w.Shared {
			x.Attempt = w.Attempt
		}
		out = append(out, x)
	}
	return out
}

func (s *Server) apiLeaderboard(w http.ResponseWriter, r *request) error {
	guarded, err := s.arena.Store.GuardedWins(r.Context(), maxLeaders)
	if err != nil {
		return err
	}
	leaders, err := s.arena.Store.Leaders(r.Context(), maxLeaders)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, struct {
		Guarded []apiWin `json:"guarded"`
		Control []apiWin `json:"control"`
	}{winsOf(guarded, false), winsOf(leaders, false)})
	return nil
}

const maxLeaders = 50

type apiClaimed struct {
	Right  bool      `json:"right"`
	Again  bool      `json:"again"` // the key was claimed before
	Target string    `json:"target,omitempty"`
	Lane   game.Lane `json:"lane,omitempty"`
	Name   string    `json:"name,omitempty"`
}

func (s *Server) apiClaim(w http.ResponseWriter, r *request) error {
	var in struct {
		Key  string `json:"key"`
		Name string `json:"name"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	win, again, err := s.claimKey(w, r, in.Key, in.Name)
	if err != nil {
		return err
	}
	out := apiClaimed{Right: win != nil, Again: again}
	if win != nil {
		out.Target, out.Lane, out.Name = win.Target, win.Lane, win.Name
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// claimKey handles all claims, from pages and from programs.
func (s *Server) claimKey(w http.ResponseWriter, r *request, key, name string) (*store.Win, bool, error) {
	if err := s.limit(w, r, s.claims, s.addressClaims); err != nil {
		return nil, false, err
	}
	return s.arena.Claim(r.Context(), r.player, key, name)
}
