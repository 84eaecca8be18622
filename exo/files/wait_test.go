package files_test

import (
	"testing"
	"time"
)

// waitFor waits until what happens after the end of a run has happened.
func waitFor(t testing.TB, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
	}
}
