package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// command is one word after exo, or two. 
type command struct {
	name   string
	args   string // what stands after the flags, as help shows it
	short  string // one line
	long   string // paragraphs and examples, for its own help
	exits  string // what its exit codes mean; "": exitsOnly
	hidden bool   // help does not list it
	raw    bool   // its arguments are not parsed

	// flags declares the command's flags, and returns what runs once they are
	// parsed. args are the others, wherever they stood.
	flags func(fs *flag.FlagSet) action

	// values are what can stand after a flag, "-engine", or where no flag does, "":
	// for completion.
	values map[string][]string
}

// action is what a command does. Its error is printed to standard error, and its
// exit code is that of a failure, or exitCannot.
type action func(ctx context.Context, std stdio, args []string) error

// commandList is the commands of a program, in the order in which help lists them.
type commandList []command

// stdio is what a command reads and writes: results to out, everything that is
// said about them to err.
type stdio struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// The exit codes. Scripts rely on them: see exitHelp. Only commands that look for
// something give exitFound; each of these says in its own help what it means there.
const (
	exitDone = iota
	exitFound
	exitUsage
	exitCannot
)

const exitHelp = `exit codes:
  0  done
  1  something was found: a difference, a mistake in a file, a program that failed; the command's help says what
  2  the command line is wrong
  3  it could not be done: a database, package, file or directory that can't be reached or must not be written
  130  Ctrl-C stopped it, with any command
`

// exitStopped is what shells have for a process that SIGINT ended.
const exitStopped = 128 + 2

// exitsOnly is for commands that look for nothing.
const exitsOnly = `exit codes:
  0  done
  2  the command line is wrong
  3  it could not be done: a database, package, file or directory that can't be reached or must not be written
`

const programName = "exo"

// failure is an error with an exit code. One without is exitCannot.
type failure struct {
	code int
	err  error // nil: there is nothing to say
}

func (f *failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// usagef is the error of a command line that is wrong.
func usagef(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

// run runs one command line and returns the exit code. All that a command prints goes
// through printable.Writer: names, findings and errors are a database's text, and a
// server that writes escape sequences into them would have the terminal.
func run(ctx context.Context, std stdio, all commandList, args []string) int {
	std.out, std.err = printable.NewWriter(std.out), printable.NewWriter(std.err)
	name := programName
	err := func() error {
		if len(args) == 0 {
			fmt.Fprint(std.err, all.overview())
			return &failure{code: exitUsage}
		}
		word := args[0]
		switch word {
		case "-h", "-help", "--help":
			word = "help"
		case "-version", "--version":
			word = "version"
		}
		c, rest, ok := all.find(word, args[1:])
		if !ok {
			return all.noCommand(word)
		}
		name += " " + c.name
		return c.run(ctx, std, rest)
	}()
	if err == nil {
		return exitDone
	}
	code := exitCannot
	if f, ok := errors.AsType[*failure](err); ok {
		code = f.code
	}
	text := err.Error()
	if text != "" && ctx.Err() != nil { // of main's context alone: Ctrl-C. What was cut off complains of anything
		code, text = exitStopped, "stopped"
	}
	if text != "" {
		fmt.Fprintf(std.err, "%s: %s\n", name, text)
	}
	return code
}

// noCommand says that there is none of a name, and which it may be.
func (all commandList) noCommand(word string) error {
	var names []string
	for _, c := range all {
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	if near := scalar.Nearest(word, names); near != "" {
		return usagef("there is no command %q; did you mean %s %s?", word, programName, near)
	}
	return usagef("there is no command %q; %s help lists them", word, programName)
}

// find finds the command of a word, or of it and the next one, and what stands after its name.
func (all commandList) find(word string, more []string) (c command, rest []string, ok bool) {
	for _, x := range all {
		if len(more) > 0 && x.name == word+" "+more[0] {
			return x, more[1:], true
		}
		if x.name == word {
			c, rest, ok = x, more, true
		}
	}
	return c, rest, ok
}

// run parses the flags, wherever they stand, and runs the command.
func (c command) run(ctx context.Context, std stdio, args []string) error {
	fs := c.flagSet()
	act := c.flags(fs)
	if c.raw {
		return act(ctx, std, args)
	}
	var rest []string
	for len(args) > 0 {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			_, err := io.WriteString(std.out, c.help())
			return err
		} else if err != nil {
			if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: "); ok {
				err = noFlag(fs, name)
			}
			return usagef("%w; %s help %s lists the flags", err, programName, c.name)
		}
		n := len(args) - fs.NArg()
		left := args[n:]
		if n > 0 && args[n-1] == "--" { // nothing after it is a flag
			rest, left = append(rest, left...), nil
		}
		if len(left) > 0 {
			rest, left = append(rest, left[0]), left[1:]
		}
		args = left
	}
	return act(ctx, std, rest)
}

// noFlag says that there is no flag of a name, and which it may be.
func noFlag(fs *flag.FlagSet, name string) error {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := scalar.Nearest(strings.TrimLeft(name, "-"), names); near != "" {
		return fmt.Errorf("there is no flag %s; did you mean -%s?", name, near)
	}
	return fmt.Errorf("there is no flag %s", name)
}

func (c command) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}
