package wall

// This file is the new process's side: it closes itself off and becomes the program.

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// marker is argument zero of a process that will become another program.
const marker = "exoagent-walled/1"

// The descriptors by which the process gets its Spec and reports its walls. Both close when it becomes the program.
const (
	specFile   = 3
	reportFile = 4
)

// The process never reaches main. See exoeval/worker, which has the only other init function.
func init() {
	if len(os.Args) == 0 || os.Args[0] != marker {
		return
	}
	if err := enter(); err != nil {
		write(report{Error: err.Error()})
	}
	unix.Exit(1)
}

func write(r report) {
	b, err := json.Marshal(r)
	if err == nil {
		_, _ = unix.Write(reportFile, append(b, '\n'))
	}
}

// enter returns only an error. The main goroutine stays on its first thread while packages initialise, and the kernel
// gives the program what this thread has.
func enter() error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	// A host that ended before the line above has closed its end, so the Spec is not whole.
	b, err := io.ReadAll(os.NewFile(specFile, "spec"))
	if err != nil {
		return err
	}
	var s Spec
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if err := closeAtExec(); err != nil {
		return err
	}
	has, err := closeOff(&s)
	if err != nil {
		return err
	}
	if err := s.lacking(has); err != nil {
		return err
	}
	write(report{Walls: has})
	err = unix.Exec(s.Path, append([]string{s.Path}, s.Args...), s.Env)
	if err == unix.EACCES && has&Files != 0 {
		return fmt.Errorf("%w: may it read its loader, its libraries, and the interpreter of a script?", err)
	}
	return err
}

// closeAtExec keeps from the program what libraries of the host have left open, and the two descriptors above.
func closeAtExec() error {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range dir {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// closeOff takes from the process what s does not give it.
func closeOff(s *Spec) (has Walls, err error) {
	if err := unix.Chdir(s.Dir); err != nil {
		return 0, fmt.Errorf("%s: %w", s.Dir, err)
	}
	size := uint64(0)
	if len(s.Write) > 0 {
		size = maxFile
	}
	for _, r := range []struct {
		resource int
		max      uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, size}, {unix.RLIMIT_NOFILE, maxOpen}, {unix.RLIMIT_MEMLOCK, 0}, {unix.RLIMIT_MSGQUEUE, 0}, {unix.RLIMIT_DATA, s.Memory}} {
		if err := unix.Setrlimit(r.resource, &unix.Rlimit{Cur: r.max, Max: r.max}); err != nil {
			return 0, fmt.Errorf("limit %d: %w", r.resource, err)
		}
	}
	has = Resources | Tied
	if os.Getpid() == 1 { // Start made namespaces
		has |= Apart
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	abi, err := Landlock(slices.Concat([]string{s.Path}, s.Read), s.Write, s.Network, false)
	if err != nil {
		return 0, err
	}
	if abi >= 3 { // an older one does not stop truncation
		has |= Files
	}
	ok, err := Install(filter(s.Network), false)
	if err != nil {
		return 0, err
	}
	if ok {
		has |= SystemCalls
	}
	if !s.Network && (ok || has&Apart != 0) {
		has |= Network
	}
	return has, nil
}

const (
	maxFile = 1 << 30 // bytes of a file that a program writes
	maxOpen = 1024    // files that a process has open
)
