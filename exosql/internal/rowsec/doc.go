// Package rowsec mirrors grants as row-level security of PostgreSQL, which restricts statements a second time.
//
// In: a grant, with its scopes and the rights of its facets. Out: the policies of a role, and the settings in
// which they find the values of a grant. Invariant: nothing here calls the query compiler, so an error of the
// compiler that forgets a scope is not repeated here.
package rowsec
