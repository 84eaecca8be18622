package exosql

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Measure is an aggregate that the host defines once, as a member of a facet, so that no program has to define it:
//
//	exosql.Sum(OrderAmount).Where(OrderState.Eq("paid")).As("revenue").Doc("paid orders, without tax")
//
// Programs call it by its name on queries, groups, windows and links: `orders.revenue()`, `g.revenue()`, `customer.orders().revenue()`. A program's
// own conditions narrow a measure; a program can't redefine it. A measure counts each row once: a join that repeats its rows is an error. It uses
// only columns that the facet shows. A program that calls a measure has the labels of all these columns from then on, also of those in its condition.
type Measure[T any] struct{ m *decl.Measure }

// Count makes the measure that counts rows.
func Count[T any]() Measure[T] { return Measure[T]{&decl.Measure{Func: language.Count}} }

// Sum makes the measure that adds up a number column. Without values it is null, like the measures below.
func Sum[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Sum, c) }

// Mean makes the measure that is the mean of a number column.
func Mean[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Avg, c) }

// Min makes the measure that is the least value of a column of numbers, texts, times or days.
func Min[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Min, c) }

// Max makes the measure that is the greatest value of a column of numbers, texts, times or days.
func Max[T, V any](c *Column[T, V]) Measure[T] { return measureOf(language.Max, c) }

func measureOf[T, V any](name string, c *Column[T, V]) Measure[T] {
	return Measure[T]{&decl.Measure{Func: name, Col: c.core()}}
}

// Ratio divides one measure of numbers by another. The two may count different rows. The result is null if the divisor is 0 or null. The two need
// no names, and neither can be a ratio.
func Ratio[T any](name constant, of, by Measure[T]) Measure[T] {
	return Measure[T]{&decl.Measure{Name: string(name), Num: of.m, Den: by.m}}
}

// Where returns a copy of m that counts only rows that p matches. A second Where narrows further.
func (m Measure[T]) Where(p Predicate[T]) Measure[T] {
	return m.with(func(x *decl.Measure) {
		if p.p == nil {
			p.p = &decl.Pred{Op: "all", Err: fail.Errorf(fail.Invalid, "exosql: Measure.Where", "the Predicate is zero and matches no row: make one with a method like Column.Eq or Column.In")}
		}
		if x.Where != nil {
			p = And(Predicate[T]{x.Where}, p)
		}
		x.Where = p.p
	})
}

// As gives the measure the name that programs call.
func (m Measure[T]) As(name constant) Measure[T] {
	return m.with(func(x *decl.Measure) { x.Name = string(name) })
}

// Doc adds a line to the measure's description, which is mostly read by a model.
func (m Measure[T]) Doc(text constant) Measure[T] {
	return m.with(func(x *decl.Measure) { x.Doc = string(text) })
}

// with returns a changed copy of the measure.
func (m Measure[T]) with(change func(*decl.Measure)) Measure[T] {
	if m.m == nil {
		return m // facets refuse the zero Measure
	}
	x := *m.m
	change(&x)
	return Measure[T]{&x}
}

func (m Measure[T]) addTo(f *decl.Facet, _ *T) error { return f.AddMeasure(m.m) }
