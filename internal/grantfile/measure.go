package grantfile

// This file has measures: aggregates of a facet's rows. The file defines them, and programs call them by name.

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exosql/dynamic"
)

// Measure is an aggregate of a facet's rows.
type Measure struct {
	Name
	Func   string // one of Aggregates; "" for a ratio
	Column Name   // the aggregated column; an empty Text if none is needed
	Ratio  []Name // the names of two measures of the facet
	Where  *Expr  // the rows to aggregate; nil for all rows
	Doc    string
}

const CountRows = "count"

// Aggregates are the functions that a measure can use.
var Aggregates = []string{CountRows, "sum", "mean", "min", "max"}

// String describes the measure for a person.
func (m Measure) String() string {
	s := m.Func + " of " + m.Column.Text
	switch {
	case m.Func == "":
		return m.Ratio[0].Text + " / " + m.Ratio[1].Text
	case m.Func == CountRows:
		s = "count of rows"
	}
	if m.Where != nil {
		s += " where " + m.Where.String()
	}
	return s
}

func (r *reader) measures(n *yaml.Node) (out []Measure) {
	for _, e := range r.Entries(n, "measures") {
		m := Measure{Name: e.Named()}
		what := "the measure " + e.Name
		has := r.Fields(e, what, m.keys(r))
		forms := slices.DeleteFunc(has, func(k string) bool { return k == "where" || k == "doc" })
		switch {
		case len(forms) != 1:
			r.At(m.Pos, "%s: want exactly one of `count: true`, `sum: COLUMN`, `mean: COLUMN`, `min: COLUMN`, `max: COLUMN` and `ratio: [MEASURE, MEASURE]`", what)
		case m.Func == "" && m.Where != nil:
			r.At(m.Pos, "%s: a ratio can't have `where`, so write `where` at the two measures of the ratio", what)
		}
		out = append(out, m)
	}
	return out
}

// measured returns the columns that the measures of a facet name.
func (x *Facet) measured() (out []Name) {
	for _, m := range x.Measures {
		if m.Column.Text != "" {
			out = append(out, m.Column)
		}
		if m.Where != nil {
			for _, leaf := range m.Where.leaves() {
				out = append(out, leaf.Column)
			}
		}
	}
	return out
}

// checkMeasures checks the measures of a facet. A measure is the same for all users, so its condition has no claims.
func (x *Facet) checkMeasures(r *reader) {
	for _, m := range x.Measures {
		if m.Where != nil {
			for _, leaf := range m.Where.leaves() {
				for _, v := range leaf.Values {
					if v.Claim != "" {
						r.At(v.Pos, "where: a measure is the same for all users, so write a value in place of the claim; the `scope` of the facet limits the rows of each user")
					}
				}
			}
		}
		for _, of := range m.Ratio {
			if i := slices.IndexFunc(x.Measures, func(o Measure) bool { return o.Text == of.Text }); of.Text != "" && (i < 0 || x.Measures[i].Func == "") {
				var known []string
				for _, o := range x.Measures {
					if o.Func != "" {
						known = append(known, o.Text)
					}
				}
				r.At(of.Pos, "ratio: want a measure of this facet that is no ratio itself, not `%s`%s", of.Text, or(of.Text, known))
			}
		}
	}
}

// measures declares the measures of a facet. A ratio comes after the two measures that it divides.
func (d *Declared) measures(x *Facet, facet *dynamic.Facet, p *problems) {
	for _, ratio := range []bool{false, true} {
		for _, m := range x.Measures {
			if (m.Func == "") != ratio {
				continue
			}
			for _, l := range x.Links { // links are declared only later, so compare the name with the file's links
				if l.Text == m.Text {
					p.At(m.Pos, "the measure %s has the name of a link of the facet: give one of the two another name", m.Text)
				}
			}
			s := dynamic.MeasureSpec{Name: m.Text, Func: m.Func, Column: m.Column.Text, Doc: m.Doc}
			if ratio {
				s.Ratio = [2]string{m.Ratio[0].Text, m.Ratio[1].Text}
			}
			if m.Where != nil {
				before := len(p.List)
				if d.conditions(x, m.Where, p); len(p.List) > before {
					continue
				}
				s.Where = m.Where.predicate(Principal{})
			}
			if err := facet.Measure(s); err != nil {
				p.At(m.Pos, "the measure %s: %s", m.Text, strings.TrimPrefix(Reason(err), "the measure "+m.Text+": "))
			}
		}
	}
}
