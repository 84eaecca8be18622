package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Admin is the handler of a second listener, for the host alone: whoever reaches
// it may stop the game, end players and read every attempt. It has no password; bind it where only the host is.
func (s *Server) Admin(hosts []string) http.Handler {
	mux := http.NewServeMux()
	state := func() string {
		if by := s.arena.StoppedBy(); len(by) > 0 {
			return "stopped by: " + strings.Join(by, ", ")
		}
		return "the game goes on"
	}
	hand := func(on bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := s.arena.StopByHand(r.Context(), on); err != nil {
				s.o.Log.Error("the kill switch could not be kept", "stopped", on, "error", redacted(err))
				http.Error(w, "it could not be kept for the next start; now: "+state(), http.StatusInternalServerError)
				return
			}
			fmt.Fprintln(w, state())
		}
	}
	mux.HandleFunc("POST /pause", hand(true))
	mux.HandleFunc("POST /resume", hand(false))
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
	s.moderate(mux)
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
