// Package terminal is the command line that the examples and exo repl share. It runs
// one program, a file of it, one question to a model, or a session at a prompt, on
// behalf of one user.
//
// Whoever types the programs plays the model: what they reach is what a model
// would reach, and -api shows what a model would read.
//
//   - app, flags, database, session: the command, and what it runs programs with.
//   - piped: a session without a terminal. Results are lines of JSON, and nothing else is
//     written to standard output.
//   - prompt, commands, lines, editor: a session with somebody who types, at a
//     terminal that takes lines or at one that can be drawn on.
//   - words, parts, save: psql's commands, text that was pasted, files.
//   - screen, answer, table, columns, types, highlight, spinner: what is shown for eyes.
//   - names, nametypes, candidates, values: completion, from the catalogue of what is granted.
//   - asker, asking: questions to a model, and how its answer is shown.
//
// Everything that is shown comes from an attacker: rows, what a program logs and
// throws, what a model says, the names in a database. Each passes [printable] or
// [oneLine] before it is painted, and nothing else writes escape sequences.
package terminal
