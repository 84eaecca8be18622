package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Stop is the kill switch: by says who throws it, and the game goes on when nobody
// holds it any more.
func (s *Server) Stop(by string, on bool) {
	s.stopping.Lock()
	defer s.stopping.Unlock()
	had := len(s.stopped)
	if s.stopped == nil {
		s.stopped = map[string]bool{}
	}
	if delete(s.stopped, by); on {
		s.stopped[by] = true
	}
	switch {
	case had == 0 && len(s.stopped) > 0:
		s.arena.Pause()
		s.o.Log.Warn("the game is stopped", "by", by)
	case had > 0 && len(s.stopped) == 0:
		s.arena.Resume()
		s.o.Log.Warn("the game goes on", "by", by)
	}
}

// Admin is the handler of a second listener, for the host alone: whoever reaches
// it may stop the game and read every attempt. It has no password; bind it where only the host is.
func (s *Server) Admin(hosts []string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pause", func(w http.ResponseWriter, r *http.Request) {
		s.Stop("admin", true)
		fmt.Fprintln(w, "paused")
	})
	mux.HandleFunc("POST /resume", func(w http.ResponseWriter, r *http.Request) {
		s.Stop("admin", false)
		fmt.Fprintln(w, "resumed, unless a stop file is there")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if err := s.WriteMetrics(w, r); err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.health(w, &request{Request: r}); err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /export", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // it may be long, and its reader is the host
		if n, err := s.arena.Store.Export(r.Context(), w); err != nil {
			s.o.Log.Error("export", "lines", n, "error", redacted(err))
			panic(http.ErrAbortHandler) // half an export must not look like one
		}
	})
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !slices.Contains(hosts, strings.ToLower(r.Host)) { // a page of the host's own browser
			http.Error(w, "this has another name", http.StatusMisdirectedRequest)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}
