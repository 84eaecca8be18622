// Package decl holds what a host has declared, without its Go types: tables, columns, links,
// predicates, scopes, relations and facets. exosql wraps them in generic types, and
// exosql/dynamic makes them at run time.
//
// In: names and values. Out: pointers that stand for one declaration each; plans and
// catalogues are keyed by them. Invariant: a declaration that a plan or a catalogue was made
// of does not change (Table.Freeze, Facet.Close).
package decl
