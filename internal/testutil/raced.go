package testutil

import (
	"os"
	"testing"
)

// NotRaced skips t under the race detector, where t would take four times as long. t tests what programs read, write or mean; other tests run
// the same code concurrently. With EXO_LONG, t runs there, too.
func NotRaced(t testing.TB) {
	t.Helper()
	if raced && os.Getenv("EXO_LONG") == "" {
		t.Skip("this test has no concurrency: it runs without the race detector")
	}
}
