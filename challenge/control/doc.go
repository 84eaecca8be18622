// Package control is a lane that players can beat. It runs any SQL that a player writes, in a process that is used once. The process has an
// SQLite database in memory with only the player's copy.
//
// The rows are meant to be stolen; the host is not. So an authorizer admits only reading, and the process has no files, network or
// environment, and bounded memory and processor time. A player's SQL is as hostile as a program, and SQLite was not made to contain it.
package control
