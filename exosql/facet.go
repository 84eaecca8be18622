package exosql

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Facet is what a program may see of a table: the columns listed, and the links
// listed with the facet of what they lead to. What is not listed does not exist
// for it. Build facets in a function, Add links to them (both ways is normal),
// and hand out Of; from then on they are frozen.
type Facet[T any] struct{ f *decl.Facet }

// Member is a column of T, or a link from T with the facet of its target; see Via.
type Member[T any] interface {
	addTo(f *decl.Facet, _ *T) error
}

func (c *Column[T, V]) addTo(f *decl.Facet, _ *T) error { return f.AddColumn(c.core()) }

type via[A any] struct {
	l *decl.Link
	f *decl.Facet
}

func (m via[A]) addTo(f *decl.Facet, _ *A) error { return f.AddLink(m.l, m.f) }

// Via makes a link part of a facet; programs follow it to f.
func Via[A, B any](l Link[A, B], f *Facet[B]) Member[A] { return via[A]{l.l, f.f} }

// NewFacet begins a facet. alias is what programs call one row of it.
func NewFacet[T any](t *Table[T], alias constant, members ...Member[T]) *Facet[T] {
	f, err := decl.NewFacet(t.t, string(alias))
	if err != nil {
		panic(err.Error())
	}
	return (&Facet[T]{f}).Add(members...)
}

// Add adds columns and links. It panics on a frozen facet and on names that
// clash: both are errors in the declaration.
func (f *Facet[T]) Add(members ...Member[T]) *Facet[T] {
	err := f.f.Change(func() error {
		for _, m := range members {
			if err := m.addTo(f.f, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		panic(err.Error())
	}
	return f
}
