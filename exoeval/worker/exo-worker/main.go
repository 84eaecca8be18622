// Exo-worker is only a worker. A host names it in worker.PoolOptions.Binary, so that a program's process initialises only the engine, not
// everything that the host links. Build it together with the host, from the same go.mod:
//
//	go build -o /usr/local/lib/myhost/exo-worker github.com/exoagent/exoagent/exoeval/worker/exo-worker
package main

import (
	"fmt"
	"os"

	_ "github.com/exoagent/exoagent/exoeval/worker" // this import takes over the process before main runs
)

func main() {
	fmt.Fprintln(os.Stderr, "exo-worker: only a Go program that uses exoagent starts this command: see worker.PoolOptions.Binary")
	os.Exit(2)
}
