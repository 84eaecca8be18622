package terms

import "testing"

// TestReaders: each reader is given words of their own language.
func TestReaders(t *testing.T) {
	for r, want := range map[Reader]string{Go: "no AllowInsert", Dynamic: "no AllowInsert", File: "no `insert`"} {
		if got := r.NoInsert(); got != want {
			t.Errorf("%d reads %q, want %q", r, got, want)
		}
	}
}
