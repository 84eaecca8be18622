package web

import (
	"net/http"

	"github.com/exoagent/exoagent/challenge/game"
)

// maxRows is how many attempts the page of a target shows.
const maxRows = 20

type targetView struct {
	*game.Target
	Reach    *reach
	Lane     game.Lane    // the lane that the page shows
	Record   *attemptView // the attempt next to the editor, or nil
	Asked    bool         // the address names the attempt in Record
	Lanes    []apiLane
	Done     map[string]bool
	Attempts []apiRow
	Before   string // the id of an attempt: Attempts has only earlier ones; "" for the latest attempts
	Older    string // the id of the earliest of Attempts, if there are earlier ones
	Limits   apiLimits
}

func (s *Server) target(w http.ResponseWriter, r *request) error {
	t, err := s.find(r)
	if err != nil {
		return err
	}
	v := targetView{Target: t, Lane: game.Program, Reach: s.reaches[t.ID], Lanes: s.lanes(), Limits: s.limits()}
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
		if err := s.beside(r, &v); err != nil {
			return err
		}
	}
	if l := game.Lane(r.URL.Query().Get("lane")); l.Known() {
		v.Lane = l
	}
	path := "/targets/" + t.ID
	p := page{Title: t.Title, About: t.Story + " " + t.Goal(), Path: path, Card: path + "/card.png", Alt: t.Title, Body: &v}
	if v.Record != nil && v.Asked && !v.Record.State.Over() {
		p.Refresh, p.Again = 1, path+"?attempt="+v.Record.ID // without a script the browser reloads the page
	}
	return s.show(w, r, "target", p)
}

// beside finds the attempt to show next to the editor: the one in the address, or the latest.
func (s *Server) beside(r *request, v *targetView) error {
	id := r.URL.Query().Get("attempt")
	if v.Asked = id != ""; !v.Asked {
		if v.Before != "" || len(v.Attempts) == 0 {
			return nil
		}
		id = v.Attempts[0].ID
	}
	a, err := s.arena.Attempt(r.Context(), r.player, id)
	if err != nil {
		return err
	}
	if !a.Mine || a.Target != v.ID {
		return errAbsent
	}
	v.Lane = a.Lane
	v.Record, err = s.recordOf(r, a)
	return err
}

func (s *Server) reach(w http.ResponseWriter, r *request) error {
	t, err := s.find(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=300")
	nobodys(w.Header())
	_, err = w.Write(s.reaches[t.ID].Picture)
	return err
}
