package gen

import (
	"strconv"
	"strings"
)

// scope is a set of names that differ: the package's, a row type's fields, or what a
// program finds on a row.
type scope struct {
	taken map[string]bool
	next  map[string]int // by name: the first number that may be free behind it
}

func newScope() scope { return scope{map[string]bool{}, map[string]int{}} }

// maxName bounds a name, in bytes: programs know none beyond 100, and a number may
// come behind it.
const maxName = 90

// claim takes the first of the wanted names that is free and that ok admits, or the
// last one with a number. The first claim of a name keeps it plain, so claims
// are made in an order that depends on the catalogue alone.
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
		s.next[last] = n + 1 // those below are taken for good, or nobody may have them
		if w := last + strconv.Itoa(n); free(w) {
			return take(w)
		}
	}
}

// cut is at most maxName bytes of s, in whole characters.
func cut(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "")
}
