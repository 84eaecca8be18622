package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Facet is what a program may see of a table: the columns listed, and the links
// listed with the facet of what they lead to. What is not listed does not exist
// for it. Build facets in a function, Add links to them (both ways is normal),
// and hand out Of; from then on they are frozen.
type Facet[T any] struct{ f *decl.Facet }

// Member is a column of T, or a link from T with the facet of its target; see Via.
type Member[T any] interface{ addTo(f *decl.Facet, _ *T) }

func (c *Column[T, V]) addTo(f *decl.Facet, _ *T) { f.AddColumn(c.core()) }

type via[A any] struct {
	l *decl.Link
	f *decl.Facet
}

func (m via[A]) addTo(f *decl.Facet, _ *A) { f.AddLink(m.l, m.f) }

// Via makes a link part of a facet; programs follow it to f.
func Via[A, B any](l Link[A, B], f *Facet[B]) Member[A] { return via[A]{l.l, f.f} }

// NewFacet begins a facet. alias is what programs call one row of it.
func NewFacet[T any](t *Table[T], alias constant, members ...Member[T]) *Facet[T] {
	a := string(alias)
	if exo.ReservedName(a) {
		panic(fmt.Sprintf("exosql: %q can't be the alias of a facet", a))
	}
	f := &Facet[T]{decl.NewFacet(t.t, a)}
	return f.Add(members...)
}

// Add adds columns and links. It panics on a frozen facet and on names that
// clash: both are errors in the declaration.
func (f *Facet[T]) Add(members ...Member[T]) *Facet[T] {
	f.f.Change(func() {
		for _, m := range members {
			m.addTo(f.f, nil)
		}
	})
	return f
}
