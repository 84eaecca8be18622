package web_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/exoagent/exoagent/challenge/store"
	"github.com/exoagent/exoagent/challenge/web"
)

// TestAddresses: many players at one address have the turns and the room of one, whatever
// name their proxy has for them, and one who comes from elsewhere is served.
func TestAddresses(t *testing.T) {
	s := newSite(t, config{Options: web.Options{Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, places: 1})
	s.arena.Room = store.Room{PerPlayer: 50, Total: 10}
	endless := map[string]any{"target": "wallet", "lane": "program", "input": "() => { for (;;) {} }"}
	taken, refused := 0, 0
	for range 12 {
		p := s.programAt("1.1.1.1")
		if a := p.call("POST", "/api/v1/attempts", endless, 0, nil); a.status == 202 {
			taken++
		} else if refused++; a.status != 429 {
			t.Fatal(a.status, a.body)
		}
	}
	if taken != 6 || refused != 6 { // one is played, and half of the ten places are free for others
		t.Errorf("%d attempts of one address were taken", taken)
	}
	for i := range 2 {
		p := s.programAt(fmt.Sprintf("2.2.2.%d", i))
		var v struct{ Position int }
		p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "1"}, 202, &v)
		if v.Position < 2 || v.Position > 3 {
			t.Errorf("number %d of those who wait", v.Position)
		}
	}
	s.arena.Stop("test", true)
}
