// Package observed compares everything that leaves the host in two runs of one program, which differ in a secret. Nothing may differ for the low
// observers of non-interference: servers of HTTP and MCP, receivers of mails, chats and webhooks, a folder, the rows without a label, the outbox,
// the budgets, and the reader of the program's result. The programs are random, and hostile. Without labels some of them must show a difference:
// otherwise the comparison would prove nothing.
package observed
