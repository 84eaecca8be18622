package budget

// This file keeps in a store what was used of budgets.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
)

// Set has the budgets of a tool. Several goroutines may use it. The zero Set, and nil, refuse every message.
type Set struct {
	kept    store.Store
	tool    string
	budgets []Budget
	opened  atomic.Int64 // how many entries of conversations this process has made
}

// In makes the budgets of a tool. They are kept in s under the tool's name, which has 1 to 100 bytes. Sets with the same name in one store share what is
// used: another tool needs another name. If the host changes an amount, what was used before still counts. The host closes the store; after that every
// message is refused. The entry of a conversation is dropped 30 days after its last use; the entries of principals and tools stay.
func In(s store.Store, tool string, budgets ...Budget) (*Set, error) {
	switch {
	case s == nil:
		return nil, errors.New("budget: In got a nil store: pass one of exo/store, which keeps how much of each budget is used")
	case tool == "" || len(tool) > 100:
		return nil, fmt.Errorf("budget: the name of the tool has %d bytes: want 1 to 100", len(tool))
	case len(budgets) == 0:
		return nil, errors.New("budget: In got no budget: pass one, or leave the Set out")
	}
	for i, b := range budgets {
		if err := b.check(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(budgets[:i], func(a Budget) bool { return a.Per == b.Per && a.Every == b.Every }) {
			return nil, fmt.Errorf("budget: there are two budgets per %s each %s: put their amounts into one", b.Per, b.Every)
		}
	}
	return &Set{kept: s, tool: tool, budgets: slices.Clone(budgets)}, nil
}

// errNone is the error for a host that made its Set without In.
var errNone = &fail.Error{Kind: fail.Internal, Err: fail.Named("budget: the zero Set can't be used: make it with budget.In")}

const (
	wait     = 10 * time.Second    // the longest time that a message waits for the store
	rest     = 30 * 24 * time.Hour // how long the entry of a conversation stays after its last use
	perSweep = 256                 // old entries are removed each time that this many conversations have got their first entry
	fraction = 8                   // a run reserves one part in this many of what is left
)

// entry is the value of an entry in the store. It has what was used in a window.
type entry struct {
	Principal    exo.Principal `json:"principal,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	From         time.Time     `json:"from,omitzero"` // the beginning of the window
	Used         []int         `json:"used"`          // the amounts, in the order of names
}

// read reads an entry. It refuses an entry that this package did not write, since nothing shows how much of the budget was used.
func read(e *store.Entry) (out entry, err error) {
	if e.Version == store.Absent {
		return entry{Used: make([]int, kinds)}, nil
	}
	d := json.NewDecoder(bytes.NewReader(e.Value))
	d.DisallowUnknownFields()
	if err = d.Decode(&out); err != nil || len(out.Used) != kinds || slices.Min(out.Used) < 0 {
		err = fmt.Errorf("budget: the store's entry %.80q should say how much of a budget was used, and is %.200s: correct the entry, or remove it to make the whole budget free again", e.Key, e.Value)
	}
	return out, err
}

// roll begins the window of now, unless e is in that window or a later one. e is in a later window if a process with a clock that was ahead wrote it.
func (e *entry) roll(b Budget, now time.Time) {
	if from := b.from(now); e.From.Before(from) {
		e.From, e.Used = from, make([]int, kinds)
	}
}

// edit calls change with the entry of a budget, and stores the entry if change returns true. change may be called again if another process was faster.
func (s *Set) edit(b Budget, p exo.Principal, conversation string, now time.Time, change func(*entry) (put bool, err error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	made := false
	err := store.Update(ctx, s.kept, b.key(s.tool, p, conversation), func(e *store.Entry) (put bool, err error) {
		x, err := read(e)
		if err != nil {
			return false, err
		}
		if put, err = change(&x); err != nil || !put {
			return false, err
		}
		if b.Per != Tool {
			x.Principal = p
		}
		if b.Per == Conversation {
			made, x.Conversation = e.Version == store.Absent, conversation
			for _, end := range []time.Time{x.From.Add(b.Every), now.Add(rest)} {
				if end.After(e.Until) {
					e.Until = end
				}
			}
		}
		e.Value, err = json.Marshal(x)
		return true, err
	})
	if made && err == nil && s.opened.Add(1)%perSweep == 0 {
		_, err = s.kept.Sweep(ctx)
	}
	if err != nil && fail.KindOf(err) != fail.Limit {
		return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("budget: how much of a budget is used can't be read from the store or written to it: %w", err)}
	}
	return err
}
