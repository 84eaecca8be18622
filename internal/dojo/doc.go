// Package dojo replays models that are fooled by the data they read, in the manner of AgentDojo (Debenedetti et al. 2024). It has small
// worlds. In four of them a user asks for ten things each, while the data contains instructions of an attacker. Each task has the program of
// an honest model, which must do what was asked, and the program of a fooled model, which must fail. Without labels the fooled program must
// succeed, because otherwise its failure would prove nothing.
//
// The worlds are in testdata/dojo: a schema, a grant file with labels, and tasks. The worlds of testdata/dojo/outside are AgentDojo's four suites once
// more. There, mails, chats, webhooks, HTTP APIs, MCP servers and folders are services of the grant file. Their effects must arrive at servers on loopback.
package dojo
