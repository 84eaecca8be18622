package exoeval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// TestEval runs the corpus of the language: each chunk is one program of Acme
// and says how it ends. Limits and the database are fresh for each file.
func TestEval(t *testing.T) {
	postgres := testutil.Postgres.Open(t)
	for _, f := range testutil.Corpus(t, "eval", ".js") {
		t.Run(strings.TrimSuffix(f.Name, ".js"), func(t *testing.T) {
			text := f.Read()
			limits := testutil.Both{}
			if m := limitsLine.FindStringSubmatch(text); m != nil {
				var err error
				if limits, err = testutil.ParseLimits(m[1]); err != nil {
					t.Fatal(err)
				}
			}
			db := testutil.Open(t)
			acme, bolt := testutil.As(t, db, testutil.Acme, limits), testutil.As(t, db, testutil.Bolt, limits)
			other := testutil.As(t, postgres, testutil.Acme, limits)
			chunks, lines := testutil.Chunks(text)
			for i, chunk := range chunks {
				at := fmt.Sprintf("%s:%d", f.Path, lines[i])
				program, want, err := testutil.Cut(chunk)
				if err != nil {
					t.Errorf("%s: %v\n%s", at, err, chunk)
					continue
				}
				o := acme.Run(t, program)
				if p := want.Check(o); p != "" {
					t.Errorf("%s: %s", at, p)
				}
				if len(o.SQL) > 0 { // what queries ends the same on the other engine
					if p := want.Check(other.Run(t, program)); p != "" {
						t.Errorf("%s: on PostgreSQL: %s", at, p)
					}
				}
				// Run as each principal: no text of another one, in any ending.
				if l := o.Leaks(testutil.Acme); l != "" {
					t.Errorf("%s: %s leaves: %s", at, l, o)
				}
				if o := bolt.Run(t, program); o.Leaks(testutil.Bolt) != "" {
					t.Errorf("%s: as Bolt, %s leaves: %s", at, o.Leaks(testutil.Bolt), o)
				}
			}
		})
	}
}
