package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

//go:embed openapi.json
var description []byte

type failed struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

type failure struct {
	Error failed `json:"error"`
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"error":{"kind":"internal","message":"internal error"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(append(b, '\n'))
}

// readJSON reads the one value of a body. Another type than JSON is refused: it is
// what a form of another site could send without asking.
func readJSON(r *request, v any) error {
	bad := func(text string) error { return &problem{http.StatusBadRequest, "bad", text} }
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, "type", "the body must be application/json"}
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return errSize
		}
		return bad("the body is not the JSON that was expected: see /api/v1/openapi.json")
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("there is more than one value in the body")
	}
	return nil
}

func (s *Server) apiDescription(w http.ResponseWriter, r *request) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err := w.Write(description)
	return err
}

type apiLane struct {
	ID      game.Lane `json:"id"`
	Title   string    `json:"title"`
	About   string    `json:"about"`
	Guarded bool      `json:"guarded"`
	Closed  string    `json:"closed,omitempty"`
}

type apiLimits struct {
	WallMillis  int64 `json:"wall_millis"`
	TotalMillis int64 `json:"total_millis"`
	CPUMillis   int64 `json:"cpu_millis"`
	Memory      int   `json:"memory_bytes"`
	Source      int   `json:"source_bytes"`
	Calls       int   `json:"calls"`
	Rows        int   `json:"rows"`
	Bytes       int   `json:"bytes"`
}

func (s *Server) limits() apiLimits {
	l := s.arena.Game.Limits.OrDefault()
	return apiLimits{l.Wall.Milliseconds(), l.Total.Milliseconds(), l.CPU.Milliseconds(), l.Memory, l.SourceBytes, l.Calls, l.Rows, l.Bytes}
}

func (s *Server) lanes() (out []apiLane) {
	for _, l := range game.Lanes {
		out = append(out, apiLane{l, l.Title(), l.About(), l.Guarded(), s.arena.Game.Closed(l)})
	}
	return out
}

type apiOverview struct {
	Source   string           `json:"source"`
	Engine   string           `json:"engine"`
	Paused   bool             `json:"paused"`
	Waiting  int              `json:"waiting"`
	Running  int              `json:"running"`
	Lanes    []apiLane        `json:"lanes"`
	Limits   apiLimits        `json:"limits"`
	Counters map[string]int64 `json:"counters"`
	Targets  []apiShort       `json:"targets"`
}

type apiShort struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Story string `json:"story"`
	Prize string `json:"prize"`
}

func (s *Server) apiChallenge(w http.ResponseWriter, r *request) error {
	counters, err := s.arena.Store.Counters(r.Context())
	if err != nil {
		return err
	}
	o := apiOverview{Source: game.Source(), Engine: s.arena.Game.Copies.Engine(), Paused: s.arena.Paused(), Lanes: s.lanes(), Limits: s.limits(), Counters: counters}
	o.Waiting, o.Running = s.arena.Length()
	for _, t := range s.arena.Game.Targets {
		o.Targets = append(o.Targets, apiShort{t.ID, t.Title, t.Story, t.Prize})
	}
	writeJSON(w, http.StatusOK, o)
	return nil
}

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
	Done  bool      `json:"done"` // by who asks
	Hints []apiHint `json:"hints"`
}

type apiHint struct {
	Text string `json:"text"`
	Code string `json:"code,omitempty"`
}

// find is the target of a path.
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

type apiWin struct {
	Target  string    `json:"target"`
	Lane    game.Lane `json:"lane"`
	At      time.Time `json:"at"`
	Name    string    `json:"name"`
	Tries   int       `json:"tries"`
	Claimed bool      `json:"claimed"`
	Attempt string    `json:"attempt,omitempty"` // everybody may see it
}

// winsOf shows wins. The attempts of control wins are their players' own.
func winsOf(ws []*store.Win, mine bool) []apiWin {
	out := []apiWin{}
	for _, w := range ws {
		x := apiWin{w.Target, w.Lane, w.At, w.Name, w.Tries, w.Claimed, ""}
		if w.Guarded || mine {
			x.Attempt = w.Attempt
		}
		out = append(out, x)
	}
	return out
}

func (s *Server) apiLeaderboard(w http.ResponseWriter, r *request) error {
	guarded, err := s.arena.Store.Guarded(r.Context())
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

func (s *Server) apiPlay(w http.ResponseWriter, r *request) error {
	token, err := s.begin(w, r)
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
		Done map[string][]string `json:"tasks_done"` // by target
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

// submit is the one way for attempts, from pages and programs alike.
func (s *Server) submit(w http.ResponseWriter, r *request, target string, lane game.Lane, input string) (*game.Attempt, error) {
	if err := s.limit(w, r, s.attempts, s.addressAttempts); err != nil {
		return nil, err
	}
	if lane == game.Model && s.arena.Game.Closed(lane) == "" {
		if err := s.limit(w, r, s.questions, s.addressQuestions); err != nil {
			return nil, err
		}
		if g := s.allQuestions.take(""); !g.ok {
			g.tell(w.Header())
			return nil, errRate
		}
	}
	return s.arena.Submit(r.Context(), r.player, target, lane, input)
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
	vs, err := s.arena.Attempts(r.Context(), r.player, r.URL.Query().Get("target"), maxList)
	if err != nil {
		return err
	}
	out := []apiRow{}
	for _, v := range vs {
		out = append(out, apiRow{v.ID, v.Target, v.Lane, v.At, v.State, v.Verdict, v.Rows, v.Millis, v.Leaked, v.Shared, v.Position})
	}
	writeJSON(w, http.StatusOK, struct {
		Attempts []apiRow `json:"attempts"`
	}{out})
	return nil
}

// maxWait is how long a request may wait for its attempt.
const maxWait = 20

func (s *Server) apiShown(w http.ResponseWriter, r *request) error {
	wait, err := strconv.Atoi(r.URL.Query().Get("wait"))
	if err != nil {
		wait = 0
	}
	select {
	case s.waits <- struct{}{}:
		defer func() { <-s.waits }()
	default: // others wait in every place that there is for it
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

type apiClaimed struct {
	Right  bool      `json:"right"`
	Again  bool      `json:"again"` // it was claimed before
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
	win, again, err := s.take(w, r, in.Key, in.Name)
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

// take is the one way for claims.
func (s *Server) take(w http.ResponseWriter, r *request, key, name string) (*store.Win, bool, error) {
	if err := s.limit(w, r, s.claims, s.addressClaims); err != nil {
		return nil, false, err
	}
	return s.arena.Claim(r.Context(), r.player, key, name)
}
