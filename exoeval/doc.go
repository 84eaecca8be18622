// Package exoeval runs programs that a model wrote. A program reaches the objects that it
// was granted and JavaScript's plain built-ins, and nothing else: its only effects are
// messages to granted objects (package exo). Its design is DESIGN.md in this package's folder.
//
// A program goes through four packages below this one: internal/source, front, realm and guest. DESIGN.md describes
// these packages. Then the program goes through the files here:
//
//   - evaluator, world, bounds: what a host calls, and the plain data that crosses to a worker.
//   - run, failure: the program runs, its calls run concurrently in the host, and their replies arrive in call order.
//   - globals, needs, polyfill, natives, promises, console: the realm gets what its program mentions.
//   - state, port: what a run keeps, and its connection to the host.
//
// Package worker runs all of this in a process of its own. Run programs of a model in that way. [InProcess] runs a program in the host's process. Use
// it for tests, and for programs whose author is trusted: the engine can't bound memory, and its native functions ignore the interrupt, so a hostile
// program can stop the host. Even then a program reaches only what it was granted.
package exoeval
