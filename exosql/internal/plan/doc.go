// Package plan holds what the compiler makes and an engine runs: the text of one statement,
// where its values come from, and what its cells are.
//
// In: the values of a message and of its grants (Bind), and the cells of rows (Collector).
// Out: one value per placeholder, and rows within the budget of the message. Invariant: a plan
// holds no value of any tenant, so that all of them can share it.
package plan
