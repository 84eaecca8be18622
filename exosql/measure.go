package exosql

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Measure is an aggregate of rows of T that the host defines once, as a member of a facet, so that no program has to:
//
//	exosql.Sum(OrderAmount).Where(OrderState.Eq("paid")).As("revenue").Doc("paid orders, without tax")
//
// Programs call it by its name, of queries, groups, windows and links: `orders.revenue()`, `g.revenue()`, `customer.orders().revenue()`. What
// they say besides narrows it, and they can't define it otherwise. It takes each row once: where a join repeats its rows it is an error.
// It names columns that the facet shows, and who asks for it has read the labels of all of them, also of those in its condition.
type Measure[T any] struct{ m *decl.Measure }

// Count is a measure of how many rows there are.
func Count[T any]() Measure[T] { return Measure[T]{&decl.Measure{Func: language.Count}} }

// Sum is a measure of a column of numbers; it is null of no values, like those below.
func Sum[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Sum, c) }

// Mean is a measure of a column of numbers.
func Mean[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Avg, c) }

// Min is a measure of a column of numbers, texts, times or days.
func Min[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Min, c) }

// Max is a measure of a column of numbers, texts, times or days.
func Max[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Max, c) }

func measureOf[T, V any](name string, c *Column[T, V]) Measure[T] {
	return Measure[T]{&decl.Measure{Func: name, Col: c.core()}}
}

// Ratio is the measure whose value is that of one measure of numbers divided by that of another, whatever rows both are of. It is null
// where the second is 0 or null. The two need no names, and neither is a ratio.
func Ratio[T any](name constant, of, by Measure[T]) Measure[T] {
	return Measure[T]{&decl.Measure{Name: string(name), Num: of.m, Den: by.m}}
}

// Where is the measure of those rows for which p holds, too.
func (m Measure[T]) Where(p Predicate[T]) Measure[T] {
	return m.with(func(x *decl.Measure) {
		if p.p == nil {
			p.p = &decl.Pred{Op: "all", Err: fail.Errorf(fail.Invalid, "exosql: Measure.Where", "a zero Predicate was given, for which no row is one")}
		}
		if x.Where != nil {
			p = And(Predicate[T]{x.Where}, p)
		}
		x.Where = p.p
	})
}

// As gives the measure the name by which programs call it.
func (m Measure[T]) As(name constant) Measure[T] {
	return m.with(func(x *decl.Measure) { x.Name = string(name) })
}

// Doc adds a line for whoever reads the declarations: a model, mostly.
func (m Measure[T]) Doc(text constant) Measure[T] {
	return m.with(func(x *decl.Measure) { x.Doc = string(text) })
}

// with is a copy of the measure with a change.
func (m Measure[T]) with(change func(*decl.Measure)) Measure[T] {
	if m.m == nil {
		return m // a facet refuses it
	}
	x := *m.m
	change(&x)
	return Measure[T]{&x}
}

func (m Measure[T]) addTo(f *decl.Facet, _ *T) error { return f.AddMeasure(m.m) }
