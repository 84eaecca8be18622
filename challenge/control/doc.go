// Package control is the lane that can be beaten: it runs whatever SQL a player
// writes, on an SQLite database in memory that holds the player's copy and nothing
// else, in a process of its own that is used once.
//
// The rows are meant to be stolen; the host is not. So the statement meets an
// authorizer that admits reading only, and the process has no files, no network, no
// environment, and bounds for memory and processor time: SQL that was written by anybody is as
// hostile as a program, and SQLite was not made to contain it.
package control
