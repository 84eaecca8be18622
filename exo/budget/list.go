package budget

// This file has the budget of declassifiers, and the list with which a host sees all budgets.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/store"
)

// Bits returns the budgets with Bits, for exo.Config.Bits. It returns nil if the set has none, so that a gate refuses declassifiers. Package
// declassify has a budget that bounds only bits.
func (s *Set) Bits() exo.BitBudget {
	if s == nil || !slices.ContainsFunc(s.budgets, func(b Budget) bool { return b.Bits > 0 }) {
		return nil
	}
	return bitsOf{s}
}

type bitsOf struct{ set *Set }

// Take implements exo.BitBudget. If one of several budgets refuses, the bits that were taken from the earlier ones stay taken.
func (b bitsOf) Take(p exo.Principal, now time.Time, n int) (left int, err error) {
	left = math.MaxInt
	for _, x := range b.set.budgets {
		if x.Bits == 0 {
			continue
		}
		err := b.set.edit(x, p, "", now, func(e *entry) (put bool, err error) {
			e.roll(x, now)
			rest := max(x.Bits-e.Used[nBits], 0)
			if n < 1 || n > rest {
				return false, x.lacks(nBits, e.From, fmt.Sprintf("has less left than the %d that this call takes", n))
			}
			e.Used[nBits] += n
			left = min(left, rest-n)
			return true, nil
		})
		if err != nil {
			return 0, err
		}
	}
	return left, nil
}

// Standing is what was used of one budget. It is for the host: a program learns only whether its budget is used up.
type Standing struct {
	Budget       Budget
	Principal    exo.Principal // "" for a budget per tool, and for runs without a principal
	Conversation string
	Used         Budget    // the amounts that were used, including what runs have reserved
	Refills      time.Time // when the budget is full again; zero: never
}

// List returns what was used of each budget by now, in the order of the budgets and then of the keys. It leaves out a principal, conversation or
// tool that has used nothing yet.
func (s *Set) List(ctx context.Context, now time.Time) (out []Standing, err error) {
	if s == nil || s.kept == nil {
		return nil, errNone
	}
	for _, b := range s.budgets {
		prefix := b.key(s.tool, "", "")
		if b.Per == Conversation {
			prefix = prefix[:len(prefix)-1] // the key of two empty names ends in //: without the last / it is the beginning of every key of this budget
		}
		for e, err := range store.All(ctx, s.kept, prefix) {
			var was entry
			if err == nil {
				was, err = read(&e)
			}
			if err != nil {
				return nil, err
			}
			was.roll(b, now)
			u := was.Used
			out = append(out, Standing{b, was.Principal, was.Conversation, Budget{b.Per, b.Every, u[nCalls], u[nEffects], u[nRows], u[nBytes], u[nBits]}, b.Refills(was.From)})
		}
	}
	return out, nil
}
