package exo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// A declassifier is a method that reveals a little of sealed values: the domain of an address, whether two amounts are equal. The host grants it.
// The method names the tags that it may let go. Its type declares the outcomes, and its reply is one of them. A budget of bits bounds what all
// calls of a principal reveal together in a day. Sabelfeld and Sands (2009) call these limits the who, the what and the how much. Only the object
// sees the content of sealed arguments, so the arguments add no tag to the run.

// BitBudget bounds how many bits declassifiers reveal. Package exo/declassify implements it. All tools of a host need the same
// BitBudget: otherwise a principal could spend the sum of all budgets.
type BitBudget interface {
	// Take takes bits from the principal's budget for the day of now, and returns how many are left. If too few are left, it returns an error of
	// Kind Limit. After any error nothing is revealed. It is called in the order in which messages arrive, and must not wait.
	Take(principal Principal, now time.Time, bits int) (left int, err error)
}

// Declassified is in Entry.Details of the intent of a message to a declassifier, before it acts.
type Declassified struct {
	Labels []string `json:"declassified"` // the tags of the sealed values in its arguments
	Bits   int      `json:"bits"`         // the bits that the call took from the budget
	Left   int      `json:"left"`         // the bits that are left for the principal on that day
}

// DeclassifierError is in Entry.Details of the outcome of a message to a declassifier that failed, panicked, or replied with a value of
// another type. The program got null.
type DeclassifierError struct {
	Err string `json:"declassifierError"`
}

// declassifies returns why a declassifier may not be given the sealed values of message m, or nil. sealed is the label of those values. The
// decision depends on labels and on what the program did, never on the content of a value. So a refusal reveals nothing, and adds no label to the run.
func (s *Session) declassifies(m *Message, x message.Expr, sealed value.Label) error {
	op, tags := s.opName(m.Root), m.Root.Method().Declassifies
	switch {
	case sealed.Empty():
		return nil
	case !sealed.Integrity().Empty():
		// Otherwise the author of one value could choose what is revealed of the others (robust declassification, Zdancewic and Myers 2001).
		return fail.Errorf(fail.Denied, op, "this method takes no sealed value that outsiders wrote, and one in its arguments is labelled %s: leave that value out", sealed.Integrity().List())
	case !sealed.FlowsTo(tags):
		return fail.Errorf(fail.Denied, op, "this method takes only sealed values labelled %s, and one in its arguments is labelled %s: leave that value out", tags.List(), sealed.Without(tags).List())
	case m.judged():
		return fail.Errorf(fail.Denied, op, "a policy of the host reads the arguments of this method, so they can have no sealed values: leave these out")
	}
	for _, n := range x.Nodes {
		if s.holdsRecipe(n.Lit) {
			return fail.Errorf(fail.Denied, op, "this method takes a sealed value only as it was read, and one in this call was made by `text` or read together with a calculated value: read the value alone, and pass it unchanged")
		}
	}
	return nil
}

// holdsRecipe reports whether a sealed value in v is a text that the program made (Compose), or may come from the program's own expressions.
// Otherwise a program could put ten secrets into one text and ask about all of them at once (laundering, Sabelfeld and
// Sands).
func (s *Session) holdsRecipe(v value.Value) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range v.All() {
		if x.Kind() != value.KindSealed {
			continue
		}
		number := uint64(x.Number())
		if s.contents[number].text != nil || slices.ContainsFunc(s.calculated, func(of [2]uint64) bool { return of[0] <= number && number < of[1] }) {
			return true
		}
	}
	return false
}

// charge takes the bits of a message to a declassifier that has passed every other check. The bits stay taken even if the message fails. charge is
// called in the order of messages and before the message acts, so concurrent calls can't overdraw. details are for the record of the intent.
func (s *Session) charge(m *Message, e *pending) (details []any, err error) {
	if e.declassified == nil {
		return nil, nil
	}
	op := s.opName(m.Root)
	if m.Withheld() { // other runs share the budget: the bits left in it would reveal to them what this run has read
		return nil, fail.Errorf(fail.Denied, op, "this program has read values that its result may not contain, so it can't call this method, whose budget other programs share: call it in a program that has not read them")
	}
	d := Declassified{Labels: e.declassified.Tags(), Bits: m.Root.Method().Bits()}
	if p := s.hostCode(e, func() { d.Left, err = s.gate.bits.Take(s.run.Principal, s.gate.now(), d.Bits) }); p != nil {
		return nil, s.policyFailed(p)
	}
	if err != nil {
		return nil, fail.AsError("", err).In(op)
	}
	return []any{d}, nil
}

// askDeclassifier asks a declassifier, with its sealed values opened. Every failure gives the same outcome, null: an error's text, or the
// fact that a value did not fit, would reveal more than the type of the result allows. The host finds the error in the record.
func (m *Message) askDeclassifier(ctx context.Context) (value.Value, error) {
	s := m.session
	said := make(chan value.Value, 1)
	go func() { // the object gets a goroutine of its own, so that code which ends its goroutine looks like any other failure
		v, err := value.Value{}, error(errEnded)
		defer func() {
			if err == nil {
				if told, ok := m.Root.Method().Result.Con.Limited(v); ok {
					said <- told
					return
				}
				err = fmt.Errorf("exo: the object must reply with %s, as its method declares, and replied with something else", m.Root.Method().Result.Con)
			}
			m.AddDetail(DeclassifierError{scalar.Clip(err.Error(), fail.MaxOp)})
			said <- value.Null()
		}()
		v, err = s.askOpened(ctx, m)
	}()
	v := <-said
	if ctx.Err() != nil {
		return value.Value{}, fail.Classify("", ctx.Err())
	}
	return v, nil
}

func (s *Session) askOpened(ctx context.Context, m *Message) (v value.Value, err error) {
	defer panicked(&v, &err)
	open, err := s.check(s.open(m.asked), &pending{}, nil)
	if err != nil {
		return value.Value{}, err
	}
	open.entry = m.entry
	return ask(ctx, open)
}
