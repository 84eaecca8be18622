package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// source is what a prompt reads the user's text from.
type source interface {
	// read shows a prompt and returns one whole program, question or command. It fails
	// with errDropped if the user dropped the typed text, and with io.EOF at the end.
	read(prompt string) (string, error)
	close()
}

var errDropped = errors.New("dropped")

// console is a session with a person who types.
type console struct {
	*session
	std     *screen.Streams
	noPager bool   // print text that is longer than the screen without a pager
	unfold  bool   // show the SQL of every program under its result
	agreed  string // the session.who for whom the user has agreed to App.Consent
	waiting string // a question that goes to the model once the user agrees to App.Consent; "": none

	interrupts chan os.Signal // never read, so that a Ctrl-C between two actions has no effect
}

// prompt runs a session with a person who types. It ends with the input.
func (s *session) prompt(ctx context.Context, std *screen.Streams, opt *options) int {
	c := &console{session: s, std: std, interrupts: make(chan os.Signal, 1)}
	signal.Notify(c.interrupts, os.Interrupt)
	defer signal.Stop(c.interrupts)
	in, warning := c.source(opt)
	defer in.close()
	defer s.leave(ctx, std.Out)
	if warning != nil {
		std.Complain(s.app.Name, fmt.Errorf("the history is not kept: %w", warning))
	}
	s.decides = true
	c.greet(ctx)
	for {
		text, err := in.read(c.primary())
		if c.waiting != "" && (err == nil || errors.Is(err, errDropped)) {
			c.answered(ctx, err == nil && strings.EqualFold(strings.TrimSpace(text), "yes"))
			continue
		}
		switch {
		case errors.Is(err, errDropped) || err == nil && strings.TrimSpace(text) == "":
			continue
		case err == io.EOF:
			return exitOK
		case err != nil:
			std.Complain(s.app.Name, fmt.Errorf("can't read the input: %w", err))
			return exitUsage
		}
		if done := c.take(ctx, text); done {
			return exitOK
		}
	}
}

// source returns a line editor if the screen allows one, and otherwise lines. It may return both a source and a warning as err.
func (c *console) source(opt *options) (source, error) {
	if !c.std.Screen.Live {
		return &plain{lines: newLines(c.std.In), std: c.std, question: c.isQuestion}, nil
	}
	h := &history{}
	if opt.noHistory {
		return newEditor(c, h), nil
	}
	path, err := historyPath(c.app)
	if err == nil {
		h, err = openHistory(path)
	}
	return newEditor(c, h), err
}

// answered asks the waiting question, if the user has agreed that the model may see what programs return.
func (c *console) answered(ctx context.Context, yes bool) {
	question := c.waiting
	if c.waiting = ""; !yes {
		fmt.Fprintln(c.std.Out, "nothing was sent")
		return
	}
	c.agreed = c.who
	c.ask(ctx, question)
}

func (c *console) primary() string {
	if c.waiting != "" {
		return "yes, or anything else for no> "
	}
	who := printable.Text(c.who)
	trying := ""
	if c.tx != nil {
		trying = c.std.Screen.Paint(screen.Yellow, " (not kept)")
	}
	return c.std.Screen.Paint(screen.Bold, printable.Cut(strings.ReplaceAll(who, "\n", " "), 30)) + trying + "> "
}

// greet prints the principal, the model, and how to begin.
func (c *console) greet(ctx context.Context) {
	out, scr := c.std.Out, c.std.Screen
	name := printable.OneLine(c.name)
	if name != "" {
		name = ", " + name
	}
	fmt.Fprintf(out, "%s acts for %s%s. ", scr.Paint(screen.Bold, c.app.Name), printable.OneLine(c.who), name)
	if _, err := c.modelled(ctx); err == nil {
		fmt.Fprintf(out, "Ask what you want to know, or type programs. .help for help.\n")
		if len(c.app.Questions) > 0 {
			c.list()
		}
		return
	} else {
		why := printable.OneLine(err.Error())
		if errors.Is(err, errNoModel) { // left out here: .ask names the variables
			why = "no key for a model is set"
		}
		fmt.Fprintf(out, "%s%s, so you are the model: type programs.\n", strings.ToUpper(why[:1]), why[1:])
	}
	fmt.Fprint(out, ".api shows what you can use, .help how this works. To start from:\n")
	c.list()
}

// list prints the programs to start from, each with the command that runs it.
func (c *console) list() {
	out, scr := c.std.Out, c.std.Screen
	for i, q := range c.app.Questions {
		fmt.Fprintf(out, "  %s %s\n    %s\n", scr.Paint(screen.Bold, fmt.Sprint(i+1)), printable.OneLine(q.Words), scr.Highlight(scr.Wrap(printable.Text(q.Program), 4)))
	}
	if len(c.app.Questions) > 0 {
		return
	}
	for i, e := range c.starts() {
		fmt.Fprintf(out, "  %s %s\n", scr.Paint(screen.Dim, fmt.Sprintf(".%d", i+1)), scr.Highlight(scr.Wrap(e, 5)))
	}
}

// starts returns programs to start from: the app's own, or some that are made from the grants.
func (c *console) starts() []string {
	if q := c.app.Questions; len(q) > 0 {
		return scalar.Each(q, func(q Question) string { return q.Program })
	}
	if len(c.app.Examples) > 0 {
		return c.app.Examples[:min(3, len(c.app.Examples))]
	}
	return c.names.Starts()
}

// take handles what was typed, and reports whether the session has ended.
func (c *console) take(ctx context.Context, text string) (done bool) {
	cmd, arg, isCommand := command(text)
	if n := strings.TrimSpace(text); len(n) == 1 && '1' <= n[0] && int(n[0]-'0') <= len(c.app.Questions) {
		cmd, isCommand = "."+n, true
	}
	switch {
	case cmd == ".quit" || cmd == ".exit":
		return true
	case isCommand:
		if err := c.command(ctx, cmd, arg); err != nil {
			fmt.Fprintln(c.std.Out, c.std.Screen.Paint(screen.Red, printable.Text(err.Error())))
		}
	case c.isQuestion(text):
		c.ask(ctx, text)
	default:
		program, err := c.continued(text)
		if err != nil {
			fmt.Fprintln(c.std.Out, c.std.Screen.Paint(screen.Red, printable.Text(err.Error())))
			return false
		}
		c.program(ctx, program)
	}
	return false
}

// program runs a program and shows its outcome.
func (c *console) program(ctx context.Context, text string) {
	spin := c.std.Screen.Spin(c.std.Out, "running")
	c.cancellable(ctx, func(ctx context.Context) { c.run(ctx, text) })
	spin.End()
	_ = c.paged(func(out io.Writer) error {
		c.std.Screen.Show(out, c.last, c.unfold)
		return c.prepared(ctx, out, c.std.Screen)
	})
}

func (c *console) cancellable(ctx context.Context, f func(ctx context.Context)) {
	c.interrupted = cancellable(ctx, patience, f)
	signal.Notify(c.interrupts, os.Interrupt) // repeated, since f may have reset it
}

// isQuestion reports whether text goes to the model: there is one, and text does not begin like a program.
func (c *console) isQuestion(text string) bool {
	if c.asker == nil {
		return false
	}
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, ".") || isFence(text) || programStart().MatchString(text) {
		return false
	}
	for _, g := range c.names.Granted {
		if rest, ok := strings.CutPrefix(text, g.Name); ok && (rest == "" || strings.ContainsAny(strings.TrimSpace(rest)[:1], ".?[")) {
			return false
		}
	}
	return true
}

var programStart = scalar.Pattern(`^(?:api\b|\(|\[|\{|//|async\s*[({]|await\b|return\b|function\b|const\s|(?:let|var)\s+[\w$]+\s*=|(?:for|while|switch)\s*\(|if\s*\(|try\s*\{|console\.|[\w$]+\s*=>)`)
