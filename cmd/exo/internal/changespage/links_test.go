package changespage

// This file attacks links of one use from inside the store: who writes it, without the key of the approvals, makes no reader.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/store"
)

// TestForgedLinks: no entry that somebody makes of those in the store opens the page in another name, or for longer. The twin is the entry as it was.
func TestForgedLinks(t *testing.T) {
	for name, forge := range map[string]func(eve, boss *known){
		"as it was":               func(*known, *known) {},
		"another name":            func(eve, _ *known) { eve.Name = "boss" },
		"for longer":              func(eve, _ *known) { eve.End = eve.End.Add(time.Hour) },
		"a name and no sum":       func(eve, _ *known) { eve.Name, eve.Sum = "boss", nil },
		"the boss's own entry":    func(eve, boss *known) { *eve = *boss },
		"the boss's name and sum": func(eve, boss *known) { eve.Name, eve.Sum = boss.Name, boss.Sum },
	} {
		for _, prefix := range []string{linkPrefix, sessionPrefix} {
			w := newWorld(t)
			secret := func(name string) (string, store.Entry, known) {
				s, err := put(t.Context(), w.kept.Store, w.kept.Key, prefix, name, w.now.Add(linkTime))
				if err != nil {
					t.Fatal(err)
				}
				e, err := w.kept.Store.Get(t.Context(), key(w.kept.Key, prefix, s))
				var who known
				if err == nil {
					err = json.Unmarshal(e.Value, &who)
				}
				if err != nil {
					t.Fatal(err)
				}
				return s, e, who
			}
			mine, e, eve := secret("eve")
			_, _, boss := secret("boss")
			forge(&eve, &boss)
			e.Value, _ = json.Marshal(eve)
			if _, err := w.kept.Store.Put(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			if got := w.opens(prefix, mine); got != (name == "as it was") {
				t.Errorf("%s, in %s: opens %v", name, prefix, got)
			}
		}
	}
	w := newWorld(t)
	mine := strings.Repeat("0123", 8)
	sum := sha256.Sum256([]byte(mine))
	forged, _ := json.Marshal(known{Name: "boss", End: w.now.Add(time.Hour), Sum: sum[:]})
	for _, prefix := range []string{linkPrefix, sessionPrefix} {
		for _, at := range []string{mine, hex.EncodeToString(sum[:])} { // an entry of one's own: its place depends on the key
			if _, err := w.kept.Store.Put(t.Context(), store.Entry{Key: store.Key(prefix, at), Value: forged, Until: w.now.Add(time.Hour)}); err != nil {
				t.Fatal(err)
			}
		}
		if w.opens(prefix, mine) {
			t.Errorf("a new entry in %s opens the page", prefix)
		}
	}
}

// opens reports whether a link, or the cookie of a session, opens the page.
func (w *world) opens(prefix, secret string) bool {
	w.t.Helper()
	if prefix == linkPrefix {
		got, _, _ := w.ask("POST", "/changes/link/"+secret, nil, nil)
		return got == http.StatusSeeOther
	}
	got, _, _ := w.ask("GET", "/changes", nil, func(r *http.Request) { r.Header.Set("Cookie", "exo_changes="+secret) })
	return got == http.StatusOK
}
