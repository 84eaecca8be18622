package testutil

import (
	"os"
	"testing"
)

// NotRaced skips t in the run with the race detector, where it would take four times as long: t tests what programs
// read, write or mean, and other tests of its package run the same code concurrently. With EXO_LONG it runs there, too.
func NotRaced(t testing.TB) {
	t.Helper()
	if raced && os.Getenv("EXO_LONG") == "" {
		t.Skip("this test has no concurrency: it runs without the race detector")
	}
}
