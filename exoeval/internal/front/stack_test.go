package front

import (
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
)

// stackOf measures by how many bytes f makes the stack of its goroutine grow.
func stackOf(f func()) uint64 {
	read := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection shrinks stacks
	before, done := read(), make(chan uint64)
	go func() {
		f()
		done <- read()
	}()
	return max(<-done, before) - before
}

var stackTokens = strings.Fields("( ) [ ] { } ` ${ / ! - ++ = == => ? : ** , ; . ?. ... a b 1 'x' if else for while do with class extends function async await yield new typeof return case switch const try catch of import export static get < > << >> @ as satisfies type interface enum declare implements keyof infer is let T")

// No text that the scan lets through costs the parser (or what follows it) more
// than a few megabytes of stack: random patterns, repeated up to the size limit,
// malformed ones included.
func TestStackStaysSmall(t *testing.T) {
	const most = 16 << 20
	rng := rand.New(rand.NewPCG(1, 2))
	rounds, worst, slowest := 100, uint64(0), time.Duration(0)
	switch {
	case os.Getenv("EXO_LONG") != "":
		rounds = 300
	case testing.Short():
		rounds = 30
	}
	if *stackRounds > 0 {
		rounds = *stackRounds
		rng = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	}
	cfg := testConfig()
	accepted := 0
	for range rounds {
		var pattern []string
		for range 1 + rng.IntN(8) {
			pattern = append(pattern, stackTokens[rng.IntN(len(stackTokens))])
		}
		unit := strings.Join(pattern, " ") + " "
		src := strings.Repeat(unit, cfg.MaxSource/len(unit))
		var err error
		start := time.Now()
		n := stackOf(func() { _, err = checked(src, cfg) })
		took := time.Since(start)
		if fail.KindOf(err) != fail.Limit {
			accepted++
		}
		if n > worst || took > slowest {
			worst, slowest = max(n, worst), max(took, slowest)
			t.Logf("%5.1f MB of stack, %v for %q", float64(n)/(1<<20), took, unit)
		}
		if n > most || took > 5*time.Second {
			t.Errorf("%d MB of stack, %v for %q", n>>20, took, unit)
		}
	}
	if accepted == 0 {
		t.Error("the scan lets nothing through: the test shows nothing")
	}
}

var stackRounds = flag.Int("stackrounds", 0, "how many random patterns TestStackStaysSmall tries, with a new seed")
