package game

// DefaultTargets are the targets that come with the game. To add one:
//
//   - Write it in a file of this folder, like wallet.go: its schema, for both engines; a seed that puts
//     the key it is given where no program may get, or, as spend.go has it, a query for the
//     rows that no program may change, or, as sealed.go has it, a key in a labelled column and a query for
//     what others read; the grants; a story; two examples;
//     five tasks with hints, the last of which is the key. Put its name here.
//   - Put a program for each task into solutions of game_test.go: a test plays them.
//   - Put ten attacks or more, .js and .sql, into testdata/ID of the challenge: a test
//     plays them, and all must lose.
//
// A host refuses to start if Check returns an error for a target.
var DefaultTargets = Targets{wallet, notes, spend, sealed, pledge}
