// Package gen writes Go declarations of a database's tables for package exosql:
// row types, tables, typed columns, links made of foreign keys, and enums.
//
// It never declares what a program may see. A facet that was generated would show
// a new column on the day it is added; so facets and grants are written by hand,
// and gen leaves a commented starting point for one.
//
// The output depends on the catalogue alone and is in a stable order: the same catalogue
// gives the same bytes.
//
// Names and comments of the catalogue are data, and whoever made the database may be
// a stranger: they reach the code quoted, as identifiers made of letters and digits,
// or in comments from which nothing breaks out (see text.go).
package gen
