package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/spin"
)

// conversation shows the events of one answer when they come.
type conversation struct {
	*session
	std  *screen.Streams
	spin *spin.Spinner

	program  string // the program that is running
	pending  string // the first bytes of a character that is not complete yet
	midLine  bool   // the last printed text did not end its line
	answered bool   // there was text in the answer
	quiet    bool   // don't show programs and their results
	unfold   bool
}

// ask asks the model and shows its answer, with the programs that it ran.
func (c *console) ask(ctx context.Context, question string) {
	if c.app.Consent != nil && c.agreed != c.who {
		c.waiting = question
		fmt.Fprintln(c.std.Out, printable.Text(c.app.Consent(modelOf(c.asker), c.user)))
		return
	}
	v := &conversation{session: c.session, std: c.std, unfold: c.unfold}
	var err error
	c.cancellable(ctx, func(ctx context.Context) { err = v.ask(ctx, c.asker, question) })
	scr := c.std.Screen
	if e := c.prepared(ctx, c.std.Out, scr); e != nil {
		err = errors.Join(err, e)
	}
	switch {
	case c.interrupted:
		fmt.Fprintln(c.std.Out, scr.Paint(screen.Yellow, "stopped"))
	case err != nil:
		fmt.Fprintln(c.std.Out, scr.Paint(screen.Red, "the model did not answer:")+" "+printable.Text(err.Error()))
	}
}

// askOnce does -ask. It prints only the answer to standard output. If standard
// output is a terminal, it also shows the programs, as at the prompt.
func (s *session) askOnce(ctx context.Context, question string, std *screen.Streams) int {
	m, err := s.unasked(ctx)
	if err != nil {
		std.Complain(s.app.Name, fmt.Errorf("the question was not asked: %w", err))
		return exitUsage
	}
	v := &conversation{session: s, std: std, quiet: !std.Screen.Live}
	if cancellable(ctx, 0, func(ctx context.Context) { err = v.ask(ctx, m, question) }) && err != nil {
		std.Complain(s.app.Name, errors.New("stopped"))
		return exitStopped
	}
	if err != nil {
		std.Complain(s.app.Name, fmt.Errorf("the model did not answer: %w", err))
		return exitFailed
	}
	return exitOK
}

// unasked returns the model if no person can be asked for consent.
func (s *session) unasked(ctx context.Context) (asker, error) {
	if s.app.Consent != nil {
		return nil, errors.New("a model may see what programs return only after you have agreed: start the command without -ask, ask there and agree")
	}
	return s.modelled(ctx)
}

// modelOf returns the name of the model that answers, or "" if there is none.
func modelOf(m asker) string {
	if n, ok := m.(interface{ Name() string }); ok {
		return n.Name()
	}
	return "the model"
}

func (v *conversation) ask(ctx context.Context, m asker, question string) error {
	v.think("thinking")
	err := m.Ask(v.session.in(ctx), question, v.on)
	v.endText()
	return err
}

func (v *conversation) think(what string) {
	v.still()
	v.spin = v.std.Screen.Spin(v.std.Out, what)
}

func (v *conversation) still() {
	if v.spin != nil {
		v.spin.End()
		v.spin = nil
	}
}

// on is called for each event, one at a time.
func (v *conversation) on(ev answerEvent) {
	scr, out := v.std.Screen, v.std.Out
	switch ev := ev.(type) {
	case answerText:
		v.still()
		v.write(ev.Delta)
	case answerWaiting:
		v.think(fmt.Sprintf("waiting for the model's service (%s, %v)", printable.OneLine(ev.Reason), ev.For.Round(time.Second)))
	case answerProgram:
		v.endText()
		v.program = ev.Source
		v.forget()
		if !v.quiet {
			fmt.Fprintln(out, scr.Indent(scr.Highlight(printable.Text(strings.TrimSpace(ev.Source)))))
			v.think("running")
		}
	case answerOutcome:
		v.still()
		v.remember(v.program, ev.Result)
		if !v.quiet && !screen.Stopped(ev.Result.Err) { // if Ctrl-C stopped the program, the whole answer is reported as stopped
			scr.Show(out, v.last, v.unfold)
			v.think("thinking")
		}
	case answerDone:
		v.endText()
		switch {
		case ev.Cut && v.quiet:
			v.std.Complain(v.app.Name, errors.New(cutNotice))
		case ev.Cut:
			fmt.Fprintln(out, scr.Paint(screen.Yellow, cutNotice))
		}
		if !v.quiet {
			fmt.Fprintln(out, scr.Paint(screen.Dim, ev.String()))
		}
	}
}

// cutNotice is printed after an answer that was cut.
const cutNotice = "the answer is cut: the model reached its limit of tokens; ask the model to go on, or for less"

// askLine runs .ask in a session without a terminal, and prints the answer as a line of JSON.
func (s *session) askLine(ctx context.Context, question string, std *screen.Streams) int {
	m, err := s.unasked(ctx)
	if err == nil && question == "" {
		err = errors.New("the question is missing: .ask TEXT asks the model")
	}
	if err != nil {
		std.Complain(s.app.Name, err)
		return exitUsage
	}
	var answer strings.Builder
	var program string
	var done answerDone
	s.interrupted = cancellable(ctx, 0, func(ctx context.Context) {
		err = m.Ask(s.in(ctx), question, func(ev answerEvent) {
			switch ev := ev.(type) {
			case answerText:
				answer.WriteString(ev.Delta)
			case answerProgram:
				program = ev.Source
				s.forget()
			case answerOutcome:
				s.remember(program, ev.Result)
			case answerDone:
				done = ev
			}
		})
	})
	line, code := printable.Marshal(struct {
		Answer string `json:"answer"`
		Cut    bool   `json:"cut"`
		Model  string `json:"model"`
	}{answer.String(), done.Cut, done.Model}), exitOK
	if err != nil {
		line, code = printable.Marshal(map[string]any{"error": map[string]string{"kind": "model", "message": err.Error()}}), exitFailed
	}
	fmt.Fprintf(std.Out, "%s\n", line)
	return code
}

// String returns the cost of an answer, like "openai:x, 1200 + 80 tokens, $0.0012".
func (d answerDone) String() string {
	var parts []string
	if d.Model != "" {
		parts = append(parts, printable.OneLine(d.Model))
	}
	if d.Input+d.Output > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens in, %d out", d.Input, d.Output))
	}
	if d.Cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", d.Cost))
	}
	return strings.Join(parts, ", ")
}

// write prints a piece of the answer. The bytes of one character may come in two pieces.
func (v *conversation) write(delta string) {
	s := v.pending + delta
	v.pending = ""
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if utf8.RuneStart(s[len(s)-n]) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				s, v.pending = s[:len(s)-n], s[len(s)-n:]
			}
			break
		}
	}
	if s == "" {
		return
	}
	v.answered, v.midLine = true, !strings.HasSuffix(s, "\n")
	fmt.Fprint(v.std.Out, printable.Text(s))
}

// endText ends the line of the answer's text, if it has not ended.
func (v *conversation) endText() {
	v.still()
	if v.pending != "" {
		fmt.Fprint(v.std.Out, printable.Text(v.pending))
		v.pending, v.midLine = "", true
	}
	if v.midLine {
		fmt.Fprintln(v.std.Out)
		v.midLine = false
	}
}
