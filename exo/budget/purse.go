package budget

// This file has the purse, with which one run takes from all budgets of its tool.

import (
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
)

// Begin implements exo.Budgets. It does not touch the store.
func (s *Set) Begin(run exo.Run, l exo.Limits) exo.Purse {
	p := &purse{set: s, run: run, most: amounts{nCalls: l.Calls, nEffects: l.Calls, nRows: l.Rows, nBytes: l.Bytes}}
	if s != nil {
		for _, b := range s.budgets {
			p.parts = append(p.parts, part{budget: b, bound: b.amounts()})
		}
	}
	return p
}

// purse has what one run has reserved and used of all budgets of a set.
type purse struct {
	set   *Set
	run   exo.Run
	most  amounts // what one run may use
	mu    sync.Mutex
	parts []part
}

// part has what one run has reserved and used of one budget, in one window.
type part struct {
	budget   Budget
	bound    amounts
	opened   bool
	from     time.Time   // the beginning of the window
	reserved amounts     // what the run has reserved in the window
	have     amounts     // what the run has reserved and not yet used
	used     amounts     // what the run has used in the window
	empty    [kinds]bool // for each amount: the run found too little left
	all      bool        // all calls, rows and bytes that the run may use are reserved, and stay used
}

// Take implements exo.Purse. If one budget refuses, the run uses nothing of the other budgets.
func (p *purse) Take(now time.Time, _ uint64, u exo.Use, all bool) error {
	if len(p.parts) == 0 {
		return errNone
	}
	need := amounts{nCalls: u.Calls, nEffects: u.Effects, nRows: u.Rows, nBytes: u.Bytes}
	p.mu.Lock()
	defer p.mu.Unlock()
	var refused error
	for i := range p.parts { // ask every part, even after a refusal, since all must reach each budget
		if err := p.ensure(&p.parts[i], now, need, all); refused == nil {
			refused = err
		}
	}
	if refused != nil {
		return refused
	}
	for i := range p.parts {
		x := &p.parts[i]
		for k := range nBits {
			if x.bound[k] > 0 {
				x.have[k] -= need[k]
				x.used[k] += need[k]
			}
		}
	}
	return nil
}

// ensure reserves the missing part of need in the budget of x, or returns the error that the budget is used up.
func (p *purse) ensure(x *part, now time.Time, need amounts, all bool) error {
	if from := x.budget.from(now); !x.opened || from.After(x.from) && !x.all {
		*x = part{budget: x.budget, bound: x.bound, opened: true, from: from}
	}
	enough := x.all || !all
	for k := range nBits {
		if x.bound[k] == 0 || need[k] <= x.have[k] {
			continue
		}
		if enough = false; x.empty[k] || x.all { // too little was left before; or with x.all, to take more would show what the run has read
			return x.budget.lacks(k, x.from, "is used up")
		}
	}
	if enough {
		return nil
	}
	next, lacks := part{}, -1
	err := p.set.edit(x.budget, p.run.Principal, p.run.Conversation, now, func(w *entry) (put bool, err error) {
		w.roll(x.budget, now)
		next, lacks = x.reserve(w, p.most, need, all)
		return next.reserved != x.reserved, nil
	})
	if err != nil {
		return err
	}
	if *x = next; lacks >= 0 {
		return x.budget.lacks(lacks, x.from, "is used up")
	}
	return nil
}

// reserve takes from w what x lacks of need, and returns the new part. If less is left than x lacks, reserve takes all that is left: a refused
// reply uses up the rest, as its error states. lacks is the amount of which too little was left; -1: all was enough.
func (x *part) reserve(w *entry, most, need amounts, all bool) (next part, lacks int) {
	next, lacks = *x, -1
	if !w.From.Equal(x.from) { // the window in the store is later than this process's clock
		next = part{budget: x.budget, bound: x.bound, opened: true, from: w.From}
	}
	for k := range nBits {
		if x.bound[k] == 0 {
			continue
		}
		left, missing := max(x.bound[k]-w.Used[k], 0), max(need[k]-next.have[k], 0)
		more := max(most[k]-next.reserved[k], missing)
		switch {
		case missing > left:
			lacks, next.empty[k], next.have[k] = k, true, 0
			w.Used[k] += left
			next.reserved[k] += left
			continue
		case all && k != nEffects: // the gate lets such a run change nothing more
			more = min(more, left)
		case missing > 0 || next.have[k] == 0:
			more = max(missing, min(more, left/fraction))
		default:
			continue
		}
		w.Used[k] += more
		next.reserved[k] += more
		next.have[k] += more
	}
	next.all = next.all || all
	return next, lacks
}

// Settle implements exo.Purse. If the store fails, the part that should be given back stays used.
func (p *purse) Settle(happened int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.parts {
		x := &p.parts[i]
		back := x.have
		if x.all {
			back = amounts{nEffects: back[nEffects]}
		}
		back[nEffects] += max(x.used[nEffects]-happened, 0)
		if back == (amounts{}) {
			continue
		}
		_ = p.set.edit(x.budget, p.run.Principal, p.run.Conversation, x.from, func(w *entry) (put bool, err error) {
			if !w.From.Equal(x.from) { // the window of x is over, so nothing is given back
				return false, nil
			}
			for k := range nBits {
				w.Used[k] = max(w.Used[k]-back[k], 0)
			}
			return true, nil
		})
		x.have, x.used = amounts{}, amounts{}
	}
}
