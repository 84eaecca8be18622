// Package terminal is the command line that the examples share. It runs one
// program, a file of it, or a session at a prompt, on behalf of one user, and
// writes the result and nothing else to standard output.
//
// Whoever types the programs plays the model: what they reach is what a model
// would reach, and -api shows what a model would read.
package terminal
