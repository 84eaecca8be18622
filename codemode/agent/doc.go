// Package agent lets a language model answer questions with codemode tools: it
// asks the model, runs the programs that the model writes, gives back what they
// returned or why they failed, and ends with an answer or a bound. Its design is DESIGN.md in this package's folder.
//
// These hold against any model and endpoint: the requests of a question,
// the calls of a turn and the bytes of a reply are bounded; a call runs only when
// its whole reply has arrived, so never half of one; a request that is tried again
// never runs a call again; when Ask returns, nothing of it runs any more; and a key
// is in no error, event or chat, unless the endpoint, which was shown it, encodes it
// there, or it has fewer than 12 bytes.
//
// One is a guard against a habit, and not against intent: a program that failed
// after it had changed something, or was interrupted, is not run again for the same
// question, nor with other spaces, comments or quotes. A model that writes another
// program of the same effects is not stopped by it.
//
// It does not make a model right, or proof against injection. The grants of the tools bound
// what the model can reach; nothing in this package does.
//
// A [Model] is a provider's wire format: see the packages openai, anthropic and
// gemini, and models, which chooses one. This package speaks no network protocol.
package agent
