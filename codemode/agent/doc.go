// Package agent lets a language model answer questions with codemode tools: it
// asks the model, runs the programs that the model writes, gives back what they
// returned or why they failed, and ends with an answer or a bound.
//
// What holds whatever the model and its endpoint do: the requests of a question,
// the calls of a turn and the bytes of a reply are bounded; a call runs only when
// its whole reply has arrived, so never half of one; a request that is tried again
// never runs a call again; a program that failed after it had changed something is
// not run again as it is for the same question; when Ask returns, nothing of it runs any more; and
// a key is in no error, event or chat.
//
// What it is not: it does not make a model right, or proof against injection. What
// the model can reach is bounded by what was granted to the tools, and by nothing here.
//
// A [Model] is a provider's wire format: see the packages openai, anthropic and
// gemini, and models, which chooses one. This package speaks no network protocol.
package agent
