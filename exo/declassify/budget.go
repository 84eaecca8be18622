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

// Budget is how many bits of sealed values may be revealed to each principal in a day. Runs without a principal share one budget. The zero
// Budget, and nil, reveal nothing.
type Budget struct {
	perDay int
	mu     sync.Mutex
	day    string      // the latest that this process was asked at
	kept   store.Store // what each principal has taken
	forget bool        // kept is in memory: a new day begins with an empty one
}

var _ exo.BitBudget = (*Budget)(nil)

// New makes a budget of so many bits a day for each principal, in memory.
func New(bitsPerDay int) *Budget {
	return &Budget{perDay: bitsPerDay, kept: store.NewMemory(nil), forget: true}
}

// In makes a budget whose taken bits are in a store, so that a restart gives none back, and processes that share the store share the budget.
// There is one entry for each principal, which stays; its key begins with "bits/". The host closes the store, after which nothing is revealed.
func In(s store.Store, bitsPerDay int) (*Budget, error) {
	if s == nil {
		return nil, errors.New("declassify: the store is nil: In keeps what is taken there; New keeps it in memory")
	}
	if bitsPerDay < 1 {
		return nil, fmt.Errorf("declassify: %d bits a day: want 1 or more", bitsPerDay)
	}
	return &Budget{perDay: bitsPerDay, kept: s}, nil
}

// errNone is what a host gets that forgot New.
var errNone = errors.New("declassify: this Budget was made by neither New nor In, so it has no bits")

// wait is how long a Take waits for its store.
const wait = 10 * time.Second

// Take implements exo.BitBudget. What is taken is kept before it returns, so before anything is revealed: of In, on the disk or committed.
func (b *Budget) Take(p exo.Principal, now time.Time, bits int) (left int, err error) {
	if b == nil {
		return 0, errNone
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		return 0, errNone
	}
	if d := now.UTC().Format(time.DateOnly); d > b.day { // a clock that was set back gives nothing back
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
		if was.Day < b.day { // otherwise another process has a clock that is ahead, or this one had
			was = taken{Day: b.day}
		}
		if left = b.perDay - was.Bits; bits < 1 || bits > left {
			return false, fail.Errorf(fail.Limit, "", "the limit is %d bits of sealed values a day (UTC); %d are left, and this takes %d", b.perDay, max(left, 0), bits)
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

// taken is the bits that a principal has taken in a day: the value of an entry.
type taken struct {
	Day  string `json:"day"` // of UTC, as 2006-01-02, so that texts sort as days do
	Bits int    `json:"bits"`
}

// read reads an entry. One that this package did not write may stand for bits that were taken, so it is refused.
func read(e *store.Entry) (t taken, err error) {
	if e.Version == store.Absent {
		return t, nil
	}
	d := json.NewDecoder(bytes.NewReader(e.Value))
	d.DisallowUnknownFields()
	err = d.Decode(&t)
	if _, day := time.Parse(time.DateOnly, t.Day); err != nil || day != nil || t.Bits < 1 {
		return t, fmt.Errorf("declassify: the entry %.80q is not a day and bits that were taken at it: %.200s; correct it, or remove it, which gives its day's bits back", e.Key, e.Value)
	}
	return t, nil
}
