package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/exoagent/exoagent/challenge/store"
)

// A request with a player's token belongs to that player. Browsers send it in a cookie, programs in a header. The handlers distinguish the
// two, because a browser sends its cookie whichever site caused the request.

// cookieName returns the name of the cookie. Browsers accept a cookie with the prefix __Host- only over TLS, from the host that gets it, and
// for all paths.
func (s *Server) cookieName() string {
	if s.https {
		return "__Host-exo"
	}
	return "exo"
}

func (s *Server) setCookie(w http.ResponseWriter, token store.Token) {
	c := &http.Cookie{Name: s.cookieName(), Value: string(token), Path: "/", HttpOnly: true, Secure: s.https, SameSite: http.SameSiteLaxMode, MaxAge: 30 * 24 * 3600}
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

const bearer = "Bearer "

// who finds the player of a request, and the token, which is "" if the request has none. A header with an unknown token is an error. A cookie
// with an unknown token means no player.
func (s *Server) who(r *http.Request) (player string, token store.Token, byCookie bool, err error) {
	if h := r.Header.Get("Authorization"); h != "" {
		if len(h) <= len(bearer) || !strings.EqualFold(h[:len(bearer)], bearer) {
			return "", "", false, errPlayer
		}
		token = store.Token(h[len(bearer):])
		player, err = s.arena.Store.Player(r.Context(), token)
		if errors.Is(err, store.ErrNone) {
			err = errPlayer
		}
		return player, token, false, err
	}
	c, err := r.Cookie(s.cookieName())
	if err != nil || len(c.Value) > 200 {
		return "", "", false, nil
	}
	player, err = s.arena.Store.Player(r.Context(), store.Token(c.Value))
	if errors.Is(err, store.ErrNone) {
		return "", "", false, nil
	}
	return player, store.Token(c.Value), true, err
}

// formToken returns the token in forms of a session. It is derived from the session's token. So it is useless in another session, and does not
// reveal the session's token.
func formToken(t store.Token) string {
	m := hmac.New(sha256.New, []byte(t))
	m.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// checkForm refuses a change by cookie without the session's form token. This is the third wall, after same-site cookies and the origin.
func checkForm(r *request) error {
	if !r.byCookie {
		return nil
	}
	got := r.Header.Get("X-Form-Token")
	if got == "" {
		got = r.PostFormValue("token")
	}
	if !hmac.Equal([]byte(got), []byte(formToken(r.token))) {
		return errForm
	}
	return nil
}

// leavePage asks the player before everything is forgotten. A link, which any site may have, ends nothing.
func (s *Server) leavePage(w http.ResponseWriter, r *request) error {
	if r.player == "" {
		http.Redirect(w, r.Request, "/", http.StatusSeeOther)
		return nil
	}
	return s.show(w, r, "leave", page{Title: "Leave and forget my progress?"})
}

func (s *Server) leave(w http.ResponseWriter, r *request) error {
	if err := s.arena.Store.EndPlayer(r.Context(), r.player); err != nil {
		return err
	}
	s.setCookie(w, "")
	http.Redirect(w, r.Request, "/", http.StatusSeeOther)
	return nil
}
