package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/queue"
)

func (s *Server) apiAttempt(w http.ResponseWriter, r *request) error {
	var in struct {
		Target string    `json:"target"`
		Lane   game.Lane `json:"lane"`
		Input  string    `json:"input"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	a, err := s.submit(w, r, in.Target, in.Lane, in.Input)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/attempts/"+a.ID)
	v, err := s.arena.Attempt(r.Context(), r.player, a.ID)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, v)
	return nil
}

// submit handles all attempts, from pages and from programs.
func (s *Server) submit(w http.ResponseWriter, r *request, target string, lane game.Lane, input string) (*game.Attempt, error) {
	if err := s.arena.Check(target, lane, input); err != nil {
		return nil, err // refuse the attempt before anything is spent on it
	}
	if err := s.limit(w, r, s.attempts, s.addressAttempts); err != nil {
		return nil, err
	}
	if lane == game.Model {
		if err := s.limit(w, r, s.questions, s.addressQuestions); err != nil {
			return nil, err
		}
		if g := s.allQuestions.take(r.Context(), ""); !g.ok {
			g.tell(w.Header())
			s.metrics.limited.Add(1)
			return nil, errRate
		}
	}
	a, err := s.arena.Submit(r.Context(), queue.Sender{Address: r.bucket, Player: r.player}, target, lane, input)
	if err == nil && lane == game.Model {
		s.metrics.questions.Add(1)
	}
	return a, err
}

// apiRow is an attempt in a list.
type apiRow struct {
	ID       string       `json:"id"`
	Target   string       `json:"target"`
	Lane     game.Lane    `json:"lane"`
	At       time.Time    `json:"at"`
	State    game.State   `json:"state"`
	Verdict  game.Verdict `json:"verdict"`
	Rows     int          `json:"rows"`
	Millis   float64      `json:"millis"`
	Leaked   bool         `json:"key_leaked"`
	Shared   bool         `json:"shared"`
	Position int          `json:"position,omitempty"`
}

const maxList = 50

func (s *Server) apiAttempts(w http.ResponseWriter, r *request) error {
	vs, err := s.arena.Attempts(r.Context(), r.player, r.URL.Query().Get("target"), r.URL.Query().Get("before"), maxList)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, struct {
		Attempts []apiRow `json:"attempts"`
	}{rowsOf(vs)})
	return nil
}

func rowsOf(vs []*arena.View) []apiRow {
	out := []apiRow{}
	for _, v := range vs {
		out = append(out, apiRow{
			ID: v.ID, Target: v.Target, Lane: v.Lane, At: v.At, State: v.State, Verdict: v.Verdict,
			Rows: v.Rows, Millis: v.Millis, Leaked: v.Leaked, Shared: v.Shared, Position: v.Position,
		})
	}
	return out
}

// maxWait is how many seconds a request may wait for its attempt.
const maxWait = 20

func (s *Server) apiShown(w http.ResponseWriter, r *request) error {
	wait, err := strconv.Atoi(r.URL.Query().Get("wait"))
	if err != nil {
		wait = 0
	}
	select {
	case s.waits <- struct{}{}:
		defer func() { <-s.waits }()
	default: // all places for waiting requests are taken
		wait = 0
	}
	until, cancel := context.WithTimeout(r.Context(), time.Duration(max(0, min(wait, maxWait)))*time.Second)
	defer cancel()
	v, err := s.arena.Wait(r.Context(), until, r.player, r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, v)
	return nil
}

func (s *Server) apiShare(w http.ResponseWriter, r *request) error {
	var in struct {
		Shared bool `json:"shared"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if err := s.arena.Share(r.Context(), r.player, r.PathValue("id"), in.Shared); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
