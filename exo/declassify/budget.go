package declassify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
)

// Budget is a limit on how many bits of sealed values may be revealed to each principal in a day. Runs without a principal share one budget. The zero
// Budget and a nil *Budget reveal nothing.
type Budget struct {
	perDay int
	mu     sync.Mutex
	day    string      // the latest day on which this process took bits
	kept   store.Store // how many bits each principal has taken
	forget bool        // kept is in memory, so each day begins with an empty store
}

var _ exo.BitBudget = (*Budget)(nil)

// New makes a budget of bitsPerDay for each principal, kept in memory.
func New(bitsPerDay int) *Budget {
	return &Budget{perDay: bitsPerDay, kept: store.NewMemory(nil), forget: true}
}

// In makes a budget that keeps the taken bits in a store. So a restart gives no bits back, and processes that share the store share the budget. Each
// principal has one permanent entry with a key that begins with "bits/". The host closes the store, and then nothing is revealed.
func In(s store.Store, bitsPerDay int) (*Budget, error) {
	if s == nil {
		return nil, errors.New("declassify: the store is nil: pass a store to In, or use New to keep the budget in memory")
	}
	if bitsPerDay < 1 {
		return nil, fmt.Errorf("declassify: the budget has %d bits a day: want 1 or more", bitsPerDay)
	}
	return &Budget{perDay: bitsPerDay, kept: s}, nil
}

// errNone is the error for a host that made its Budget without calling New or In.
var errNone = errors.New("declassify: the zero Budget can't be used: make it with New or In")

// wait is the longest time that Take waits for its store.
const wait = 10 * time.Second

// Take implements exo.BitBudget. It stores the taken bits before it returns, so before anything is revealed. With In they are then on the disk, or
// committed.
func (b *Budget) Take(p exo.Principal, now time.Time, bits int) (left int, err error) {
	if b == nil {
		return 0, errNone
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		return 0, errNone
	}
	if d := now.UTC().Format(time.DateOnly); d > b.day { // if the clock is set back, the day stays, so that no bits are given back
		if b.day = d; b.forget {
			b.kept = store.NewMemory(nil)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	err = store.Update(ctx, b.kept, store.Key("bits", string(p)), func(e *store.Entry) (put bool, err error) {
		was, err := read(e)
		if err != nil {
			return false, err
		}
		if was.Day < b.day { // a later day in the entry comes from a clock that was ahead, and its bits still count
			was = taken{Day: b.day}
		}
		if left = b.perDay - was.Bits; bits < 1 || bits > left {
			return false, fail.Errorf(fail.Limit, "", "this call takes %d bits of what a user may learn about sealed values in one day, and %d of %d bits are left until midnight UTC", bits, max(left, 0), b.perDay)
		}
		was.Bits += bits
		e.Value, err = json.Marshal(was)
		return true, err
	})
	if err != nil {
		return left, err
	}
	return left - bits, nil
}

// taken is the value of an entry: how many bits a principal has taken in a day.
type taken struct {
	Day  string `json:"day"` // the day in UTC, as 2006-01-02, so that texts sort like days
	Bits int    `json:"bits"`
}

// read reads an entry. It refuses an entry that this package did not write, since that may hide taken bits.
func read(e *store.Entry) (t taken, err error) {
	if e.Version == store.Absent {
		return t, nil
	}
	d := json.NewDecoder(bytes.NewReader(e.Value))
	d.DisallowUnknownFields()
	err = d.Decode(&t)
	if _, day := time.Parse(time.DateOnly, t.Day); err != nil || day != nil || t.Bits < 1 {
		return t, fmt.Errorf("declassify: the store's entry %.80q should be a day and the bits taken on that day, and is %.200s: correct the entry, or remove it to give these bits back", e.Key, e.Value)
	}
	return t, nil
}
