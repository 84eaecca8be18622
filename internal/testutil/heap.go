package testutil

import (
	"runtime"
	"testing"
)

// LiveHeap is how many bytes of the process are in use once what is garbage is gone.
func LiveHeap() int {
	runtime.GC()
	runtime.GC() // what the first made free with finalizers, and what pools kept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// KeepsNothing runs f and fails where the process has grown by more than bound
// bytes: what the caches in it declare, and a little for what tests do themselves.
func KeepsNothing(t testing.TB, bound int, f func()) {
	t.Helper()
	before := LiveHeap()
	f()
	if grown := LiveHeap() - before; grown > bound {
		t.Errorf("%d KiB are kept, want at most %d", grown>>10, bound>>10)
	}
}
