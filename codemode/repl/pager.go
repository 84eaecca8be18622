package repl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
)

// paged shows what f writes. It uses the pager if the text is longer than the screen.
func (c *console) paged(f func(out io.Writer) error) error {
	if !c.std.Screen.Live || c.noPager {
		return f(c.std.Out)
	}
	var b bytes.Buffer
	err := f(&b)
	if c.std.Screen.Lines(b.String()) < screen.ScreenRows() || page(b.String()) != nil {
		fmt.Fprint(c.std.Out, b.String())
	}
	return err
}

var errNoPager = errors.New("there is no pager")

// page shows a text with $PAGER, or with less if $PAGER is not set. An error means that nothing was shown.
func page(text string) error {
	cmd := exec.Command("less", "-FRX")
	if name, set := os.LookupEnv("PAGER"); set && strings.TrimSpace(name) == "" {
		return errNoPager
	} else if set {
		cmd = exec.Command("sh", "-c", name) // run by a shell, since the user chose the command, as for git and psql
	}
	if _, set := os.LookupEnv("LESS"); !set {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() != notExecutable && exit.ExitCode() != notFound {
		return nil // no failure: the user has left the pager
	}
	return err
}

// A shell returns these exit codes if it can't start a command.
const (
	notExecutable = 126
	notFound      = 127
)

// pagerCommand turns the pager on and off.
func (c *console) pagerCommand(arg string) error {
	switch arg {
	case "on", "off":
		c.noPager = arg == "off"
	case "":
		c.noPager = !c.noPager
	default:
		return errors.New("after .pager write on or off: .pager on shows what is longer than the screen with the program in $PAGER, or else `less`; .pager off prints everything")
	}
	fmt.Fprintln(c.std.Out, map[bool]string{false: "what is longer than the screen is shown with the pager", true: "everything is printed"}[c.noPager])
	return nil
}
