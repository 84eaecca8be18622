package policy

import (
	"math"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Allowance is how many messages to an object may pass, and how many of them may have an
// effect. The zero Allowance lets nothing pass.
type Allowance struct{ Messages, Effects int }

// Any is the number of an Allowance without a limit.
const Any = math.MaxInt

// RunBudget lets each run send as many messages as a allows to o and to the objects that o returns.
// A message that mentions the object more than once, or as an argument, counts once. A message that
// passed counts, even if it fails later.
func RunBudget(o exo.Object, a Allowance) exo.Object {
	key := new(byte) // a key for this budget alone
	return exo.Wrap(o, exo.Policy{Refusal: usedUp, Blind: true, Before: func(m *exo.Message) bool {
		return m.PerRun(key, func() any { return &purse{left: a} }).(*purse).take(m)
	}})
}

// LifeBudget lets all runs together send as many messages as a allows to o and to the objects that o returns,
// from now until the process ends. They count as in RunBudget. A run with a result that may not leave sends
// none any more: the number that is left would reveal to other runs what it has read.
func LifeBudget(o exo.Object, a Allowance) exo.Object {
	p := &purse{left: a}
	o = exo.Wrap(o, exo.Policy{Refusal: usedUp, Blind: true, Before: p.take})
	return exo.Wrap(o, exo.Policy{Refusal: untold, Blind: true, Before: func(m *exo.Message) bool { return !m.Withheld() }})
}

const untold = "this program has read values that its result may not contain, so it can't use a budget that it shares with other programs"

const usedUp = "the budget of calls for this object is used up"

// purse has the rest of an allowance.
type purse struct {
	mu   sync.Mutex
	left Allowance
}

// take counts a message, and reports whether it may pass. A refused message costs nothing.
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
