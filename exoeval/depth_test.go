package exoeval_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestCallDepth: functions that call each other deeper than the limit end the program.
func TestCallDepth(t *testing.T) {
	const limit = 60
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exoeval.Bounds{CallDepth: limit})
	for depth, ok := range map[int]bool{limit / 4: true, limit * 2: false} {
		for _, call := range []string{"n > 0 ? f(n - 1) : 7", "[n].map(n => n > 0 ? f(n - 1) : 7)[0]"} {
			res := r.Run(t, fmt.Sprintf("const f = n => %s; return f(%d)", call, depth))
			if ok != (res.JSON == "7") || !ok && res.Kind != fail.Limit {
				t.Errorf("%s, %d calls deep: %v", call, depth, res.Message)
			}
		}
	}
}
