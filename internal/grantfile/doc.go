// Package grantfile reads grant files, exo.yaml. A grant file declares which rows and columns of which databases the programs of a principal
// reach. Its author needs no Go program.
//
//	file, err := grantfile.Parse("exo.yaml", text)   // what is written, without a database
//	decl, err := file.Declare(ctx, nil)               // compared with the live databases
//	grants, err := decl.Grants(principal)             // the objects of one principal
//
// A file grants nothing by default: it names columns, and there is no wildcard. No part of a file becomes SQL text: names have to exist in the
// catalogue of the database, and values are bound. A scope is a condition in a small language of its own; see Expr. Package exosql/dynamic
// declares the same grants in Go, and this package calls it.
//
// Parse, Declare and Grants report all problems at once, as Errors: each with its line, its column, and what would be right. A file contains
// no secrets, only their places (env:NAME, file:PATH).
package grantfile
