// Package mcp serves granted objects to any client of the Model Context Protocol, in its
// revisions 2026-07-28 and 2025-11-25: the tool of one identity, the declarations of what it
// grants, the whole result of a program whose result was cut, and the worked examples.
//
// A [Server] serves one client on standard input and output, or, with its [Handler], many over HTTP:
// without sessions, each request for the identity that its bearer token stands for.
//
// A client that supports MCP Apps finds a page with the tool, on which it shows the result to its user.
//
// There is no tool without an identity: [Config].Tool is asked for the tool of an issuer and
// subject, and what it returns is all that the client reaches. Answers that a client may cache
// are private and stale at once, since all of them depend on the identity.
package mcp
