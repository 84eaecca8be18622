package sqlite

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has the aggregate functions that sqlast writes for SQLite, which has no exact numbers.

var (
	errWindow = errors.New("exosql: an aggregate function was called for a window that it can't have, so there is no answer: this is a fault of exosql, please report it")
	errMany   = errors.New("exosql: an aggregate function would have to keep too many values in memory")
)

// accumulator takes values one by one, and returns their aggregate.
type accumulator interface {
	Add(x any)
	Value() any
}

// bounded is an accumulator that stores its values up to a bound.
type bounded interface{ Full() bool }

// leaving is an accumulator that can remove its oldest value.
type leaving interface{ Remove(x any) }

// list collects texts, without NULL, as a JSON array.
type list struct {
	json []byte
	size int
	bad  bool
}

func (l *list) Add(x any) {
	s, ok := x.(string)
	if l.bad = l.bad || !ok || !utf8.ValidString(s); l.bad || l.Full() {
		return
	}
	if l.size += len(s) + 8; l.json == nil { // the size is counted as sqlast.Running counts it
		l.json = []byte{'['}
	} else {
		l.json = append(l.json, ',')
	}
	text, err := json.Marshal(s)
	l.json, l.bad = append(l.json, text...), err != nil
}

func (l *list) Full() bool { return l.size > sqlast.MaxCollected }

// Value returns the list. If a value was no text, it returns a text that is no JSON, which contradicts the declaration.
func (l *list) Value() any {
	switch {
	case l.bad:
		return "a cell that is no text"
	case l.json == nil:
		return "[]"
	}
	return string(l.json) + "]"
}

// aggregates has, by the name of each aggregate function, the function that makes the accumulator of a group.
var aggregates = map[string]func() accumulator{
	"exo_sum":     func() accumulator { return &number.Sum{} },
	"exo_avg":     func() accumulator { return &mean{} },
	"exo_collect": func() accumulator { return &list{} },
	"exo_median":  func() accumulator { return &number.Median{} },
	"exo_min":     func() accumulator { return &number.Extreme{} },
	"exo_max":     func() accumulator { return &number.Extreme{Greatest: true} },

	"exo_moving_min": func() accumulator { return &number.Moving{} },
	"exo_moving_max": func() accumulator { return &number.Moving{Greatest: true} },
}

// stored is an accumulator for a column of decimals in its stored form. A misfit, which is no number, counts as NULL.
type stored struct{ accumulator }

func (s *stored) Add(x any) {
	if number.CellOf(x) == number.Number {
		s.accumulator.Add(x)
	}
}

func (s *stored) Remove(x any) {
	if number.CellOf(x) == number.Number {
		s.accumulator.(leaving).Remove(x)
	}
}

func (s *stored) Full() bool {
	b, ok := s.accumulator.(bounded)
	return ok && b.Full()
}

// DefineAggregates adds the aggregates to the functions of a driver.
func DefineAggregates(d *sqlite.Driver) {
	defineWhole(d)
	defineRows(d)
	for name, begin := range aggregates {
		d.MustRegisterFunction(name, &sqlite.FunctionImpl{NArgs: 1, Deterministic: true,
			MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return aggregate{begin()}, nil }})
		d.MustRegisterFunction(sqlast.StoredPrefix+strings.TrimPrefix(name, "exo_"), &sqlite.FunctionImpl{NArgs: 1, Deterministic: true,
			MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
				return aggregate{&stored{begin()}}, nil
			}})
	}
}

// aggregate adapts an accumulator to the driver's interface.
type aggregate struct{ accumulator }

func (a aggregate) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	if args[0] != nil {
		a.Add(args[0])
	}
	if b, ok := a.accumulator.(bounded); ok && b.Full() {
		return errMany // only rows in scope are aggregated, so the error reveals no others
	}
	return nil
}

// WindowInverse is called when a row leaves the frame of a window.
func (a aggregate) WindowInverse(_ *sqlite.FunctionContext, args []driver.Value) error {
	of := a.accumulator
	if s, ok := of.(*stored); ok {
		of = s.accumulator
	}
	if _, ok := of.(leaving); !ok {
		return errWindow // sqlast writes no moving frame for this function
	}
	if args[0] != nil {
		a.accumulator.(leaving).Remove(args[0])
	}
	return nil
}

func (a aggregate) WindowValue(*sqlite.FunctionContext) (driver.Value, error) { return a.Value(), nil }

func (a aggregate) Final(*sqlite.FunctionContext) {}

// mean is the accumulator of exo_avg: an exact sum with a count. Its value is the sum divided by the count. Infinities are neither
// added nor counted.
type mean struct{ number.Sum }

func (m *mean) Value() any { return m.Mean() }
