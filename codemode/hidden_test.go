package codemode_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// TestHiddenCause: an error has a reason for the host's log where a program reads less than its text, and none where the rest is the end of a
// context or that nothing was done.
func TestHiddenCause(t *testing.T) {
	reason := errors.New("relation todos does not exist")
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":                {nil, false},
		"internal":            {fail.Classify("", reason), true},
		"internal, Msg alone": {&fail.Error{Kind: fail.Internal, Msg: "a plan without a table"}, true},
		"denied":              {&fail.Error{Kind: fail.Denied, Msg: "its host has to look at it", Err: reason}, true},
		"denied, in another":  {&fail.Error{Kind: fail.Denied, Err: fmt.Errorf("%w: %w", exo.ErrNothingDone, &fail.Error{Kind: fail.Denied, Err: reason})}, true},
		"all was read":        {fail.Errorf(fail.Invalid, "todos", "no such row"), false},
		"nothing done":        {&fail.Error{Kind: fail.Invalid, Msg: "no such row", Err: exo.ErrNothingDone}, false},
		"nothing done, twice": {&fail.Error{Kind: fail.Invalid, Err: fmt.Errorf("%w: %w", exo.ErrNothingDone, fail.Errorf(fail.Invalid, "", "no such row"))}, false},
		"the same text":       {&fail.Error{Kind: fail.Invalid, Msg: "no such row", Err: errors.New("no such row")}, false},
		"too late":            {fail.Classify("", context.DeadlineExceeded), false},
		"its caller ended it": {&fail.Error{Kind: fail.Cancelled, Err: reason}, false},
	} {
		if got := codemode.HasHiddenCause(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
