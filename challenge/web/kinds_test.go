package web

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
)

// TestKinds: every word that a verdict can say is explained, once.
func TestKinds(t *testing.T) {
	words := map[string]bool{"ok": true, "refused": true}
	for k := range exo.Kinds {
		words[k.String()] = true
	}
	for _, k := range kinds {
		if !words[k.Word] || !known(k.Word) || len(k.About) < 20 {
			t.Errorf("%+v", k)
		}
		delete(words, k.Word)
	}
	for w := range words {
		t.Errorf("%s is not explained", w)
	}
	if known("none") {
		t.Error("every word is one")
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1204: "1,204", 12345678: "12,345,678", -1204: "-1,204"} {
		if got := grouped(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
