package testutil

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Long reports whether ./test.sh --long runs: everything is tried, with new seeds.
func Long() bool { return os.Getenv("EXO_LONG") != "" }

// Seed is what random tests draw from: EXO_SEED if it is set, a random number if EXO_LONG asks for more, and else fixed, so
// that a change fails because of itself and not because of luck. It is logged, to be given as EXO_SEED.
func Seed(t testing.TB, fixed uint64) uint64 {
	t.Helper()
	seed := fixed
	if s, err := strconv.ParseUint(os.Getenv("EXO_SEED"), 10, 64); err == nil {
		seed = s
	} else if Long() {
		seed = rand.Uint64N(1 << 40)
	}
	t.Logf("seed %d (EXO_SEED)", seed)
	return seed
}

// Amount is how many random cases a test tries: all of them when EXO_LONG asks for more, a third of some in ./test.sh --quick.
func Amount(some, all int) int {
	switch {
	case Long():
		return all
	case testing.Short():
		return (some + 2) / 3
	}
	return some
}

// NotQuick leaves t out of ./test.sh --quick: t takes seconds, and cheaper tests ask the same of simpler cases.
func NotQuick(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("./test.sh --quick leaves it out")
	}
}

// A Share is the part of many cases of one kind that a normal run tries. EXO_SAMPLE chooses another part; test.sh prints it.
// EXO_SAMPLE=all, which the mutations run with, and EXO_LONG take everything.
type Share struct {
	of, i, pick int
	draw        *rand.Rand
	met         map[string]bool
}

// OneIn is a share of one case in n, and of one in 3n in ./test.sh --quick.
func OneIn(t testing.TB, n int) *Share {
	t.Helper()
	switch {
	case Long(), os.Getenv("EXO_SAMPLE") == "all":
		n = 1
	case testing.Short():
		n *= 3
	}
	name := fnv.New64a()
	io.WriteString(name, t.Name())
	sample, _ := strconv.ParseUint(os.Getenv("EXO_SAMPLE"), 10, 64)
	return &Share{of: n, draw: rand.New(rand.NewPCG(name.Sum64(), sample)), met: map[string]bool{}}
}

// Next reports whether the next case is tried: one of each n that follow one another, and the first of each kind that is named.
func (s *Share) Next(kind ...any) bool {
	if s.i%s.of == 0 {
		s.pick = s.draw.IntN(s.of)
	}
	drawn := s.i%s.of == s.pick
	s.i++
	if k := fmt.Sprint(kind...); k != "" && !s.met[k] {
		s.met[k] = true
		return true
	}
	return drawn
}

// Of is the least that a test which counts n of all cases may expect of its share.
func (s *Share) Of(n int) int {
	if s.of == 1 {
		return n
	}
	return n / (2 * s.of)
}
