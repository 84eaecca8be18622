package web_test

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/web"
)

// words are those of a line for a shell, with what it would put in for variables.
func words(line string, variables map[string]string) (out []string) {
	word, open, quote := "", false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			if quote == '"' {
				for name, value := range variables {
					word = strings.ReplaceAll(word, "$"+name, value)
				}
			}
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case quote == 0 && r == ' ':
			if open {
				out = append(out, word)
			}
			word, open = "", false
		default:
			word, open = word+string(r), true
		}
	}
	if open {
		out = append(out, word)
	}
	return out
}

var curlLine = regexp.MustCompile(`<pre class="curl">(curl [^<]*)</pre>`)

// TestAPIPage: the lines on the page do what they say, one after the other.
func TestAPIPage(t *testing.T) {
	s := newSite(t, config{})
	page := s.raw("GET", "/api", "").body
	contains(t, page, `<a id="nav-api" href="/api">`, `href="/api/v1/openapi.json"`, "Retry-After", "<td>405</td>")
	lines := curlLine.FindAllStringSubmatch(page, -1)
	if len(lines) != 5 {
		t.Fatalf("%d lines", len(lines))
	}
	var out struct {
		Token, ID, State string
		Right            *bool
		Examples         []string
	}
	for _, l := range lines {
		w := words(html.UnescapeString(l[1]), map[string]string{"TOKEN": out.Token, "ID": out.ID})
		method, body, path := "GET", "", ""
		var header []string
		for i := 1; i < len(w); i++ {
			switch w[i] {
			case "-X":
				i++
				method = w[i]
			case "-H":
				i++
				name, value, _ := strings.Cut(w[i], ": ")
				header = append(header, name, value)
			case "-d":
				i++
				method, body = "POST", w[i]
			default:
				var ok bool
				if path, ok = strings.CutPrefix(w[i], s.srv.URL); !ok {
					t.Fatalf("%q is not of this site", w[i])
				}
			}
		}
		got := s.raw(method, path, body, header...)
		if got.status/100 != 2 || json.Unmarshal([]byte(got.body), &out) != nil {
			t.Fatalf("%s: %d %s", l[1], got.status, got.body)
		}
	}
	if out.Token == "" || out.State != "ended" || out.Right == nil || *out.Right || len(out.Examples) == 0 {
		t.Errorf("%+v", out)
	}
	public := newSite(t, config{Options: web.Options{URL: "https://challenge.example/"}})
	contains(t, public.raw("GET", "/api", "", "Host", "challenge.example").body, "curl -X POST https://challenge.example/api/v1/players<")
}

// TestMethods: a path says which methods it takes, and where the API is told of.
func TestMethods(t *testing.T) {
	s := newSite(t, config{})
	for _, c := range []struct {
		method, path, allow string
	}{
		{"DELETE", "/api/v1/attempts", "GET, HEAD, POST"},
		{"GET", "/api/v1/players", "POST"},
		{"PATCH", "/api/v1/player", "GET, HEAD, DELETE"},
		{"POST", "/api/v1/attempts/x/share", "PUT"},
		{"POST", "/api/v1/attempts/x", "GET, HEAD"},
		{"POST", "/", "GET, HEAD"},
		{"GET", "/play", "POST"},
		{"POST", "/static/style.css", "GET, HEAD"},
	} {
		got := s.raw(c.method, c.path, "")
		if got.status != 405 || got.header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, %s", c.method, c.path, got.status, got.header.Get("Allow"))
		}
		if strings.HasPrefix(c.path, "/api/") {
			contains(t, got.body, `"kind":"method"`, c.allow)
		}
	}
	for _, path := range []string{"/none", "/api/none", "/api/v1/none", "/api/v2/players", "/attempts", "/targets/"} {
		for _, method := range []string{"GET", "POST"} {
			if got := s.raw(method, path, ""); got.status != 404 || got.header.Get("Allow") != "" {
				t.Errorf("%s %s: %d", method, path, got.status)
			}
		}
	}
	for _, path := range []string{"/api/", "/api/v1", "/api/v1/"} {
		if got := s.raw("GET", path, ""); got.status != 303 || got.header.Get("Location") != "/api" {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}
