package service

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
)

// TestCompensate: the function that a Method was given hears the call's key, and has a key of its own.
func TestCompensate(t *testing.T) {
	var said []string
	s := mustNew(t, Method("pay", "", gives[int]).Compensate(func(ctx context.Context, key string) error {
		said = append(said, key, Key(ctx))
		return nil
	}), Method("tell", "", gives[int]))
	var by record.Compensator = s
	if !by.Compensates("pay") || by.Compensates("tell") || by.Compensates("other") {
		t.Error("another method can be made up for")
	}
	if err := by.Compensate(t.Context(), "pay", "k", "own"); err != nil || strings.Join(said, " ") != "k own" {
		t.Error(said, err)
	}
	if err := by.Compensate(t.Context(), "tell", "k", "own"); !errors.Is(err, exo.ErrNothingDone) {
		t.Error(err)
	}
	var none *Service
	if none.Compensates("pay") || (&Service{}).Compensates("pay") {
		t.Error("the zero Service makes up for something")
	}
	f := func(context.Context, string) error { return nil }
	for what, op := range map[string]Operation{"a read": Read("m", "", gives[int]).Compensate(f), "no function": Method("m", "", gives[int]).Compensate(nil)} {
		if _, err := New("x", "", op); err == nil || !strings.Contains(err.Error(), "Compensate needs a function") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
