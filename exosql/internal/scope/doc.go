// Package scope decides which rows of a table a query may see.
//
// In: a grant: its relation, its declared scopes and the links of its facets. Out: one scope
// for each table that can be reached, or an error that names the tables that need a declared
// scope; and the FROM of a query, which takes a table only with the conditions of its scope
// (Enter, Sources). Invariant: no query has a table without its scope.
package scope
