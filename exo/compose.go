package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/spell"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"math"
	"slices"
)

// Compose makes the object `text`: text(["Dear ", x, "!"]) joins its parts to one text. If a part is sealed, the text is sealed, too, and
// the run reads nothing of that part. The session keeps the parts, and makes the text when a sink admits its label. So the program learns
// neither the length of the text nor whether it could be made. A text of more than half of Limits.LiteralBytes is "[too large]".
func Compose() Object { return composer{} }

// A tool grants the Compose object as ComposeName, unless the host uses that name. ComposeInterface names its interface.
const (
	ComposeName      = "text"
	ComposeInterface = "Compose"
)

type composer struct{}

func (composer) Describe() (message.Description, error) {
	parts := &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": {Name: value.TypeData, Null: true}}}
	m := &message.Method{Name: ComposeName, Sends: true,
		Params: []message.Param{{Name: "the parts", Want: &message.Term{Con: parts}}}, Result: &message.Term{Con: &message.Type{Name: value.TypeText}}}
	i := &message.Interface{Name: ComposeInterface, Call: ComposeName, Methods: map[string]*message.Method{ComposeName: m}}
	return message.Description{Type: &message.Type{Name: i.Name}, Interfaces: []*message.Interface{i}, Doc: "texts of sealed values"}, nil
}

// Eval is never called: the session composes the text, since only the session knows what is sealed.
func (composer) Eval(context.Context, *Message) (value.Value, error) {
	return value.Value{}, fail.Errorf(fail.Internal, "", "exo: Eval of the Compose object was called directly: send the message through a Session, which makes the text")
}

// recipe is the content of a sealed text until a sink opens it. weight counts the sealed values in the text, once for each use. weight has a
// bound: otherwise texts that each use the previous one twice would double with each call.
type recipe struct {
	parts  []value.Value
	weight int
}

const maxWeight = 1000

// mostComposed is how many bytes a sealed text may have: half of LiteralBytes, so that the text fits into the argument of a sink.
func (s *Session) mostComposed() int { return s.gate.limits.LiteralBytes / 2 }

// composes reports whether the message makes a text.
func (m *Message) composes() bool {
	_, ok := m.Objects[m.Root.Receiver().Slot].(composer)
	return ok
}

// compose returns the reply to a message to `text`. Its errors depend only on the form and size of the list, which the program has chosen.
func (s *Session) compose(m *Message) (value.Value, error) {
	e := m.entry
	var parts []value.Value
	if list := m.Root.Args[0].Lit; list.Kind() == value.KindList {
		parts = list.Items()
	} else if !list.IsNull() {
		return value.Value{}, fail.Errorf(fail.Invalid, "", "this list is sealed as a whole, so its parts can't be used: write a list of your own, like [\"Dear \", name]")
	}
	if e.sealed == nil {
		return value.Text(spell.Joined(parts, math.MaxInt)), nil // no part is sealed, so the text reveals no more than the message itself
	}
	r := &recipe{parts: slices.Clone(parts)}
	size := m.Root.Args[0].Lit.BytesUpTo(s.gate.limits.UnansweredBytes, 0)
	s.mu.Lock()
	for _, p := range parts {
		r.weight += s.weight(p)
	}
	s.composed += size
	size = s.composed
	s.mu.Unlock()
	if most := s.gate.limits.UnansweredBytes; size > most {
		return value.Value{}, fail.Errorf(fail.Limit, "", "the parts of all sealed texts of a program may have at most %d bytes together; make fewer or shorter texts", most)
	}
	if r.weight > maxWeight {
		return value.Value{}, fail.Errorf(fail.Limit, "", "the text would contain %d sealed values, counting those in its parts; put at most %d into one text", r.weight, maxWeight)
	}
	e.digest = s.digestOf(value.List(parts...))
	return e.shows.put(&message.Type{Name: value.TypeText}, *e.sealed, content{text: r}), nil
}

// weight counts the sealed values in v. A sealed text counts as the values in it. s.mu is held.
func (s *Session) weight(v value.Value) (n int) {
	for x := range v.All() {
		if x.Kind() != value.KindSealed {
			continue
		}
		if r := s.contents[x.Number()].text; r != nil {
			n += r.weight
		} else {
			n++
		}
	}
	return n
}

// made returns content c as a sink gets it. If c is a recipe, made composes its text, with the label l.
func (s *Session) made(c content, l value.Label) value.Value {
	if c.text == nil {
		return c.plain
	}
	parts := make([]value.Value, len(c.text.parts))
	for i, p := range c.text.parts {
		parts[i] = s.contentsOf(p, func(value.Label) bool { return true })
	}
	return value.Text(spell.Joined(parts, s.mostComposed())).WithLabel(l)
}
