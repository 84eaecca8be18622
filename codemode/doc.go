// Package codemode gives granted objects to a language model as one tool. The model writes one small JavaScript program, in which the granted
// objects are the only way to cause anything. For every program, even a hostile one: its results and effects depend only on granted rows; a value
// leaves only through a sink that admits its labels; it ends within its limits; and what happened is on record, if Options has a Recorder. Its
// design is DESIGN.md in this package's folder.
//
// The package does not make a model resist injection. It does not stop a leak of granted rows to a granted sink. It does not hide how long a
// program takes or whether it ended.
//
// Each program runs in its own process, without files, secrets or connections, except the one to this process. A crash ends only that process
// (exoeval/worker). Systems other than Linux have fewer walls: worker.Pool.Isolation lists those in force. With exoeval.InProcess{} as
// Options.Evaluator the program runs in this process. Then an author who attacks the JavaScript engine can exhaust the memory or stall the process,
// but still reaches only what was granted.
//
// A [Tool] has what every framework needs: a name, a description, a schema of the input, and a function from JSON to JSON. The description is made
// from the catalogue of the grants, so it can't disagree with what the model can call. A program that fails is no Go error: the model reads what
// was wrong, and where, and writes the program again.
package codemode
