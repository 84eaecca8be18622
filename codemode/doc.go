// Package codemode hands granted objects to a language model as one tool. The
// model writes one small JavaScript program; in it the granted objects are the
// only way to cause anything. For every program, hostile ones included: what it
// returns and what it does depends only on what was granted; what leaves does so
// through a sink that admits its labels; it ends within its limits; and what
// happened is on record. Its design is DESIGN.md in this package's folder.
//
// It does not make a model resist injection; it does not stop a
// leak inside the granted scope to a sink that was granted; it does not hide how
// long things take or whether a program ended.
//
// Each program runs in a process of its own, which holds no file, no secret and no
// connection but the one to this process, and dies alone (see exoeval/worker; on
// systems other than Linux fewer walls hold it, and Isolation of its pool says which). With
// exoeval.InProcess{} as Options.Evaluator it runs in this process: then an author who
// attacks the JavaScript engine itself can exhaust the memory of the process or
// stall it, and still reaches nothing that was not granted.
//
// A [Tool] has what every framework asks of a tool: a name, a description, a
// schema of the input, and a function from JSON to JSON. The description holds
// TypeScript declarations made from the catalogue of what was granted, so what
// the model reads can't disagree with what it can call. A program that fails is
// no Go error: the model reads what was wrong, and where, and writes it again.
package codemode
