// Package spin says on a line of its own, which it takes away again, that something is under way.
//
//	s := spin.Start(os.Stderr, time.Second/2, func(frame string, took time.Duration) string { return frame + " reading" })
//	defer s.End()
//
// Whoever starts one knows that it is a terminal whose cursor can be moved: on a pipe there is none.
package spin

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// every is how often the line changes.
const every = 100 * time.Millisecond

// Spinner is one that was started. The zero Spinner shows nothing.
type Spinner struct {
	mu   sync.Mutex
	stop chan struct{} // nil: it has ended
	done sync.WaitGroup
}

// Start starts one, which shows nothing before some time is over. Nothing else may be written there before End, but through Writer.
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

// End stops it, and returns when its line is gone. It may be called twice.
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

// Writer is where others write meanwhile: the first of them ends the spinner, whose line would be in theirs.
func (s *Spinner) Writer(w io.Writer) io.Writer { return &ending{s, w} }

type ending struct {
	s *Spinner
	w io.Writer
}

func (e *ending) Write(b []byte) (int, error) {
	e.s.End()
	return e.w.Write(b)
}

// Moves reports whether w is a terminal whose cursor can be moved.
func Moves(w io.Writer) bool {
	f, ok := w.(*os.File)
	name := os.Getenv("TERM")
	return ok && name != "" && name != "dumb" && term.IsTerminal(int(f.Fd()))
}
