// Saas is a project tracker with several customers in one database:
// organizations, members, projects, tasks and comments. A program sees one
// organization and what belongs to it.
//
//	go run ./examples/saas
//	go run ./examples/saas -org 2 -e 'api.organization.projects()'
//
// schema.go declares the tables and what a program may see of them; package tracker
// makes the database; everything else is the command line, which all examples share.
package main

import "github.com/exoagent/exoagent/codemode/repl"

func main() { repl.Main(app) }
