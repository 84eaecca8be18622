package worker

import (
	"os"
)

// marker is the name under which a worker is started. Nobody starts a program
// of this name by mistake, and whoever does it on purpose gets a process that
// exits.
const marker = "exoagent-worker/1"

// arguments are those of a worker. They say whether a program waits for the worker.
func arguments(now bool) []string {
	if now {
		return []string{marker, "now"}
	}
	return []string{marker}
}

// Exit statuses of a worker. None is what Go's own failures exit with, which is 2.
const (
	exitDone     = 0
	exitMemory   = 86
	exitNoHost   = 87 // no handshake: started by hand, or its host is gone
	exitLockdown = 88 // it could not lock itself down
)

// A binary that imports this package is started again as its own worker. This
// function is the takeover: it runs before the program's main and never returns
// in a worker, so main can't be reached there, whatever main is.
//
// It is the one init function of this module. Package main is initialised after
// all packages that it imports, so its variables and init functions don't run in a
// worker either; those of other packages may, in the order of their import paths,
// and find no environment, no files but null devices, and the root directory.
func init() {
	if len(os.Args) == 0 || os.Args[0] != marker {
		return
	}
	// The main goroutine is bound to its thread while packages initialise, which
	// makes every switch to it slow.
	go serve()
	park()
}

// park keeps the first thread. Only tests set it.
var park = func() { select {} }
