package web

import (
	"net/http"

	"github.com/exoagent/exoagent/challenge/game"
)

// maxRows are how many attempts a page of a target shows.
const maxRows = 20

type targetView struct {
	*game.Target
	Reach    *reach
	Lanes    []apiLane
	Done     map[string]bool
	Attempts []apiRow
	Before   string // the one that all of these were sent before; "": these are the latest
	Older    string // the last of these, if there are more before it
	Limits   apiLimits
}

func (s *Server) target(w http.ResponseWriter, r *request) error {
	t, err := s.find(r)
	if err != nil {
		return err
	}
	v := targetView{Target: t, Reach: s.reaches[t.ID], Lanes: s.lanes(), Limits: s.limits()}
	if v.Done, err = s.done(r, t); err != nil {
		return err
	}
	if r.player != "" {
		v.Before = r.URL.Query().Get("before")
		vs, err := s.arena.Attempts(r.Context(), r.player, t.ID, v.Before, maxRows+1)
		if err != nil {
			return err
		}
		v.Attempts = rowsOf(vs[:min(len(vs), maxRows)])
		if len(vs) > maxRows {
			v.Older = vs[maxRows-1].ID
		}
	}
	return s.show(w, r, "target", page{Title: t.Title, Body: v})
}

func (s *Server) reach(w http.ResponseWriter, r *request) error {
	t, err := s.find(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, err = w.Write(s.reaches[t.ID].Picture)
	return err
}
