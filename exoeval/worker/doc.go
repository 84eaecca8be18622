// Package worker runs each program in a process of its own. The process can only compute and send messages to its host. It has only its
// program and the catalogue of what was granted. A program that crashes its engine, or takes it over, affects only that process: the host
// continues and gets an error that names the cause. Its design is DESIGN.md in this package's folder.
//
// The worker is the host's own binary, started again. A host only imports this package; its main stays the same. takeover.go prevents a start
// by mistake. A host may name a smaller program instead (PoolOptions.Binary), and may let a process run several programs of one tool and
// principal (PoolOptions.Reuse).
//
//   - takeover, guest, warm: the worker's side.
//   - conn, seccomp, spawn: start the worker and lock it down. Isolation lists the walls
//     that the system provides.
//   - internal/frame: the messages in both directions. Frames of a worker are hostile.
//   - pool, proc: idle workers, and the fair queue of programs for them (internal/fair).
//   - reuse, binary: the two choices of a host that are described above.
//   - run, watch, cause: the host's side of one program, its limits, and the cause of its death.
//
// The Kind of an error says how a run ended. Limit, Program, Syntax and the others mean the same as in process. Crashed is a failure of the
// engine. Breach is a process that broke a rule that no program can make it break: a security event. Both wrap a [Death]. If an error wraps
// [ErrNotRun], nothing of the program has happened.
package worker
