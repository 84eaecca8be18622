// Package adapters shows how to pass a codemode.Tool to frameworks with which Go programs call
// models. Each file is for one framework, to be read and copied. All frameworks need the same four
// things: a name, a description, a schema, and a function from JSON to JSON.
//
// The package is a separate module, so that exoagent does not depend on these frameworks. Its tests
// run offline, against their own servers, which use the real wire formats.
package adapters
