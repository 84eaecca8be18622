package main

import (
	"context"
	"errors"
	"flag"
	"go/token"
	"io"
	"os"
	"os/exec"
	"os/signal"

	"github.com/exoagent/exoagent/internal/cli"
)

func replCommand() cli.Command {
	return cli.Command{
		Name:  "repl",
		Args:  "PACKAGE|FILE",
		Short: "open a terminal on what a package or a grant file grants",
		Long:  replHelp,
		Exits: replExits,
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &replOptions{}
			o.declare(fs)
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyDir}, "-f": {cli.AnyFile}},
	}
}

const replHelp = `Opens a terminal on what a Go package grants: type programs, or with a key ask a
model, and see the rows and the SQL. PACKAGE is a package of the module in the
current directory that exports

  func Grants(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error)

(-func names another). ctx, user and the error may be left out, and user may be an
integer or a UUID. A command, package main, can't be imported: keep the function
beside it.

  exo repl ./access -db postgres://you@localhost/shop -user 1
  exo repl ./access -db sqlite:shop.db -user 1 -e 'api.me.orders().count()'

Of a grant file, FILE.yaml, -as gives the claims of the principal, as for exo run, and the
database is the file's own unless -db names another:

  exo repl exo.yaml -as org=5,user=1

Nothing is written to the module: not to go.mod, and no file.
`

const replExits = `exit codes:
  0  with a result
  1  a program failed
  2  the command line is wrong, or the terminal can't run: no such database or user
  3  the package can't be built
`

// replOptions are the flags of repl. The flags of the terminal are declared here as well,
// so that help, completion and errors about flags need no build.
type replOptions struct {
	source source
	user   string   // for a package: the user that its function gets
	as     string   // for a grant file: the claims of the principal
	name   string   // the name of the package's function
	pass   []string // the flags that are passed to the terminal, in order
}

func (o *replOptions) declare(fs *flag.FlagSet) {
	fs.StringVar(&o.name, "func", "Grants", "`NAME`: the function, where it is not Grants")
	pass := func(name string) func(string) error {
		return func(v string) error {
			o.pass = append(o.pass, "-"+name+"="+v)
			return nil
		}
	}
	fs.Func("db", "`URL`: the database, sqlite:PATH or postgres://user@host/database", func(v string) error {
		o.source.db = v
		return pass("db")(v)
	})
	fs.StringVar(&o.user, "user", "", "`NAME`: of a package: on whose behalf, what the function is given")
	fs.StringVar(&o.as, "as", "", "`CLAIMS`: of a grant file: the principal, like org=5,user=1")
	for _, f := range [][2]string{
		{"e", "`PROGRAM`: run a program; its result is printed as JSON"},
		{"f", "`FILE`: the same with a file; - is standard input"},
		{"zone", "`NAME`: the time zone of today and of local times, like Europe/Berlin (default: UTC)"},
		{"ask", "`TEXT`: ask a model once, and print its answer"},
		{"flow", "`TAG`: print by which ways values with a label can leave, and end: all, pii, or \"pii result\""},
		{"distrust", distrustUsage},
		{"model", "`P:NAME`: which model; without it the first key in the environment decides"},
	} {
		fs.Func(f[0], f[1], pass(f[0]))
	}
	for _, f := range [][2]string{
		{"dry-run", "with -e or -f: show what the program would change, and keep nothing"},
		{"api", "print what a model is shown, and end"},
		{"trace", "the record of each run on standard error, as lines of JSON: messages, their SQL, effects"},
		{"no-history", "do not read or keep what is typed at the prompt"},
	} {
		fs.BoolFunc(f[0], f[1], pass(f[0]))
	}
}

// run builds a main that passes the grants of a package to the terminal, and runs it. If the main
// started, exo repl ends with the exit code of the main, and otherwise with cli.ExitCannot.
func (o *replOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("want one Go package, or one grant file (FILE.yaml), not %d arguments", len(args))
	}
	file, who := isGrantFile(args[0]), o.user
	switch {
	case file && o.user != "":
		return cli.Usagef("with a grant file write -as CLAIMS, like -as org=5, in place of -user")
	case !file && o.as != "":
		return cli.Usagef("-as is for a grant file (FILE.yaml): with a Go package write -user NAME")
	case file:
		who = o.as
	}
	if who != "" {
		o.pass = append(o.pass, "-user="+who)
	}
	if file {
		if o.source.db != "" {
			if err := o.source.validate(); err != nil {
				return err
			}
		}
		return replOnFile("repl", args[0], o.source.db, o.pass, std)
	}
	if !token.IsIdentifier(o.name) || !token.IsExported(o.name) { // checked, since the name is written into Go code
		return cli.Usagef("-func %q: want the name of an exported function, like Grants", o.name)
	}
	if o.source.db == "" {
		return cli.Usagef("%s", noDB)
	}
	if err := o.source.validate(); err != nil {
		return err
	}
	shown := cli.ProgramName + " repl " + args[0]
	if o.name != "Grants" {
		shown += " -func " + o.name
	}
	dir, err := os.MkdirTemp("", "exo-repl-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := findPackage(ctx, args[0])
	if err != nil {
		return err
	}
	binary, err := p.buildRepl(ctx, dir, o.name, shown)
	if err != nil {
		return err
	}
	code, err := runForeground(binary, o.pass, std.In, std.Out, std.Err)
	if err == nil && code != 0 {
		return &cli.Failure{Code: code}
	}
	return err
}

// runForeground runs a command that has the terminal, and returns its exit code. Ctrl-C
// reaches all processes of the group. Only the command acts on it; this process ignores it.
func runForeground(path string, args []string, in io.Reader, out, errs io.Writer) (int, error) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, cli.Terminal(out), cli.Terminal(errs)
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
