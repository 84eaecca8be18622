// Package mcpclient makes an object of an MCP server. Programs call some of its tools, with types that are made from the tools' schemas. Its design is
// DESIGN.md in this package's folder.
//
// The server is not trusted. Its answers are untrusted and bounded, its hints are not believed, and the set of its tools is pinned. On Linux its
// process is confined, like a worker; elsewhere it can do everything that its user can ([Command]). The host trusts it with the values that programs
// may send it, and with everything that its credentials permit.
//
//   - server: the declaration by the host, and the object.
//   - tools: the list of tools, and its digest.
//   - schema, values: types of schemas, arguments and answers.
//   - link, lines, web: a connection, over a process's lines or over HTTP.
package mcpclient
