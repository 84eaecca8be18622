// Package mcp serves granted objects to any client of the Model Context Protocol, in its
// revisions 2026-07-28 and 2025-11-25. It serves the tool of one identity, the declarations of its grants,
// the whole result if a program's result was cut, and the worked examples.
//
// A [Server] serves one client on standard input and output. With its [Handler] it serves many clients over HTTP,
// without sessions: it serves each request for the identity of its bearer token.
//
// If a client supports MCP Apps, it gets a page together with the tool, on which it shows the result to its user.
//
// There is no tool without an identity: [Config].Tool returns the tool of an issuer and
// subject, and the client reaches nothing else. Answers that a client may cache
// are private and expire at once, because all of them depend on the identity.
package mcp
