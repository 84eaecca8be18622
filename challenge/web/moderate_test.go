package web_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
	"github.com/exoagent/exoagent/challenge/web"
)

// TestModerate: on the host's own listener, and nowhere else.
func TestModerate(t *testing.T) {
	s := newSite(t, config{Options: web.Options{PublicMetrics: true}})
	p := s.program()
	v := p.play("broken", game.Program, "(api) => api.things")
	if got := p.claim(keyForm.FindString(string(v.Result)), "Rude Word"); !got.Right {
		t.Fatalf("%+v", got)
	}
	contains(t, s.raw("GET", "/", "").body, "Rude Word")
	admin := s.server.Admin([]string{"admin.example"})
	host := func(path, body string, header ...string) int {
		r := httptest.NewRequest("POST", "http://admin.example"+path, strings.NewReader(body))
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		admin.ServeHTTP(w, r)
		return w.Code
	}
	hole, name := "/holes/"+v.ID, "/names/"+v.ID+"/hide"
	end := "/players/" + alias(t, s) + "/end"
	for _, path := range []string{hole, name, end} {
		if a := s.raw("POST", path, "x"); a.status < 400 {
			t.Error("everybody may", path, a.status)
		}
		if code := host(path, "x", "Origin", "https://evil.example"); code != 403 {
			t.Error("a page of another site may", path, code)
		}
		if code := host(strings.ReplaceAll(path, v.ID, "none"), "x"); path != end && code != 404 {
			t.Error(path, code)
		}
	}
	for body, want := range map[string]int{strings.Repeat("x", 501): 400, "\xff": 400, "Mended in <v2>.": 200} {
		if code := host(hole, body); code != want {
			t.Error(len(body), code)
		}
	}
	if host(name, "") != 200 {
		t.Error("the name stays")
	}
	home := s.raw("GET", "/", "").body
	contains(t, home, "Mended in &lt;v2&gt;.")
	contains(t, s.raw("GET", "/api/v1/leaderboard", "").body, `"note":"Mended in`)
	if strings.Contains(home, "Rude Word") {
		t.Error("the name is shown")
	}
	if host(end, "") != 200 || p.call("GET", "/api/v1/player", nil, 0, nil).status != 401 {
		t.Error("the player plays on")
	}
	contains(t, s.raw("GET", "/", "").body, "Mended in") // the hole is there
}

// alias is the player of the only attempt, as the log has it; the export has the same.
func alias(t *testing.T, s *site) string {
	t.Helper()
	var l store.Line
	if _, err := s.arena.Store.Export(t.Context(), lineOf(func(b []byte) {
		if err := json.Unmarshal(b, &l); err != nil {
			t.Fatal(err)
		}
	})); err != nil {
		t.Fatal(err)
	}
	contains(t, s.log.String(), `"player":"`+l.Player+`"`)
	return l.Player
}

type lineOf func([]byte)

func (w lineOf) Write(b []byte) (int, error) { w(b); return len(b), nil }
