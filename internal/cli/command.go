// Package cli is what a program of several commands needs: finding the command, its flags, help, completion, manual pages and exit codes.
package cli

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

// Command is one word after exo, or two.
type Command struct {
	Name   string
	Args   string // what stands after the flags, as help shows it
	Short  string // one line
	Long   string // paragraphs and examples, for its own help
	Exits  string // what its exit codes mean; "": ExitsOnly
	Hidden bool   // help does not list it
	raw    bool   // its arguments are not parsed

	// Flags declares the command's flags, and returns what runs once they are
	// parsed. args are the others, wherever they stood.
	Flags func(fs *flag.FlagSet) Action

	// Values are what can stand after a flag, "-engine", or where no flag does, "":
	// for completion.
	Values map[string][]string
}

// Action is what a command does. Its error is printed to standard error, and its
// exit code is that of a failure, or ExitCannot.
type Action func(ctx context.Context, std Stdio, args []string) error

// Commands is the commands of a program, in the order in which help lists them.
type Commands []Command

// Stdio is what a command reads and writes: results to out, everything that is
// said about them to err.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// The exit codes. Scripts rely on them: see Overview. Only commands that look for
// something give ExitFound; each of these says in its own help what it means there.
const (
	ExitDone = iota
	ExitFound
	ExitUsage
	ExitCannot
)

const exitHelp = `exit codes:
  0  done
  1  something was found: a difference, a mistake in a file, a program that failed; the command's help says what
  2  the command line is wrong
  3  it could not be done: a database, package, file or directory that can't be reached or must not be written
  130  Ctrl-C stopped it, with any command
`

// ExitStopped is what shells have for a process that SIGINT ended.
const ExitStopped = 128 + 2

// ExitsOnly is for commands that look for nothing.
const ExitsOnly = `exit codes:
  0  done
  2  the command line is wrong
  3  it could not be done: a database, package, file or directory that can't be reached or must not be written
`

const ProgramName = "exo"

// Failure is an error with an exit code. One without is ExitCannot.
type Failure struct {
	Code int
	Err  error // nil: there is nothing to say
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// Usagef is the error of a command line that is wrong.
func Usagef(format string, args ...any) error {
	return &Failure{ExitUsage, fmt.Errorf(format, args...)}
}

// Run runs one command line and returns the exit code. All that a command prints goes
// through printable.Writer: names, findings and errors are a database's text, and a
// server that writes escape sequences into them would have the terminal.
func Run(ctx context.Context, std Stdio, all Commands, args []string) int {
	std.Out, std.Err = printable.NewWriter(std.Out), printable.NewWriter(std.Err)
	name := ProgramName
	err := func() error {
		if len(args) == 0 {
			fmt.Fprint(std.Err, all.overview())
			return &Failure{Code: ExitUsage}
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
		name += " " + c.Name
		return c.Run(ctx, std, rest)
	}()
	if err == nil {
		return ExitDone
	}
	code := ExitCannot
	if f, ok := errors.AsType[*Failure](err); ok {
		code = f.Code
	}
	text := err.Error()
	if text != "" && ctx.Err() != nil { // of main's context alone: Ctrl-C. What was cut off complains of anything
		code, text = ExitStopped, "stopped"
	}
	if text != "" {
		fmt.Fprintf(std.Err, "%s: %s\n", name, text)
	}
	return code
}

// noCommand says that there is none of a name, and which it may be.
func (all Commands) noCommand(word string) error {
	var names []string
	for _, c := range all {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	if near := scalar.Nearest(word, names); near != "" {
		return Usagef("there is no command %q; did you mean %s %s?", word, ProgramName, near)
	}
	return Usagef("there is no command %q; %s help lists them", word, ProgramName)
}

// find finds the command of a word, or of it and the next one, and what stands after its name.
func (all Commands) find(word string, more []string) (c Command, rest []string, ok bool) {
	for _, x := range all {
		if len(more) > 0 && x.Name == word+" "+more[0] {
			return x, more[1:], true
		}
		if x.Name == word {
			c, rest, ok = x, more, true
		}
	}
	return c, rest, ok
}

// Run parses the flags, wherever they stand, and runs the command.
func (c Command) Run(ctx context.Context, std Stdio, args []string) error {
	fs := c.FlagSet()
	act := c.Flags(fs)
	if c.raw {
		return act(ctx, std, args)
	}
	var rest []string
	for len(args) > 0 {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			_, err := io.WriteString(std.Out, c.help())
			return err
		} else if err != nil {
			if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: "); ok {
				err = noFlag(fs, name)
			}
			return Usagef("%w; %s help %s lists the flags", err, ProgramName, c.Name)
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

func (c Command) FlagSet() *flag.FlagSet {
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}
