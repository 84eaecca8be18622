// Package worker runs each program in a process of its own: a process that can do
// nothing but compute and send messages, that knows nothing but its program and
// the catalogue of what was granted, and that dies alone. Whatever the program does to
// its engine, the host lives, learns what happened, and goes on.
//
// The worker is the host's own binary, started again: a program that imports
// this package needs nothing else, and no line of its main. See takeover.go for
// how it can't be run by mistake.
//
//   - takeover, guest, warm: the worker's side.
//   - conn, seccomp, spawn: how it is started and locked down. Isolation says what
//     the system gave.
//   - frame, codec*: what crosses, in both directions. Frames of a worker are hostile.
//   - pool, proc: workers that wait, and programs that wait for them in a fair queue (internal/fair).
//   - run, watch, cause: the host's side of one program, its limits, and what it died of.
//
// How a run ended is told by Kind. Limit, Program, Syntax and the others mean what
// they mean in process. Crashed is a failure of the engine; Breach a process that
// did what no program can make it do, which is a security event; for both, a
// [Death] is in the error. An error that wraps [ErrNotRun] says that nothing of the
// program has happened.
package worker
