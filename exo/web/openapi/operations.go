package openapi

// This file lists the operations in a document, for a person who decides which ones programs may call.

import (
	"cmp"
	"slices"
	"strings"
)

// Operation is one operation of a document.
type Operation struct {
	Name  string // the operationId, or else the route; pass it to Method
	Route string // the HTTP method and the path, like "GET /issues/{id}"
	Doc   string // the document's description of the operation
}

// Operations lists the operations of a document, sorted by route.
func (d Document) Operations() (out []Operation) {
	d.operations(func(route string, op, _ object) {
		out = append(out, Operation{cmp.Or(text(op, "operationId"), route), route, cmp.Or(text(op, "summary"), text(op, "description"))})
	})
	slices.SortFunc(out, func(a, b Operation) int { return strings.Compare(a.Route, b.Route) })
	return out
}
