package web

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/exoagent/exoagent/challenge/game"
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
		status, b = http.StatusInternalServerError, []byte(`{"error":{"kind":"internal","message":"internal error: the host failed; try again later"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(append(b, '\n'))
}

// readJSON reads the only value of a body. It refuses a body that is not declared as JSON, because a form on another site can make a browser
// send one without the player's knowledge.
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
		return bad("the body has more than one JSON value: send one object")
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
	return apiLimits{
		WallMillis: l.Wall.Milliseconds(), TotalMillis: l.Total.Milliseconds(), CPUMillis: l.CPU.Milliseconds(),
		Memory: l.Memory, Source: l.SourceBytes, Calls: l.Calls, Rows: l.Rows, Bytes: l.Bytes,
	}
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
	if o.Waiting, o.Running, err = s.arena.Store.Length(r.Context()); err != nil {
		return err
	}
	for _, t := range s.arena.Game.Targets {
		o.Targets = append(o.Targets, apiShort{t.ID, t.Title, t.Story, t.Prize})
	}
	writeJSON(w, http.StatusOK, o)
	return nil
}
