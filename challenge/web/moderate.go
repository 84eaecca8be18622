package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/challenge/store"
)

// maxNote bounds what the host says of a hole, in bytes.
const maxNote = 500

// moderate adds what a host does about players to its own listener. Nothing here
// deletes a win: what has come out of a guarded lane stays on record.
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
				http.Error(w, "there is no such thing", http.StatusNotFound)
			case err != nil:
				s.o.Log.Error(what, "error", redacted(err))
				http.Error(w, "it could not be kept", http.StatusInternalServerError)
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
