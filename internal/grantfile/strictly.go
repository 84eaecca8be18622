package grantfile

// This file declares names in this package for the types of package strict.

import "github.com/exoagent/exoagent/internal/grantfile/strict"

type (
	// Pos is a place in a file.
	Pos = strict.Pos
	// Name is a name in a file, and its place.
	Name = strict.Name
	// Secret names the place of a secret.
	Secret = strict.Secret
	// Errors has all errors of a file, in the file's order. Its Kind is fail.Invalid.
	Errors = strict.Errors

	entry    = strict.Entry
	problems = strict.Problems
)

// reader reads the maps of a grant file. Its methods are in the files of the things that they read.
type reader struct{ strict.Reader }

var (
	posOf  = strict.PosOf
	isNull = strict.IsNull
	or     = strict.Or
	texts  = strict.Texts
	beside = strict.Beside
	listed = strict.Listed
	shown  = strict.Shown

	key    = strict.NewKey
	by     = strict.By
	fields = strict.FormOf[*reader]
	short  = strict.Short[*reader]
	either = strict.Either
	named  = strict.Named
	words  = strict.Words
)
