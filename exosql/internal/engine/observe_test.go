package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/kit"
)

// TestObserve: a commit has the kind unknown exactly if it may have been kept. Nothing of an error's text is reported.
func TestObserve(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"COMMIT", nil, "COMMIT "},
		{"COMMIT", errors.New("CANARY"), "COMMIT unknown"},
		{"COMMIT", fail.Errorf(fail.Conflict, "", "CANARY"), "COMMIT unknown"},
		{"COMMIT", fmt.Errorf("%w: CANARY", engine.ErrSerial), "COMMIT internal"},
		{"COMMIT", errors.Join(exo.ErrNothingDone, fail.Errorf(fail.Conflict, "", "CANARY")), "COMMIT conflict"},
		{"ROLLBACK", errors.New("CANARY"), "ROLLBACK internal"},
	} {
		seen := &kit.Statements{}
		if err := engine.Observe(observe.With(t.Context(), seen), "sqlite", c.name, func(context.Context) error { return c.err }); err != c.err {
			t.Errorf("it returns %v, want %v", err, c.err)
		}
		if got := fmt.Sprint(seen.Ended); got != "["+c.want+"]" {
			t.Errorf("%s that fails with %v is seen as %s, want %s", c.name, c.err, got, c.want)
		}
	}
}
