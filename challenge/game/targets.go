package game

// DefaultTargets are the targets that come with the game. To add one:
//
//   - Write it in a file of this folder, like wallet.go: a schema for both engines, a seed, the grants, a
//     story, two examples, and five tasks with hints, the last of which is the key. Put its name here.
//   - Choose what a player must do. The seed puts the key where no program may get. Or, as in spend.go, a
//     query returns the rows that no program may change. Or, as in sealed.go, the key is in a labelled
//     column, and a query returns what others read.
//   - Put a program for each task into solutions of game_test.go: a test plays them.
//   - Put ten attacks or more, .js and .sql, into testdata/ID of the challenge: a test
//     plays them, and all must lose.
//
// A host refuses to start if Check returns an error for a target.
var DefaultTargets = Targets{wallet, notes, spend, sealed, pledge}
