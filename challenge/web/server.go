package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/challenge/arena"
)

// Server is the handler of the challenge. New makes one.
type Server struct {
	arena   *arena.Arena
	o       Options
	https   bool
	hosts   []string
	origin  *http.CrossOriginProtection
	mux     *http.ServeMux
	room    chan struct{}
	waits   chan struct{}
	each    *flights
	reaches map[string]*reach
	metrics metrics
	cards   cards
	kept    history
	ending  atomic.Bool

	misnamed, nameless                                                  seldom // limits log messages about mistakes of a proxy in front
	shareless                                                           seldom // limits log messages about buckets that the store does not share
	requests, players, attempts, addressAttempts, claims, addressClaims *buckets
	questions, addressQuestions, allQuestions                           *buckets
}

// New makes the handler. It reads what programs can reach in each target.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Rates.defaults()
	if err := checkSource(o.SourceURL); err != nil {
		return nil, err
	}
	s := &Server{arena: o.Arena, o: o, origin: http.NewCrossOriginProtection(), mux: http.NewServeMux(), room: make(chan struct{}, o.Rates.Together), waits: make(chan struct{}, (o.Rates.Together+1)/2), each: newFlights(o.Rates.Each), hosts: o.Hosts, reaches: map[string]*reach{}}
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
			return nil, fmt.Errorf("web: the URL %q is no address of a site: want one like https://challenge.example.com, without a path", o.URL)
		}
		s.https, u.Host = u.Scheme == "https", strings.ToLower(u.Host)
		s.hosts = append(s.hosts, u.Host)
		// A proxy that ends TLS passes the host's name on, but the site's origin is then that of the public address.
		if err := s.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, err
		}
	}
	for _, b := range []struct {
		to   **buckets
		name string
		r    Rate
	}{
		{&s.requests, "requests", o.Rates.Requests}, {&s.players, "players", o.Rates.Players}, {&s.attempts, "attempts", o.Rates.Attempts},
		{&s.addressAttempts, "address attempts", o.Rates.AddressAttempts}, {&s.claims, "claims", o.Rates.Claims}, {&s.addressClaims, "address claims", o.Rates.AddressClaims},
		{&s.questions, "questions", o.Rates.Questions}, {&s.addressQuestions, "address questions", o.Rates.AddressQuestions}, {&s.allQuestions, "all questions", o.Rates.AllQuestions},
	} {
		*b.to = newBuckets(b.name, b.r, &o, s.unshared)
	}
	for _, t := range o.Arena.Game.Targets {
		r, err := t.Reach(ctx)
		if err != nil {
			return nil, fmt.Errorf("web: target %s: %w", t.ID, err)
		}
		s.reaches[t.ID] = picture(t.Title, r)
	}
	o.Arena.Ended = s.metrics.ended
	for _, r := range routes {
		s.mux.HandleFunc(r.pattern, s.serve(r))
	}
	s.mux.Handle("GET /static/", anybodys(static))
	return s, nil
}

// unshared logs that this process alone counts requests.
func (s *Server) unshared(err error) {
	if s.shareless.due(s.o.Now()) {
		s.o.Log.Error("the store could not count requests for all processes: this process counts only its own", "error", redacted(err))
	}
}

// End makes /healthz report that requests should go to another process. Requests are still answered.
func (s *Server) End() { s.ending.Store(true) }

// LoopbackHosts are the names of this machine for itself, with a port.
func LoopbackHosts(port string) (out []string) {
	for _, h := range []string{"localhost", "127.0.0.1", "::1"} {
		out = append(out, net.JoinHostPort(h, port))
	}
	return out
}

// ServeHTTP makes the checks in the package comment, in their order, and routes the request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := s.o.Now()
	cw := &counted{ResponseWriter: w}
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			s.o.Log.Error("a panic in a handler", "method", r.Method, "route", r.Pattern) // the log leaves out the panic's text, which could contain anything
			if cw.status == 0 {
				s.fail(cw, r, errInternal)
			}
		}
		s.metrics.answered(cw.status)
		// Log the route and not the path, because attempts are protected by their ids.
		s.o.Log.Debug("request", "method", r.Method, "route", r.Pattern, "status", cw.status, "millis", s.o.Now().Sub(begin).Milliseconds())
	}()
	s.headers(cw.Header())
	// A refused client loses its connection, because the number of connections is bounded.
	away := func(p *problem) {
		cw.Header().Set("Connection", "close")
		s.fail(cw, r, p)
	}
	select {
	case s.room <- struct{}{}:
		defer func() { <-s.room }()
	default:
		cw.Header().Set("Retry-After", "1")
		away(errRoom)
		return
	}
	// A page of another site can make a browser send requests to us under a name of its own (DNS rebinding), but not under our name. Health may be
	// requested under any name, and reveals nothing.
	health := r.URL.Path == "/healthz"
	if !health && !slices.Contains(s.hosts, strings.ToLower(r.Host)) {
		if s.misnamed.due(begin) {
			s.o.Log.Warn("a request named another host: does the proxy pass Host on?", "host", redactedHost(r.Host), "want", s.hosts)
		}
		away(errHost)
		return
	}
	at, ok := address(r, s.o.Trusted)
	if !ok {
		away(errAddress)
		return
	}
	if !health && within(at, s.o.Trusted) && s.nameless.due(begin) {
		s.o.Log.Warn("a trusted proxy does not say for whom it asks: all its players count as one", "proxy", at.String())
	}
	key := bucketKey(at)
	leave, ok := s.each.begin(key)
	if !ok {
		s.metrics.limited.Add(1)
		away(errRate)
		return
	}
	defer leave()
	g := s.requests.take(r.Context(), key)
	g.tell(cw.Header())
	if !g.ok {
		s.metrics.limited.Add(1)
		away(errRate)
		return
	}
	if err := s.origin.Check(r); err != nil {
		s.fail(cw, r, &problem{http.StatusForbidden, "origin", "the request came from a page of another site; open this site's own page and try again"})
		return
	}
	r.Body = http.MaxBytesReader(cw, r.Body, maxBody)
	r = r.WithContext(context.WithValue(r.Context(), addressKey{}, key)) // the mux writes the route into this request
	s.mux.ServeHTTP(cw, r)
}

// maxBody is larger than the largest program, in JSON or as a form.
const maxBody = 256 << 10

type addressKey struct{}

// headers sets the headers of every answer.
func (s *Server) headers(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer") // the address of a page has the id of an attempt
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	h.Set("Cache-Control", "no-store")
	if s.https {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// anybodys serves answers that a cache may give to other readers, so it removes the headers about the first reader's rate.
func anybodys(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nobodys(w.Header())
		h.ServeHTTP(w, r)
	})
}

func nobodys(h http.Header) {
	for _, name := range []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
		h.Del(name)
	}
}

// counted notes the status of an answer.
type counted struct {
	http.ResponseWriter
	status int
}

func (w *counted) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *counted) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the writer inside w.
func (w *counted) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// problem is a failure that the requester may read.
type problem struct {
	status  int
	kind    string
	message string
}

func (p *problem) Error() string { return p.message }

var (
	errInternal = &problem{http.StatusInternalServerError, "internal", "internal error: the host failed; try again later"}
	errRate     = &problem{http.StatusTooManyRequests, "rate", "too many requests; try again later"}
	errPlayer   = &problem{http.StatusUnauthorized, "player", "no player: your session has ended, or has not begun; begin a new one"}
	errForm     = &problem{http.StatusForbidden, "form", "the form is out of date; load the page again"}
	errSize     = &problem{http.StatusRequestEntityTooLarge, "size", "the body of the request is too large"}
	errRoom     = &problem{http.StatusServiceUnavailable, "busy", "too many requests at once; try again"}
	errHost     = &problem{http.StatusMisdirectedRequest, "host", "this site has another name"}
	errAddress  = &problem{http.StatusBadRequest, "address", "a proxy of this host does not send the address of its client; please report it to the host"}
	errAbsent   = &problem{http.StatusNotFound, "absent", "there is no such page or attempt, or it belongs to another player"}
)

// problemOf returns the problem that the requester may read about an error. It reveals as little of the error as possible.
func (s *Server) problemOf(r *http.Request, err error) *problem {
	var p *problem
	var refused *arena.Refusal
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refused):
		switch refused.Reason {
		case arena.NotFound:
			return &problem{http.StatusNotFound, "absent", refused.Text}
		case arena.Bad:
			return &problem{http.StatusUnprocessableEntity, "bad", refused.Text}
		case arena.Closed:
			return &problem{http.StatusServiceUnavailable, "closed", refused.Text}
		default:
			return &problem{http.StatusTooManyRequests, "busy", refused.Text}
		}
	case errors.As(err, new(*http.MaxBytesError)):
		return errSize
	case r.Context().Err() != nil:
		return &problem{http.StatusServiceUnavailable, "gone", "the request ended before its answer was ready; send it again"}
	}
	s.o.Log.Error("request failed", "method", r.Method, "route", r.Pattern, "error", redacted(err))
	return errInternal
}
