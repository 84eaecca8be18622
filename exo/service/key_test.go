package service

import (
	"context"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// TestKey: an idempotency key names one call of one run. It is the same however often the
// function asks, and another one for the next call, in the next run, and of each object.
func TestKey(t *testing.T) {
	if k := Key(t.Context()); k != "" {
		t.Errorf("outside a call: %q", k)
	}
	var keys []string
	s := mustNew(t, Read("m", "", func(ctx context.Context, _ None) (None, error) {
		if k := Key(ctx); k != Key(context.WithoutCancel(ctx)) {
			t.Errorf("the key changes within a call: %q", k)
		}
		keys = append(keys, Key(ctx))
		return None{}, nil
	}))
	for range 2 {
		r := open(t, exo.Config{}, s)
		for range 2 {
			if _, err := r.call(0, "m", value.Value{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen := map[string]bool{"": true}
	for _, k := range keys {
		if seen[k] {
			t.Errorf("a key is empty, or of two calls: %q", keys)
		}
		seen[k] = true
	}
	if len(keys) != 4 {
		t.Errorf("%d calls", len(keys))
	}
}
