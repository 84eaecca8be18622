package web

import (
	"net/http"

	"github.com/exoagent/exoagent/challenge/game"
)

type apiTarget struct {
	apiShort
	You      string      `json:"you"`
	Rule     string      `json:"rule"`
	Must     []string    `json:"filter_must"`
	Never    []string    `json:"filter_never"`
	Tables   []apiTable  `json:"tables"`
	Reach    *game.Reach `json:"reach"`
	Examples []string    `json:"examples"`
	Tasks    []apiTask   `json:"tasks"`
}

type apiTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

type apiTask struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Text  string    `json:"text"`
	Done  bool      `json:"done"` // the requesting player has solved the task
	Hints []apiHint `json:"hints"`
}

type apiHint struct {
	Text string `json:"text"`
	Code string `json:"code,omitempty"`
}

// find returns the target in a request's path.
func (s *Server) find(r *request) (*game.Target, error) {
	if t := s.arena.Game.Targets.Target(r.PathValue("target")); t != nil {
		return t, nil
	}
	return nil, errAbsent
}

func (s *Server) done(r *request, t *game.Target) (map[string]bool, error) {
	if r.player == "" {
		return nil, nil
	}
	return s.arena.Store.Done(r.Context(), r.player, t.ID)
}

func (s *Server) apiTarget(w http.ResponseWriter, r *request) error {
	t, err := s.find(r)
	if err != nil {
		return err
	}
	done, err := s.done(r, t)
	if err != nil {
		return err
	}
	out := apiTarget{apiShort: apiShort{t.ID, t.Title, t.Story, t.Prize}, You: t.You, Rule: t.Rule, Must: t.Naive.Must, Never: t.Naive.Never, Reach: s.reaches[t.ID].Reach, Examples: t.Examples}
	for _, x := range t.Tables {
		out.Tables = append(out.Tables, apiTable{x.Name, x.Columns})
	}
	for _, k := range t.Tasks {
		x := apiTask{k.ID, k.Title, k.Text, done[k.ID], nil}
		for _, h := range k.Hints {
			x.Hints = append(x.Hints, apiHint{h.Text, h.Code})
		}
		out.Tasks = append(out.Tasks, x)
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}
