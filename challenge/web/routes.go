package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// request is an HTTP request with its player.
type request struct {
	*http.Request
	player   string // the id of the player; "" without one
	token    store.Token
	byCookie bool
	bucket   string // the key of the address's bucket
}

type route struct {
	pattern string
	player  bool // the route needs a player
	do      func(s *Server, w http.ResponseWriter, r *request) error
}

// routes are all routes, except for static files.
var routes = []route{
	{"GET /{$}", false, (*Server).home},
	{"GET /card.png", false, (*Server).siteCard},
	{"GET /targets/{target}", false, (*Server).target},
	{"GET /targets/{target}/card.png", false, (*Server).targetCard},
	{"GET /targets/{target}/reach.svg", false, (*Server).reach},
	{"POST /play", false, (*Server).play},
	{"GET /leave", false, (*Server).leavePage},
	{"POST /leave", true, (*Server).leave},
	{"POST /targets/{target}/attempts", false, (*Server).attempt},
	{"GET /attempts/{id}", false, (*Server).shown},
	{"GET /attempts/{id}/card.png", false, (*Server).attemptCard},
	{"POST /attempts/{id}/share", true, (*Server).share},
	{"POST /attempts/{id}/claim", true, (*Server).claimAttempt},
	{"GET /claim", false, (*Server).claimForm},
	{"POST /claim", true, (*Server).claim},
	{"GET /api", false, (*Server).apiPage},
	{"GET /healthz", false, (*Server).health},
	{"GET /metrics", false, (*Server).measured},
	{"/", false, (*Server).absent},

	{"GET /api/v1/openapi.json", false, (*Server).apiDescription},
	{"GET /api/v1/challenge", false, (*Server).apiChallenge},
	{"GET /api/v1/targets/{target}", false, (*Server).apiTarget},
	{"GET /api/v1/leaderboard", false, (*Server).apiLeaderboard},
	{"POST /api/v1/players", false, (*Server).apiPlay},
	{"GET /api/v1/player", true, (*Server).apiPlayer},
	{"DELETE /api/v1/player", true, (*Server).apiLeave},
	{"POST /api/v1/attempts", true, (*Server).apiAttempt},
	{"GET /api/v1/attempts", true, (*Server).apiAttempts},
	{"GET /api/v1/attempts/{id}", false, (*Server).apiShown},
	{"PUT /api/v1/attempts/{id}/share", true, (*Server).apiShare},
	{"POST /api/v1/claims", true, (*Server).apiClaim},
}

const api = "/api/"

// serve finds the player, checks a form's token, and answers with failures.
func (s *Server) serve(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		r := &request{Request: hr}
		r.bucket, _ = hr.Context().Value(addressKey{}).(string)
		if err := s.answer(rt, w, r); err != nil {
			s.fail(w, hr, err)
		}
	}
}

func (s *Server) answer(rt route, w http.ResponseWriter, r *request) (err error) {
	if r.player, r.token, r.byCookie, err = s.who(r.Request); err != nil {
		return err
	}
	if r.player == "" && rt.player {
		return errPlayer
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := readForm(r); err != nil {
			return err
		}
		if err := checkForm(r); err != nil {
			return err
		}
	}
	return rt.do(s, w, r)
}

// readForm parses the body of a form. It leaves the body of an API request to the handler.
func readForm(r *request) error {
	if strings.HasPrefix(r.URL.Path, api) {
		return nil
	}
	if err := r.ParseForm(); err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return errSize
		}
		return &problem{http.StatusBadRequest, "bad", "the form can't be read; load the page again"}
	}
	return nil
}

// fail answers with a problem, as a page or as JSON.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := s.problemOf(r, err)
	if p.status == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "2") // the queue refused the attempt, and does not know a better time
	}
	if strings.HasPrefix(r.URL.Path, api) {
		writeJSON(w, p.status, failure{failed{p.kind, p.message}})
		return
	}
	s.render(w, r, p.status, "error", page{Title: http.StatusText(p.status), Body: p.message})
}

// limit takes a token from each bucket, and writes the headers of the tightest.
func (s *Server) limit(w http.ResponseWriter, r *request, player, address *buckets) error {
	for _, b := range []struct {
		b   *buckets
		key string
	}{{player, r.player}, {address, r.bucket}} {
		if b.b == nil {
			continue
		}
		g := b.b.take(r.Context(), b.key)
		g.tell(w.Header())
		if !g.ok {
			s.metrics.limited.Add(1)
			return errRate
		}
	}
	return nil
}

// newPlayer makes a player for a request without one, if its address may have another.
func (s *Server) newPlayer(w http.ResponseWriter, r *request) (store.Token, error) {
	if err := s.limit(w, r, nil, s.players); err != nil {
		return "", err
	}
	return s.arena.NewPlayer(r.Context(), r.bucket)
}

func redacted(err error) string { return game.Redact(err.Error()) }
