package worker

import (
	"os"
)

// marker is argument zero of a worker. Nobody starts a program with this
// name by mistake. If a caller does it on purpose, the process just exits.
const marker = "exoagent-worker/1"

// arguments returns the arguments of a worker. They say whether a program already waits for it.
func arguments(now bool) []string {
	if now {
		return []string{marker, "now"}
	}
	return []string{marker}
}

// Exit statuses of a worker. None of them is 2, with which Go's own failures exit.
const (
	exitDone     = 0
	exitMemory   = 86
	exitNoHost   = 87 // no handshake: a person started it, or its host is gone
	exitLockdown = 88 // it could not lock itself down
)

// A binary that imports this package is started again as its own worker. This function takes the
// worker over: it runs before the program's main and never returns, so no main runs in a worker.
//
// Only internal/wall has another init function, for processes that become other programs. Package main is initialised after all packages that it imports,
// so its variables and init functions don't run in a worker either. Those of other packages may run, in the
// order of their import paths. They find no environment, no files but null devices, and the root directory.
func init() {
	if len(os.Args) == 0 || os.Args[0] != marker {
		return
	}
	// While packages initialise, the main goroutine is bound to its thread,
	// and that makes every switch to it slow. So another goroutine serves.
	go serve()
	park()
}

// park blocks the first thread for ever. Only tests replace it.
var park = func() { select {} }
