//go:build race

package worker

// The race detector shadows memory, several bytes for each, and its addresses
// with it.
const addressSlack = 1 << 40
