// Package mcp serves granted objects to any client of the Model Context Protocol, in its revisions 2026-07-28 and
// 2025-11-25. It serves the tool of one identity, the declarations of its grants, the whole result if a program's
// result was cut, and the worked examples.
//
// A [Server] serves one client on standard input and output. With its [Handler] it serves many clients over HTTP
// without sessions, each request for the identity of its bearer token.
//
// A client that supports MCP Apps also gets a page that shows the result to its user.
//
// Without an identity there is no tool: [Config].Tool returns the tool of an issuer and subject, and the client
// reaches nothing else. Answers that a client may cache are private and expire at once, because they depend on
// the identity.
package mcp
