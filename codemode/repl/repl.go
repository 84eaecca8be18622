package repl

import (
	"fmt"
	"io"
	"os"
	"path"

	"github.com/exoagent/exoagent/internal/terminal"
)

// Main is the main function of a command: it opens the terminal on what grants, a
// function in the form of [Grants], gives, as the command line says, and does not
// return. pkg is the import path of the package that the function is from.
func Main(pkg string, grants any) {
	app, err := newApp(pkg, grants)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", pkg, err)
		os.Exit(2)
	}
	terminal.Main(app)
}

// Run is Main with the arguments of a command line and other streams, and gives the
// exit code: 0 with a result, 1 when a program failed, 2 when it could not be run.
func Run(pkg string, grants any, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app, err := newApp(pkg, grants)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", pkg, err)
		return 2
	}
	return app.Run(args, stdin, stdout, stderr)
}

func newApp(pkg string, grants any) (terminal.App, error) {
	f, err := adapt(grants)
	return terminal.App{
		Name:  path.Base(pkg),
		State: pkg,
		About: "A terminal on what package " + pkg + " grants.",
		Who:   "user",
		For:   f,
		Asker: terminal.Models,
	}, err
}
