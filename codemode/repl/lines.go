package repl

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
)

// lines reads lines in advance, so that the next line can be examined before it is taken.
type lines struct {
	read   chan string
	stop   chan struct{}
	err    error // the error that ended reading; nil at the end of the input
	peeked *string

	interrupt chan os.Signal // a signal on this channel makes next give up; nil: no signal does
	dropped   bool           // next has given up
}

func newLines(r io.Reader) *lines {
	l := &lines{read: make(chan string), stop: make(chan struct{})}
	go func() {
		defer close(l.read)
		sc := bufio.NewScanner(r)
		sc.Buffer(nil, maxProgram)
		for sc.Scan() {
			select {
			case l.read <- strings.TrimSuffix(sc.Text(), "\r"):
			case <-l.stop:
				return
			}
		}
		l.err = sc.Err()
	}()
	return l
}

func (l *lines) close() { close(l.stop) }

func (l *lines) next() (string, bool) {
	s, ok := l.peek(0)
	l.peeked = nil
	return s, ok
}

// typing runs f. During f, Ctrl-C drops the typed text instead of ending the process.
func (l *lines) typing(f func()) (dropped bool) {
	l.interrupt, l.dropped = make(chan os.Signal, 1), false
	signal.Notify(l.interrupt, os.Interrupt)
	f()
	signal.Stop(l.interrupt)
	l.interrupt = nil
	return l.dropped
}

// peek returns the next line, if one comes within wait. If wait is 0, peek waits without limit.
func (l *lines) peek(wait time.Duration) (s string, ok bool) {
	if l.peeked != nil {
		return *l.peeked, true
	}
	var late <-chan time.Time
	if wait > 0 {
		late = time.After(wait)
	}
	select {
	case s, ok = <-l.read:
	case <-late:
	case <-l.interrupt:
		l.dropped = true
	}
	if ok {
		l.peeked = &s
	}
	return s, ok
}

// pasteTime is the longest time between pasted lines. Typed lines come later.
const pasteTime = 30 * time.Millisecond

// program returns the program that begins with line. It continues while brackets are open, and with
// lines that are indented or begin with a dot. An empty line ends it if no bracket is open. At a
// terminal, an empty line or a pause always ends it.
func (l *lines) program(line string, std *screen.Streams) string {
	b := line
	var wait time.Duration
	if std.Terminal {
		wait = pasteTime
	}
	fenced := isFence(line)
	for {
		if !fenced && js.Complete(b) {
			if more, ok := l.peek(wait); !ok || !goesOn(more) {
				return b
			}
		} else if std.Terminal {
			fmt.Fprint(std.Out, "... ")
		}
		more, ok := l.next()
		if !ok {
			return b
		}
		if !fenced && strings.TrimSpace(more) == "" {
			if !js.Open(b) {
				return b
			}
			if _, pasted := l.peek(wait); std.Terminal && !pasted {
				return b
			}
		}
		b += "\n" + more
		if fenced && isFence(more) {
			return b
		}
	}
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

// plain reads typed or pasted text at a terminal without a line editor.
type plain struct {
	*lines
	std      *screen.Streams
	question func(string) bool // reports whether a line is a question, which is always one line
}

func (p *plain) read(prompt string) (text string, err error) {
	fmt.Fprint(p.std.Out, prompt)
	var ok bool
	dropped := p.typing(func() {
		if text, ok = p.next(); !ok || strings.TrimSpace(text) == "" || p.question(text) {
			return
		}
		if _, _, isCommand := command(text); !isCommand {
			text = p.program(text, p.std)
		}
	})
	switch {
	case dropped:
		fmt.Fprintln(p.std.Out)
		return "", errDropped
	case !ok:
		fmt.Fprintln(p.std.Out)
		if p.err != nil {
			return "", p.err
		}
		return "", io.EOF
	}
	return text, nil
}

// parts splits pasted text into programs, questions and commands, at a terminal that does not mark
// pastes. A program continues while it is incomplete, and with lines that can only continue it.
func (c *console) parts(text string) []string {
	var out []string
	now := ""
	for _, line := range strings.Split(text, "\n") {
		switch {
		case now == "" && strings.TrimSpace(line) == "":
		case now == "":
			now = line
		case c.ended(now) && !goesOn(line):
			out, now = append(out, strings.TrimRight(now, "\n")), line
		default:
			now += "\n" + line
		}
	}
	if now != "" {
		out = append(out, now)
	}
	return out
}

// ended reports whether a pasted part can end here. An
// empty line ends it only if no bracket is open.
func (c *console) ended(text string) bool {
	if strings.HasSuffix(text, "\n") && !isFence(text) {
		return !js.Open(text)
	}
	return c.whole(text)
}
