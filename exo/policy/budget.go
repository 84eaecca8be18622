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

// Any is an Allowance's number for as many as there are.
const Any = math.MaxInt

// RunBudget lets each run send o, and what it leads to, as many messages as a says.
// A message that mentions the object more than once, or as an argument, counts once; one
// that passed counts, whatever becomes of it.
func RunBudget(o exo.Object, a Allowance) exo.Object {
	key := new(byte) // of this budget, and of no other
	return exo.Wrap(o, exo.Policy{Refusal: usedUp, Blind: true, Before: func(m *exo.Message) bool {
		return m.PerRun(key, func() any { return &purse{left: a} }).(*purse).take(m)
	}})
}

// LifeBudget lets all runs together send o, and what it leads to, as many messages as a says, from now on until the
// process ends. They count as in RunBudget. A run whose result may not leave, by what it has read, sends none any more:
// how many are left would reveal it to other runs.
func LifeBudget(o exo.Object, a Allowance) exo.Object {
	p := &purse{left: a}
	o = exo.Wrap(o, exo.Policy{Refusal: usedUp, Blind: true, Before: p.take})
	return exo.Wrap(o, exo.Policy{Refusal: untold, Blind: true, Before: func(m *exo.Message) bool { return !m.Withheld() }})
}

const untold = "this program has read what its result may not carry, so it can't use what other programs share with it"

const usedUp = "the budget of calls for this object is used up"

// purse is what is left of an allowance.
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
