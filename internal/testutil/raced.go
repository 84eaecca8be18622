package testutil

import (
	"os"
	"testing"
)

// NotRaced leaves t out of the run with the race detector, which makes it take four times as long: t asks what programs read,
// write or mean, and other tests of its package run the same code side by side. When EXO_LONG asks for more it runs there, too.
func NotRaced(t testing.TB) {
	t.Helper()
	if raced && os.Getenv("EXO_LONG") == "" {
		t.Skip("nothing runs side by side here: it runs without the race detector")
	}
}
