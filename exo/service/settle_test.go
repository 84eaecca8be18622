package service

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/value"
)

// TestSettle: a call that failed after its mail had left is unknown. The service's own answer, by the key that the call had, settles it; the
// twin without Settle stays unknown, and neither is called again.
func TestSettle(t *testing.T) {
	for _, settles := range []bool{true, false} {
		sent := map[string]int{} // by key, as a mail API knows it
		send := Method("send", "", func(ctx context.Context, _ None) (None, error) {
			sent[Key(ctx)]++
			return None{}, errors.New("the connection is lost")
		})
		if settles {
			send = send.Settle(func(_ context.Context, key string) (exo.State, error) {
				if sent[key] > 0 {
					return exo.StateApplied, nil
				}
				return exo.StateFailed, nil
			})
		}
		s := mustNew(t, send)
		var b bytes.Buffer
		l := record.New(&b)
		r := open(t, exo.Config{Record: l}, s)
		if _, err := r.call(0, "send", value.Value{}); err != nil {
			t.Fatal(err)
		}
		if err := r.s.Finish(t.Context(), value.Null(), nil); err != nil {
			t.Error(err)
		}
		for range 2 {
			runs, err := record.Unknown(bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if err := (record.Settlers{Objects: map[string]record.Settler{"it": s}}).Reconcile(t.Context(), l, runs); err != nil {
				t.Fatal(err)
			}
		}
		var acted []exo.State
		for e, err := range record.Read(&b) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Step == exo.Acted {
				acted = append(acted, e.State)
			}
		}
		want := []exo.State{exo.StateUnknown}
		if settles {
			want = append(want, exo.StateApplied)
		}
		if !slices.Equal(acted, want) || len(sent) != 1 || slices.Collect(maps.Values(sent))[0] != 1 {
			t.Errorf("settles %v: acted %v, sent %v", settles, acted, sent)
		}
	}
}

// TestSettleMisused: a Read, and a missing function, are errors of New; a service that can't answer does not guess.
func TestSettleMisused(t *testing.T) {
	known := func(context.Context, string) (exo.State, error) { return exo.StateApplied, nil }
	for what, op := range map[string]Operation{"a read": Read("m", "", gives[int]).Settle(known), "no function": Method("m", "", gives[int]).Settle(nil)} {
		if _, err := New("x", "", op); err == nil || !strings.Contains(err.Error(), "Settle needs a function") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := New("x", "", Method("m", "", gives[int]).Immediate().Settle(known)); err != nil {
		t.Error(err)
	}
	var none *Service
	for _, s := range []*Service{none, {}} {
		if state, err := s.Settle(t.Context(), "m", "k"); state != exo.StateUnknown || err == nil {
			t.Errorf("the zero Service answers %v, %v", state, err)
		}
	}
	s := mustNew(t, Method("m", "", gives[int]))
	for _, method := range []string{"m", "other"} {
		if state, err := s.Settle(t.Context(), method, "k"); state != exo.StateUnknown || err != nil {
			t.Errorf("%s: %v, %v", method, state, err)
		}
	}
}
