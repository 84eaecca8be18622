package gen

import (
	"strconv"
	"strings"
)

// scope is a set of names that must differ: those of the package, of a row type's fields, or of the members of a row in programs.
type scope struct {
	taken map[string]bool
	next  map[string]int // next has, for each name, the least number after it that may be free
}

func newScope() scope { return scope{map[string]bool{}, map[string]int{}} }

// maxName bounds a name, in bytes. Programs allow at most 100, and a number may follow the name.
const maxName = 90

// claim takes the first wanted name that is free and that ok accepts, or else the last one with a number. The first claim of a name gets the name
// without a number, so the order of claims must depend only on the catalogue.
func (s scope) claim(ok func(string) bool, wanted ...string) string {
	free := func(w string) bool { return !s.taken[w] && (ok == nil || ok(w)) }
	take := func(w string) string { s.taken[w] = true; return w }
	for _, w := range wanted {
		if w = cut(w); free(w) {
			return take(w)
		}
	}
	last := cut(wanted[len(wanted)-1])
	for n := max(2, s.next[last]); ; n++ {
		s.next[last] = n + 1 // lower numbers are taken, or ok refuses them
		if w := last + strconv.Itoa(n); free(w) {
			return take(w)
		}
	}
}

// cut returns at most maxName bytes of s, in whole characters.
func cut(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "")
}
