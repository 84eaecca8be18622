package exosql

import "github.com/exoagent/exoagent/exo"

// Predicate is a condition on rows of T. The zero Predicate matches no row and
// absorbs whatever it is combined with, so a condition that was forgotten can
// never widen anything: not even Not of it matches.
type Predicate[T any] struct{ p *pred }

// pred is the untyped core; nil is the zero predicate.
type pred struct {
	op   string // of operators (operator.go), or all, and, or, not
	col  *column
	vals []exo.Value
	subs []*pred
	err  error
	args []held // of a shaper's copy, in the place of vals
}

// AllRows is the one predicate that does not narrow. Its name is long so that
// it is found in a review.
func AllRows[T any]() Predicate[T] { return Predicate[T]{&pred{op: "all"}} }

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
	q := &pred{op: op}
	for _, p := range ps {
		if p.p == nil {
			return Predicate[T]{} // absorbs
		}
		if p.p.err != nil && q.err == nil {
			q.err = p.p.err
		}
		q.subs = append(q.subs, p.p)
	}
	return Predicate[T]{q}
}

// checked notes values that no engine can hold; the query that uses them fails.
func (p *pred) checked() *pred {
	for _, v := range p.vals {
		if v.IsZero() {
			p.err = exo.Errorf(exo.Invalid, p.col.table.name+"."+p.col.name, "the value can't be compared in a database: text must be valid and without NUL, numbers finite, decimals written like \"-12.5\", days real, years 1 to 9999; JSON and arrays can't be compared at all")
		}
	}
	if operatorOn()[columnInterfaces[p.col.kind]]["eq"] == nil && len(p.vals) > 0 && p.op != "has" {
		p.err = exo.Errorf(exo.Invalid, p.col.table.name+"."+p.col.name, "JSON and arrays can't be compared")
	}
	return p
}
