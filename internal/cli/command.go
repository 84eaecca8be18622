// Package cli has what a program with several commands needs: finding the command, its flags, help, completion, manual pages and exit codes.
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
	Args   string // the arguments after the flags, as help shows them
	Short  string // one line
	Long   string // paragraphs and examples, for its own help
	Exits  string // what its exit codes mean; "": ExitsOnly
	Hidden bool   // help does not list it
	raw    bool   // its arguments are not parsed

	// Flags declares the command's flags and returns the function to run after they are parsed.
	// args are the words that are no flags, wherever they were.
	Flags func(fs *flag.FlagSet) Action

	// Values are the possible values of a flag, "-engine", or with "" of an argument, for
	// completion.
	Values map[string][]string
}

// Action runs a command. Its error is printed to standard error, and its exit code is that of a
// Failure, or else ExitCannot.
type Action func(ctx context.Context, std Stdio, args []string) error

// Commands is the commands of a program, in the order in which help lists them.
type Commands []Command

// Stdio is what a command reads and writes: results go to Out, all messages about them to Err.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// These are the exit codes. Scripts rely on them: see Overview. Only commands that look for
// something return ExitFound; their help explains what it means.
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

// ExitsOnly is the help text of commands that don't look for anything.
const ExitsOnly = `exit codes:
  0  done
  2  the command line is wrong
  3  it could not be done: a database, package, file or directory that can't be reached or must not be written
`

const ProgramName = "exo"

// Failure is an error with an exit code. Other errors exit with ExitCannot.
type Failure struct {
	Code int
	Err  error // nil: nothing is printed
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

// Run runs one command line and returns the exit code. All output goes through printable.Writer:
// names, findings and errors contain texts of a database, and a hostile server could write escape
// sequences into them that control the terminal.
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
	if text != "" && ctx.Err() != nil { // only main's context: Ctrl-C. Errors of operations that were cut off are not shown
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
		return Usagef("want one of %s %s %s; %s help %s %s says more of the first", ProgramName, word, strings.Join(below, "|"), ProgramName, word, below[0])
	}
	if near := scalar.Nearest(word, names); near != "" {
		return Usagef("there is no command %q; did you mean %s %s?", word, ProgramName, near)
	}
	return Usagef("there is no command %q; %s help lists them", word, ProgramName)
}

// find finds the command of a word, or of this word and the next, and returns the words after its name.
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
