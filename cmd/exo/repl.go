package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

func replCommand() command {
	return command{
		name:   "repl",
		args:   "PACKAGE [-func NAME] [flags]",
		short:  "open a terminal on what a package grants",
		long:   replHelp,
		raw:    true,
		values: map[string][]string{"": {anyDir}},
		flags: func(*flag.FlagSet) action {
			return func(ctx context.Context, std stdio, args []string) error {
				if len(args) == 0 {
					return usagef("want a package; %s help repl says which", programName)
				}
				code, err := repl(ctx, args, std.in, std.out, std.err)
				if err == nil && code == 0 {
					return nil
				}
				if err != nil {
					code = exitCannot
				}
				return &failure{code: code, err: err}
			}
		},
	}
}

const replHelp = `Opens a terminal on what a Go package grants: type programs, or with a key ask a
model, and see the rows and the SQL. PACKAGE is a package of the module in the
current directory that exports

  func Grants(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error)

(-func names another). ctx, user and the error may be left out, and user may be an
integer. A command, package main, can't be imported: keep the function beside it.

  exo repl ./access -db postgres://you@localhost/shop -user 1
  exo repl ./access -db sqlite:shop.db -user 1 -e 'api.me.orders().count()'
  exo repl ./access -help      lists the other flags

Nothing is written to the module: not to go.mod, and no file.
`

// repl builds a main that hands the grants of a package to the terminal, runs it, and
// gives its exit code. An error means that it did not come to run.
func repl(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) (int, error) {
	if c := replCommand(); len(args) == 0 || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		_, err := io.WriteString(out, c.help())
		return 0, err
	}
	pattern, name, rest, err := replArgs(args)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "exo-repl-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	p, err := findPackage(ctx, pattern)
	if err != nil {
		return 0, err
	}
	if err := p.exports(name); err != nil {
		return 0, err
	}
	binary, err := p.build(ctx, dir, name)
	if err != nil {
		return 0, err
	}
	return runForeground(binary, rest, in, out, errs)
}

// replArgs takes PACKAGE and -func out of the arguments; the others are the terminal's.
func replArgs(args []string) (pattern, name string, rest []string, err error) {
	name = "Grants"
	for i := 0; i < len(args); i++ {
		flag := strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-")
		value, given := strings.CutPrefix(flag, "func=")
		switch {
		case i == 0 && strings.HasPrefix(args[i], "-"):
			return "", "", nil, errors.New("the package comes first: exo repl PACKAGE [flags]")
		case i == 0:
			pattern = args[i]
		case flag != args[i] && given:
			name = value
		case flag != args[i] && flag == "func" && i+1 < len(args):
			i++
			name = args[i]
		default:
			rest = append(rest, args[i])
		}
	}
	if !token.IsIdentifier(name) || !token.IsExported(name) { // it becomes Go text
		return "", "", nil, fmt.Errorf("-func %q: want the name of an exported function", name)
	}
	return pattern, name, rest, nil
}

// runForeground runs a command that has the terminal, and gives its exit code. Ctrl-C is
// for it alone: it comes to the whole group of processes, and means nothing here.
func runForeground(path string, args []string, in io.Reader, out, errs io.Writer) (int, error) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
