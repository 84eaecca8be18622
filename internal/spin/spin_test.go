package spin

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen keeps what is written, and says when there is something.
type screen struct {
	mu   sync.Mutex
	b    bytes.Buffer
	some chan struct{}
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.some <- struct{}{}:
	default:
	}
	return s.b.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func reading(frame string, _ time.Duration) string { return frame + " reading" }

// TestSpinner: it shows its line, and takes it away before anything else is written.
func TestSpinner(t *testing.T) {
	out := &screen{some: make(chan struct{}, 1)}
	s := Start(out, 0, reading)
	<-out.some
	if _, err := s.Writer(out).Write([]byte("said\n")); err != nil {
		t.Fatal(err)
	}
	s.End()
	if got := out.String(); !strings.HasPrefix(got, "\r\x1b[K⠋ reading") || !strings.HasSuffix(got, " reading\r\x1b[Ksaid\n") {
		t.Errorf("%q", got)
	}
}

// TestSoon: what is over before is not worth a word, and neither is a spinner that nobody started.
func TestSoon(t *testing.T) {
	out := &screen{some: make(chan struct{}, 1)}
	s := Start(out, time.Hour, reading)
	s.End()
	s.End()
	(&Spinner{}).End()
	if got := out.String(); got != "" {
		t.Errorf("%q", got)
	}
}

// TestMoves: a pipe, a file and a buffer have no cursor.
func TestMoves(t *testing.T) {
	t.Setenv("TERM", "xterm")
	f, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if Moves(f) || Moves(w) || Moves(&bytes.Buffer{}) {
		t.Error("no terminal has a cursor")
	}
}
