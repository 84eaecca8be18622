package withheld

import (
	"maps"
	"slices"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// These are the secrets of the two worlds. They differ in each bit that a program uses.
const (
	secretA = 'A'
	secretB = 'z'
)

// Pairs tests the named programs, or all of Programs. It fails if observe's result for a program depends on the secret in worlds that withhold
// the result. It returns the programs for which observe's result depends on the secret in worlds that admit it. These programs prove that the
// test observes something.
func Pairs(t *testing.T, e tu.Engine, observe func(t *testing.T, w *World, program string) string, names ...string) (told []string) {
	t.Helper()
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(Programs))
	}
	for _, name := range names {
		if Programs[name] == "" {
			t.Fatalf("there is no program that %s", name)
		}
		program := read + Programs[name]
		if a, b := observe(t, New(t, e, secretA), program), observe(t, New(t, e, secretB), program); a != b {
			t.Errorf("the program that %s: a withheld run shows\n%s\nor, with the other secret,\n%s", name, a, b)
		}
		if observe(t, New(t, e, secretA, "pay"), program) != observe(t, New(t, e, secretB, "pay"), program) {
			told = append(told, name)
		}
	}
	return told
}
