package declassify

import (
	"errors"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// Budget is how many bits of sealed values may be revealed to each principal in a day. Runs without a principal share one budget. The zero
// Budget, and nil, reveal nothing.
type Budget struct {
	perDay int
	mu     sync.Mutex
	day    string // the latest that bits were taken at
	taken  map[exo.Principal]int
	keep   func(entry) error // nil: in memory alone
}

var _ exo.BitBudget = (*Budget)(nil)

// New makes a budget of so many bits a day for each principal, in memory.
func New(bitsPerDay int) *Budget {
	return &Budget{perDay: bitsPerDay, taken: map[exo.Principal]int{}}
}

// errNone is what a host gets that forgot New.
var errNone = errors.New("declassify: this Budget was made by neither New nor Open, so it has no bits")

// Take implements exo.BitBudget.
func (b *Budget) Take(p exo.Principal, now time.Time, bits int) (left int, err error) {
	if b == nil || b.taken == nil {
		return 0, errNone
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := entry{Day: day(now), Principal: p, Bits: bits}
	if e.Day <= b.day { // a clock that was set back gives nothing back
		e.Day = b.day
		left = b.perDay - b.taken[p]
	} else {
		left = b.perDay
	}
	if bits < 1 || bits > left {
		return left, fail.Errorf(fail.Limit, "", "the limit is %d bits of sealed values a day (UTC); %d are left, and this takes %d", b.perDay, max(left, 0), bits)
	}
	if b.keep != nil { // before anything is revealed: a restart must find them taken
		if err := b.keep(e); err != nil {
			return left, err
		}
	}
	b.count(e)
	return left - bits, nil
}

// count counts an entry, and forgets the days before it.
func (b *Budget) count(e entry) {
	if e.Day > b.day {
		b.day = e.Day
		clear(b.taken)
	}
	if e.Day == b.day {
		b.taken[e.Principal] += e.Bits
	}
}

// entry is bits that were taken: a line of a File.
type entry struct {
	Day       string        `json:"day"` // a day of UTC, as 2006-01-02, so that texts sort as days do
	Principal exo.Principal `json:"principal"`
	Bits      int           `json:"bits"`
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
