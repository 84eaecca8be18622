package scalar

import "testing"

// TestPositive: a setting that is zero or negative gets its default, never "no limit".
func TestPositive(t *testing.T) {
	for n, want := range map[int]int{-1: 7, 0: 7, 1: 1} {
		of := n
		if Default(&of, 7); of != want {
			t.Errorf("%d becomes %d, want %d", n, of, want)
		}
	}
}

// TestGrantName: no grant has a name that means something else to a program.
func TestGrantName(t *testing.T) {
	for n, ok := range map[string]bool{"tickets": true, "$a_1": true, "then": false, "toJSON": false, "constructor": false, "prototype": false, "__proto__": false, "api": false, "": false, "1a": false, "a-b": false, "ä": true, "ж": false} {
		if err := GrantName(n); (err == nil) != ok {
			t.Errorf("%q: %v", n, err)
		}
	}
}
