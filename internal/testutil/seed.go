package testutil

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seed is what random tests draw from: EXO_SEED if it is set, a random number if EXO_LONG asks for more, and else fixed, so
// that a change fails because of itself and not because of luck. It is logged, to be given as EXO_SEED.
func Seed(t testing.TB, fixed uint64) uint64 {
	t.Helper()
	seed := fixed
	if s, err := strconv.ParseUint(os.Getenv("EXO_SEED"), 10, 64); err == nil {
		seed = s
	} else if os.Getenv("EXO_LONG") != "" {
		seed = rand.Uint64N(1 << 40)
	}
	t.Logf("seed %d (EXO_SEED)", seed)
	return seed
}

// A Share is the part of many cases of one kind that a normal run tries: another one in each
// test and subtest, but the same in each run. When EXO_LONG asks for more it is all of them.
type Share struct {
	of   int
	draw *rand.Rand
}

// OneIn is a share of about one case in n.
func OneIn(t testing.TB, n int) *Share {
	t.Helper()
	if os.Getenv("EXO_LONG") != "" {
		n = 1
	}
	name := fnv.New64a()
	io.WriteString(name, t.Name())
	return &Share{n, rand.New(rand.NewPCG(name.Sum64(), 0))}
}

// Next reports whether the next case is tried.
func (s *Share) Next() bool { return s.draw.IntN(s.of) == 0 }

// Of is the least that a test which counts n of all cases may expect of its share.
func (s *Share) Of(n int) int {
	if s.of == 1 {
		return n
	}
	return n * 2 / (3 * s.of)
}
