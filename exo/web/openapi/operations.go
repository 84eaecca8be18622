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
	if d.t == nil || d.t.Paths == nil {
		return nil
	}
	for path, item := range d.t.Paths.Map() {
		for verb, op := range item.Operations() {
			route := verb + " " + path
			out = append(out, Operation{cmp.Or(op.OperationID, route), route, cmp.Or(op.Summary, op.Description)})
		}
	}
	slices.SortFunc(out, func(a, b Operation) int { return strings.Compare(a.Route, b.Route) })
	return out
}
