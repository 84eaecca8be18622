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

// A request with a player's token is that player's: in a cookie for browsers, or in a header for
// programs. The handlers distinguish the two, because a browser sends its cookie whichever site made it ask.

// cookieName returns the name of the cookie. Browsers take a cookie with the prefix __Host- only if it was set over TLS, by
// the host that it is sent to, and for every path.
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

// who finds the player of a request. token is "" where there is none; a header
// that names nobody is an error, a cookie that does is no player any more.
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

// formToken is what a form of a session carries. It is made of the session's token,
// so it is of no use in another session, and the token can't be read from it.
func formToken(t store.Token) string {
	m := hmac.New(sha256.New, []byte(t))
	m.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// checkForm refuses a change by cookie that does not carry the session's token: the
// third wall, after same-site cookies and the origin.
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

// leavePage asks before all is forgotten. A link, which any site may have, ends nothing.
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
