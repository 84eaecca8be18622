package services

// This file keeps the end of what a process writes to its error output, for the error of a process that does not start. Nothing of it reaches
// a terminal otherwise: the process may write as much as it likes, and what it likes.

import (
	"os"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/internal/printable"
)

// tail is the error output of a process.
type tail struct {
	to    *os.File // for the process
	ended chan struct{}
	mu    sync.Mutex
	last  []byte
}

// tailBytes is what is kept. Less is shown: a secret that begins before that would be cut, and found by nobody.
const (
	tailBytes  = 64 << 10
	shownBytes = 1000
)

func newTail() (*tail, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	t := &tail{to: to, ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		defer from.Close()
		b := make([]byte, 4096)
		for {
			n, err := from.Read(b)
			t.mu.Lock()
			t.last = append(t.last, b[:n]...)
			t.last = t.last[max(0, len(t.last)-tailBytes):]
			t.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return t, nil
}

// close ends the host's side: the pipe ends with the process.
func (t *tail) close() {
	if t != nil {
		t.to.Close()
	}
}

// text is the end of what was written, in one line and without secrets; "": nothing.
func (t *tail) text(secrets []string) string {
	if t == nil {
		return ""
	}
	t.close()
	select {
	case <-t.ended:
	case <-time.After(time.Second): // something that it started still has it
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(hidden(strings.ToValidUTF8(string(t.last), ""), secrets))
	return printable.OneLine(strings.ToValidUTF8(text[max(0, len(text)-shownBytes):], ""))
}

// hidden returns a text without secrets, which servers repeat in errors, which end in logs. It finds them as they are, and not in other spellings.
func hidden(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}
