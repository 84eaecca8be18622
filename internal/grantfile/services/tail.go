package services

// This file keeps the end of a process's error output, for the error if the process does not start. The output never goes to a terminal,
// because a process could write any amount of any characters.

import (
	"os"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/internal/printable"
)

// tail is the error output of a process.
type tail struct {
	to    *os.File // the end that the process writes to
	ended chan struct{}
	mu    sync.Mutex
	last  []byte
}

// These are how many bytes of the output are kept and shown. A secret that is cut at the beginning of the kept text is not recognised, so the beginning is never shown.
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

// close closes the host's copy of the writing end, so that the pipe ends with the process.
func (t *tail) close() {
	if t != nil {
		t.to.Close()
	}
}

// text returns the end of the output, in one line and without secrets, or "".
func (t *tail) text(secrets []string) string {
	if t == nil {
		return ""
	}
	t.close()
	select {
	case <-t.ended:
	case <-time.After(time.Second): // a child of the process still has the pipe open
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(hidden(strings.ToValidUTF8(string(t.last), ""), secrets))
	return printable.OneLine(strings.ToValidUTF8(text[max(0, len(text)-shownBytes):], ""))
}

// hidden returns a text without secrets. Servers repeat secrets in errors, and errors end in logs. hidden finds only exact spellings.
func hidden(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}
