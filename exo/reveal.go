package exo

import "context"

// Reveal makes the object `reveal`: reveal(x) gives what is in a sealed value, or a list or record that holds some, as
// plain data. The run carries the labels of those from then on, so what may not leave then is refused. It grants no more
// than a condition on the value would.
func Reveal() Object { return revealer{} }

type revealer struct{}

// RevealName is the name under which it is granted where nothing else has the name, and RevealInterface that of its interface.
const (
	RevealName      = "reveal"
	RevealInterface = "Reveal"
)

func (revealer) Describe() (Description, error) {
	m := &Method{Name: RevealName, Sends: true,
		Params: []Param{{Name: "the value", Want: &Term{Con: &Type{Name: TypeData, Null: true}}}}, Result: &Term{Con: &Type{Name: TypeData, Null: true}}}
	i := &Interface{Name: RevealInterface, Call: RevealName, Methods: map[string]*Method{RevealName: m}}
	return Description{Type: &Type{Name: i.Name}, Interfaces: []*Interface{i}, Doc: "plain values of sealed ones"}, nil
}

func (revealer) Eval(_ context.Context, m *Message) (Value, error) { return m.Root.Args[0].Lit, nil }
