package worker

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// eager reads a connection and looks several times for a frame before it leaves its
// goroutine to the runtime's poller, which wakes it up later than a frame needs.
// Within a frame it does not look: a worker whose bytes come one at a time would cost
// us more for each than it costs the worker.
type eager struct {
	f     *os.File
	raw   syscall.RawConn
	begun bool // the first bytes of the frame have come, or were looked for
}

// next implements source.
func (r *eager) next() { r.begun = false }

// looking is how many goroutines of the process look. Half of the processors are
// left to those that have something to do.
var looking atomic.Int32

// reader is the worker's connection for reading.
func (e *endpoint) reader() source {
	raw, _ := e.conn.SyscallConn() // with an error it is closed, as reading it says
	return &eager{f: e.conn, raw: raw}
}

func (r *eager) Read(b []byte) (int, error) {
	if !r.begun && r.raw != nil {
		r.begun = true
		if n, err := r.look(b); n > 0 || err != nil {
			return n, err
		}
	}
	return r.f.Read(b)
}

// look reads what is there. It gives nothing and no error where the reader has to wait.
func (r *eager) look(b []byte) (n int, err error) {
	defer looking.Add(-1)
	if looking.Add(1) > int32(max(1, runtime.GOMAXPROCS(0)/2)) {
		return 0, nil
	}
	for range asks {
		var rerr error
		if err := r.raw.Control(func(fd uintptr) { n, rerr = unix.Read(int(fd), b) }); err != nil {
			return 0, err
		}
		if rerr == nil && n > 0 {
			return n, nil
		}
		if rerr != unix.EAGAIN { // the end, or a failure: the poller's to tell
			break
		}
		runtime.Gosched()
	}
	return 0, nil
}
