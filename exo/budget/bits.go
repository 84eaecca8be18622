package budget

// This file has the bits of sealed values that declassifiers reveal.

import (
	"fmt"
	"math"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// Bits returns the budgets with Bits, for exo.Config.Bits. It reveals nothing if the set has none. Package declassify has a budget of bits alone.
func (s *Set) Bits() exo.BitBudget { return bitsOf{s} }

type bitsOf struct{ set *Set }

// Take implements exo.BitBudget. If one of several budgets refuses, what was taken of the others before stays taken.
func (b bitsOf) Take(p exo.Principal, now time.Time, n int) (left int, err error) {
	if b.set == nil {
		return 0, errNone
	}
	left, found := math.MaxInt, false
	for _, x := range b.set.budgets {
		if x.Bits == 0 {
			continue
		}
		found = true
		err := b.set.edit(x, p, "", now, func(w *window) (put bool, err error) {
			w.roll(x, now)
			rest := max(x.Bits-w.used[bits], 0)
			if n < 1 || n > rest {
				return false, x.lacks(bits, w.from, fmt.Sprintf("has less left than the %d that this takes", n))
			}
			w.used[bits] += n
			left = min(left, rest-n)
			return true, nil
		})
		if err != nil {
			return 0, err
		}
	}
	if !found {
		return 0, fail.Errorf(fail.Limit, "", "the tool has no budget of bits, so nothing is revealed")
	}
	return left, nil
}
