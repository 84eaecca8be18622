// Package decl has the declarations of a host, without Go types: tables, columns, links,
// predicates, scopes, relations and facets. exosql wraps them in generic types, and
// exosql/dynamic makes them at run time.
//
// In: names and values. Out: one pointer for each declaration; plans and catalogues are keyed
// by these. Invariant: a declaration does not change after a plan or a catalogue was made from
// it (Table.Freeze, Facet.Close).
package decl
