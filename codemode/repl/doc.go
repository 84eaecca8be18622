// Package repl opens a terminal on grants. Type programs as a model would write them, or ask a model if you have a key. The
// terminal shows the rows, the SQL and the labels. Its design is DESIGN.md in this package's folder.
//
//	func main() { repl.Main(repl.App{Grants: grants}) }
//
// This is a whole command: -db names the database, -user the user for whom programs run, -e a program, -ask a question, and
// -help lists the other flags. exo repl makes such a main for a package that exports Grants, and runs it:
//
//	exo repl ./access -db postgres://you@localhost/shop -user 1
//
// The terminal is for people who may use the database: they choose any -user, without a password. A program can use the grants
// of that user. -api shows the description that a model would read, and -flow the ways in which labelled values can leave.
package repl

// The files have these parts:
//
//   - app, flags, database, session: the command, and the tool that runs programs.
//   - piped: a session without a terminal. Results are lines of JSON, and nothing else is
//     written to standard output.
//   - prompt, commands, lines, editor: a session with a person who types, at a simple
//     terminal or at one with a line editor.
//   - words, parts, save: psql's commands, text that was pasted, files.
//   - pager, internal/screen: the display of results.
//   - internal/names, internal/js: completion, from the catalogue of the grants.
//   - asker, asking: questions to a model, and how its answer is shown.
//
// Everything on the screen may come from an attacker: rows, what a program logs and throws, a
// model's text, the names in a database. Each passes [printable] or [printable.OneLine] before it
// is painted, and no other code writes escape sequences.
