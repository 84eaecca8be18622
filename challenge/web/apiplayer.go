package web

import (
	"net/http"

	"github.com/exoagent/exoagent/challenge/store"
)

func (s *Server) apiPlay(w http.ResponseWriter, r *request) error {
	token, err := s.newPlayer(w, r)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, struct {
		Token store.Token `json:"token"`
	}{token})
	return nil
}

func (s *Server) apiPlayer(w http.ResponseWriter, r *request) error {
	out := struct {
		Done map[string][]string `json:"tasks_done"` // the solved tasks, by target
		Wins []apiWin            `json:"wins"`
	}{Done: map[string][]string{}}
	for _, t := range s.arena.Game.Targets {
		done, err := s.done(r, t)
		if err != nil {
			return err
		}
		out.Done[t.ID] = []string{}
		for _, k := range t.Tasks {
			if done[k.ID] {
				out.Done[t.ID] = append(out.Done[t.ID], k.ID)
			}
		}
	}
	ws, err := s.arena.Store.Won(r.Context(), r.player)
	if err != nil {
		return err
	}
	out.Wins = winsOf(ws, true)
	writeJSON(w, http.StatusOK, out)
	return nil
}

func (s *Server) apiLeave(w http.ResponseWriter, r *request) error {
	if err := s.arena.Store.EndPlayer(r.Context(), r.player); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
