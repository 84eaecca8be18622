// Package load runs many programs of many principals on the whole stack: workers, both databases, a signed record, budgets, an outbox. Meanwhile workers
// are killed, connections are cut, and the disk is full. It has tests only.
package load_test
