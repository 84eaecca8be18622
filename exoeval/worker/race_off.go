//go:build !race

package worker

// addressSlack is what the address space of a worker may grow by beside its
// memory: the Go runtime reserves in pieces of 64 MiB, and a C library for
// the stacks and arenas of threads.
const addressSlack = 160 << 20
