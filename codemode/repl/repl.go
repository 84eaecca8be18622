package repl

import (
	"fmt"
	"io"
	"os"

	"github.com/exoagent/exoagent/internal/terminal"
)

// Main is the main function of a command: it opens the terminal on what grants, a
// function in the form of [Grants], gives, as the command line says, and does not
// return. name is what somebody types to run the command, for its help and errors; pkg is
// the import path of the package that the function is from.
func Main(name, pkg string, grants any) {
	app, err := newApp(name, pkg, grants)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
	terminal.Main(app)
}

// Run is Main with the arguments of a command line and other streams, and gives the
// exit code: 0 with a result, 1 when a program failed, 2 when it could not be run.
func Run(name, pkg string, grants any, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app, err := newApp(name, pkg, grants)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 2
	}
	return app.Run(args, stdin, stdout, stderr)
}

func newApp(name, pkg string, grants any) (terminal.App, error) {
	f, err := adapt(grants)
	return terminal.App{
		Name:  name,
		State: pkg,
		About: "A terminal on what package " + pkg + " grants.",
		Who:   "user",
		For:   f,
		Asker: terminal.Models,
	}, err
}
