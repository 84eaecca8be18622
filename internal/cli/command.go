// Package cli has the parts of a program with several commands: finding a command, its flags, help, completion, manual pages and exit codes.
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

// Command is a command of exo. Its name is one word, or two.
type Command struct {
	Name   string
	Args   string // the arguments after the flags, as help shows them
	Short  string // a line of help
	Long   string // paragraphs and examples for the command's own help
	Exits  string // the meaning of its exit codes; "" means ExitsOnly
	Hidden bool   // the list of commands leaves it out
	raw    bool   // the command gets its arguments unparsed

	// Flags declares the command's flags. It returns the function that runs after they are parsed. The function's args are the words that are no
	// flags, in any place.
	Flags func(fs *flag.FlagSet) Action

	// Values has the possible values of a flag like "-engine", or of an argument under "", for completion.
	Values map[string][]string
}

// Action runs a command. Its error is printed to standard error. The exit code is the Code of a Failure, and ExitCannot for any other error.
type Action func(ctx context.Context, std Stdio, args []string) error

// Commands is the commands of a program, in the order in which help lists them.
type Commands []Command

// Stdio is where a command reads and writes: results go to Out, all messages to Err.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
}

// These are the exit codes. Scripts rely on them, and exo help lists them. Only commands that search return ExitFound, and their help gives its meaning.
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

// ExitStopped is the exit code that shells report for a process that SIGINT ended.
const ExitStopped = 128 + 2

// ExitsOnly is the help text about exit codes for commands that do not search.
const ExitsOnly = `exit codes:
  0  done
  2  the command line is wrong
  3  it could not be done: a database, package, file or directory that can't be reached or must not be written
`

const ProgramName = "exo"

// Failure is an error with an exit code. Any other error exits with ExitCannot.
type Failure struct {
	Code int
	Err  error // nil prints nothing
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// Usagef makes the error for a wrong command line.
func Usagef(format string, args ...any) error {
	return &Failure{ExitUsage, fmt.Errorf(format, args...)}
}

// Run runs one command line and returns the exit code. All output goes through printable.Writer: names, findings and errors contain texts of a
// database, in which a hostile server could hide escape sequences that control the terminal.
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
	if text != "" && ctx.Err() != nil { // after Ctrl-C, which ends main's context, errors of interrupted operations are not shown
		code, text = ExitStopped, "stopped"
	}
	if text != "" {
		fmt.Fprintf(std.Err, "%s: %s\n", name, text)
	}
	return code
}

// noCommand returns the error for an unknown command, and suggests a similar one.
func (all Commands) noCommand(word string) error {
	var names, below []string
	for _, c := range all {
		if !c.Hidden {
			names = append(names, c.Name)
		}
		if more, is := strings.CutPrefix(c.Name, word+" "); is {
			below = append(below, more)
		}
	}
	if len(below) > 0 {
		return Usagef("want one of %s %s %s; %s help %s %s explains the first", ProgramName, word, strings.Join(below, "|"), ProgramName, word, below[0])
	}
	if near := scalar.Nearest(word, names); near != "" {
		return Usagef("there is no command %q; did you mean %s %s?", word, ProgramName, near)
	}
	return Usagef("there is no command %q; %s help lists them", word, ProgramName)
}

// find finds the command that a word names, alone or with the next word. It returns the words after the name, or false for an unknown command.
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

// Run parses the flags, wherever they are, and runs the command.
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
		if n > 0 && args[n-1] == "--" { // all words after -- are arguments
			rest, left = append(rest, left...), nil
		}
		if len(left) > 0 {
			rest, left = append(rest, left[0]), left[1:]
		}
		args = left
	}
	return act(ctx, std, rest)
}

// noFlag returns the error for an unknown flag, and suggests a similar one.
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
