package web_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/web"
	"github.com/exoagent/exoagent/internal/testutil"
)

// api is the description, as far as the test follows it.
type api struct {
	Paths map[string]map[string]struct {
		Security  []map[string][]string
		Responses map[string]response
	}
	Components struct {
		Schemas   map[string]json.RawMessage
		Responses map[string]response
	}
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema json.RawMessage }
}

// answer is what the description says of a status, with whether it says anything.
func (a *api) answer(r map[string]response, status int) (response, bool) {
	out, ok := r[itoa(status)]
	if out.Ref != "" {
		out, ok = a.Components.Responses[strings.TrimPrefix(out.Ref, "#/components/responses/")]
	}
	return out, ok
}

// schema resolves a schema of the description.
func (a *api) schema(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	b, err := json.Marshal(map[string]any{"$defs": a.Components.Schemas, "allOf": []json.RawMessage{raw}})
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), "#/components/schemas/", "#/$defs/")), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOpenAPI: the description has every route and no other, says who may call, and
// every answer is what it says, failures included.
func TestOpenAPI(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	s.arena.Game.Chat = echo{}
	var a api
	if err := json.Unmarshal([]byte(s.raw("GET", "/api/v1/openapi.json", "").body), &a); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for path, ops := range a.Paths {
		for method := range ops {
			described[strings.ToUpper(method)+" /api/v1"+path] = true
		}
	}
	players := map[string]bool{}
	for _, r := range web.Routes() {
		if strings.Contains(r.Pattern, "/api/") {
			if !described[r.Pattern] {
				t.Errorf("%s is not described", r.Pattern)
			}
			delete(described, r.Pattern)
			players[r.Pattern] = r.Player
		}
	}
	for d := range described {
		t.Errorf("%s is described and not there", d)
	}

	p := s.program()
	v := p.play("wallet", game.Program, "(api) => api.currentUser.accounts()")
	asked := p.play("wallet", game.Model, "(api) => api.currentUser")
	bad := p.play("wallet", game.Program, "(api) => api.nobody")
	key := p.steal("wallet", game.Notice)
	hole := p.play("broken", game.Program, "(api) => api.things.execute()")
	seen := map[string]bool{}
	id := regexp.MustCompile(`/(attempts|targets)/[a-z0-9]+`)
	for _, c := range []struct {
		method, path string
		in           any
		nobody       bool
		status       int
	}{
		{"GET", "/openapi.json", nil, true, 200},
		{"GET", "/challenge", nil, true, 200},
		{"GET", "/targets/wallet", nil, true, 200},
		{"GET", "/targets/notes", nil, false, 200},
		{"GET", "/targets/none", nil, false, 404},
		{"GET", "/leaderboard", nil, true, 200},
		{"POST", "/players", nil, true, 201},
		{"GET", "/player", nil, false, 200},
		{"GET", "/player", nil, true, 401},
		{"POST", "/attempts", map[string]string{"target": "wallet", "lane": "program", "input": "1"}, false, 202},
		{"POST", "/attempts", map[string]string{"target": "wallet", "lane": "program", "input": "1"}, true, 401},
		{"POST", "/attempts", map[string]string{"lane": "x"}, false, 404},
		{"GET", "/attempts", nil, false, 200},
		{"GET", "/attempts", nil, true, 401},
		{"GET", "/attempts/" + v.ID, nil, false, 200},
		{"GET", "/attempts/" + asked.ID, nil, false, 200},
		{"GET", "/attempts/" + bad.ID, nil, false, 200},
		{"GET", "/attempts/" + hole.ID, nil, true, 200},
		{"GET", "/attempts/" + v.ID, nil, true, 404},
		{"PUT", "/attempts/" + v.ID + "/share", map[string]bool{"shared": true}, false, 204},
		{"POST", "/claims", map[string]string{"key": key, "name": "n"}, false, 200},
		{"POST", "/claims", map[string]string{"key": "x"}, false, 200},
		{"POST", "/claims", nil, false, 415},
		{"POST", "/claims", map[string]string{"key": "x", "name": strings.Repeat("n", 41)}, false, 422},
		{"POST", "/claims", map[string]string{"x": "x"}, false, 400},
		{"POST", "/claims", map[string]string{"key": strings.Repeat("x", 1<<20)}, false, 413},
		{"POST", "/attempts", map[string]string{"target": "wallet", "lane": "program", "input": " "}, false, 422},
		{"GET", "/attempts?before=" + v.ID, nil, false, 200},
		{"PUT", "/attempts/none/share", map[string]bool{"shared": true}, false, 404},
		{"GET", "/leaderboard", nil, true, 200},
		{"GET", "/player", nil, false, 200},
		{"DELETE", "/player", nil, false, 204},
	} {
		who := p
		if c.nobody {
			who = &client{site: s, http: s.srv.Client()}
		}
		got := who.call(c.method, "/api/v1"+c.path, c.in, c.status, nil)
		path, _, _ := strings.Cut(c.path, "?")
		if m := id.FindStringSubmatch(path); m != nil {
			path = strings.Replace(path, m[0], map[string]string{"attempts": "/attempts/{id}", "targets": "/targets/{target}"}[m[1]], 1)
		}
		op, ok := a.Paths[path][strings.ToLower(c.method)]
		if !ok {
			t.Fatalf("%s %s", c.method, path)
		}
		pattern := c.method + " /api/v1" + path
		seen[pattern] = true
		if must := len(op.Security) == 1 && len(op.Security[0]) == 1; must != players[pattern] {
			t.Errorf("%s: a player is needed: described %t, true %t", pattern, must, players[pattern])
		}
		res, ok := a.answer(op.Responses, c.status)
		if !ok || res.Content == nil && c.status != 204 {
			t.Errorf("%s: %d is not described", pattern, c.status)
			continue
		}
		if c.status == 204 {
			if got.body != "" {
				t.Errorf("%s: %q", pattern, got.body)
			}
			continue
		}
		var value any
		if err := json.Unmarshal([]byte(got.body), &value); err != nil {
			t.Fatal(err)
		}
		if err := a.schema(t, res.Content["application/json"].Schema).Validate(value); err != nil {
			t.Errorf("%s %s: %v\n%s", c.method, c.path, err, got.body)
		}
	}
	for r := range players {
		if !seen[r] {
			t.Errorf("%s was not called", r)
		}
	}
	// What every call can fail with, whatever it does.
	for path, ops := range a.Paths {
		for method, op := range ops {
			at := "/api/v1" + strings.NewReplacer("{target}", "wallet", "{id}", "x").Replace(path)
			for status, header := range map[int][]string{421: {"Host", "evil.example"}, 401: {"Authorization", "Bearer none"}, 403: {"Sec-Fetch-Site", "cross-site"}} {
				if status == 403 && method == "get" {
					continue
				}
				got := s.raw(strings.ToUpper(method), at, "", header...)
				res, ok := a.answer(op.Responses, status)
				var value any
				if got.status != status || !ok || json.Unmarshal([]byte(got.body), &value) != nil {
					t.Errorf("%s %s: %d, want %d, described %t: %s", method, at, got.status, status, ok, got.body)
				} else if err := a.schema(t, res.Content["application/json"].Schema).Validate(value); err != nil {
					t.Errorf("%s %s: %v", method, at, err)
				}
			}
			for _, status := range []int{429, 500, 503} {
				if res, ok := a.answer(op.Responses, status); !ok || res.Content == nil {
					t.Errorf("%s %s: %d is not described", method, path, status)
				}
			}
		}
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }
