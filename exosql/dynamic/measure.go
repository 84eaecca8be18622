package dynamic

import (
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// MeasureSpec describes a measure of a facet's rows: see exosql.Measure.
type MeasureSpec struct {
	Name   string    // Name is the measure's name in programs
	Func   string    // Func is count, sum, mean, min or max; "" for a ratio
	Column string    // Column is the column to aggregate; "" for count
	Where  Predicate // Where matches the rows that count; the zero Predicate matches all
	Ratio  [2]string // Ratio has dividend and divisor: names of measures that the facet has already
	Doc    string    // Doc is a line for the model
}

var aggregates = []string{language.Count, language.Sum, "mean", language.Min, language.Max}

// Measure lets programs call a measure of the facet's rows.
func (f *Facet) Measure(spec MeasureSpec) error {
	if f.zero() {
		return undeclared("Facet", "Table.Facet")
	}
	at := f.t.t.Name + "." + spec.Name
	m := &decl.Measure{Name: spec.Name, Doc: spec.Doc, Func: spec.Func}
	var err error
	switch {
	case spec.Func == "" && (spec.Where.op != "" || spec.Column != ""):
		return wrong(at, "a ratio can't have a column or a condition of its own: give them to its two measures")
	case spec.Func == "":
		m.Num, m.Den = f.f.Measure(spec.Ratio[0]), f.f.Measure(spec.Ratio[1])
	case !slices.Contains(aggregates, spec.Func):
		return wrong(at, "%q is no aggregate of a measure: write one of %s", spec.Func, list(slices.Clone(aggregates)))
	case spec.Func == language.Count && spec.Column != "":
		return wrong(at, "a measure with %s counts rows, so it can't have a column: leave the column out", spec.Func)
	case spec.Func != language.Count && spec.Column == "":
		return wrong(at, "a measure with %s needs a column: name one", spec.Func)
	case spec.Column != "":
		if m.Col, err = f.t.col(spec.Column); err != nil {
			return err
		}
	}
	if m.Func == "mean" {
		m.Func = language.Avg
	}
	if spec.Where.op != "" {
		if m.Where, err = spec.Where.on(f.t); err != nil {
			return err
		}
	}
	if err := f.f.Change(func() error { return f.f.AddMeasure(m) }); err != nil {
		return wrap(at, err)
	}
	return nil
}
