package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/challenge/store"
)

// Admin returns the handler of a second listener, only for the host: it can stop the game, end players and read every attempt. It has no
// password, so its address must be reachable only for the host.
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
				s.o.Log.Error("the state of the kill switch could not be stored", "stopped", on, "error", redacted(err))
				http.Error(w, "the host could not store the setting, and will forget it at its next start: try again. Now: "+state(), http.StatusInternalServerError)
				return
			}
			fmt.Fprintln(w, state())
		}
	}
	mux.HandleFunc("POST /pause", hand(true))
	mux.HandleFunc("POST /resume", hand(false))
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if err := s.WriteMetrics(w, r); err != nil {
			http.Error(w, "internal error: the server's log has the reason", http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.health(w, &request{Request: r}); err != nil {
			http.Error(w, "internal error: the server's log has the reason", http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /export", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // an export may be long, and only the host reads it
		if n, err := s.arena.Store.Export(r.Context(), w); err != nil {
			s.o.Log.Error("export", "lines", n, "error", redacted(err))
			panic(http.ErrAbortHandler) // half an export must not look complete
		}
	})
	s.moderate(mux)
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !slices.Contains(hosts, strings.ToLower(r.Host)) { // a page in the host's own browser may send requests here
			http.Error(w, "the request names another host: use the address of -admin", http.StatusMisdirectedRequest)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// maxNote bounds the host's remark on a hole, in bytes.
const maxNote = 500

// moderate adds the host's actions on players. None deletes a win: what came out of a guarded lane stays on record.
func (s *Server) moderate(mux *http.ServeMux) {
	act := func(pattern, what, id string, do func(ctx context.Context, id, body string) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxNote))
			text := strings.TrimSpace(string(body))
			if err != nil || !utf8.ValidString(text) {
				http.Error(w, fmt.Sprintf("want a text of at most %d bytes", maxNote), http.StatusBadRequest)
				return
			}
			switch err := do(r.Context(), r.PathValue(id), text); {
			case errors.Is(err, store.ErrNone):
				http.Error(w, "there is no such attempt or player", http.StatusNotFound)
			case err != nil:
				s.o.Log.Error(what, "error", redacted(err))
				http.Error(w, "the change could not be stored: the server's log has the reason", http.StatusInternalServerError)
			default:
				s.o.Log.Warn(what, id, r.PathValue(id))
				fmt.Fprintln(w, what)
			}
		})
	}
	st := s.arena.Store
	act("POST /names/{attempt}/hide", "a name is hidden", "attempt", func(ctx context.Context, id, _ string) error { return st.HideName(ctx, id) })
	act("POST /players/{player}/end", "a player is ended", "player", func(ctx context.Context, id, _ string) error { return st.EndAlias(ctx, id) })
	act("POST /holes/{attempt}", "a hole is annotated", "attempt", st.Annotate)
}
