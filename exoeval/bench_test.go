package exoeval_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// What a run costs before and beside the work of its program.
func BenchmarkRun(b *testing.B) {
	r := testutil.As(b, testutil.Open(b), testutil.Acme, exo.Limits{})
	for _, c := range []struct{ name, program string }{
		{"sum", "1 + 1"},
		{"async", "async () => await 1"},
		{"date", "new Date().getTime()"},
		{"pattern", "'a1'.replace(/\\d/, '')"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if res := r.Eval.Run(b.Context(), exoeval.Job{Program: c.program, Start: testutil.Start, Seed: 1}); res.Err != nil {
					b.Fatal(res.Err)
				}
			}
		})
	}
}
