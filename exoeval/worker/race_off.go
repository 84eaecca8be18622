//go:build !race

package worker

// addressSlack is how much a worker's address space may grow beyond its memory. The Go runtime reserves pieces of 64 MiB, and a C library
// reserves stacks and arenas for threads.
const addressSlack = 160 << 20
