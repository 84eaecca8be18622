package main

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/corpus"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkLabels runs the programs of the corpus on the grants of exo.yaml, with its labels and without, in turn, and compares the
// times. The target is 1.05: docs/performance.md.
func BenchmarkLabels(b *testing.B) {
	text, err := os.ReadFile("exo.yaml")
	if err != nil {
		b.Fatal(err)
	}
	plain := regexp.MustCompile(`\{ label: [^{}]*(\{[^{}]*\} )?\}`).ReplaceAll(text, nil)
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		b.Run(e.Name, func(b *testing.B) {
			var tools [2]*codemode.Tool
			for i, text := range [][]byte{text, plain} {
				db := e.OpenWith(b, &exosql.OpenOptions{Setup: e.Exec(e.Pick(tracker.Schema+tracker.Seed, tracker.Postgres))})
				file, err := grantfile.Parse("exo.yaml", text)
				if err != nil {
					b.Fatal(err)
				}
				declared, err := file.Declare(b.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"saas": db}})
				if err != nil {
					b.Fatal(err)
				}
				claims, err := file.ParseClaims("org=1,member=1")
				if err != nil {
					b.Fatal(err)
				}
				grants, err := declared.Grants(claims)
				if err != nil {
					b.Fatal(err)
				}
				if tools[i], err = codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}}); err != nil {
					b.Fatal(err)
				}
			}
			list := corpus.Read(b, programs, 60)
			var took [2]time.Duration
			first := 0
			run := func() {
				first = 1 - first // whoever is first finds a colder machine
				for _, p := range list {
					for _, i := range [2]int{first, 1 - first} {
						start := time.Now()
						tools[i].Run(b.Context(), p.Source)
						took[i] += time.Since(start)
					}
				}
			}
			run() // plans are made
			took = [2]time.Duration{}
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(took[0])/float64(took[1]), "x/unlabelled")
			b.ReportMetric(float64(took[1].Microseconds())/float64(b.N*len(list)), "µs/program")
		})
	}
}
