package exo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Level is the severity with which a program logged a line.
type Level uint8

const (
	LevelInfo Level = iota // for console.log, and every console method except those of the next two levels
	LevelWarn
	LevelError
	levels
)

var levelNames = [...]string{LevelInfo: "info", LevelWarn: "warn", LevelError: "error"}

func (l Level) String() string {
	if l >= levels {
		return fmt.Sprintf("level(%d)", uint8(l))
	}
	return levelNames[l]
}

// Line is what a program logged at one time. Its text may have line breaks.
type Line struct {
	RunID RunID // Log sets it for Config.Console; the caller of Log leaves it zero
	Level Level
	Text  string
}

// String is the line as the console shows it.
func (l Line) String() string {
	if l.Level == LevelInfo {
		return l.Text
	}
	return l.Level.String() + ": " + l.Text
}

// Size is how many bytes of Limits.ConsoleBytes the line takes, with its line break.
func (l Line) Size() int {
	n := len(l.Text) + 1
	if l.Level != LevelInfo {
		n += len(l.Level.String()) + len(": ")
	}
	return n
}

// LineBytes bounds the text of one line. A longer text is cut there: it fills the whole console, so
// its end would not be shown.
func (l Limits) LineBytes() int { return l.ConsoleBytes + utf8.UTFMax }

// console has the lines of a run that may be read, and counts the bytes that were logged.
type console struct {
	shown strings.Builder
	used  int
	full  bool
}

// Log adds a line to the console. Lines and messages have one order, and the line carries the label that the run has when the line arrives. Labels
// join when a message is admitted, before it acts. So a line can't contain what a later message reads, and no guest can date a line back. A line with
// a label that Config.Admits does not admit is counted and dropped. Since labels only grow, the lines that are kept are the beginning of the console.
//
// An error is a breach of the protocol, like an error of Submit: an honest guest counts the bytes, too, and stops. The first line that does not fit
// is cut, and later lines are refused.
func (s *Session) Log(l Line) error {
	if err := s.begun(); err != nil {
		return err
	}
	s.admission.Lock() // held so that lines and messages arrive in one order
	defer s.admission.Unlock()
	l, show, err := s.logged(l)
	if err == nil && show {
		s.callConsole(l)
	}
	return err
}

func (s *Session) logged(l Line) (_ Line, show bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limits, c := s.gate.limits, &s.console
	switch {
	case s.closed:
		return l, false, fail.Errorf(fail.Cancelled, "", "the run is over")
	case c.full:
		return l, false, fail.Errorf(fail.Limit, "", "a line was logged after the console was full: the lines of one run may have at most %d bytes together", limits.ConsoleBytes)
	case l.Level >= levels || len(l.Text) > limits.LineBytes():
		return l, false, fail.Errorf(fail.Invalid, "", "a console line has %d bytes and the level %v: want at most %d bytes and a known level", len(l.Text), l.Level, limits.LineBytes())
	}
	l.RunID = s.run.ID
	l.Text = strings.Clone(l.Text) // the copy lets the program's larger text be freed, if l.Text is a part of it
	end := "\n"
	if left := limits.ConsoleBytes - c.used; l.Size() > left {
		// The limit counts what the console shows, with the level.
		l.Level, l.Text = LevelInfo, scalar.Clip(l.String(), max(0, left))+fmt.Sprintf("\n… the console is full: the limit is %d bytes", limits.ConsoleBytes)
		c.full, end = true, ""
	}
	c.used += l.Size()
	if !MayLeave(s.label, s.gate.admits) {
		return l, false, nil
	}
	c.shown.WriteString(l.String())
	c.shown.WriteString(end)
	return l, s.gate.console != nil && s.panicked == nil, nil
}

// callConsole calls the host's Console. A panic of Console ends the run, like a panic of the Recorder.
func (s *Session) callConsole(l Line) {
	returned := false
	defer func() {
		if p := recover(); p != nil {
			s.callbackFailed(p)
		} else if !returned {
			s.callbackFailed(errConsoleEnded)
		}
	}()
	s.gate.console(l)
	returned = true
}

var errConsoleEnded = fail.Named("exo: the host's Console ended its goroutine: return from it, and don't call runtime.Goexit")

// Console returns the lines of the run's program that may be read (see Log). They may be read even if the result may not leave.
func (s *Session) Console() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.console.shown.String()
}

// A run shows its first maxNotices notices, and at most maxNoticeBytes bytes of each.
const (
	maxNotices     = 8
	maxNoticeBytes = 500
)

type notice struct {
	of   uint64 // the number of the message that the notice is about
	text string
}

// AddNotice adds a remark about the message for the reader of the run's result, a model or a person. The text must follow from the message, from
// declarations and from data without labels. It is shown if the run's label, as it was when the message was admitted, flows to Config.Admits. So
// neither what a later message reads, nor which of two messages came first, decides whether it is shown. Equal texts are kept once.
func (m *Message) AddNotice(text string) {
	if m.session == nil || m.Withheld() {
		return
	}
	s := m.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := (notice{m.entry.id, scalar.Shorten(text, maxNoticeBytes)}); len(s.notices) < 4*maxNotices && !slices.ContainsFunc(s.notices, func(o notice) bool { return o.text == n.text }) {
		s.notices = append(s.notices, n)
	}
}

// Notices are the remarks of the run's objects, in the order of the messages.
func (s *Session) Notices() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.notices, func(a, b notice) int { return cmp.Compare(a.of, b.of) })
	return scalar.Each(s.notices[:min(len(s.notices), maxNotices)], func(n notice) string { return n.text })
}
