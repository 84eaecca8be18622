//go:build !linux

package worker

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// On other systems a worker is a process with a deadline, which watches its own memory. It uses the two standard pipes. The kernel sets it no
// limits.

func self() (string, error) {
	if err := standalone(); err != nil {
		return "", err
	}
	return os.Executable()
}

const (
	hostIsolation Isolation = 0
	namespaces              = 0
	canReuse                = false // no process may live on between programs if the host can't watch it
)

type endpoint struct {
	conn *duplex
	errs *os.File
}

// duplex makes one connection from two pipes.
type duplex struct{ in, out *os.File }

func (d *duplex) Read(b []byte) (int, error)  { return d.in.Read(b) }
func (d *duplex) Write(b []byte) (int, error) { return d.out.Write(b) }
func (d *duplex) Next()                       {}
func (d *duplex) Close() error                { return errors.Join(d.in.Close(), d.out.Close()) }

func launch(path string, null *os.File, now bool, _ uintptr) (*os.Process, *endpoint, error) {
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			f.Close()
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		files = append(files, r, w)
	}
	p, err := os.StartProcess(path, arguments(now), &os.ProcAttr{
		Env: environment, Files: []*os.File{files[0], files[3], files[5]}, Sys: processGroup(),
	})
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	files[0].Close()
	files[3].Close()
	files[5].Close()
	return p, &endpoint{conn: &duplex{in: files[2], out: files[1]}, errs: files[4]}, nil
}

func (e *endpoint) reader() frame.Source                                     { return e.conn }
func (e *endpoint) limit(*os.Process, uint64, int, time.Duration, int) error { return nil }
func (e *endpoint) cpu() (time.Duration, bool)                               { return 0, false }
func (e *endpoint) memory() (int64, bool)                                    { return 0, false }
func (e *endpoint) silent() bool                                             { return false }
func (e *endpoint) threads() int                                             { return 0 }
func (e *endpoint) slain() bool                                              { return false }

// said returns the error output of the process, which is dead, so the pipe has an end.
func (e *endpoint) said() string {
	b, _ := io.ReadAll(io.LimitReader(e.errs, 4<<10))
	return string(b)
}

func (e *endpoint) close() {
	e.conn.Close()
	e.errs.Close()
}

func exitOf(_ *os.Process, s *os.ProcessState) ended {
	if s == nil {
		return ended{status: -1}
	}
	return ended{known: true, status: s.ExitCode()}
}

// The rest of this file is the worker's side.

type stderr struct{}

func (stderr) Write(b []byte) (int, error) { return os.Stderr.Write(b) }

func exit(status int) { os.Exit(status) }

type locked struct {
	rw        *duplex
	isolation Isolation
	size      uint64
}

func lockdown() (locked, error) {
	for _, f := range []*os.File{os.Stdin, os.Stdout} {
		if i, err := f.Stat(); err != nil || i.Mode()&os.ModeNamedPipe == 0 {
			return locked{}, errors.New("the process was not started by a Go program that uses exoagent")
		}
	}
	return locked{rw: &duplex{in: os.Stdin, out: os.Stdout}, isolation: Process}, nil
}
