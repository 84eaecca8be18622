package language

// This file has measures for programs: methods without arguments, of queries and of groups and windows of their rows.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/message"
)

// MeasureMethod returns the method of a query for a measure of its rows.
func MeasureMethod(name, kind string, counts bool) *message.Method {
	of := []*message.Term{con(kind)}
	return &message.Method{Name: name, Measure: true, Sends: true, Result: &message.Term{Wide: of, Null: !counts}, Nested: &message.Term{Wide: of, To: scalarInterfaces, Null: !counts}}
}

// ReservedMeasure reports whether a name is already a method of queries, groups or windows.
func ReservedMeasure(name string) bool {
	for _, i := range []*message.Interface{groupInterface(), windowInterface()} {
		if i.Methods[name] != nil {
			return true
		}
	}
	return ReservedMember(name) || slices.Contains([]string{Search, Insert, InsertMany, Update, Delete, All, IfUnchanged, message.OneField}, name)
}

// Aggregates reports whether an aggregate accepts values of a type.
func Aggregates(name, kind string) bool {
	switch name {
	case Sum, Avg:
		return Calculates(kind)
	case Min, Max:
		return slices.Contains(comparables, ColumnInterfaces[kind])
	}
	return false
}

// Calculates reports whether values of a type can be added and divided.
func Calculates(kind string) bool { return slices.Contains(numbers, ColumnInterfaces[kind]) }

// MeasureWords returns the phrases for a measure that a program asks of a single row, while a measure needs many rows.
func MeasureWords() message.Words {
	return phrases([][3]string{
		{"measured", "*.groupBy *.select *.running", "it is a measure of many rows: ask a query, a group, a window (window.running().{name}() up to each row) or a link for it, like .groupBy(t => t.{key}).select(g => ({ {key}: g.{key}, {name}: g.{name}() }))"},
		{"measured.is", "*.groupBy *.where", "`{name}` is a measure of many rows: write .groupBy(t => t.{key}).where(g => g.{name}() {is}), where this object works too"},
		{"measured", "", "it is a measure of many rows: ask a query, a group or a link for it"},
	})
}
