package review

// This file has what no run of a test can do: another version of the module, and a weak key.

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/buildinfo"
)

// TestOtherVersion: what another version of the module prepared is not applied. The twin is of this version.
func TestOtherVersion(t *testing.T) {
	for module, want := range map[string]fail.Kind{"v0.0.1-other": fail.Conflict, buildinfo.Version(): fail.Other} {
		a := &Approved{ChangeSet: ChangeSet{known: []byte("known"), granted: value.Digest{}.String(), module: module}}
		if err := a.compare(&exo.Reviewed{}, changeset.Set{}, []byte("known")); fail.KindOf(err) != want || a.reviewed == (want == fail.Conflict) || (a.Conflict() != nil) == a.reviewed {
			t.Errorf("%s: %v, reviewed %v", module, err, a.reviewed)
		}
	}
}

// TestWeakKey: a key that can be guessed opens all that waits.
func TestWeakKey(t *testing.T) {
	for _, n := range []int{0, MinKey - 1, MinKey} {
		if k, err := New(Options{Store: store.NewMemory(nil), Key: []byte(strings.Repeat("k", n))}); (err == nil) != (n >= MinKey) || (k == nil) != (n < MinKey) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
