package service

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
)

// TestUndoMisused: an undo without runs, or without a function, is an error of New; a service with one asks a person. TestModelUndoesItsOwnRuns has a database.
func TestUndoMisused(t *testing.T) {
	own := func(context.Context) ([]OwnRun, error) { return nil, nil }
	does := func(context.Context, exo.RunID) error { return nil }
	for what, ops := range map[string][]Operation{"no runs": Undo(nil, does, changeset.Who{}), "no function": Undo(own, nil, changeset.Who{})} {
		if _, err := New("history", "", ops...); err == nil || !strings.Contains(err.Error(), "Undo needs") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s := mustNew(t, Undo(own, does, changeset.Who{})...); !s.MayAsk() {
		t.Error("nobody is asked")
	}
}
