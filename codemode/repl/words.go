package repl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/names"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// words maps words that users of psql or a shell type to commands. None of them is a useful
// program.
var words = map[string]string{
	"exit": ".quit", "quit": ".quit", "help": ".help", "?": ".help",
	`\q`: ".quit", `\?`: ".help", `\h`: ".help", `\d`: ".tables", `\dt`: ".tables", `\d+`: ".tables", `\x`: ".expanded",
}

// word returns the command for a line in psql's words. ok is false for other lines. A line that begins with a
// backslash is always a command, even an unknown one, since no program begins with it.
func word(line string) (cmd, arg string, ok bool) {
	cmd, arg, _ = strings.Cut(strings.TrimRight(line, " \t;"), " ")
	if c := words[cmd]; c != "" && (arg == "" || strings.HasPrefix(cmd, `\`)) {
		return c, strings.TrimSpace(arg), true
	}
	return cmd, strings.TrimSpace(arg), strings.HasPrefix(line, `\`) && !strings.Contains(line, "\n")
}

// follows matches the beginning of a line that can only continue the previous one: .name( and ?.name(
var follows = scalar.Pattern(`^\??\.[\pL_$][\pL\pN_$]*\(`)

// continued joins the last program and a line that begins with .name( to a program, and returns any other text
// unchanged. It refuses to repeat a program that changed something, or would have.
func (c *console) continued(text string) (string, error) {
	if !follows().MatchString(text) {
		return text, nil
	}
	switch {
	case c.last == nil:
		return "", errors.New("a line that begins with .name( continues the last program, and none has run yet: type a whole program")
	case c.last.Result.Changed() || len(c.last.Result.Effects) > 0:
		return "", errors.New("a line that begins with .name( runs the last program again. That one changed something, or would have: type the whole program")
	}
	return strings.TrimRight(c.last.Program, "; \n") + "\n" + text, nil
}

// tables describes the grants in short: each table with its
// columns and links, or one table with a line for each member.
func (s *session) tables(which string) (string, error) {
	var b strings.Builder
	var listed []string
	for _, name := range s.names.Tables() {
		in := s.names.Catalog[name]
		if which == "" {
			members := scalar.Each(names.InterfaceOf(in), func(c names.Candidate) string { return strings.TrimSuffix(c.Name, "()") })
			fmt.Fprintf(&b, "%s: %s\n", printable.OneLine(name), printable.OneLine(strings.Join(members, ", ")))
			continue
		}
		listed = append(listed, name)
		if !strings.EqualFold(name, which) {
			continue
		}
		members := names.InterfaceOf(in)
		w := 0
		for _, c := range members {
			w = max(w, printable.Width(printable.OneLine(c.Name)))
		}
		for _, c := range members {
			n := printable.OneLine(c.Name)
			fmt.Fprintf(&b, "%s%s  %s\n", n, strings.Repeat(" ", w-printable.Width(n)), c.About)
		}
		return b.String(), nil
	}
	if which != "" {
		return "", fmt.Errorf("there is no table %s; there are %s", printable.OneLine(which), printable.OneLine(strings.Join(listed, ", ")))
	}
	for _, g := range s.names.Granted {
		b.WriteString(strings.TrimRight("api."+printable.OneLine(g.Name)+"  "+names.FirstLine(g.Doc), " ") + "\n")
	}
	return b.String(), nil
}
