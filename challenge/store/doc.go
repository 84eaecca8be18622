// Package store keeps what must outlive the process: players, their keys, every
// attempt, the wins and the counters, in one SQLite file of bounded size.
//
// When a bound is reached, the oldest attempts of the address that holds the most are deleted; a win on
// a guarded lane is kept, with the attempts that led to it. A player is known by a token alone; the file
// holds digests of tokens only. It holds the keys in the clear, so only the host may read it (mode 0600).
package store
