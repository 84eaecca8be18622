//go:build race

package worker

// The race detector keeps several bytes for each byte of memory, and needs addresses for them.
const addressSlack = 1 << 40
