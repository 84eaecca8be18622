package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exoeval"
)

// lines reads lines ahead, so that one can be looked at before it is taken.
type lines struct {
	read   chan string
	stop   chan struct{}
	err    error // why read was closed, nil at the end of the input
	peeked *string

	interrupt chan os.Signal // nil, or what makes next give up
	dropped   bool           // it did
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

// typing runs f while Ctrl-C drops what was typed so far, instead of ending the process.
func (l *lines) typing(f func()) (dropped bool) {
	l.interrupt, l.dropped = make(chan os.Signal, 1), false
	signal.Notify(l.interrupt, os.Interrupt)
	f()
	signal.Stop(l.interrupt)
	l.interrupt = nil
	return l.dropped
}

// peek is the next line, if there is one within the time; 0 waits for it.
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

// pasteTime is within which pasted lines follow each other, and typed ones don't.
const pasteTime = 30 * time.Millisecond

// program is one that begins with line. It goes on while brackets are open, and
// with a line that is indented or begins with a dot; an empty line ends it where
// no bracket is open. For somebody who types, whoever does not go on in time has
// finished, and an empty line ends it in any case.
func (l *lines) program(line string, std *streams) string {
	b := line
	var wait time.Duration
	if std.terminal {
		wait = pasteTime
	}
	fenced := isFence(line)
	for {
		if !fenced && complete(b) {
			if more, ok := l.peek(wait); !ok || !goesOn(more) {
				return b
			}
		} else if std.terminal {
			fmt.Fprint(std.out, "... ")
		}
		more, ok := l.next()
		if !ok {
			return b
		}
		if !fenced && strings.TrimSpace(more) == "" {
			if !open(b) {
				return b
			}
			if _, pasted := l.peek(wait); std.terminal && !pasted {
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

// prompt is a session with somebody who types. It ends with the input.
func (s *session) prompt(ctx context.Context, std *streams) int {
	in := newLines(std.in)
	defer in.close()
	showSQL := true
	fmt.Fprintf(std.out, "%s acts for %s %d, %s. You are the model: type programs, .api to see what you can use, .help for help.\n", s.app.Name, s.app.Who, s.who.ID, printable(s.who.Name))
	for {
		fmt.Fprintf(std.out, "%s %d> ", s.app.Who, s.who.ID)
		var line, program string
		var ok bool
		dropped := in.typing(func() {
			line, ok = in.next()
			if _, _, isCommand := command(line); ok && !isCommand && strings.TrimSpace(line) != "" {
				program = in.program(line, std)
			}
		})
		if dropped {
			fmt.Fprintln(std.out)
			continue
		}
		if !ok {
			fmt.Fprintln(std.out)
			return s.end(in, exitOK, std)
		}
		cmd, arg, isCommand := command(line)
		switch {
		case program != "":
			s.show(std.out, s.interruptible(ctx, program), showSQL)
		case !isCommand:
		case cmd == ".quit" || cmd == ".exit":
			return exitOK
		case cmd == ".sql" && (arg == "on" || arg == "off"):
			showSQL = arg == "on"
		case cmd == ".sql":
			fmt.Fprintln(std.out, ".sql on shows the SQL of each query, .sql off hides it")
		default:
			if err := s.command(ctx, cmd, arg, std.out); err != nil {
				fmt.Fprintln(std.out, err)
			}
		}
	}
}

// piped is a session whose input is a file or another program: every result is
// one line of JSON, and nothing else is printed.
func (s *session) piped(ctx context.Context, std *streams) int {
	in := newLines(std.in)
	defer in.close()
	code := exitOK
	for {
		line, ok := in.next()
		if !ok {
			return s.end(in, code, std)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		cmd, arg, isCommand := command(line)
		switch {
		case !isCommand:
			code = max(code, s.once(ctx, in.program(line, std), std))
			if s.interrupted {
				return code
			}
		case cmd == ".quit" || cmd == ".exit":
			return code
		default:
			if err := s.command(ctx, cmd, arg, std.out); err != nil {
				fmt.Fprintf(std.err, "%s: %v\n", s.app.Name, err)
				code = exitUsage
			}
		}
	}
}

// end is the exit code of a session whose input is over.
func (s *session) end(in *lines, code int, std *streams) int {
	if in.err != nil {
		fmt.Fprintf(std.err, "%s: can't read the input: %v\n", s.app.Name, in.err)
		return exitUsage
	}
	return code
}

// goesOn reports whether a line can only be more of the program before it.
func goesOn(line string) bool {
	if strings.TrimSpace(line) == "" {
		return false
	}
	if _, _, ok := command(line); ok {
		return false
	}
	return strings.ContainsAny(line[:1], " \t.?)]}")
}

// command takes a line like ".api" apart; a program never begins with a dot.
func command(line string) (cmd, arg string, ok bool) {
	cmd, arg, _ = strings.Cut(strings.TrimSpace(line), " ")
	if !strings.HasPrefix(line, ".") || strings.ContainsAny(cmd, "([`?") {
		return "", "", false
	}
	return cmd, strings.TrimSpace(arg), true
}

// command does what the prompt and a piped session have in common.
func (s *session) command(ctx context.Context, cmd, arg string, out io.Writer) error {
	switch cmd {
	case ".help":
		fmt.Fprint(out, s.promptHelp())
	case ".api":
		fmt.Fprintln(out, s.api())
	case "." + s.app.Who:
		id, err := number(arg)
		if err != nil {
			return fmt.Errorf(".%s N acts for another %s: %w", s.app.Who, s.app.Who, err)
		}
		return s.become(ctx, id)
	case ".sql":
		return fmt.Errorf(".sql is for the prompt; -trace shows the SQL of every query")
	default:
		return fmt.Errorf("there is no command %s; .help lists them", printable(cmd))
	}
	return nil
}

func (s *session) promptHelp() string {
	var b strings.Builder
	row := func(cmd, text string) { fmt.Fprintf(&b, "  %-12s %s\n", cmd, text) }
	b.WriteString("Type a program: an expression, a function of api, or statements that return.\n")
	b.WriteString("It goes on over lines while brackets are open, or until its return; an empty line ends it.\n")
	b.WriteString("A line of ``` begins a program that goes on until the next such line.\n\n")
	for _, e := range s.app.Examples {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	b.WriteString("\n")
	row(".api", "what a model is shown")
	row("."+s.app.Who+" N", "act for another "+s.app.Who)
	row(".sql on|off", "show the SQL of each query, or not")
	row(".help", "this text")
	row(".quit", "end; so does Ctrl-D. Ctrl-C stops a program, or drops what was typed")
	return b.String()
}

// show prints the outcome of a program for eyes.
func (s *session) show(out io.Writer, res *codemode.Result, showSQL bool) {
	if showSQL {
		for _, q := range s.ran() {
			fmt.Fprintf(out, "%s\n  %s  %s, %v ms\n", printable(q.SQL), printable(string(marshal(q.Args))), count(q.Rows, "row"), ms(q.Took))
		}
	}
	fmt.Fprint(out, printable(res.Console))
	if e := res.Err; e != nil {
		fmt.Fprint(out, failureText(e))
		if e.Err != nil { // for whoever sits here, not for a model
			fmt.Fprintf(out, "  (%s)\n", printable(e.Err.Error()))
		}
		return
	}
	text, rows := render(res.Value, res.JSON)
	fmt.Fprint(out, text)
	if res.Notice != "" {
		fmt.Fprintln(out, printable(res.Notice))
	}
	if rows >= 0 {
		fmt.Fprintf(out, "%s, ", count(rows, "row"))
	}
	fmt.Fprintf(out, "%v ms\n", ms(res.Took))
}

// failureText is an error with the line it is about, and a mark under the place.
func failureText(e *exoeval.Error) string {
	s := e.Kind.String() + ": " + printable(e.Message) + "\n"
	if e.Line == 0 {
		return s
	}
	at := fmt.Sprintf("  line %d: ", e.Line)
	before, units := "", 1
	for _, r := range e.SourceLine {
		if units >= e.Column {
			break
		}
		units++
		if r > 0xFFFF {
			units++ // columns count UTF-16 units
		}
		if r == '\t' {
			r = ' '
		}
		before += string(r)
	}
	line := strings.ReplaceAll(e.SourceLine, "\t", " ")
	return s + at + printable(line) + "\n" + strings.Repeat(" ", len(at)+width(printable(before))) + "^\n"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
