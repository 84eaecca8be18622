package services

import (
	"strings"
	"testing"
)

// TestTailHidesSecrets: a secret that lies across the beginning of what is shown, or over several lines, is not shown in part.
func TestTailHidesSecrets(t *testing.T) {
	secret := "-----BEGIN KEY-----\nabcdefghijklmnop\nqrstuvwxyz\n-----END KEY-----"
	for _, behind := range []int{10, shownBytes - 20, shownBytes - len(secret) + 1, shownBytes, 2 * shownBytes} {
		w, err := newTail()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.to.WriteString("begins " + secret + strings.Repeat("x", behind)); err != nil {
			t.Fatal(err)
		}
		text := w.text([]string{secret})
		if strings.Contains(text, "KEY") || strings.Contains(text, "mnop") || len(text) > shownBytes || !strings.HasSuffix(text, strings.Repeat("x", 10)) {
			t.Errorf("%d behind it: %q", behind, text)
		}
	}
}
