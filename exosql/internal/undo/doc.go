// Package undo keeps the rows that runs change, and changes them back: it has the SQL of PostgreSQL's triggers, and the reversal of a run. Its
// design is DESIGN.md in this package's folder.
//
// In: the catalogue, and the tables that programs may write or the ID of a run. Out: a script for the owner of the tables, or changed rows. Invariant:
// an undo that is not exactly the reversal is not kept.
package undo
