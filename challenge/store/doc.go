// Package store keeps what must outlive the process: players, their keys, every
// attempt, the wins and the counters, in one SQLite file of bounded size.
//
// What is over a bound goes, from the address that holds the most; a win on a guarded lane stays with the
// attempts that led to it. Whoever has a token is a player; the file holds digests
// of tokens only. It holds the keys as they are, so it is the host's alone (mode 0600).
package store
