// Package adapters shows how to give a codemode.Tool to the frameworks with which Go programs call
// models. Each file is for one framework: read it and copy it. All frameworks need the same four
// things: a name, a description, a schema, and a function from JSON to JSON.
//
// The package is a separate module, so that exoagent does not depend on these frameworks. Its tests
// run offline, against their own servers, which speak the true wire formats.
package adapters
