package web_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/web"
)

// TestSourceLinks: the pages lead to the code that runs, and to none where that is not known.
func TestSourceLinks(t *testing.T) {
	const repository, rev = "https://git.example/exo/agent", "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct{ url, version, link string }{
		{repository, rev, repository},
		{repository + "/", rev, repository},
		{"", rev, ""},
		{repository, rev + "+", ""}, // it was changed: that code is nowhere
		{repository, "v1.2.3", ""},
		{repository, "unknown", ""},
		{repository, "(devel)", ""},
	} {
		t.Run(c.url+" "+c.version, func(t *testing.T) {
			t.Cleanup(web.SetVersion(c.version))
			s := newSite(t, config{Options: web.Options{SourceURL: c.url}})
			home, target := s.raw("GET", "/", "").body, s.raw("GET", "/targets/wallet", "").body
			if c.link == "" {
				contains(t, home, `<code id="source">`)
				contains(t, target, "Its code: <code>exosql/relation.go</code>")
				if strings.Contains(home+target, "git.example") || strings.Contains(home, "source-link") {
					t.Error("a link that leads nowhere")
				}
				return
			}
			contains(t, home, `href="`+c.link+"/tree/"+rev+`"`)
			contains(t, target, `Its code: <a href="`+c.link+"/blob/"+rev+`/exosql/relation.go"><code>exosql/relation.go</code></a>`, "/blob/"+rev+"/testdata/attacks")
			// The record of an attempt has a version of its own.
			p := s.program()
			v := p.play("broken", game.Program, "(api) => api.things.execute()")
			if body := s.raw("GET", "/attempts/"+v.ID, "").body; !strings.Contains(body, "<dd>"+game.Source()+"</dd>") {
				t.Error(body)
			}
		})
	}
}

func TestSourceURL(t *testing.T) {
	for _, bad := range []string{"javascript:alert(1)", "git@github.com:x/y", "/x", "https://", "https://u:p@x.example", "https://x.example?q", "https://x.example#f", "https://x.example/%zz"} {
		if _, err := web.New(t.Context(), web.Options{Arena: &arena.Arena{Game: &game.Game{}}, SourceURL: bad}); err == nil || !strings.Contains(err.Error(), "no address of a repository") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
