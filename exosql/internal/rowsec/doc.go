// Package rowsec mirrors grants as row-level security of PostgreSQL: the second wall.
//
// In: a grant, with its scopes and the rights of its facets. Out: the policies of a role, and the
// settings by which they know the values of a grant. Invariant: nothing here calls the
// query compiler. What forgets a scope there does not forget it here, too.
package rowsec
