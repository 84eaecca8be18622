// Package exoeval runs programs that a model wrote. A program reaches the objects that it
// was granted and JavaScript's plain built-ins, and nothing else: its only effects are
// messages to granted objects (package exo).
//
// A program goes through these steps, each in files of its own:
//
//   - source, prescan, parse: the text is bounded before any parser sees it, a code
//     fence is stripped, and one of three forms is recognised.
//   - erase: where that fails, the text is read as TypeScript and its types are
//     overwritten with spaces.
//   - check, scope: a walker admits the syntax it knows and refuses the rest; free
//     names must be granted or built in.
//   - rewrite: JavaScript's operators, and some of its functions, in the callbacks of
//     describing methods become calls that record an expression if an operand is a column.
//   - realm: a fresh runtime that holds the globals that the program names, of a
//     short list; the constructors that compile text are disarmed; clock and random
//     numbers are the host's. polyfill: what the engine lacks, where it is mentioned.
//   - recorder, describe: granted objects record expressions. A callback is called
//     once, at once; no function of the guest ever leaves the guest.
//   - rows: a row becomes an object when the program first reads it.
//   - run: calls run concurrently in the host, and their replies arrive in call order.
//
// Package worker runs all of this in a process of its own, which is how programs of a
// model are run. [InProcess] runs it in the host's process. That is for programs whose author
// is trusted and for tests: the engine can't bound memory, and its native functions
// ignore the interrupt, so a hostile program can stop the host. It can't get at
// anything it was not granted.
package exoeval
