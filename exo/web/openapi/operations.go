package openapi

// This file lists what a document describes, for a person who decides what programs may call.

import (
	"cmp"
	"slices"
	"strings"
)

// Operation is one operation of a document.
type Operation struct {
	Name  string // the operationId, or else the route: what Method takes
	Route string // like "GET /issues/{id}"
	Doc   string // what the document says of it
}

// Operations lists the operations of a document, by their routes.
func (d Document) Operations() (out []Operation) {
	d.operations(func(route string, op, _ object) {
		out = append(out, Operation{cmp.Or(text(op, "operationId"), route), route, cmp.Or(text(op, "summary"), text(op, "description"))})
	})
	slices.SortFunc(out, func(a, b Operation) int { return strings.Compare(a.Route, b.Route) })
	return out
}
