package exo

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"pgregory.net/rapid"
)

func logs(t *testing.T, s *Session, texts ...string) {
	t.Helper()
	for _, text := range texts {
		wantOK(t, text, s.Log(Line{Text: text}))
	}
}

// A line may be read if what was asked for before it may leave. What is asked for later
// takes nothing back, and a line that follows can't be dated before it.
func TestLinesHaveTheLabelOfTheirArrival(t *testing.T) {
	for _, c := range []struct {
		what   string
		admits value.Label
		want   string
	}{
		{"guarded", value.Label{}, "before\nafter titles\n"},
		{"another sink", value.NewLabel("other"), "before\nafter titles\n"},
		{"the twin", value.NewLabel("diary"), "before\nafter titles\nasked\nafter diaries\nlast\n"},
	} {
		told := ""
		var of RunID
		w := newWorld(t, Config{Admits: c.admits, Console: func(l Line) {
			told += l.String() + "\n"
			of = l.RunID
		}})
		logs(t, w.s, "before")
		w.send(titles())
		logs(t, w.s, "after titles")
		w.submit(diaries())
		logs(t, w.s, "asked") // whether it has answered by now must not matter
		w.next()
		logs(t, w.s, "after diaries")
		w.send(titles())
		logs(t, w.s, "last")
		if got := w.s.Console(); got != c.want || told != c.want {
			t.Errorf("%s: the console has %q, the host was told %q, want %q", c.what, got, told, c.want)
		}
		if of != w.s.Run().ID {
			t.Errorf("%s: the lines are of run %v", c.what, of)
		}
	}
}

// A run that begins with a label has one before its first line.
func TestLinesOfALabelledRun(t *testing.T) {
	for _, c := range []struct {
		admits value.Label
		want   string
	}{{value.Label{}, ""}, {value.NewLabel("diary"), "a\n"}} {
		w := newWorld(t, Config{Admits: c.admits, Console: func(l Line) {
			if c.want == "" {
				t.Errorf("told %q", l)
			}
		}})
		s, err := w.gate.Begin(t.Context(), Run{Label: value.NewLabel("diary")}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		logs(t, s, "a")
		if got := s.Console(); got != c.want {
			t.Errorf("admitted %v: %q, want %q", c.admits, got, c.want)
		}
		s.Finish(t.Context(), value.Null(), nil)
	}
}

// reference is the console as it was when the guest kept it whole: lines up to a limit,
// and a notice where they end.
func reference(lines []Line, limit int) (s string, full bool) {
	for _, l := range lines {
		line := l.Text
		if l.Level != LevelInfo {
			line = l.Level.String() + ": " + line
		}
		if left := limit - len(s); len(line)+1 > left {
			for left < len(line) && left > 0 && !utf8.RuneStart(line[left]) {
				left--
			}
			if left < len(line) {
				line = line[:left] + "…"
			}
			return s + line + fmt.Sprintf("\n… the console is full: the limit is %d bytes", limit), true
		}
		s += line + "\n"
	}
	return s, false
}

func TestConsoleBytes(t *testing.T) {
	check := func(t interface {
		Helper()
		Errorf(string, ...any)
	}, s *Session, told *string, lines []Line, limit int) {
		t.Helper()
		*told = ""
		var err error
		sent := 0
		for _, l := range lines {
			if err = s.Log(l); err != nil {
				break
			}
			sent++
		}
		want, full := reference(lines[:sent], limit)
		if err != nil && (fail.KindOf(err) != fail.Limit || !full) || err == nil && sent < len(lines) {
			t.Errorf("after %d of %d lines: %v", sent, len(lines), err)
		}
		if _, before := reference(lines[:max(0, sent-1)], limit); before {
			t.Errorf("a line was taken after the end")
		}
		whole := want
		if full {
			whole += "\n" // the host is told whole lines
		}
		if got := s.Console(); got != want || *told != whole {
			t.Errorf("%.200q\nthe console has %.200q\nthe host was told %.200q\nwant %.200q", lines, got, *told, want)
		}
	}
	const limit = 40
	var told string
	w := newWorld(t, Config{Limits: Limits{ConsoleBytes: limit}, Console: func(l Line) { told += l.String() + "\n" }})
	for what, lines := range map[string][]Line{
		"exactly full":   {{Text: strings.Repeat("x", limit-1)}},
		"and an empty":   {{Text: strings.Repeat("x", limit-1)}, {}},
		"one too many":   {{Text: strings.Repeat("x", limit)}},
		"the longest":    {{Text: strings.Repeat("x", limit+utf8.UTFMax)}},
		"empties":        make([]Line, 100),
		"levels":         {{Level: LevelWarn, Text: "a"}, {Level: LevelError, Text: strings.Repeat("é", 20)}},
		"a level is cut": {{Text: strings.Repeat("x", limit-4)}, {Level: LevelError, Text: "a"}},
		"line breaks":    {{Text: "a\nb\n"}, {Text: "\n"}},
		"nothing":        {},
	} {
		t.Run(what, func(t *testing.T) {
			w.open()
			check(t, w.s, &told, lines, limit)
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		w.open()
		check(t, w.s, &told, rapid.SliceOf(rapid.Custom(func(t *rapid.T) Line {
			return Line{Level: rapid.SampledFrom([]Level{LevelInfo, LevelWarn, LevelError}).Draw(t, "level"), Text: rapid.StringN(-1, -1, limit+utf8.UTFMax).Draw(t, "text")}
		})).Draw(t, "lines"), limit)
	})
}

// No honest guest sends these.
func TestLinesThatAreABreach(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{ConsoleBytes: 10}})
	wantKind(t, "a level of no name", w.s.Log(Line{Level: levels}), fail.Invalid)
	wantKind(t, "a line that is too long", w.s.Log(Line{Text: strings.Repeat("x", 10+utf8.UTFMax+1)}), fail.Invalid)
	logs(t, w.s, "a", strings.Repeat("x", 10+utf8.UTFMax))
	wantKind(t, "a line after the last", w.s.Log(Line{}), fail.Limit)
	w.open()
	w.send(diaries())
	logs(t, w.s, strings.Repeat("x", 9), "") // what nobody may read counts, too
	wantKind(t, "a line after the last, of a labelled run", w.s.Log(Line{}), fail.Limit)
	if got := w.s.Console(); got != "" {
		t.Errorf("%q", got)
	}
}

// A line that is cut out of a large text of the program does not keep it.
func TestLinesKeepNoProgram(t *testing.T) {
	var told []Line
	w := newWorld(t, Config{Console: func(l Line) { told = append(told, l) }})
	program := strings.Repeat("x", 1<<20)
	logs(t, w.s, program[5:9])
	if len(told) != 1 || held(Line{Text: program[5:9]}, program) == "" {
		t.Fatalf("the twin: %d lines", len(told))
	}
	if at := held(told, program) + held(w.s.Console(), program); at != "" {
		t.Errorf("a line holds the program at %s", at)
	}
}

// A Console that panics, or ends its goroutine, ends the run as a Record that panics does,
// also where nothing is recorded: nothing more acts, and what was done is undone.
func TestConsoleThatPanics(t *testing.T) {
	for what, fails := range map[string]func(){"panics": func() { panic("the host's Console failed") }, "ends": runtime.Goexit, "returns": func() {}} {
		mail, u, told := newMail(), &unit{}, 0
		mail.eval = func(_ context.Context, m *Message) (value.Value, error) {
			_, err := m.Unit(mail, func(context.Context) (Unit, error) { return u, nil })
			return value.Int(1), err
		}
		g, err := NewGate(Config{Grants: map[string]Object{"mail": mail}, Record: Unrecorded, Console: func(Line) {
			told++
			fails()
		}})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, g, t.Context(), "")
		send := func(id uint64) error {
			t.Helper()
			if err := s.Submit(Call{ID: id, Expr: msg(ref(mailID), call(0, "peek"))}); err != nil {
				t.Fatal(err)
			}
			r, _, _ := s.Next(t.Context())
			return r.Err
		}
		wantOK(t, what, send(1))
		for range 2 {
			logged := make(chan bool)
			go func() {
				defer close(logged)
				_ = s.Log(Line{Text: "a"})
			}()
			<-logged
		}
		failed, asked, ends := send(2), mail.asked(), "committed"
		err = s.Finish(t.Context(), value.Null(), nil)
		if good := what == "returns"; good {
			wantOK(t, what, failed)
			wantOK(t, what, err)
			if s.Panicked() != nil || told != 2 || asked != 2 {
				t.Errorf("%s: the twin: %v, told %d, asked %d", what, s.Panicked(), told, asked)
			}
		} else {
			ends = "rolled back"
			wantKind(t, what, failed, fail.Internal)
			wantKind(t, what, err, fail.Internal)
			if s.Panicked() == nil || told != 1 || asked != 1 {
				t.Errorf("%s: %v, told %d, asked %d", what, s.Panicked(), told, asked)
			}
		}
		if !slices.Equal(u.ends, []string{ends}) {
			t.Errorf("%s: the unit ended %v", what, u.ends)
		}
	}
}

// Lines and messages that come at one time have one order, and the host is told one line
// of a run at a time.
func TestConcurrentLines(t *testing.T) {
	told := 0 // without a lock
	w := newWorld(t, Config{Console: func(Line) { told++ }})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if err := w.s.Log(Line{Text: "x"}); err != nil {
					t.Error(err)
				}
				w.s.Console()
			}
		})
	}
	w.send(titles())
	wg.Wait()
	if got := strings.Count(w.s.Console(), "x\n"); got != 200 || told != 200 {
		t.Errorf("%d lines, told %d", got, told)
	}
	w.send(diaries())
	logs(t, w.s, "x")
	if told != 200 {
		t.Errorf("told %d", told)
	}
}
