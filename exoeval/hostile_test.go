package exoeval_test

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/testutil"
)

// TestHostileHere runs what does not end a process in this one.
func TestHostileHere(t *testing.T) {
	testutil.NotRaced(t)
	t.Setenv("EXO_CANARY", testutil.Environment)
	ran := 0
	for _, h := range testutil.ReadHostile(t) {
		t.Run(h.File+"/"+h.Title, func(t *testing.T) {
			db := testutil.Open(t)
			r := testutil.As(t, db, testutil.Acme, h.Within(100*time.Millisecond))
			if !h.Fatal {
				ran++
				if p := h.Judge(r.Run(t, h.Program)); p != "" {
					t.Errorf("testdata/hostile/%s:%d: %s", h.File, h.Line, p)
				}
			}
			o := testutil.As(t, db, testutil.Acme, h.Limits).Run(t, h.Twin)
			if o.Result.Err != nil || h.TwinResult != "" && !testutil.SameJSON(o.JSON, h.TwinResult) {
				t.Errorf("testdata/hostile/%s:%d: the twin gives %.500s, want %s", h.File, h.Line, o, h.TwinResult)
			}
		})
	}
	if ran < 200 && !testing.Short() {
		t.Errorf("only %d programs ran", ran)
	}
}
