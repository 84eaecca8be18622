// Package repl opens a terminal on grants: type programs as a model would write
// them, or with a key ask a model, and see the rows, the SQL and the labels.
//
//	exo repl ./access -db postgres://you@localhost/shop -user 1
//
// builds and runs a main that calls [Main] with the function Grants of package
// access. A command of your own can call it as well. The terminal is the one of this
// module's examples, with the same flags.
//
// The terminal is for those who may use the database: -user is whatever they say it
// is, and nobody is asked for a password. What a program reaches is what the grants
// of that user reach, whoever writes it.
package repl
