// Package adapters puts one codemode.Tool into the frameworks that Go programs
// talk to models with. Each file is one framework, to be read and copied: a tool has
// a name, a description, a schema and a function from JSON to JSON, and that is
// what all of them ask for.
//
// It is a module of its own, so that none of these frameworks becomes a
// dependency of exoagent. Its tests run offline, against servers of their own that
// speak the true wire formats.
package adapters
