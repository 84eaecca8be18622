// Saas is a project tracker with several customers in one database: organizations, members,
// projects, tasks and comments. A program sees one organization with its data.
//
//	go run ./examples/saas
//	go run ./examples/saas -org 2 -e 'api.organization.projects()'
//
// schema.go declares the tables and the parts that a program may see. Package tracker makes the
// database. Everything else is the command line, which all examples share.
package main

import "github.com/exoagent/exoagent/codemode/repl"

func main() { repl.Main(app) }
