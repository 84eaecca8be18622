package terminal

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
)

// editor is the line editor of a terminal: several lines, history, completion and
// highlighting. It takes over the terminal only while somebody types, so that
// Ctrl-C is a signal while a program runs.
type editor struct {
	shell   *readline.Shell
	prompt  string
	history *history
}

func newEditor(c *console, h *history) *editor {
	e := &editor{history: h}
	scr := c.std.screen
	options := map[string]any{
		"enable-bracketed-paste": true,
		"history-autosuggest":    false,
		"multiline-column":       scr.color, // it is a coloured bar
	}
	if !scr.color {
		options["completion-selection-style"] = "\x1b[7m"
	}
	e.shell = readline.NewShell(inputrc.WithApp("exoagent"))
	for name, v := range options {
		_ = e.shell.Config.Set(name, v)
	}
	e.shell.Prompt.Primary(func() string { return e.prompt })
	e.shell.Prompt.Secondary(func() string { return "" })
	e.shell.History.Delete()
	e.shell.History.Add("history", pastLines{h})
	e.shell.PasteTransformer = typable
	e.shell.AcceptMultiline = func(line []rune) bool { return c.whole(string(line)) }
	e.shell.SyntaxHighlighter = func(line []rune) string { return c.highlightInput(string(line)) }
	e.shell.Completer = func(line []rune, cursor int) readline.Completions {
		return completionsOf(c, string(line[:cursor]))
	}
	return e
}

func (e *editor) read(prompt string) (string, error) {
	e.prompt = prompt
	text, err := e.shell.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", errDropped
	case err != nil:
		return "", err
	}
	return strings.TrimRight(text, " \n"), nil
}

func (e *editor) close() {}

// whole reports whether Enter ends what was typed, or begins another line of it.
// An empty line always ends it.
func (c *console) whole(text string) bool {
	switch {
	case strings.TrimSpace(text) == "" || strings.HasSuffix(text, "\n"):
		return !isFence(text) || strings.TrimSpace(text) == ""
	case isFence(text):
		return strings.Contains(text, "\n") && isFence(text[strings.LastIndexByte(text, '\n')+1:])
	}
	if _, _, isCommand := command(text); isCommand || c.isQuestion(text) {
		return true
	}
	return complete(text)
}

// highlightInput colours programs, and leaves questions and commands as they are.
func (c *console) highlightInput(text string) string {
	if _, _, isCommand := command(text); isCommand {
		return c.std.screen.paintLines(cyan, text)
	}
	if c.isQuestion(text) {
		return text
	}
	return c.std.screen.highlight(text)
}

// completionsOf are the completions of what stands before the cursor.
func completionsOf(c *console, before string) readline.Completions {
	part, found := c.completions(before)
	// The letter before the name is made part of it, because the editor takes an
	// empty prefix for the whole word.
	lead := before[:len(before)-len(part)]
	_, n := utf8.DecodeLastRuneInString(lead)
	lead = lead[len(lead)-n:]
	var values []readline.Completion
	for _, f := range found {
		values = append(values, readline.Completion{Value: lead + f.name, Display: f.name, Description: f.about})
	}
	out := readline.CompleteRaw(values).NoSpace().NoSort()
	out.PREFIX = lead + part
	return out
}

// completions are the commands, or the names of a program.
func (c *console) completions(before string) (part string, found []candidate) {
	if strings.HasPrefix(before, ".") && !strings.ContainsAny(before, " \n") {
		for _, cmd := range c.commands() {
			if name, _, _ := strings.Cut(cmd.name, " "); strings.HasPrefix(name, before) {
				found = append(found, candidate{name, cmd.about})
			}
		}
		return before, found
	}
	return c.names.candidates(before)
}

// pastLines is a history as the editor reads it.
type pastLines struct{ *history }

func (p pastLines) Write(s string) (int, error) {
	err := p.add(s)
	return len(p.entries), err
}

func (p pastLines) GetLine(i int) (string, error) {
	if i < 0 || i >= len(p.entries) {
		return "", io.EOF
	}
	return p.entries[i], nil
}

func (p pastLines) Len() int  { return len(p.entries) }
func (p pastLines) Dump() any { return p.entries }
