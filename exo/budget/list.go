package budget

// This file shows the host what is left.

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/store"
)

// Standing is what was used of one budget. It is for the host: a program learns only whether its budget is used up.
type Standing struct {
	Budget       Budget
	Principal    exo.Principal // "" for a budget per tool, and for runs without a principal
	Conversation string
	Used         Budget    // the amounts that were used; what runs have reserved counts
	Refills      time.Time // when the budget is full again; zero: never
}

// List returns what was used of each budget by now, in the order of the budgets and then of the keys. A principal or conversation that has used
// nothing yet is not there; a tool's budget always is.
func (s *Set) List(ctx context.Context, now time.Time) (out []Standing, err error) {
	if s == nil || s.kept == nil {
		return nil, errNone
	}
	for _, b := range s.budgets {
		if b.Per == Tool {
			e, err := s.kept.Get(ctx, b.key(s.tool, "", ""))
			if err != nil {
				return nil, err
			}
			x, err := b.standing(&e, now)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
			continue
		}
		for e, err := range store.All(ctx, s.kept, store.Key("budget", s.tool, string(b.Per), b.Every.String())+"/") {
			if err != nil {
				return nil, err
			}
			x, err := b.standing(&e, now)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// Unused is the standing of a principal that has used nothing yet.
func (b Budget) Unused(p exo.Principal, now time.Time) Standing {
	x, _ := b.standing(&store.Entry{}, now) // there is no entry to be damaged
	x.Principal = p
	return x
}

func (b Budget) standing(e *store.Entry, now time.Time) (Standing, error) {
	was, used, err := read(e)
	if err != nil {
		return Standing{}, err
	}
	w := window{was.From.UTC(), used}
	w.roll(b, now)
	x := Standing{Budget: b, Principal: was.Principal, Conversation: was.Conversation}
	x.Used = Budget{b.Per, b.Every, w.used[calls], w.used[effects], w.used[rows], w.used[bytes], w.used[bits]}
	if b.Every > 0 {
		x.Refills = w.from.Add(b.Every)
	}
	return x, nil
}
