package language

// This file has what measures are to programs: methods without arguments of queries, and of what is made of their rows.

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
)

// MeasureMethod is the method of a query that gives a measure of its rows.
func MeasureMethod(name, kind string, counts bool) *message.Method {
	of := []*message.Term{con(kind)}
	return &message.Method{Name: name, Measure: true, Sends: true, Result: &message.Term{Wide: of, Null: !counts}, Nested: &message.Term{Wide: of, To: scalarInterfaces, Null: !counts}}
}

// ReservedMeasure reports whether a name means something on queries, groups or windows already.
func ReservedMeasure(name string) bool {
	for _, i := range []*message.Interface{groupInterface(), windowInterface()} {
		if i.Methods[name] != nil {
			return true
		}
	}
	return ReservedMember(name) || slices.Contains([]string{Search, Insert, InsertMany, Update, Delete, All, IfUnchanged, message.OneField}, name)
}

// Aggregates reports whether values of a type have the aggregate.
func Aggregates(name, kind string) bool {
	switch name {
	case Sum, Avg:
		return Calculates(kind)
	case Min, Max:
		return slices.Contains(comparables, ColumnInterfaces[kind])
	}
	return false
}

// Calculates reports whether values of a type can be divided.
func Calculates(kind string) bool { return slices.Contains(numbers, ColumnInterfaces[kind]) }

// MeasureWords are the phrases of one row about measures, which are of many.
func MeasureWords(names []string) []message.Words {
	return []message.Words{phrases([][3]string{{"." + strings.Join(names, " ."), "", "it is a measure of many rows: ask a query, a group or a link for it"}})}
}
