// Simple is the smallest use of this module: users and their todos, and one user
// on whose behalf a program runs.
//
//	go run ./examples/simple
//	go run ./examples/simple -user 2 -e 'api.currentUser.todos().where({ completed: false })'
//
// schema.go declares the tables and what a program may see of them; seed.go
// makes the database; everything else is the command line, which all examples share.
package main

import "github.com/exoagent/exoagent/internal/terminal"

func main() { terminal.Main(app) }
