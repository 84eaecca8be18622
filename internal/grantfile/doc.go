// Package grantfile reads a grant file, exo.yaml: which rows and columns of which databases the programs of a principal reach,
// written by a person who has no Go program.
//
//	file, err := grantfile.Parse("exo.yaml", text)   // what is written, without a database
//	decl, err := file.Declare(ctx, nil)               // held against the live databases
//	grants, err := decl.Grants(principal)             // the objects of one principal
//
// A file grants nothing by default: columns are named, and there is no wildcard. Nothing in it becomes text of SQL: names have to
// exist in the catalogue of the database, and values are bound. A scope is a condition in a small language of its own; see Expr.
// The same grants in Go are declared with package exosql/dynamic, which this package calls.
//
// Parse, Declare and Grants report all that is wrong at once, as Errors: each with its line and column and what would be right.
// Secrets are not in a file: it says where they are (env:NAME, file:PATH).
package grantfile
