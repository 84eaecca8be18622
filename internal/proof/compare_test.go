package proof

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// drawn is a program that a test draws for a part of the language, with what it must give.
type drawn struct {
	program string
	slow    *slow
	want    string
	right   func(got []byte) bool // nil: what it gives is want, to the letter
	some    bool                  // what the test is about happens in it
}

// compareRandom runs programs that draw makes for random databases, on both engines, and compares their results with those of
// the slow evaluator. Of one program in share something has to happen: where a few databases have hardly a row in scope,
// more are drawn. EXO_LONG asks for as many databases as long says, EXO_SEED for those of one seed.
func compareRandom(t *testing.T, worlds, long, share int, draw func(g *generator, s *Schema, x *slow) drawn) {
	worlds = tu.Amount(worlds, long)
	seed := tu.Seed(t, 1)
	s, ctx := newServer(t), context.Background()
	ran, limited, some := 0, 0, 0
	few := func() bool { return some*share < ran }
	for i := 0; i < worlds || few() && i < 20*worlds; i++ {
		d := fromSeed(seed, uint64(i))
		c := genWorld(d)
		c.Only, c.Kept = false, nil // of a grant without the method there is nothing to compare
		ws, why := s.worlds(ctx, c)
		if why != "" {
			t.Fatalf("seed %d (EXO_SEED), database %d: %s", seed, i, why)
		}
		if c.refused() {
			closeAll(ws)
			continue
		}
		gen := &generator{draws: d, s: &c.Schema, data: c.Data, grants: c.Grants}
		for range 2 * perWorld {
			p := draw(gen, &c.Schema, newSlow(&c.Schema, c.Data, c.Grants))
			for _, w := range ws {
				ran++
				if p.some {
					some++
				}
				w.sql, w.failed = nil, nil
				r := w.eval.Run(ctx, exoeval.Job{Program: p.program, Run: exo.Run{Seed: 1}})
				if errors.Is(r.Err, fail.ErrLimit) {
					limited++
					continue
				}
				got, err := r.Value.AppendJSON(nil)
				right := err == nil && r.Err == nil && (p.right != nil && p.right(got) || p.right == nil && string(got) == p.want)
				if leak := p.slow.leaked(p.program, r); leak != "" || !right {
					t.Fatalf("seed %d (EXO_SEED), database %d, %s: %v %v %v\n%s\n%s\ngot  %s\nwant %s\n%s", seed, i, w.engine.Name, leak, r.Err, err, p.program, statements(w), got, p.want, c.Data.print(&c.Schema))
				}
			}
		}
		closeAll(ws)
	}
	t.Logf("seed %d: %d runs, %d of them too large, in %d happens what is asked about", seed, ran, limited, some)
	if !testing.Short() && limited*10 > ran || few() {
		t.Errorf("%d runs, %d of them too large, in %d happens what is asked about", ran, limited, some)
	}
}

// statements are the statements of the last run.
func statements(w *world) string {
	var b strings.Builder
	for _, q := range w.sql {
		fmt.Fprintln(&b, q.SQL, q.Args)
	}
	return b.String()
}
