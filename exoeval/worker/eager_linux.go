package worker

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// eager reads a connection. It polls the socket briefly before it waits in the runtime's poller, because a wake-up takes longer than reading a small
// frame. It never polls inside a frame: otherwise a hostile worker that sends single bytes would cost the host more processor time than the worker.
type eager struct {
	f     *os.File
	raw   syscall.RawConn
	begun bool // the socket was already polled for the first bytes of this frame
}

// Next implements frame.Source.
func (r *eager) Next() { r.begun = false }

// looking counts the goroutines that poll. They use at most half of the processors, so that other goroutines can work.
var looking atomic.Int32

// reader returns the reading side of the connection to the worker.
func (e *endpoint) reader() frame.Source {
	raw, _ := e.conn.SyscallConn() // an error means a closed connection, which the first read reports
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

// look polls the socket and reads the bytes that have arrived. It returns 0 and no error if the reader must wait.
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
		if rerr != unix.EAGAIN { // the poller reports an end or a failure
			break
		}
		runtime.Gosched()
	}
	return 0, nil
}
