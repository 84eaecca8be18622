package wall

// This file closes a new process off and turns it into the program.

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

// The process gets its Spec and reports its walls through these descriptors. Both close when the process becomes the program.
const (
	specFile   = 3
	reportFile = 4
)

// init takes over a process that Start began, which never reaches main. Only exoeval/worker has another such init function.
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

// enter puts the walls around this process and turns it into the program. It returns only after an error. The main goroutine stays on its
// first thread while packages initialise, and the program gets the walls of this thread from the kernel.
func enter() error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	// If the host has already ended, its end of the pipe is closed, so the Spec is incomplete.
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
		return fmt.Errorf("%w: check that the program may read its loader, its libraries, and a script's interpreter", err)
	}
	return err
}

// closeAtExec keeps open files from the program: those of the host's libraries, and the two descriptors above.
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

// closeOff takes from the process everything that s does not grant.
func closeOff(s *Spec) (has Walls, err error) {
	if err := unix.Chdir(s.Dir); err != nil {
		return 0, fmt.Errorf("the program's folder %s: %w", s.Dir, err)
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
			return 0, fmt.Errorf("the kernel refused a limit for the resource %d of setrlimit: %w", r.resource, err)
		}
	}
	has = Resources | Tied
	if os.Getpid() == 1 { // Start made namespaces for the process
		has |= Apart
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	abi, err := Landlock(slices.Concat([]string{s.Path}, s.Read), s.Write, s.Network, false)
	if err != nil {
		return 0, err
	}
	if abi >= 3 { // older versions do not stop truncation
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
	maxFile = 1 << 30 // the most bytes of a file that a program writes
	maxOpen = 1024    // the most files that a process has open
)
