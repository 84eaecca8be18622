// Package spin shows, on a line of its own, that an operation is running, and then erases the line.
//
//	s := spin.Start(os.Stderr, time.Second/2, func(frame string, took time.Duration) string { return frame + " reading" })
//	defer s.End()
//
// Start a spinner only on a terminal that can move its cursor: see Moves.
package spin

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// every is the time between two changes of the line.
const every = 100 * time.Millisecond

// Spinner shows its line until End. The zero Spinner shows nothing.
type Spinner struct {
	mu   sync.Mutex
	stop chan struct{} // nil after the Spinner has ended
	done sync.WaitGroup
}

// Start starts a Spinner, which shows nothing before the time after has passed. Until End, write to this terminal only through Writer.
func Start(out io.Writer, after time.Duration, line func(frame string, took time.Duration) string) *Spinner {
	s := &Spinner{stop: make(chan struct{})}
	stop, start := s.stop, time.Now()
	s.done.Go(func() {
		wait, shown := time.After(after), false
		for i := 0; ; i++ {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(out, "\r\x1b[K")
				}
				return
			case <-wait:
			}
			frame := string([]rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[i%10])
			fmt.Fprint(out, "\r\x1b[K"+line(frame, time.Since(start)))
			shown, wait = true, time.After(every)
		}
	})
	return s
}

// End stops the spinner, and returns when the line is erased. A second call does nothing.
func (s *Spinner) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		return
	}
	close(s.stop)
	s.stop = nil
	s.done.Wait()
}

// Writer returns a writer for the same terminal. The first write ends the spinner, because its line would disturb the text.
func (s *Spinner) Writer(w io.Writer) io.Writer { return &ending{s, w} }

type ending struct {
	s *Spinner
	w io.Writer
}

func (e *ending) Write(b []byte) (int, error) {
	e.s.End()
	return e.w.Write(b)
}

// Moves reports whether w is a terminal that can move its cursor.
func Moves(w io.Writer) bool {
	f, ok := w.(*os.File)
	name := os.Getenv("TERM")
	return ok && name != "" && name != "dumb" && term.IsTerminal(int(f.Fd()))
}
