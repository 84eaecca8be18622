package revoke_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/exo/store"
)

// breakable is a store that can't be read while broken is set.
type breakable struct {
	store.Store
	broken atomic.Bool
	lists  atomic.Int64
}

func (b *breakable) List(ctx context.Context, prefix, after string, most int) ([]store.Entry, error) {
	b.lists.Add(1)
	if b.broken.Load() {
		return nil, errors.New("the disk is gone")
	}
	return b.Store.List(ctx, prefix, after, most)
}

func newStore() *breakable { return &breakable{Store: store.NewMemory(nil)} }

// begin begins a run, and returns its context.
func begin(t *testing.T, l *revoke.List, p exo.Principal) (context.Context, func()) {
	t.Helper()
	ctx, end, err := l.Begin(t.Context(), p)
	if err != nil {
		t.Fatalf("%s can't run: %v", p, err)
	}
	return ctx, end
}

// refused reports whether no run of p begins, because p is revoked.
func refused(t *testing.T, l *revoke.List, p exo.Principal) bool {
	t.Helper()
	_, end, err := l.Begin(t.Context(), p)
	if err == nil {
		end()
	} else if fail.KindOf(err) != fail.Revoked {
		t.Fatal(err)
	}
	return err != nil
}

// TestBegin: within Every, another process stops what runs and begins no more, of the revoked principals alone, until they are restored.
func TestBegin(t *testing.T) {
	names := []exo.Principal{"ann", "bob", "all", "", "revoked/all", "principal/ann", exo.Principal(strings.Repeat("é", 500))}
	for _, all := range []bool{false, true} {
		for _, whom := range names {
			synctest.Test(t, func(t *testing.T) {
				s := newStore()
				here, there := revoke.In(s, nil), revoke.In(s, nil)
				revokes, restores := func() error { return here.Revoke(t.Context(), whom, "why not") }, func() error { return here.Restore(t.Context(), whom) }
				if all {
					revokes, restores = func() error { return here.RevokeAll(t.Context(), "") }, func() error { return here.RestoreAll(t.Context()) }
				}
				if err := restores(); !errors.Is(err, revoke.ErrNotRevoked) {
					t.Errorf("restored before: %v", err)
				}
				runs := map[exo.Principal]context.Context{}
				for _, p := range names {
					ctx, end := begin(t, there, p)
					runs[p] = ctx
					defer end()
				}
				for range 2 { // a second time changes nothing
					if err := revokes(); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(revoke.Every + time.Millisecond)
				synctest.Wait()
				for _, p := range names {
					want := all || p == whom
					if got := fail.KindOf(context.Cause(runs[p])) == fail.Revoked; got != want {
						t.Errorf("%.20q is stopped: %v", p, got)
					}
					if refused(t, here, p) != want || refused(t, there, p) != want {
						t.Errorf("%.20q may begin, or may not", p)
					}
				}
				if err := restores(); err != nil || refused(t, here, whom) {
					t.Errorf("not restored: %v", err)
				}
				if time.Sleep(revoke.Every); refused(t, there, whom) {
					t.Error("not restored in the other process")
				}
			})
		}
	}
}

// TestUnreadable: while the store can't be read no program begins, and those that run go on for Patience, but not longer.
func TestUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		l := revoke.In(s, nil)
		ctx, end := begin(t, l, "ann")
		defer end()
		s.broken.Store(true)
		time.Sleep(revoke.Patience - revoke.Every)
		if _, _, err := l.Begin(t.Context(), "ann"); fail.KindOf(err) != fail.Internal || !strings.Contains(err.Error(), "the disk is gone") {
			t.Errorf("a run begins: %v", err)
		}
		if ctx.Err() != nil {
			t.Errorf("stopped too early: %v", context.Cause(ctx))
		}
		time.Sleep(3 * revoke.Every)
		if fail.KindOf(context.Cause(ctx)) != fail.Internal {
			t.Errorf("goes on for ever: %v", context.Cause(ctx))
		}
		s.broken.Store(false)
		begun, ended := begin(t, l, "ann")
		defer ended()
		if time.Sleep(2 * revoke.Patience); begun.Err() != nil {
			t.Errorf("stopped: %v", context.Cause(begun))
		}
	})
}

// TestReads: the store is read once in Every, however many programs begin, and not at all while none runs.
func TestReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		l := revoke.In(s, nil)
		for range 1000 {
			_, end := begin(t, l, "ann")
			end()
		}
		time.Sleep(time.Hour)
		// An empty list is one page.
		if n := s.lists.Load(); n != 1 {
			t.Errorf("%d reads", n)
		}
		_, end := begin(t, l, "ann")
		time.Sleep(10*revoke.Every + revoke.Every/2)
		end()
		end()
		if time.Sleep(time.Hour); s.lists.Load() != 12 {
			t.Errorf("%d reads", s.lists.Load())
		}
	})
}

// TestZero: a list without a store refuses, and does not panic.
func TestZero(t *testing.T) {
	for _, l := range []*revoke.List{nil, {}, revoke.In(nil, nil)} {
		_, _, err := l.Begin(t.Context(), "ann")
		_, listed := l.Entries(t.Context())
		for _, err := range []error{err, listed, l.Revoke(t.Context(), "ann", ""), l.RevokeAll(t.Context(), ""), l.Restore(t.Context(), "ann"), l.RestoreAll(t.Context())} {
			if fail.KindOf(err) != fail.Denied {
				t.Error(err)
			}
		}
	}
}

// TestDamaged: an entry under another's key, or one that is no entry, is an error: it may hide who is revoked.
func TestDamaged(t *testing.T) {
	for key, value := range map[string]string{"revoked/principal/ann": `{"principal":"bob"}`, "revoked/all": `{"principal":"bob"}`, "revoked/x": `7`} {
		s := newStore()
		if _, err := s.Put(t.Context(), store.Entry{Key: key, Value: []byte(value)}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := revoke.In(s, nil).Begin(t.Context(), "carl"); fail.KindOf(err) != fail.Internal {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := revoke.In(newStore(), nil).Revoke(t.Context(), "ann", strings.Repeat("x", revoke.MaxWhy+1)); fail.KindOf(err) != fail.Invalid {
		t.Error(err)
	}
}
