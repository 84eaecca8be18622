//go:build unix

package ttytest

import "testing"

// A read ends anywhere, in a character too.
func TestWholeRunes(t *testing.T) {
	const text = "a─😀é"
	for n := range len(text) + 1 {
		cut := 0
		for i := range text + "x" {
			if i <= n {
				cut = i
			}
		}
		if got := wholeRunes([]byte(text[:n])); got != cut {
			t.Errorf("of the first %d bytes %d, want %d", n, got, cut)
		}
	}
	if got := wholeRunes([]byte{'a', 0x80, 0x80, 0x80, 0x80, 0x80}); got != 6 {
		t.Errorf("of what is no text %d", got)
	}
}
