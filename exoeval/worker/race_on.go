//go:build race

package worker

// addressSlack is larger here: the race detector uses several bytes for each byte of memory, and needs addresses for them.
const addressSlack = 1 << 40
