// Package scope decides which rows of a table a query may see.
//
// In: a grant: its relation, its declared scopes and the links of its facets. Out: one scope
// for each table that can be reached, or an error that names the tables for which the host has
// to declare one; and the FROM of a query, which takes a table only with the conditions of its
// scope (Enter, Sources). Invariant: a table without its scope is in no query.
package scope
