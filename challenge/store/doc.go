// Package store keeps what must outlive the process: players, their keys, every attempt, the wins and the counters, in an SQLite file of
// bounded size. Several processes of one machine may use the file.
//
// At a bound it deletes the oldest attempts of the address that uses the most. Wins on guarded lanes stay, with the attempts that led to them.
// A token alone identifies a player, and the file has only digests of tokens. It has the keys in the clear, so only the host may read it (mode
// 0600).
package store
