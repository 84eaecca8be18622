package wall

// This file starts a process for the host, and ends it with all processes that it started.

import (
	"cmp"
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
	In, Out        *os.File // the program's standard input and output
	Walls, Missing Walls    // the walls that the program has, and those that this system lacks

	p    *os.Process
	mu   sync.Mutex
	gone bool // the process was waited for, so its number may now belong to another process
	done chan struct{}
	said chan struct{} // closed when the whole error output was passed on
}

// report is what a process sends before it becomes the program.
type report struct {
	Walls Walls
	Error string // the reason why the process can't become the program
}

// maxErrors bounds, in bytes, the error output of a program that the host gets.
const maxErrors = 16 << 20

// Start runs a program, with all processes that it starts, until ctx ends at the latest. The file errs gets up to 16 MiB of the program's error
// output, unless it is nil. The program does not get this file itself, because terminals and logs are often open for reading, too.
func Start(ctx context.Context, s Spec, errs *os.File) (_ *Process, err error) {
	if runtime.GOOS == "windows" { // pipes there have no write deadline, so a program that does not read its input could block the host
		return nil, errors.New("wall: programs can't be started on Windows: give the address of a server that already runs, instead of a command")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	var r, w [5]*os.File // pipes for input, output, Spec, report and error output
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

// pass copies a program's output, as far as its host accepts it. It reads the rest without copying, so that the program does not wait.
func pass(to, from *os.File) {
	defer from.Close()
	if to != nil {
		_, _ = io.CopyN(to, from, maxErrors)
	}
	_, _ = io.Copy(io.Discard, from)
}

// handOver sends a process its Spec, and waits until the process has become the program.
func handOver(s *Spec, spec, said *os.File) (Walls, error) {
	if !walled {
		return 0, s.lacking(0)
	}
	b, err := json.Marshal(s)
	if err == nil {
		_, err = spec.Write(b) // the process reads at the same time; Write fails if the process has ended
	}
	spec.Close()
	r := report{Error: "the process ended before it started the program, and gave no reason: try again"}
	for d := json.NewDecoder(said); err == nil; { // an error after the walls means that the program could not be executed
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

// lacking returns the error of a system without all required walls.
func (s *Spec) lacking(has Walls) error {
	if lacks := s.Require &^ has; lacks != 0 {
		return fmt.Errorf("this system lacks the required walls %v: require fewer, or use a system that has them", lacks.Names())
	}
	return nil
}

// plain starts the program itself, on a system without walls.
func plain(s *Spec, files []*os.File, sys *syscall.SysProcAttr) (*os.Process, error) {
	env := append([]string{}, s.Env...) // nil would mean the host's own environment
	return os.StartProcess(s.Path, append([]string{s.Path}, s.Args...), &os.ProcAttr{Dir: s.Dir, Env: env, Files: files[:3], Sys: sys})
}

// run starts the process and waits for it on one thread, because the kernel ends a process with the thread that started it.
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

// Kill ends the program, with all processes that it started.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		killGroup(p.p)
	}
}

// Close ends the program, waits until nothing of it is left, and closes the files. By then the error output was passed on, unless a process that
// left the group still has the output open.
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

// Done returns a channel that is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Pid returns the number of the program's first process, and of its group.
func (p *Process) Pid() int { return p.p.Pid }

// check completes a Spec. It refuses a Spec that depends on the present folder, or that the system can't express.
func (s *Spec) check() error {
	s.Dir = cmp.Or(s.Dir, "/")
	if s.Memory == 0 {
		s.Memory = 1 << 30
	}
	for _, path := range slices.Concat([]string{s.Path, s.Dir}, s.Read, s.Write) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("wall: the path %q is not absolute: write the whole path, from / on", path)
		}
	}
	for _, v := range s.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return fmt.Errorf("wall: a variable of the environment has no name or no =: write NAME=value") // without the text, which may be a secret
		}
	}
	for _, text := range slices.Concat([]string{s.Path, s.Dir}, s.Args, s.Env) {
		if strings.IndexByte(text, 0) >= 0 {
			return errors.New("wall: the path, the folder, the arguments or the environment contain a NUL character: remove it")
		}
	}
	for _, text := range slices.Concat([]string{s.Path, s.Dir}, s.Args, s.Env, s.Read, s.Write) {
		if !utf8.ValidString(text) { // the Spec is sent as JSON, which would change such a text
			return errors.New("wall: a path, an argument or a variable of the environment is not valid UTF-8: write it in UTF-8")
		}
	}
	return nil
}
