package worker

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// self is the path of this binary, even if its file was replaced or removed.
func self() (string, error) { return "/proc/self/exe", standalone() }

const (
	hostIsolation = Watched | Tied
	canReuse      = true
)

// environment is a worker's whole environment. With a fixed number of processors the runtime never looks the number up. A C library would give each thread
// an arena of 64 MiB of addresses. A busy machine makes one or two more threads, and small programs would reach their limit.
var environment = []string{"GOMAXPROCS=1", "MALLOC_ARENA_MAX=1"}

// timerSlack is how late timers of a worker may be. It is less than the time between two looks at memory.
const timerSlack = 500 * time.Microsecond

// namespaces are those in which a worker finds nothing of the host. A namespace of processes is not among them: in such a namespace a worker can't
// see whether its host lives, which Go must know to end the worker with its host.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWNS | unix.CLONE_NEWUTS

// endpoint is the host's end of one worker.
type endpoint struct {
	conn          *os.File
	stderr, statm int    // descriptors
	tasks         string // the folder that lists the worker's threads
	clock         int32  // the clock of the worker's processor time
	most          uint64 // the kernel's limit of processor time for all programs of the worker, in seconds; 0 if not set
}

// launch starts a worker in new namespaces, those of the flags in the parameter apart. Call launch on a thread that outlives the worker, because the
// kernel ends the worker with the thread that started it.
func launch(path string, null *os.File, now bool, apart uintptr) (*os.Process, *endpoint, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "worker")
	defer theirs.Close()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		unix.Close(pair[0])
		return nil, nil, err
	}
	errs := os.NewFile(uintptr(pipe[1]), "worker")
	defer errs.Close()
	e := &endpoint{stderr: pipe[0], statm: -1}
	err = errors.Join(unix.SetNonblock(pipe[0], true), unix.SetNonblock(pair[0], true)) // the runtime's poller needs files that don't block
	e.conn = os.NewFile(uintptr(pair[0]), "worker")
	if err != nil {
		e.close()
		return nil, nil, err
	}
	// The worker inherits how late timers may be. Go's runtime begins with a timer of 20 µs again and again, which would cost a tenth of a start.
	unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack), 0, 0, 0)
	defer unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // as it was
	p, err := os.StartProcess(path, arguments(now), &os.ProcAttr{
		Dir: "/", Env: environment, Files: []*os.File{null, null, errs, theirs},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: apart},
	})
	if err != nil {
		e.close()
		return nil, nil, err
	}
	// The worker's end shares this file description, so it does not block either. A worker that fills the pipe gets an error instead of waiting
	// for us.
	unix.SetNonblock(pipe[1], true)
	e.tasks = "/proc/" + strconv.Itoa(p.Pid) + "/task"
	if e.statm, err = unix.Open("/proc/"+strconv.Itoa(p.Pid)+"/statm", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		p.Kill()
		p.Wait()
		e.close()
		return nil, nil, err
	}
	e.clock = ^int32(p.Pid)<<3 | 2 // this is CPUCLOCK_SCHED of the worker
	return p, e, nil
}

// limit sets the kernel's limits for the job. size is the worker's address space before the job, because the runtime reserves more than it
// uses. The parameter more is how many programs may follow. The first limit includes their time, too, since no later limit can exceed it.
func (e *endpoint) limit(p *os.Process, size uint64, memory int, cpu time.Duration, more int) error {
	// If other code waits for our children, another process may already have the number of a worker that died in the pool.
	if err := p.Signal(syscall.Signal(0)); err != nil {
		return err
	}
	space := size + uint64(memory) + addressSlack
	if err := unix.Prlimit(p.Pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: space, Max: space}, nil); err != nil {
		return fmt.Errorf("worker: the limit on the address space can't be set: %w", err)
	}
	used, _ := e.cpu()
	// The kernel's limit is in whole seconds since the start of the process; the host's own watch is more exact.
	seconds := uint64((used+cpu)/time.Second) + 2
	if e.most == 0 {
		e.most = seconds + uint64(more)*(uint64(cpu/time.Second)+2)
	}
	if err := unix.Prlimit(p.Pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: min(seconds, e.most), Max: e.most}, nil); err != nil {
		return fmt.Errorf("worker: the limit on processor time can't be set: %w", err)
	}
	return nil
}

// cpu returns the processor time that the worker has used, or false if the kernel does not report it.
func (e *endpoint) cpu() (time.Duration, bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(e.clock, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// memory returns the worker's own memory, without the pages of its binary. ok is false if the kernel does not report it.
func (e *endpoint) memory() (int64, bool) {
	var b [128]byte
	n, err := unix.Pread(e.statm, b[:], 0)
	if err != nil || n <= 0 {
		return 0, false
	}
	var f [3]int64 // the size, the resident and the shared memory
	i := 0
	for _, c := range b[:n] {
		if c == ' ' {
			if i++; i == len(f) {
				break
			}
		} else if c >= '0' && c <= '9' {
			f[i] = f[i]*10 + int64(c-'0')
		}
	}
	return (f[1] - f[2]) * pageSize, f[0] > 0
}

// threads returns the number of the worker's threads. Threads cost the host kernel stacks and thread numbers, of which a machine has a limited
// supply. No limit on memory counts these.
func (e *endpoint) threads() int {
	var st unix.Stat_t
	if unix.Stat(e.tasks, &st) != nil {
		return 0
	}
	return int(st.Nlink) - 2
}

// slain reports whether a signal ended the worker's first thread. Such a signal ends all threads: a thread that ends alone has done so itself.
func (e *endpoint) slain() bool {
	b, err := os.ReadFile(strings.TrimSuffix(e.tasks, "task") + "stat")
	f := strings.Fields(string(b))
	if err != nil || len(f) == 0 {
		return false
	}
	status, err := strconv.Atoi(f[len(f)-1])
	return err == nil && syscall.WaitStatus(status).Signaled()
}

var pageSize = int64(os.Getpagesize())

// silent reports whether the host has read every byte that the worker sent.
func (e *endpoint) silent() bool {
	raw, err := e.conn.SyscallConn()
	if err != nil {
		return false
	}
	waits := true
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		waits = err == unix.EAGAIN
	})
	return err == nil && waits
}

// said returns what a dead worker wrote to its error output, or "".
func (e *endpoint) said() string {
	var b [4 << 10]byte
	n, err := unix.Read(e.stderr, b[:])
	if err != nil || n <= 0 {
		return ""
	}
	return string(b[:n])
}

func (e *endpoint) close() {
	e.conn.Close()
	unix.Close(e.stderr)
	if e.statm >= 0 {
		unix.Close(e.statm)
	}
}

// exitOf returns how a process ended. state is nil if other code has waited for the process, or if the host ignores SIGCHLD, so that the kernel
// discards the exit status. Since version 6.15 the kernel still reports the end to the owner of a pidfd.
func exitOf(p *os.Process, state *os.ProcessState) (x ended) {
	var w syscall.WaitStatus
	if state != nil {
		w, x.known = state.Sys().(syscall.WaitStatus)
	} else {
		p.WithHandle(func(h uintptr) { w, x.known = exitInfo(int(h)) })
	}
	x.status = -1
	if !x.known {
		return x
	}
	if w.Signaled() {
		x.policy, x.cpu, x.killed = w.Signal() == syscall.SIGSYS, w.Signal() == syscall.SIGXCPU, w.Signal() == syscall.SIGKILL
		return x
	}
	x.status = w.ExitStatus()
	return x
}

// exitInfo asks a pidfd how its process ended, and returns false if the kernel can't report it. The kernel may know the status only a moment after the
// process was waited for.
func exitInfo(pidfd int) (syscall.WaitStatus, bool) {
	for range 100 {
		i := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
		switch err := unix.IoctlPidfdInfo(pidfd, &i); {
		case err == nil && i.Mask&unix.PIDFD_INFO_EXIT != 0:
			return syscall.WaitStatus(i.Exit_code), true
		case err != nil && err != unix.ESRCH:
			return 0, false // older kernels can't report it
		}
		time.Sleep(time.Millisecond)
	}
	return 0, false
}
