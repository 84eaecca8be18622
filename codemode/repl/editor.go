package repl

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/codemode/repl/internal/names"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// editor is the line editor of a terminal: several lines, history, completion and highlighting. It
// controls the terminal only while the user types, so that Ctrl-C is a signal while a program runs.
type editor struct {
	*console
	shell  *readline.Shell
	prompt string
	past   *history
	folded *folded

	pasted bool     // more keys came at once after Enter, so the text is pasted and may have several parts
	queue  []string // pasted parts that are still to run
}

// keyActions maps keys to actions. Some are usual keys, which the editor would otherwise read only from a file of the system. Others differ from a
// shell's: here the arrow keys move between the lines of a program.
var keyActions = map[string]string{
	`\C-i`:   "menu-complete",
	`\M-[A`:  "up-line-or-history",
	`\M-[B`:  "down-line-or-history",
	`\M-OA`:  "up-line-or-history",
	`\M-OB`:  "down-line-or-history",
	`\M-[3~`: "delete-char",
	`\M-[1~`: "beginning-of-line",
	`\M-[4~`: "end-of-line",
}

func newEditor(c *console, h *history) *editor {
	e := &editor{console: c, past: h, folded: &folded{rows: screen.ScreenRows}, shell: readline.NewShell(inputrc.WithApp("exoagent"))}
	options := map[string]any{
		"enable-bracketed-paste":  true,
		"echo-control-characters": false,
		"multiline-column":        c.std.Screen.Color, // only with colours, since it is a coloured bar
		// Off: the editor would ask the terminal for the cursor's position, and lose keys that come
		// together with the answer (see reserve).
		"cursor-position-probe": false,
	}
	if !c.std.Screen.Color {
		options["completion-selection-style"] = "\x1b[7m"
	}
	for name, v := range options {
		_ = e.shell.Config.Set(name, v)
	}
	for _, mode := range []string{"emacs", "emacs-standard", "vi-insert"} {
		for keys, action := range keyActions {
			e.shell.Config.Binds[mode][inputrc.Unescape(keys)] = inputrc.Bind{Action: action}
		}
	}
	e.shell.Prompt.Primary(func() string { return e.reserve() + e.prompt })
	e.shell.Prompt.Secondary(func() string { return "" })
	e.shell.History.Delete()
	e.shell.History.Add("history", pastLines{e})
	e.shell.PasteTransformer = func(text string) string { return e.folded.fold(typable(text)) }
	e.shell.AcceptMultiline = func(line []rune) bool { return e.accept(e.folded.unfold(string(line))) }
	e.shell.SyntaxHighlighter = func(line []rune) string { return e.highlight(string(line)) }
	e.shell.Completer = func(line []rune, cursor int) readline.Completions { return e.Complete(string(line[:cursor])) }
	return e
}

func (e *editor) read(prompt string) (string, error) {
	if e.interrupted || e.waiting != "" {
		e.queue = nil // drop the rest of a paste: Ctrl-C stops all of it, and it must not answer a question for consent
	}
	if len(e.queue) > 0 {
		next := e.queue[0]
		e.queue = e.queue[1:]
		fmt.Fprintln(e.std.Out, prompt+e.highlight(printable.Text(next)))
		return next, nil
	}
	e.prompt, e.pasted = prompt, false
	text, err := e.shell.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", errDropped
	case err == io.EOF:
		fmt.Fprintln(e.std.Out)
		return "", io.EOF
	case err != nil:
		return "", err
	}
	text = strings.TrimRight(e.folded.unfold(text), " \n")
	if parts := e.parts(text); e.pasted && len(parts) > 1 {
		text, e.queue, e.interrupted = parts[0], parts[1:], false
	}
	return text, nil
}

// accept reports whether Enter ends the typed text. If more keys come at once, Enter does not end it: the text was pasted on a terminal that does not
// mark pastes, and the next line may belong to the text.
func (e *editor) accept(text string) bool {
	last := text
	if parts := e.parts(text); e.pasted && len(parts) > 0 && !strings.HasSuffix(text, "\n") {
		last = parts[len(parts)-1]
	}
	if !e.whole(last) {
		return false
	}
	if !e.shell.Keys.Empty() || keysWait() {
		e.pasted = true
		return false
	}
	return true
}

func (e *editor) close() {}

// rows returns how many rows of the screen the typed text needs.
func (e *editor) rows() int {
	n, cols := 0, screen.Columns()
	indent := printable.Width(screen.EscapeSequence().ReplaceAllString(e.prompt, ""))
	for _, line := range strings.Split(string(*e.shell.Line()), "\n") {
		n += (indent+printable.Width(line))/cols + 1
	}
	return n
}

// reserve scrolls the screen until there is room under the prompt for the typed text and one row more. The cursor keeps its place. The editor moves
// only relative to the prompt, so scrolling would confuse it.
func (e *editor) reserve() string {
	n := min(e.rows(), screen.ScreenRows()-1)
	return strings.Repeat("\x1bD", n) + fmt.Sprintf("\x1b[%dA", n)
}

// whole reports whether Enter ends the typed text. Otherwise Enter begins another line. An empty line always ends the text.
func (c *console) whole(text string) bool {
	switch {
	case isFence(text):
		return strings.Contains(text, "\n") && isFence(text[strings.LastIndexByte(text, '\n')+1:])
	case strings.TrimSpace(text) == "" || strings.HasSuffix(text, "\n"):
		return true
	}
	if _, _, isCommand := command(text); isCommand || c.isQuestion(text) {
		return true
	}
	return js.Complete(text)
}

// highlight colours programs, and leaves questions as they are.
func (e *editor) highlight(text string) string {
	if _, _, isCommand := command(text); isCommand {
		return e.std.Screen.PaintLines(screen.Cyan, text)
	}
	if e.isQuestion(text) {
		return text
	}
	return e.std.Screen.Highlight(text)
}

// Complete returns the completions for the text before the cursor.
func (e *editor) Complete(before string) readline.Completions {
	part, found := e.completions(before)
	// The character before the name becomes part of the completion, since the editor completes the
	// whole word if the prefix is empty.
	lead := before[:len(before)-len(part)]
	_, n := utf8.DecodeLastRuneInString(lead)
	lead = lead[len(lead)-n:]
	more := 0
	if room := max(5, screen.ScreenRows()-e.rows()-4); len(found) > room { // limited, so that the prompt stays on the screen
		found, more = found[:room], len(found)-room
	}
	values := scalar.Each(found, func(f names.Candidate) readline.Completion {
		return readline.Completion{Value: lead + f.Name, Display: f.Name, Description: f.About}
	})
	out := readline.CompleteRaw(values).NoSort()
	if more > 0 {
		out = out.Usage("%d more; type the next letter", more)
	}
	out.PREFIX = lead + part
	return out
}

// completions returns completions for a command, or for names of a program.
func (c *console) completions(before string) (part string, found []names.Candidate) {
	if strings.HasPrefix(before, ".") && !strings.ContainsAny(before, " \n") {
		for _, cmd := range c.commands() {
			if name, _, _ := strings.Cut(cmd.Name, " "); strings.HasPrefix(name, before) {
				found = append(found, names.Candidate{Name: name, About: cmd.About})
			}
		}
		return before, found
	}
	return c.names.Candidates(before)
}

// pastLines is the history as the editor reads it.
type pastLines struct{ *editor }

func (p pastLines) Write(s string) (int, error) {
	s = p.folded.unfold(s)
	entries := []string{s}
	if p.pasted {
		entries = p.parts(s)
	}
	var err error
	for _, s := range entries {
		err = errors.Join(err, p.past.add(s))
	}
	return p.Len(), err
}

func (p pastLines) GetLine(i int) (string, error) {
	if i < 0 || i >= p.Len() {
		return "", io.EOF
	}
	return p.folded.fold(p.past.entries[i]), nil
}

func (p pastLines) Len() int  { return len(p.past.entries) }
func (p pastLines) Dump() any { return p.past.entries }

// folded has texts that are too long for the editor, which can only edit what fits on the screen.
// It shows each as a mark, which the text replaces before the program runs.
type folded struct {
	texts []string
	rows  func() int // returns how many rows the screen has
}

// fold returns text, or a mark in its place if the text needs much of the screen.
func (f *folded) fold(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n <= max(5, f.rows()/2) {
		return text
	}
	f.texts = append(f.texts, text)
	return fmt.Sprintf("«%d: %d lines»", len(f.texts), n)
}

var foldMark = scalar.Pattern(`«([0-9]{1,9}): [0-9]+ lines»`)

// unfold replaces marks by their texts. A mark that was edited, or has no text, stays unchanged.
func (f *folded) unfold(text string) string {
	return foldMark().ReplaceAllStringFunc(text, func(mark string) string {
		i, err := strconv.Atoi(foldMark().FindStringSubmatch(mark)[1])
		if err != nil || i < 1 || i > len(f.texts) {
			return mark
		}
		return f.texts[i-1]
	})
}
