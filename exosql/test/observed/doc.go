// Package observed compares what those outside of the host get from two runs of one program that differ in a secret. They are the low observers of
// non-interference: servers of HTTP and MCP, receivers of mails, chats and webhooks, a folder, the rows without a label, the outbox, the budgets, and
// the reader of the program's result. The programs are random, and hostile. Without labels, some of them must show a difference, because
// otherwise no difference would prove nothing.
package observed
