// Package fence keeps a program's conditions away from rows out of scope, in whatever order an engine works. Its design is DESIGN.md in this package's
// folder.
//
// A condition of a program must not be tried on a row out of scope: how long that takes would reveal what is in the row. One statement
// therefore has up to three forms, which are tried in this order:
//
//	open     as a person would write it. This form runs if the engine's own plan reads rows in scope only
//	guarded  the same, but conditions on some tables are tried after their scope: CASE WHEN scope THEN condition
//	fenced   the conditions are outside of a derived table with the scopes, into which no engine moves them. This form may always run
//
// In: the tables of an open statement with their scopes (Table), which package compile writes down, and what EXPLAIN prints, which an
// engine asks for. Out: a reason not to run the statement (JudgeSQLite, JudgePostgres), the form to try next (Next), which conditions may
// be tried on any row (condition.go), and the SQL of the forms (form.go). Invariant: a plan that is not understood is refused.
//
// The files in their order: condition.go, form.go, table.go; sqlite.go and postgres.go with postgresguarded.go, the judges; refused.go,
// what they return; access.go with sqliteaccess.go and postgresaccess.go, the same plans read for Check.
package fence
