package exosql

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Predicate is a condition on rows of T. The zero Predicate matches no row and
// absorbs whatever it is combined with, so a condition that was forgotten can
// never widen anything: not even Not of it matches.
type Predicate[T any] struct{ p *decl.Pred }

// AllRows is the one predicate that does not narrow. Its name is long so that
// it is found in a review.
func AllRows[T any]() Predicate[T] { return Predicate[T]{&decl.Pred{Op: "all"}} }

// And holds where all of ps hold; of none, nowhere.
func And[T any](ps ...Predicate[T]) Predicate[T] { return combine("and", ps) }

// Or holds where one of ps holds; of none, nowhere.
func Or[T any](ps ...Predicate[T]) Predicate[T] { return combine("or", ps) }

// Not holds where p does not hold. A comparison with NULL neither holds nor
// does not: Not of it does not hold either (SQL's three-valued logic).
func Not[T any](p Predicate[T]) Predicate[T] { return combine("not", []Predicate[T]{p}) }

func combine[T any](op string, ps []Predicate[T]) Predicate[T] {
	if len(ps) == 0 {
		return Predicate[T]{}
	}
	q := &decl.Pred{Op: op}
	for _, p := range ps {
		if p.p == nil {
			return Predicate[T]{} // absorbs
		}
		if p.p.Err != nil && q.Err == nil {
			q.Err = p.p.Err
		}
		q.Subs = append(q.Subs, p.p)
	}
	return Predicate[T]{q}
}
