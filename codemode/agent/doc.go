// Package agent lets a language model answer questions with codemode tools. It asks the model, runs
// the programs that the model writes, returns their results or errors, and ends with an answer or at
// a limit. Its design is DESIGN.md in this package's folder.
//
// These promises hold against any model and endpoint. The requests of a question, the calls of a turn
// and the bytes of a reply are bounded. A call runs only when its whole reply has arrived, so half a
// call never runs. Repeating a request never repeats a call. When Ask returns, all that it started
// has ended. No error, event or chat contains the key, unless the key has fewer than 12 bytes, or the
// endpoint, which gets the key, encodes it.
//
// If a program failed after it had changed something, or was interrupted, it does not run again for the same question. Other spaces, comments or
// quotes don't make it another program. This guards against a habit, not against intent: a different program with the same effects is not stopped.
//
// The package does not make a model right, or safe from injection. Only the grants of the tools bound
// what the model can reach.
//
// A [Model] is a provider's wire format: see the packages openai, anthropic and gemini, and package
// models, which chooses one. This package has no network code.
package agent
