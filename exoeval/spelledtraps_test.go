package exoeval_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestSpelledReachesNothing runs each program of the corpora whose realm is not disarmed with a
// trap on each property that would be cut: none may fire.
func TestSpelledReachesNothing(t *testing.T) {
	testutil.NotRaced(t)
	l := exoeval.NewLocal(testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{}).Gate)
	others, ran := 0, 0
	for _, f := range slices.Concat(testutil.Corpus(t, "attacks", ".js"), testutil.Corpus(t, "eval", ".js")) {
		chunks, lines := testutil.Chunks(f.Read())
		if strings.Contains(chunks[0], "// limits:") || strings.Contains(f.Path, "attacks") {
			chunks = chunks[:1] // twins of attacks are for other realms
		}
		for i, chunk := range chunks {
			text, _, err := testutil.Cut(chunk)
			if err != nil {
				t.Fatal(err)
			}
			names, run := exoeval.Trapped(t, l, text)
			if !run {
				others++
				continue
			}
			ran++
			for _, name := range names {
				t.Errorf("%s:%d: the program comes to %s", f.Path, lines[i], name)
			}
		}
	}
	if others < 100 || ran < 100 {
		t.Errorf("%d programs in disarmed realms, %d in others: the corpora have too few of one", others, ran)
	}
}
