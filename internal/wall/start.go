package wall

// This file is the host's side: it starts a process, and ends it with all that it started.

import (
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
	"syscall"
	"time"
	"unicode/utf8"
)

// Process is a program within walls.
type Process struct {
	In, Out        *os.File // its standard input and output
	Walls, Missing Walls    // what it has, and what this system lacks

	p    *os.Process
	mu   sync.Mutex
	gone bool // it was waited for, so its number may belong to another process
	done chan struct{}
	said chan struct{} // all of its error output was passed on
}

// report is what a process says before it becomes the program.
type report struct {
	Walls Walls
	Error string // why it does not
}

// maxErrors bounds the error output of a program that reaches its host, in bytes.
const maxErrors = 16 << 20

// Start runs a program. It ends when ctx ends, at the latest, and its processes with it. errs gets its error output, up to 16 MiB; nil: nothing does.
// The program does not have errs itself: a terminal or a log is often open for reading, too.
func Start(ctx context.Context, s Spec, errs *os.File) (_ *Process, err error) {
	if runtime.GOOS == "windows" { // its pipes know no deadline, by which a program that does not read is ended
		return nil, errors.New("wall: programs can't be started on Windows: use an address")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	var r, w [5]*os.File // input, output, Spec, report, error output
	defer func() {
		for i := range r {
			if err != nil || i != 0 {
				w[i].Close()
			}
			if err != nil || i != 1 && i != 4 {
				r[i].Close()
			}
		}
	}()
	for i := range r {
		if r[i], w[i], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	p := &Process{In: w[0], Out: r[1], done: make(chan struct{}), said: make(chan struct{})}
	started := make(chan error)
	go p.run(&s, []*os.File{r[0], w[1], w[4], r[2], w[3]}, started)
	if err = <-started; err == nil {
		stop := context.AfterFunc(ctx, p.Kill)
		defer func() { go func() { <-p.done; stop() }() }()
		w[1].Close()
		r[2].Close()
		w[3].Close()
		if p.Walls, err = handOver(&s, w[2], r[3]); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			p.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("wall: %s: %w", s.Path, err)
	}
	go func() {
		defer close(p.said)
		pass(errs, r[4])
	}()
	p.Missing = s.wanted() &^ p.Walls
	return p, nil
}

// pass copies what a program writes, as much as its host takes, and reads the rest, so that the program does not wait.
func pass(to, from *os.File) {
	defer from.Close()
	if to != nil {
		_, _ = io.CopyN(to, from, maxErrors)
	}
	_, _ = io.Copy(io.Discard, from)
}

// handOver sends a process its Spec, and waits until it has become the program.
func handOver(s *Spec, spec, said *os.File) (Walls, error) {
	if !walled {
		return 0, s.lacking(0)
	}
	b, err := json.Marshal(s)
	if err == nil {
		_, err = spec.Write(b) // the process reads meanwhile; if it has ended, this is an error
	}
	spec.Close()
	r := report{Error: "the process ended before it became the program"}
	for d := json.NewDecoder(said); err == nil; { // an error after the walls: the program could not be executed
		var next report
		if d.Decode(&next) != nil {
			break
		}
		r = next
	}
	if err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	return r.Walls, err
}

// lacking is the error of a system that does not have all required walls.
func (s *Spec) lacking(has Walls) error {
	if lacks := s.Require &^ has; lacks != 0 {
		return fmt.Errorf("this system lacks the required walls: %v", lacks.Names())
	}
	return nil
}

// plain starts the program itself, where there are no walls.
func plain(s *Spec, files []*os.File, sys *syscall.SysProcAttr) (*os.Process, error) {
	env := append([]string{}, s.Env...) // never nil, which would be the host's
	return os.StartProcess(s.Path, append([]string{s.Path}, s.Args...), &os.ProcAttr{Dir: s.Dir, Env: env, Files: files[:3], Sys: sys})
}

// run starts the process and waits for it, on one thread: the kernel ends the process when the thread that started it ends.
func (p *Process) run(s *Spec, files []*os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	p.p, err = launch(s, files)
	if started <- err; err != nil {
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

// Close ends the program, waits until nothing of it is left, and closes the files. The program's error output has been passed on by then, unless
// something that left its group still has it.
func (p *Process) Close() {
	p.Kill()
	<-p.done
	select {
	case <-p.said:
	case <-time.After(time.Second):
	}
	p.In.Close()
	p.Out.Close()
}

// Done closes when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Pid is the number of its first process, and of its group.
func (p *Process) Pid() int { return p.p.Pid }

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
	for _, text := range slices.Concat([]string{s.Path, s.Dir}, s.Args, s.Env, s.Read, s.Write) {
		if !utf8.ValidString(text) { // the Spec travels as JSON, which would make another text of it
			return errors.New("wall: a path, an argument or a variable of the environment is not UTF-8")
		}
	}
	return nil
}
