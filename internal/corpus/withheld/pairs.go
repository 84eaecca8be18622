package withheld

import (
	"maps"
	"slices"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The secrets of the two worlds: they differ in each bit that a program asks for.
const (
	secretA = 'A'
	secretB = 'z'
)

// Pairs fails where what observe gives for a program depends on the secret, in worlds whose result doesn't admit it. It runs the programs of these names;
// all of Programs where there is none. It returns those for which it does depend on it in worlds that admit it: the twin, by which a test knows that
// it observes something.
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
			t.Errorf("it %s, and of a withheld run is told\n%s\nor\n%s", name, a, b)
		}
		if observe(t, New(t, e, secretA, "pay"), program) != observe(t, New(t, e, secretB, "pay"), program) {
			told = append(told, name)
		}
	}
	return told
}
