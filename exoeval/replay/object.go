// This file has the objects of a replay, which answer from the record.

package replay

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
)

// world is what the objects of a replay share.
type world struct {
	was        *recording
	interfaces []*message.Interface
	admitting  atomic.Uint64 // the call that the gate is admitting
}

// numberOf returns the number of a message's call.
func numberOf(m *exo.Message) uint64 {
	key := m.Key()
	n, _ := strconv.ParseUint(key[strings.LastIndexByte(key, '-')+1:], 10, 64)
	return n
}

// refusing wraps an object by policies that refuse what the host's policies refused in the recorded run, each with its text. A message that only
// failed later would count as an effect of the run. judged reports that the host's policies looked at sealed values, which adds labels.
func (w *world) refusing(judged bool, o exo.Object) exo.Object {
	texts := map[string]bool{}
	for _, c := range w.was.calls {
		if c.asked.Step == exo.Refused && fail.KindOf(c.asked.Err) == fail.Denied {
			texts[refusalOf(c.asked.Err)] = true
		}
	}
	for text := range texts {
		o = exo.Wrap(o, exo.Policy{Blind: true, Refusal: text, Before: func(m *exo.Message) bool {
			c := w.was.calls[numberOf(m)]
			return c == nil || c.asked.Step != exo.Refused || refusalOf(c.asked.Err) != text
		}})
	}
	return exo.Wrap(o, exo.Policy{Blind: !judged, Before: func(m *exo.Message) bool { w.admitting.Store(numberOf(m)); return true }})
}

// refusalOf returns the text of an error without its operation.
func refusalOf(err error) string { return fail.AsError("", err).Message() }

// Take implements exo.BitBudget. It refuses what the budget of the recorded run refused.
func (w *world) Take(exo.Principal, time.Time, int) (left int, err error) {
	if c := w.was.calls[w.admitting.Load()]; c != nil && c.asked.Step == exo.Refused {
		return 0, c.asked.Err
	}
	return 0, nil
}

// Begin implements exo.Budgets. The returned purse refuses what the budgets refused in the recorded run.
func (w *world) Begin(exo.Run, exo.Limits) exo.Purse { return purse{w} }

// purse implements exo.Purse for a replay. It takes nothing from a budget, and refuses what the budgets refused in the recorded run.
type purse struct{ *world }

// Take implements exo.Purse. The gate calls it after its own checks, so a refusal of the gate has already happened again.
func (p purse) Take(_ time.Time, n uint64, u exo.Use, _ bool) error {
	c := p.was.calls[n]
	switch {
	case c == nil:
		return nil
	case u.Calls == 0:
		return c.kept
	case c.asked.Step == exo.Refused && (fail.KindOf(c.asked.Err) == fail.Limit || fail.KindOf(c.asked.Err) == fail.Internal):
		return c.asked.Err
	}
	return nil
}

// Settle implements exo.Purse.
func (purse) Settle(int) {}

// object replies to messages from the record.
type object struct {
	*world
	described message.Description
}

func (o *object) Describe() (message.Description, error) { return o.described, nil }

// UnitKey implements exo.Transactional. All objects of a replay share one unit, which keeps nothing.
func (o *object) UnitKey() any { return o.world }

// Validate implements exo.Validator.
func (o *object) Validate(m *exo.Message) error { return o.failed(numberOf(m)) }

// failed returns the recorded error of a call, or nil if the call succeeded.
func (w *world) failed(n uint64) error {
	c, state, err := w.was.calls[n], exo.StateRolledBack, error(nil)
	switch {
	case c == nil:
		return fmt.Errorf("%w: replay: the program makes call %d, which the record does not have", exo.ErrNothingDone, n)
	case c.asked.Step == exo.Refused:
		err = c.asked.Err
	case c.outcome.Err != nil:
		err, state = c.outcome.Err, c.outcome.State
	}
	if err != nil && state == exo.StateRolledBack {
		err = fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
	}
	return err
}

// Eval returns the recorded reply.
func (o *object) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	n, effect := numberOf(m), m.Root.Method().Effect
	if effect == message.Held { // a held effect acts after the program's end, so the program did not see its outcome
		return value.Null(), nil
	}
	err := o.failed(n)
	var kept exo.Kept
	if c := o.was.calls[n]; c != nil && c.outcome != nil && c.outcome.Kept != nil {
		kept = *c.outcome.Kept
		_ = m.Spend(kept.Rows, kept.Bytes) // the gate itself refuses replies beyond the budget, in call order
	}
	if err == nil && effect == message.InUnit {
		_, err = m.Unit(o.world, func(context.Context) (exo.Unit, error) { return unit{}, nil })
	}
	if err != nil {
		return value.Value{}, err
	}
	return o.restored(kept)
}

// restored returns the value of a recorded reply, with objects of the replay in it.
func (o *object) restored(kept exo.Kept) (value.Value, error) {
	v, err := value.DecodeValue(string(kept.Value), len(kept.Value))
	if err != nil || kept.Types == nil {
		return v, err
	}
	types, err := coding.UnpackTypes(kept.Types)
	if err != nil {
		return v, err
	}
	return v.Replace(func(x value.Value) (value.Value, bool) {
		if x.Kind() != value.KindRef || len(types) == 0 {
			return x, false
		}
		led := &object{o.world, message.Description{Type: types[0], Interfaces: o.interfaces}}
		types = types[1:]
		return value.RefValue(led).WithLabel(x.Label()), true
	}), nil
}

// unit is a unit of work that keeps nothing.
type unit struct{}

func (unit) Prepare(context.Context) error  { return nil }
func (unit) Commit(context.Context) error   { return nil }
func (unit) Rollback(context.Context) error { return nil }
