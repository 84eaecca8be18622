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

// Long reports whether ./test.sh --long runs, which tries every case with new seeds.
func Long() bool { return os.Getenv("EXO_LONG") != "" }

// Seed returns the seed of a random test: EXO_SEED if that is set, a random number with EXO_LONG, otherwise fixed. With a fixed seed a change
// fails because of itself, not by chance. The log has the seed, so that EXO_SEED can repeat it.
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

// Amount returns the number of random cases for a test: all with EXO_LONG, a third of some in ./test.sh --quick, otherwise some.
func Amount(some, all int) int {
	switch {
	case Long():
		return all
	case testing.Short():
		return (some + 2) / 3
	}
	return some
}

// NotQuick skips t in ./test.sh --quick. t takes seconds, and cheaper tests cover simpler cases of it.
func NotQuick(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("./test.sh --quick leaves it out")
	}
}

// A Share chooses the part of many similar cases that a normal run tries. EXO_SAMPLE chooses another part; test.sh prints it.
// EXO_SAMPLE=all and EXO_LONG try all cases; mutations run with EXO_SAMPLE=all.
type Share struct {
	of, i, pick int
	draw        *rand.Rand
	met         map[string]bool
}

// OneIn returns a share of one case in n, or one in 3n in ./test.sh --quick.
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

// Next reports whether to try the next case. It chooses one of each n in a row, and the first case of each kind.
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

// Of returns the least count that a test may require of its share of the cases, if all cases would give the count n.
func (s *Share) Of(n int) int {
	if s.of == 1 {
		return n
	}
	return n / (2 * s.of)
}
