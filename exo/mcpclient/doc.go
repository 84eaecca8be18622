// Package mcpclient makes an MCP server an object of the gate: programs call some of its tools, by types made of the tools' schemas.
// Its design is DESIGN.md in this package's folder.
//
// The server is not trusted. Its answers are untrusted and bounded, its hints are not believed, and the set of its tools is pinned. On Linux its
// process has walls, as a worker has; elsewhere it can do what its user can, see [Command]. It is trusted with what the host lets programs send it, and
// with what its credentials let it do.
//
//   - server: what a host declares, and the object.
//   - tools: which tools there are, and their digest.
//   - schema, values: types of schemas, arguments and answers.
//   - link, lines, web: a connection, over a process's lines or over HTTP.
package mcpclient
