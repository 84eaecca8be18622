// Package policy derives weaker objects from others: with fewer methods, revocable, with a budget,
// approved one message at a time, or observed. All of them use [exo.Wrap], which a host can use for
// its own policies. The gate allows only what both the description of the wrapped object and that
// of the policy allow. Its design is DESIGN.md in this package's folder.
//
// Policies nest, and the outermost decides first. Objects that a wrapped object returns are wrapped
// in the same way.
package policy
