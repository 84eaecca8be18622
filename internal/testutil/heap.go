package testutil

import (
	"runtime"
	"testing"
)

// LiveHeap returns the number of bytes that the process uses after a garbage collection.
func LiveHeap() int {
	runtime.GC()
	runtime.GC() // this frees memory that the first run's finalizers released, and that pools kept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// KeepsNothing runs f, and fails if the process has then grown by more than bound bytes. bound is the size of f's caches, and a little more
// for the tests themselves.
func KeepsNothing(t testing.TB, bound int, f func()) {
	t.Helper()
	before := LiveHeap()
	f()
	if grown := LiveHeap() - before; grown > bound {
		t.Errorf("%d KiB are kept, want at most %d", grown>>10, bound>>10)
	}
}
