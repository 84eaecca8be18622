// Package plan has what the compiler makes and an engine runs: the text of one statement, the
// sources of its values, and its cells.
//
// In: the values of a message and of its grants (Bind), and the cells of rows (Collector). Out:
// one value for each parameter of the statement, and rows within the budget of the message.
// Invariant: a plan has no value of any tenant, so all tenants can share it.
package plan
