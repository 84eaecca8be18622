package exo

import (
	"slices"

	"github.com/exoagent/exoagent/internal/scalar"
)

// wide resolves Term.Wide: the expression interface of the least type that holds
// all of them.
func (e *env) wide(op string, t *Term) (*Type, error) {
	var of *Type
	var label Label // no type that is made of another loses it
	null := t.Null
	for _, w := range t.Wide {
		x, err := e.resolve(op, w)
		if err != nil {
			return nil, err
		}
		label = label.Join(x.Label)
		if inner := x.Args["of"]; inner != nil && e.cat[x.Name] != nil && e.cat[x.Name].Expr {
			x = inner
		}
		null = null || x.Null || x.Name == TypeNull
		switch {
		case x.Name == TypeNull, of != nil && sameScalar(of, x):
		case of == nil:
			of = x
		case scalar.NumberRank(of.Name) > 0 && scalar.NumberRank(x.Name) > 0:
			if scalar.NumberRank(x.Name) > scalar.NumberRank(of.Name) {
				of = x
			}
		default:
			return nil, Errorf(Invalid, op, "mixes %s and %s; both have to be of one kind", of.bare(), x.bare())
		}
	}
	if of == nil {
		return nil, Errorf(Invalid, op, "has only nulls; one value has to be something else")
	}
	if t.To == nil {
		return &Type{Name: of.Name, Args: of.Args, Null: null, Label: label}, nil
	}
	if name := t.To[of.Name]; name != "" {
		n := &Type{Name: of.Name, Args: of.Args, Null: null}
		if len(t.Wide) == 1 {
			n.Enum = of.Enum
		}
		return &Type{Name: name, Args: map[string]*Type{"of": n}, Label: label}, nil
	}
	return nil, Errorf(Invalid, op, "can't be used with %s", of.bare())
}

// bare is the type as messages name it where null and the list of values don't matter.
func (t *Type) bare() *Type { return &Type{Name: t.Name, Args: t.Args, Fields: t.Fields} }

func sameScalar(a, b *Type) bool {
	return a.Name == b.Name && (a.Name != TypeList || slices.Equal(listOf(a), listOf(b)))
}

func listOf(t *Type) []string {
	if of := t.Args["of"]; of != nil {
		return []string{of.Name}
	}
	return nil
}
