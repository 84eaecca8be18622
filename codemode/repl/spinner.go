package repl

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// spinAfter is how long something may take before it is worth a word, and spinEvery
// how often the word moves.
const (
	spinAfter = 200 * time.Millisecond
	spinEvery = 100 * time.Millisecond
)

// spinner says on a line of its own, which it takes away again, that something
// is under way. Nothing else may be written while it spins.
type spinner struct {
	out  io.Writer
	stop chan struct{}
	done sync.WaitGroup
}

// spin starts one; on a plain screen it does nothing.
func (s screen) spin(out io.Writer, what string) *spinner {
	sp := &spinner{out: out}
	if !s.live {
		return sp
	}
	stop := make(chan struct{})
	sp.stop = stop
	start := time.Now()
	sp.done.Go(func() {
		wait, shown := time.After(spinAfter), false
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
			fmt.Fprintf(out, "\r\x1b[K%s %s", s.paint(cyan, frame), s.paint(dim, fmt.Sprintf("%s, %.1f s; Ctrl-C stops it", what, time.Since(start).Seconds())))
			shown, wait = true, time.After(spinEvery)
		}
	})
	return sp
}

// end stops it and clears its line. It may be called twice.
func (sp *spinner) end() {
	if sp.stop == nil {
		return
	}
	close(sp.stop)
	sp.stop = nil
	sp.done.Wait()
}
