package worker

import "os"

// marker is argument zero of a worker, a name with which no program starts by mistake. If a person starts a process with this name on purpose, it
// just exits.
const marker = "exoagent-worker/1"

// arguments returns the arguments of a worker. The arguments report whether a program already waits for the worker.
func arguments(now bool) []string {
	if now {
		return []string{marker, "now"}
	}
	return []string{marker}
}

// These are exit statuses of a worker. None is 2, the status of Go's own failures.
const (
	exitDone     = 0
	exitMemory   = 86
	exitNoHost   = 87 // there was no handshake: a person started the process, or its host is gone
	exitLockdown = 88 // the process could not lock itself down
)

// A binary that imports this package is started again as its own worker. In a worker this function never returns. It runs before the program's main, so
// no main runs there.
//
// Only internal/wall has another init function, for processes that become other programs. Package main is initialised after all packages that it
// imports, so its variables and init functions don't run in a worker either. The variables and init functions of other packages may come before, in
// the order of their import paths. They find no environment, no files but null devices, and the root directory.
func init() {
	if len(os.Args) == 0 || os.Args[0] != marker {
		return
	}
	// While packages initialise, the main goroutine is bound to its thread, so every switch to it is slow. So another goroutine serves.
	go serve()
	park()
}

// park blocks the first thread for ever. Only tests replace it.
var park = func() { select {} }
