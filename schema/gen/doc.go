// Package gen writes Go declarations of a database's tables for package exosql: row types, tables, typed columns, links made of foreign keys, and
// enums.
//
// It never declares what a program may see. A generated facet would show each new column on the day it is added. So people write facets and grants,
// and gen leaves a commented starting point for one.
//
// The output depends only on the catalogue: the same catalogue gives the same bytes.
//
// Names and comments of the catalogue are data, and a stranger may have made the database. They get into the code only in quotes, as identifiers of
// letters and digits, or in comments that they can't end (see text.go).
package gen
