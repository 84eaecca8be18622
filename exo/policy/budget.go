package policy

import (
	"math"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Allowance is how many messages to an object are allowed, and how many of them may have an effect.
// The zero Allowance allows none.
type Allowance struct{ Messages, Effects int }

// Any is a number without limit in an Allowance.
const Any = math.MaxInt

// RunBudget limits the messages of each run to o, and to the objects that o returns, to the
// Allowance a. A message that mentions the object more than once, or as an argument, counts once.
// An allowed message counts even if it fails later.
func RunBudget(o exo.Object, a Allowance) exo.Object {
	key := new(byte) // a key that only this budget has
	return exo.Wrap(o, exo.Policy{Refusal: usedUp, Blind: true, Before: func(m *exo.Message) bool {
		return m.PerRun(key, func() any { return &purse{left: a} }).(*purse).take(m)
	}})
}

// LifeBudget limits the messages of all runs together to o, and to the objects that o returns, to the
// Allowance a, until the process ends. Messages count as in RunBudget. A run with a result that may not leave may
// send none: the number of messages left would reveal what the run has read.
func LifeBudget(o exo.Object, a Allowance) exo.Object {
	p := &purse{left: a}
	o = exo.Wrap(o, exo.Policy{Refusal: usedUp, Blind: true, Before: p.take})
	return exo.Wrap(o, exo.Policy{Refusal: untold, Blind: true, Before: func(m *exo.Message) bool { return !m.Withheld() }})
}

const untold = "this program has read values that its result may not contain, so it can't make this call, whose budget other programs share: make the call in another program"

const usedUp = "the budget of calls to this object is used up, so this call was not made"

// purse has the unused part of an Allowance.
type purse struct {
	mu   sync.Mutex
	left Allowance
}

// take counts a message, and reports whether it is allowed. A refused message does not count.
func (p *purse) take(m *exo.Message) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	changes := m.Root.Method().Effect != message.NoEffect
	if p.left.Messages <= 0 || changes && p.left.Effects <= 0 {
		return false
	}
	if p.left.Messages != Any {
		p.left.Messages--
	}
	if changes && p.left.Effects != Any {
		p.left.Effects--
	}
	return true
}
