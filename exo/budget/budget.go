package budget

// This file declares budgets, and names each of them for the store and for a program.

import (
	"fmt"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
)

// Per is the kind of runs that share a budget.
type Per string

// These runs of the tool share a budget:
const (
	Principal    Per = "principal"    // all runs of a principal, and all runs without a principal
	Conversation Per = "conversation" // all runs of one conversation of a principal: see exo.Run.Conversation
	Tool         Per = "tool"         // all runs of the tool
)

// Budget bounds what runs use together. A field that is zero sets no bound.
type Budget struct {
	Per   Per
	Every time.Duration // the budget is full again each time that this time, in whole minutes, is over; 0: never
	// Calls, Effects, Rows and Bytes are counted as the package comment describes. Bits bounds the bits of sealed values that declassifiers reveal.
	Calls, Effects, Rows, Bytes, Bits int
}

// amounts has one number for each thing that a budget bounds.
type amounts [kinds]int

const (
	nCalls = iota
	nEffects
	nRows
	nBytes
	nBits
	kinds
)

var names = [kinds]string{"calls", "effects", "records", "bytes", "bits"}

func (b Budget) amounts() amounts { return amounts{b.Calls, b.Effects, b.Rows, b.Bytes, b.Bits} }

func (b Budget) check() error {
	all := b.amounts()
	switch {
	case slices.Min(all[:]) < 0:
		return fmt.Errorf("budget: an amount of a budget is %d: want 1 or more, or 0 for no bound", slices.Min(all[:]))
	case b.Per != Principal && b.Per != Conversation && b.Per != Tool:
		return fmt.Errorf("budget: the field Per of a budget is %q: want %s, %s or %s", string(b.Per), Principal, Conversation, Tool)
	case b.Every < 0 || b.Every%time.Minute != 0:
		return fmt.Errorf("budget: the field Every of a budget is %s: want whole minutes, or 0 for a budget that never refills", b.Every)
	case all == amounts{}:
		return fmt.Errorf("budget: the budget per %s bounds nothing: give it an amount, like calls or effects", b.Per)
	case b.Bits > 0 && b.Per == Conversation:
		return fmt.Errorf("budget: bits can't be per conversation: give them to a budget per %s or %s", Principal, Tool)
	}
	return nil
}

// from returns the beginning of the window that now is in. A budget that is never full again has only one window.
func (b Budget) from(now time.Time) time.Time {
	if b.Every == 0 {
		return time.Time{}
	}
	return now.UTC().Truncate(b.Every)
}

// Refills returns the time after t at which the budget is full again; zero: never.
func (b Budget) Refills(t time.Time) time.Time { return b.from(t).Add(b.Every) }

// key returns the key of the store's entry for what runs of a principal and a conversation have used. Different names have different keys, whatever characters they contain.
func (b Budget) key(tool string, p exo.Principal, conversation string) string {
	parts := []string{"budget", tool, string(b.Per), b.Every.String()}
	switch b.Per {
	case Principal:
		parts = append(parts, string(p))
	case Conversation:
		parts = append(parts, string(p), conversation)
	}
	return store.Key(parts...)
}

// lacks returns the error that a program gets when its budget is used up. It shows only the program's own budget, and no number of other users.
func (b Budget) lacks(kind int, from time.Time, what string) error {
	each := map[time.Duration]string{0: "", time.Minute: " a minute", time.Hour: " an hour", 24 * time.Hour: " a day", 7 * 24 * time.Hour: " a week"}
	every, ok := each[b.Every]
	if !ok {
		every = " each " + b.Every.String()
	}
	of := map[Per]string{Principal: "for this user", Conversation: "for this conversation", Tool: "that all users share"}[b.Per]
	refills := ", and it does not refill"
	if b.Every > 0 {
		refills = ": it refills at " + b.Refills(from).Format("2006-01-02 15:04 UTC")
	}
	return fail.Errorf(fail.Limit, "", "the budget of %d %s%s %s %s%s", b.amounts()[kind], names[kind], every, of, what, refills)
}
