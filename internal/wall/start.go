package wall

// This file is the host's side: it starts a process, and ends it with all that it started.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Process is a program within walls.
type Process struct {
	In       *os.File // its standard input
	Out, Err *os.File // its outputs
	Walls    Walls
	Missing  Walls // what this system lacks

	p    *os.Process
	mu   sync.Mutex
	gone bool // it was waited for, so its number may belong to another process
	done chan struct{}
}

// report is what the host reads until the program begins.
type report struct {
	Walls Walls
	Error string // why the program did not begin
}

// Start runs a program. It ends when ctx ends, at the latest, and its processes with it.
func Start(ctx context.Context, s Spec) (*Process, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	pipes, err := newPipes(5)
	if err != nil {
		return nil, err
	}
	theirs := []*os.File{pipes[0].r, pipes[1].w, pipes[2].w, pipes[3].r, pipes[4].w}
	p := &Process{In: pipes[0].w, Out: pipes[1].r, Err: pipes[2].r, done: make(chan struct{})}
	spec, said := pipes[3].w, pipes[4].r
	defer said.Close()
	started := make(chan error, 1)
	go p.run(&s, theirs, started)
	if err := <-started; err != nil {
		spec.Close()
		p.closeFiles()
		return nil, fmt.Errorf("wall: %s: %w", s.Path, err)
	}
	stop := context.AfterFunc(ctx, p.Kill)
	go func() {
		<-p.done
		stop()
	}()
	if p.Walls, err = p.enter(&s, spec, said); err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("wall: %s: %w", s.Path, err)
	}
	p.Missing = s.wanted() &^ p.Walls
	return p, nil
}

// enter sends the process its Spec, and waits until it has become the program.
func (p *Process) enter(s *Spec, spec, said *os.File) (Walls, error) {
	defer spec.Close()
	if !walled {
		if s.Require != 0 {
			return 0, fmt.Errorf("this system lacks the required walls: %v", s.Require)
		}
		return 0, nil
	}
	b, err := json.Marshal(s)
	if err == nil {
		_, err = spec.Write(b) // the process reads meanwhile; if it has ended, this is an error
	}
	spec.Close()
	text, readErr := io.ReadAll(said)
	var r report
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); { // an error after the walls: the program could not be executed
		if err := d.Decode(&r); err != nil {
			return 0, err
		}
	}
	switch {
	case r.Error != "":
		return 0, errors.New(r.Error)
	case err == nil && readErr == nil && len(text) == 0:
		return 0, errors.New("the process ended before it became the program")
	}
	return r.Walls, errors.Join(err, readErr)
}

// run starts the process and waits for it, on one thread: the kernel ends the process when the thread that started it ends.
func (p *Process) run(s *Spec, theirs []*os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	p.p, err = launch(s, theirs)
	for _, f := range theirs {
		f.Close()
	}
	started <- err
	if err != nil {
		return
	}
	ended(p.p)
	p.mu.Lock()
	killGroup(p.p)
	p.gone = true
	p.mu.Unlock()
	_, _ = p.p.Wait()
	close(p.done)
}

// Kill ends the program, with all processes that it has started.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		killGroup(p.p)
	}
}

// Pid is the number of its first process, and of its group.
func (p *Process) Pid() int { return p.p.Pid }

// Done closes when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Close ends the program, waits for its end, and closes the files.
func (p *Process) Close() {
	p.Kill()
	<-p.done
	p.closeFiles()
}

func (p *Process) closeFiles() {
	p.In.Close()
	p.Out.Close()
	p.Err.Close()
}

// check completes a Spec, and refuses one that means something else in another folder, or can't be meant.
func (s *Spec) check() error {
	if s.Dir == "" {
		s.Dir = "/"
	}
	if s.Memory == 0 {
		s.Memory = 1 << 30
	}
	for _, path := range slices.Concat([]string{s.Path, s.Dir}, s.Read, s.Write) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("wall: %q: want an absolute path", path)
		}
	}
	for _, v := range s.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return fmt.Errorf("wall: a variable of the environment is not NAME=value") // without its text, which may be a secret
		}
	}
	for _, text := range slices.Concat([]string{s.Path, s.Dir}, s.Args, s.Env) {
		if strings.IndexByte(text, 0) >= 0 {
			return errors.New("wall: a NUL in the path, folder, arguments or environment")
		}
	}
	return nil
}

type pipe struct{ r, w *os.File }

// newPipes makes n pipes, or none.
func newPipes(n int) (all []pipe, err error) {
	for range n {
		r, w, err := os.Pipe()
		if err != nil {
			for _, p := range all {
				p.r.Close()
				p.w.Close()
			}
			return nil, err
		}
		all = append(all, pipe{r, w})
	}
	return all, nil
}
