package arena

import (
	"context"
	"errors"
	"sync"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// unkept are attempts that have ended but that the store refused, for example on a full disk. Players who wait for such an attempt get it
// from here until the store accepts it.
type unkept struct {
	mu    sync.Mutex
	all   map[string]store.Kept // the attempts, by id
	sizes map[string]int        // the size of each attempt, in bytes
	bytes int                   // the size of all attempts
}

// These bound unkept attempts, because a record can have half a megabyte. Beyond them, an attempt shows as running until the next start, and
// then as interrupted.
const (
	maxUnkept      = 1000
	maxUnkeptBytes = 64 << 20
)

func (u *unkept) add(player string, a *game.Attempt) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	size := a.Bytes()
	if len(u.all) >= maxUnkept || u.bytes+size > maxUnkeptBytes {
		return false
	}
	if u.all == nil {
		u.all, u.sizes = map[string]store.Kept{}, map[string]int{}
	}
	u.bytes += size - u.sizes[a.ID]
	u.all[a.ID], u.sizes[a.ID] = store.Kept{Attempt: a, Player: player}, size
	return true
}

// instead returns the attempt as it ended, even if the store has an older state.
func (u *unkept) instead(k store.Kept) store.Kept {
	u.mu.Lock()
	defer u.mu.Unlock()
	if e, ok := u.all[k.ID]; ok {
		a := *e.Attempt
		a.Shared = k.Shared
		k.Attempt = &a
	}
	return k
}

func (u *unkept) list() (out []store.Kept) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, k := range u.all {
		out = append(out, k)
	}
	return out
}

func (u *unkept) forget(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bytes -= u.sizes[id]
	delete(u.all, id)
	delete(u.sizes, id)
}

// Tend learns of the host's stop in other processes, and ends the attempts of dead processes. If the store accepts writes again, Tend gives it
// the attempts that it refused before.
func (ar *Arena) Tend(ctx context.Context) {
	if _, err := ar.ReadStop(ctx); err != nil {
		ar.Log.Error("store", "error", err)
	}
	if err := ar.Store.InterruptDead(ctx); err != nil {
		ar.Log.Error("store", "error", err)
	}
	if ar.Store.Failing() {
		if err := ar.Store.Try(ctx); err != nil {
			return
		}
		ar.Log.Warn("the store takes what it is given again")
	}
	for _, k := range ar.unkept.list() {
		err := ar.Store.Finish(ctx, k.Player, k.Attempt)
		if err != nil && !errors.Is(err, store.ErrNone) {
			return
		}
		ar.unkept.forget(k.ID)
	}
}
