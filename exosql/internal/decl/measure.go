package decl

// This file has measures: aggregates of a facet's rows that the host defines and that programs call by name.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Measure is an aggregate of the rows of a facet that meet a condition, or the ratio of two measures. See exosql.Measure.
type Measure struct {
	Name, Doc string
	Func      string  // Func is an aggregate of package language, or "" for a ratio
	Col       *Column // Col is the aggregated column; nil if each row counts
	Where     *Pred   // Where is the condition of the rows that count; nil if all rows count
	Num, Den  *Measure
}

// Columns returns the columns that the measure uses.
func (m *Measure) Columns() (out []*Column) {
	if m == nil {
		return nil
	}
	if m.Col != nil {
		out = append(out, m.Col)
	}
	return slices.Concat(out, m.Where.Columns(), m.Num.Columns(), m.Den.Columns())
}

// Label returns the label that a program gets by asking for the measure: those of all its columns, since the value depends on each.
func (m *Measure) Label() (l value.Label) {
	for _, c := range m.Columns() {
		l = l.Join(c.Label)
	}
	return l
}

// Kind returns the type of the measure's value.
func (m *Measure) Kind() string {
	switch {
	case m.Func == language.Count:
		return value.TypeInt
	case m.Func == "" && (m.Num.Kind() == value.TypeDecimal || m.Den.Kind() == value.TypeDecimal), m.Func != "" && m.Col.Kind == value.TypeDecimal:
		return value.TypeDecimal
	case m.Func == "", m.Func == language.Avg:
		return value.TypeFloat
	}
	return m.Col.Kind
}

// AddMeasure makes the facet show a measure.
func (f *Facet) AddMeasure(m *Measure) error {
	wrong := func(format string, args ...any) error {
		return fail.Errorf(fail.Invalid, "exosql: facet "+f.Alias, format, args...)
	}
	switch {
	case m == nil || m.Name == "":
		return wrong("a measure has no name: give it one with %s", f.Table.Reader.MeasureName())
	case scalar.ReservedName(m.Name) || language.ReservedMeasure(m.Name):
		return wrong("%q can't be the name of a measure: programs use that word for something else, so choose another", m.Name)
	case f.taken(m.Name):
		return wrong("two members are named %q: give one of them another name", m.Name)
	}
	parts := []*Measure{m}
	if m.Func == "" {
		if parts = []*Measure{m.Num, m.Den}; m.Where != nil {
			return wrong("the measure %s: a ratio can't have a condition, so give the condition to its two measures", m.Name)
		}
	}
	for _, x := range parts {
		if x == nil || x.Func == "" {
			return wrong("the measure %s: a ratio needs two measures, neither of them a ratio", m.Name)
		}
		if x.Func != language.Count && x.Col == nil {
			return wrong("the measure %s: %s needs a column: name a declared one", m.Name, x.Func)
		}
		if x.Func != language.Count && !language.Aggregates(x.Func, x.Col.Kind) {
			return wrong("the measure %s: the column %s is %s, which has no %s: use another aggregate or another column", m.Name, x.Col.Name, x.Col.Kind, x.Func)
		}
		if x.Where != nil && x.Where.Err != nil {
			return x.Where.Err
		}
		if err := x.Where.Of(f.Table); err != nil {
			return err
		}
		if x.Col != nil && x.Col.Table != f.Table {
			return wrong("the measure %s: the column %s belongs to table %s: use a column of the facet's table", m.Name, x.Col.Name, x.Col.Table.Name)
		}
		if len(parts) > 1 && !language.Calculates(x.Kind()) {
			return wrong("the measure %s: both measures of a ratio must be numbers", m.Name)
		}
	}
	f.Measures = append(f.Measures, m)
	return nil
}

// Measure returns the measure with this name, or nil if the facet has none or is nil itself.
func (f *Facet) Measure(name string) *Measure {
	if f == nil {
		return nil
	}
	if i := slices.IndexFunc(f.Measures, func(m *Measure) bool { return m.Name == name }); i >= 0 {
		return f.Measures[i]
	}
	return nil
}

// measurable refuses a measure that would reveal a column that the facet does not show. It is called when all members are known.
func (f *Facet) measurable() error {
	for _, m := range f.Measures {
		for _, c := range m.Columns() {
			if !slices.Contains(f.Cols, c) {
				return fail.Errorf(fail.Invalid, "exosql: facet "+f.Alias, "the measure %s: the facet does not show the column %s: add it to the facet", m.Name, c.Name)
			}
		}
	}
	return nil
}

// measuring adds the measures to the interface of the facet's query. Groups and joins find them by the interface of the row.
func (f *Facet) measuring(row, query *message.Interface) {
	if len(f.Measures) == 0 {
		return
	}
	for _, x := range f.Measures {
		m := language.MeasureMethod(x.Name, x.Kind(), x.Func == language.Count)
		m.Doc, m.Label = x.Doc, x.Label()
		query.Methods[m.Name] = m
		query.Order = append(query.Order, m.Name)
	}
	row.Many, row.Words = query.Name, append([]message.Words{language.MeasureWords()}, row.Words...)
}
