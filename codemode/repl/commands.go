package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode/repl/internal/names"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/internal/printable"
)

// patience is how long a second Ctrl-C at the prompt has no effect.
const patience = 2 * time.Second

// command splits a line like ".api" into command and argument. ok is false for other lines, like programs, which never
// begin with a dot.
func command(line string) (cmd, arg string, ok bool) {
	if cmd, arg, ok = word(line); ok {
		return cmd, arg, true
	}
	cmd, arg, _ = strings.Cut(strings.TrimSpace(line), " ")
	if !strings.HasPrefix(line, ".") || strings.ContainsAny(cmd, "([`?") {
		return "", "", false
	}
	return cmd, strings.TrimSpace(arg), true
}

// command runs a command that works at the prompt and in a piped session.
func (s *session) command(ctx context.Context, cmd, arg string, out io.Writer) error {
	switch cmd {
	case ".help":
		fmt.Fprint(out, s.promptHelp())
	case ".api":
		fmt.Fprintln(out, s.api())
	case "." + s.app.Who, ".user", ".as":
		if s.tx != nil {
			return errors.New("first end the transaction of .begin: .commit keeps its changes, .rollback undoes them")
		}
		if cmd != ".as" {
			return s.become(ctx, arg, "")
		}
		if s.app.Members == nil {
			return fmt.Errorf("there is no command .as here; .help lists the commands")
		}
		return s.become(ctx, s.user, arg)
	case ".tables":
		text, err := s.tables(arg)
		fmt.Fprint(out, text)
		return err
	case ".keep":
		return s.keep(arg, out)
	case ".begin", ".commit", ".rollback":
		return s.transaction(ctx, cmd, out)
	case ".changes", ".approve", ".reject":
		return s.decide(ctx, cmd, arg, out, screen.Screen{})
	case ".sql":
		return fmt.Errorf(".sql works only at the prompt; here the flag -trace shows the SQL of every query")
	case ".save":
		return fmt.Errorf(".save works only at the prompt; here each result is a line of JSON: send that to a file")
	default:
		return noCommand(cmd)
	}
	return nil
}

func noCommand(cmd string) error {
	return fmt.Errorf("there is no command %s; .help lists the commands", printable.OneLine(cmd))
}

// keep runs .keep FILE.
func (s *session) keep(path string, out io.Writer) error {
	switch {
	case s.app.Keep == nil:
		return noCommand(".keep")
	case path == "":
		return errors.New("the name of the file is missing: .keep FILE writes the grant file of this terminal, with the programs that ran")
	}
	text, err := s.app.Keep(path, s.ran)
	if err == nil {
		fmt.Fprintln(out, printable.Text(text))
	}
	return err
}

var errNothingRan = errors.New("no program has run yet: type one first")

// command runs a command that was typed at the prompt.
func (c *console) command(ctx context.Context, cmd, arg string) error {
	out, scr := c.std.Out, c.std.Screen
	if n, err := strconv.Atoi(strings.TrimPrefix(cmd, ".")); err == nil {
		starts := c.starts()
		if len(starts) == 0 {
			return noCommand(cmd)
		}
		if n < 1 || n > len(starts) {
			return fmt.Errorf("there is no program %s to start from; there are .1 to .%d", cmd, len(starts))
		}
		fmt.Fprintln(out, scr.Highlight(scr.Wrap(starts[n-1], 2)))
		c.program(ctx, starts[n-1])
		return nil
	}
	switch cmd {
	case ".sql":
		return c.sql(arg)
	case ".trace":
		return c.traceCommand(arg)
	case ".save":
		return c.save(arg)
	case ".chart":
		return c.chart()
	case ".changes", ".approve", ".reject":
		return c.paged(func(out io.Writer) error { return c.decide(ctx, cmd, arg, out, scr) })
	case ".expanded":
		return c.expandedCommand(arg)
	case ".pager":
		return c.pagerCommand(arg)
	case ".ask":
		if _, err := c.modelled(ctx); err != nil {
			return err
		}
		if arg == "" {
			return errors.New("the question is missing: .ask TEXT asks the model")
		}
		c.ask(ctx, arg)
	case ".run":
		if arg == "" {
			return errors.New("the program is missing: .run PROGRAM runs it, even if it looks like a question")
		}
		c.program(ctx, arg)
	case "." + c.app.Who, ".user", ".as":
		if err := c.session.command(ctx, cmd, arg, out); err != nil {
			return err
		}
		if _, err := c.modelled(ctx); err != nil && !errors.Is(err, errNoModel) {
			return err
		}
	default:
		return c.paged(func(out io.Writer) error { return c.session.command(ctx, cmd, arg, out) })
	}
	return nil
}

func (c *console) sql(arg string) error {
	switch {
	case arg == "on" || arg == "off":
		c.unfold = arg == "on"
	case arg != "":
		return errors.New("after .sql write on, off or nothing: .sql shows the SQL of the last program; .sql on shows it for every program, and .sql off hides it again")
	case c.last == nil:
		return errNothingRan
	case len(c.last.Queries)+c.last.More == 0:
		return errors.New("the last program sent no query to the database, so there is no SQL to show")
	default:
		return c.paged(func(out io.Writer) error {
			_, err := io.WriteString(out, c.std.Screen.Unfolded(&c.last.Kept))
			return err
		})
	}
	return nil
}

// expandedCommand sets how rows are shown. Without an argument it switches between a table and rows one below the other.
func (c *console) expandedCommand(arg string) error {
	mode := &c.std.Screen.Expanded
	switch arg {
	case "on", "off":
		*mode = arg
	case "auto":
		*mode = ""
	case "":
		*mode = map[bool]string{true: "off", false: "on"}[*mode == "on"]
	default:
		return errors.New("after .expanded write on, off, auto or nothing: .expanded on shows rows one below the other, .expanded off as a table, .expanded auto as a table where it fits")
	}
	fmt.Fprintln(c.std.Out, map[string]string{"on": "rows are shown one below the other", "off": "rows are shown as a table", "": "rows are shown as a table where it fits"}[*mode])
	return nil
}

func (c *console) traceCommand(arg string) error {
	switch {
	case arg == "on":
		c.trace = record.New(c.std.Err)
	case arg == "off":
		c.trace = nil
	case arg != "":
		return errors.New("after .trace write on, off or nothing: .trace shows what the last program asked for; .trace on writes a line of JSON for each step of a run, .trace off ends that")
	case c.last == nil:
		return errNothingRan
	case len(c.last.Events) == 0:
		return errors.New("the last program made no call, so there is nothing to show")
	default:
		return c.paged(func(out io.Writer) error {
			_, err := io.WriteString(out, c.std.Screen.Traced(c.last.Events))
			return err
		})
	}
	return nil
}

// commands returns the commands of the prompt, each with a short description.
func (s *session) commands() []names.Candidate {
	list := []names.Candidate{
		{Name: ".help", About: "this text"},
		{Name: ".api", About: "what a model is shown"},
		{Name: ".tables", About: "the tables in short; .tables NAME for one"},
		{Name: ".1 .2 .3", About: "run a program to start from"},
		{Name: ".sql", About: "the SQL of the last program; .sql on for each, .sql off"},
		{Name: ".trace", About: "what the last program asked for; .trace on, .trace off for JSON lines"},
		{Name: "." + s.app.Who + " N", About: "act for another " + s.app.Who},
		{Name: ".expanded", About: "rows one below the other: on, off, or auto, where a table is too wide"},
		{Name: ".pager", About: "what is longer than the screen is shown with $PAGER, or less: on, off"},
		{Name: ".chart", About: "draw the last result, where it is numbers by a time or a name"},
		{Name: ".save FILE", About: "keep the last program; FILE.csv keeps its rows, FILE.json its result, FILE.html a page of it"},
		{Name: ".begin", About: "try programs: .rollback undoes what they change from here on, .commit keeps it"},
		{Name: ".ask TEXT", About: "ask the model; without a command, what is no program is asked too"},
		{Name: ".run PROGRAM", About: "run it, whatever it looks like"},
		{Name: ".quit", About: "end; so does Ctrl-D. Ctrl-C stops a program or an answer, or drops what was typed"},
	}
	if s.app.Keep != nil {
		list = append(list, names.Candidate{Name: ".keep FILE", About: "write the grant file of this terminal, with the programs that ran, for you to review"})
	}
	if s.app.Options.Review != nil {
		list = append(list, names.Candidate{Name: ".changes", About: "what waits for you; .changes ID shows it, with -all each row"},
			names.Candidate{Name: ".approve ID", About: "let a change happen that was shown; .reject ID WHY refuses it"})
	}
	if s.app.Members != nil {
		list = append(list, names.Candidate{Name: ".as N", About: "act as another member"})
	}
	return list
}

func (s *session) promptHelp() string {
	var b strings.Builder
	b.WriteString("Type a program: an expression, a function of api, or statements that return.\n")
	b.WriteString("It goes on over lines while brackets are open, or until its return; an empty line ends it.\n")
	b.WriteString("A line of ``` begins a program that goes on until the next such line.\n")
	b.WriteString("A line that begins with .name( goes on with the program before it.\n\n")
	for _, e := range s.app.Examples {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	b.WriteString("\n")
	for _, c := range s.commands() {
		fmt.Fprintf(&b, "  %-12s %s\n", c.Name, c.About)
	}
	b.WriteString("\nexit, quit, help and psql's \\q, \\?, \\d and \\x do what they do there.\n")
	return b.String()
}
