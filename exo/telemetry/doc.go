// Package telemetry makes OpenTelemetry traces and metrics of what runs do. A host gives its providers to [New], and contexts of [Telemetry.In] to
// the calls that it wants to see. In exoagent only exo serve imports this package: without it nothing is measured.
//
// # What is exported
//
// Spans, each inside the one before it:
//
//   - tools/call NAME: a client's call of a tool, by the conventions for MCP. Its parent is the one that the client names in
//     params._meta.traceparent, otherwise the span of the context. A malformed traceparent is ignored.
//   - run NAME: a program, with the time that it waits for a place. exoagent.run.id is the ID of the run in the record.
//   - INTERFACE.METHOD: a message of the program, from the gate to its reply, even if the gate refuses it.
//   - VERB TABLE: a statement, by the conventions for databases.
//
// COMMIT, ROLLBACK and SET CONSTRAINTS, which checks deferred rules, are spans of the run. A run that has its unit repeated has them several times. A
// COMMIT with the error.type unknown may have been kept. What a run in a host's transaction keeps is committed by the host, in the span of its context.
//
// Metrics: mcp.server.operation.duration, exoagent.run.duration and db.client.operation.duration, which also count operations; exoagent.refusals by kind;
// exoagent.programs and exoagent.workers by state, where the waiting programs form the queue; exoagent.approvals.waiting.
//
// # What is not
//
// No argument, value, label, principal, program, statement or text of an error. They can't be exported by mistake: an observe.Activity has no place
// for them (see exo/observe). The names are those that the host declared, of tools, interfaces, methods and tables. The kind of an error is one of a
// fixed list, or a database's code.
//
// A program still decides how many messages it sends, which, when, and how each ends, and how many rows an answer has. In this way it can write what it
// has read, labelled or sealed, into the telemetry. So only those who operate the host may read the telemetry: if a program or its author could read it,
// it would be a way out for labelled values. Keys of rows are not in it.
//
// A client decides whether its calls are sampled, if the host's sampler follows the parent, as the SDK's does.
package telemetry
