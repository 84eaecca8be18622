package exo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
)

// A declassifier is a method that tells a little of sealed values: the domain of an address, whether two amounts are equal. The host
// grants it, it names the tags that it may let go, its reply is one of a number of outcomes that its type declares, and
// a budget of bits bounds what all calls of a principal's day tell together. These are the who, the what and the how much of Sabelfeld
// and Sands 2009. Its arguments are opened for the object alone: the run gets no tag by them.

// BitBudget bounds what declassifiers tell: exo/declassify has one. Give all tools of a host the same one: with one each, a principal is told the sum.
type BitBudget interface {
	// Take takes bits from what a principal has at the day of now, and says how many are left. With an error, of Kind Limit where
	// there are too few, none are taken and nothing is told. It is called in the order in which messages arrive, and must not wait.
	Take(principal Principal, now time.Time, bits int) (left int, err error)
}

// Declassified is in Entry.Details of the intent of a message to a declassifier, before it acts.
type Declassified struct {
	Labels []string `json:"declassified"` // the tags of the sealed values that it was given
	Bits   int      `json:"bits"`         // that it took
	Left   int      `json:"left"`         // of the principal's day
}

// Untold is in Entry.Details of the outcome of a message to a declassifier that failed, panicked or replied what its type has not.
// The program got null.
type Untold struct {
	Err string `json:"untold"`
}

// maxBits is the most that one call may tell.
const (
	maxBits     = 32
	maxOutcomes = 1 << maxBits
)

var errOutcomes = fmt.Errorf("it has more outcomes than %d bits can tell", maxBits)

// Bits is the most that one call of a declassifier tells: the logarithm of the number of its outcomes, null among them. It is 0
// of every other method. It follows from the type of the result, which no policy can change.
func (m *Method) Bits() int {
	if m.Declassifies.Empty() || m.Result == nil {
		return 0
	}
	n, err := m.Result.Con.outcomes()
	if err != nil {
		return maxBits // such a method is refused when it is granted
	}
	return bits.Len64(n - 1)
}

// outcomes is how many values the type has. It fails where their number is not declared.
func (t *Type) outcomes() (n uint64, err error) {
	switch {
	case t == nil:
		return 0, errors.New("its type is missing")
	case t.Name == TypeBool:
		n = 2
	case t.Name == TypeText && len(t.Enum) > 0:
		n = uint64(len(t.Enum))
	case t.ranged():
		n = uint64(t.Max) - uint64(t.Min) + 1
	case t.Name == TypeRecord:
		n = 1
		for i := range t.Fields {
			f := &t.Fields[i]
			of, err := f.Type.outcomes()
			if err != nil {
				return 0, fmt.Errorf("%s: %w", f.Name, err)
			}
			if f.Opt { // whether it is there
				of++
			}
			if of > maxOutcomes/n {
				return 0, errOutcomes
			}
			n *= of
		}
	default:
		return 0, fmt.Errorf("it is %s, of which there are any number: want true or false, text of an Enum, a whole number from Min to Max, or a record of these", t)
	}
	if n == 0 || n >= maxOutcomes { // 0: all whole numbers; null is another
		return 0, errOutcomes
	}
	if t.Null {
		n++
	}
	return n, nil
}

// ranged reports whether the type is of whole numbers from Min to Max.
func (t *Type) ranged() bool { return t.Name == TypeInt && t.Min < t.Max }

// checkDeclassifies refuses a declassifier whose replies no number bounds, or that could be asked of more than the values that it is given.
func (m *Method) checkDeclassifies() error {
	if m.Declassifies.Empty() {
		return nil
	}
	switch {
	case !m.Declassifies.Integrity().Empty():
		return fmt.Errorf("it declassifies %s, which says who wrote: only tags of secrecy can be let go", m.Declassifies.Integrity())
	case !m.Sends || !m.Sink || m.Effect != NoEffect || m.Nested != nil || m.Row:
		return errors.New("what declassifies sends, is a sink, has no effect, and is in no callback")
	case m.Result == nil || m.Result.Con == nil || !m.Result.Con.Null:
		return errors.New("what declassifies gives a closed type or null, which stands for every failure")
	case !m.Shows().Empty():
		return errors.New("what declassifies can't label what it gives")
	}
	for i := range m.Params {
		// A query is no value that was sealed: what is told would be computed by the program, of whole columns.
		if p := &m.Params[i]; p.Lambda != nil || p.Want == nil || !p.Want.Con.plain(0) {
			return fmt.Errorf("%s: what declassifies takes plain data, and neither callbacks nor objects", p.Name)
		}
	}
	if _, err := m.Result.Con.outcomes(); err != nil {
		return fmt.Errorf("what it gives: %w", err)
	}
	return nil
}

// declassifier names a method that declassifies, "" if none does.
func (c Catalog) declassifier() string {
	for _, n := range c.Names() {
		for _, name := range slices.Sorted(maps.Keys(c[n].Methods)) {
			if !c[n].Methods[name].Declassifies.Empty() {
				return n + "." + name
			}
		}
	}
	return ""
}

// declassifies says why a message to a declassifier may not be given its sealed values, which carry the label sealed. It looks at labels and at what
// the program did, and at no content, so a refusal tells nothing and the run gets no label by it.
func (s *Session) declassifies(m *Message, x Expr, sealed Label) error {
	op, tags := s.opName(m.Root), m.Root.method.Declassifies
	switch {
	case sealed.Empty():
		return nil
	case !sealed.Integrity().Empty():
		// Who wrote one value would choose what is told of the others (robust declassification, Zdancewic and Myers 2001).
		return Errorf(Denied, op, "it tells nothing of what outsiders wrote: a sealed value that it is given is labelled %s", sealed.Integrity().list())
	case !sealed.FlowsTo(tags):
		return Errorf(Denied, op, "it tells of %s alone, and a sealed value that it is given is labelled %s", tags.list(), sealed.without(tags).list())
	case m.judged():
		return Errorf(Denied, op, "a policy of the host looks at what it is given, so it takes no sealed values")
	}
	for _, n := range x.Nodes {
		if s.holdsRecipe(n.Lit) {
			return Errorf(Denied, op, "it tells of values as they were read, and this one was made by `text`, or came with something that is calculated of one: ask for it as it is")
		}
	}
	return nil
}

// holdsRecipe reports whether a sealed value in v is a text that the program made (see Compose), or came with a reply in which something may be
// made by a total method. By what it puts into one a program would choose what is told: a text of ten secrets asks all of them at once.
// Laundering, in the words of Sabelfeld and Sands.
func (s *Session) holdsRecipe(v Value) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range v.All() {
		if x.Kind() != kindSealed {
			continue
		}
		number := uint64(x.Number())
		if s.contents[number].text != nil || slices.ContainsFunc(s.calculated, func(of [2]uint64) bool { return of[0] <= number && number < of[1] }) {
			return true
		}
	}
	return false
}

// charge takes the bits of a message to a declassifier that is admitted otherwise, whatever becomes of it: in the order of messages and before it
// acts, so that calls that run at one time can't overdraw. details are for the record of its intent.
func (s *Session) charge(m *Message, e *pending) (details []any, err error) {
	if e.tells == nil {
		return nil, nil
	}
	op := s.opName(m.Root)
	if m.Withheld() { // how many bits are left would tell other runs of what this one has read
		return nil, Errorf(Denied, op, "this program has read what its result may not carry, so it can't use up bits that other programs share with it")
	}
	d := Declassified{Labels: e.tells.Tags(), Bits: m.Root.method.Bits()}
	if p := s.hostCode(e, func() { d.Left, err = s.gate.bits.Take(s.run.Principal, s.gate.now(), d.Bits) }); p != nil {
		return nil, s.policyFailed(p)
	}
	if err != nil {
		return nil, AsError("", err).In(op)
	}
	return []any{d}, nil
}

// tell asks a declassifier, with its sealed values opened. Every failure is the one outcome null: an error's text, or that a value did not fit
// what is wanted of it, would tell more than the type of the result has. The host finds it in the record.
func (m *Message) tell(ctx context.Context) (Value, error) {
	s := m.session
	said := make(chan Value, 1)
	go func() { // of its own: code that ends its goroutine must look like any other failure
		v, err := Value{}, error(errEnded)
		defer func() {
			if err == nil {
				if told, ok := m.Root.method.Result.Con.told(v); ok {
					said <- told
					return
				}
				err = fmt.Errorf("exo: the reply is not %s", m.Root.method.Result.Con)
			}
			m.Detail(Untold{scalar.Clip(err.Error(), maxErrorOp)})
			said <- Null()
		}()
		v, err = s.askOpened(ctx, m)
	}()
	v := <-said
	if ctx.Err() != nil {
		return Value{}, Classify("", ctx.Err())
	}
	return v, nil
}

func (s *Session) askOpened(ctx context.Context, m *Message) (v Value, err error) {
	defer panicked(&v, &err)
	open, err := s.check(s.open(m.asked), &pending{}, nil)
	if err != nil {
		return Value{}, err
	}
	open.entry = m.entry
	return ask(ctx, open)
}

// told is v made anew as the type has it: no label, no field more, no other order of fields, no other spelling of a number, by which an object could tell
// more than there are outcomes.
func (t *Type) told(v Value) (Value, bool) {
	switch {
	case v.IsNull():
		return Null(), t.Null
	case t.Name == TypeBool && v.Kind() == kindBool:
		return Bool(v.Bool()), true
	case t.Name == TypeText && v.Kind() == kindText:
		i := slices.Index(t.Enum, v.Text())
		if i < 0 {
			return Value{}, false
		}
		return Text(t.Enum[i]), true
	case t.ranged() && v.Kind() == kindInt:
		return Int(v.Int()), t.Min <= v.Int() && v.Int() <= t.Max
	case t.Name == TypeRecord && v.Kind() == kindRecord:
		var fs []Field
		for i := range t.Fields {
			f := &t.Fields[i]
			x, ok := v.Get(f.Name)
			if !ok && f.Opt {
				continue
			}
			if x, ok = f.Type.told(x); !ok {
				return Value{}, false
			}
			fs = append(fs, Field{f.Name, x})
		}
		return RecordValue(fs...), len(fs) == v.Len()
	}
	return Value{}, false
}
