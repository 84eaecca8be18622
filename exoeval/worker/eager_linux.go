package worker

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// eager reads a connection. It polls the socket briefly before it parks its goroutine in
// the runtime's poller: a wake-up costs more than a small frame. It never polls in the
// middle of a frame: a hostile worker that sends single bytes would burn more of the host's
// processor time than of its own.
type eager struct {
	f     *os.File
	raw   syscall.RawConn
	begun bool // the socket was polled for the first bytes of this frame
}

// next implements source.
func (r *eager) Next() { r.begun = false }

// looking counts the goroutines of the process that poll. At most half of the processors
// poll, so that the others are free for goroutines that have work.
var looking atomic.Int32

// reader is the worker's connection for reading.
func (e *endpoint) reader() frame.Source {
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

// look polls the socket and reads what has arrived. It returns 0 and no error if the
// reader has to wait.
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
		if rerr != unix.EAGAIN { // the end, or a failure: the poller reports it
			break
		}
		runtime.Gosched()
	}
	return 0, nil
}
