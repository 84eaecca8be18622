// Package repl opens a terminal on grants: type programs as a model would write
// them, or with a key ask a model, and see the rows, the SQL and the labels. Its design is DESIGN.md in this package's folder.
//
//	func main() { repl.Main(repl.App{Grants: grants}) }
//
// is a whole command: -db names the database, -user who acts, -e a program, -ask a
// question, and -help lists the rest. exo repl makes such a main for a package that
// exports Grants, and runs it:
//
//	exo repl ./access -db postgres://you@localhost/shop -user 1
//
// The terminal is for those who may use the database: -user is whatever they say it
// is, and nobody is asked for a password. A program reaches the grants of that
// user, and -api shows the description that a model would read, and -flow by which ways what is labelled can leave.
package repl

// The files:
//
//   - app, flags, database, session: the command, and what it runs programs with.
//   - piped: a session without a terminal. Results are lines of JSON, and nothing else is
//     written to standard output.
//   - prompt, commands, lines, editor: a session with somebody who types, at a
//     terminal that takes lines or at one that can be drawn on.
//   - words, parts, save: psql's commands, text that was pasted, files.
//   - pager, internal/screen: what is shown for eyes.
//   - internal/names, internal/js: completion, from the catalogue of what is granted.
//   - asker, asking: questions to a model, and how its answer is shown.
//
// Everything that is shown comes from an attacker: rows, what a program logs and
// throws, what a model says, the names in a database. Each passes [printable] or
// [printable.OneLine] before it is painted, and nothing else writes escape sequences.
