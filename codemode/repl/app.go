package repl

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/flows"
	"github.com/exoagent/exoagent/internal/printable"
)

// App is a command: a terminal on what Grants gives. The others of its fields may be
// left out.
type App struct {
	Grants any // a function in the form of [GrantFunc]

	Name    string // what is typed to run the command, for its help and errors; "": the name of the process
	About   string // one sentence, for -help and for a model
	Package string // the name under which the history is kept: the import path of a package; "": Name
	Who     string // the kind of principal, and the name of the flag that chooses one; "": user
	Default string // who acts without the flag

	// Setup is SQL that makes and fills an empty database. With it -db may be left out, for a
	// database in memory, and a database with other tables is refused. Without it -db is a database
	// of the user's own, which is used as it is.
	Setup    string
	Postgres string // Setup in PostgreSQL's words; "": the same text

	// DB is the database where the host has opened it: -db is not needed then, and the database stays open.
	DB *exosql.DB

	// Users lists whom Who can name, by whole numbers, so that another one is refused.
	Users func(ctx context.Context, db *exosql.DB) ([]User, error)

	// Members lists who can act within what Who names, first the default. With it there is a flag
	// -as, and Grants takes the number of a member after the user's.
	Members func(ctx context.Context, db *exosql.DB, user int64) ([]User, error)

	// Principal is the record's name for a principal that Who named; nil: Who, the name, and the member that acts.
	Principal func(user string) (exo.Principal, error)

	Examples []string // programs to start from

	// Questions can be answered from this very database. They are in the place of Examples: the terminal lists all of them before
	// its first prompt, and a number that is typed alone runs one.
	Questions []Question

	// Consent says what somebody agrees to who lets a model, "provider:name", see what programs for a user return. The terminal
	// prints it before the first question for each user and waits for a yes; without a terminal no model is asked. nil: the flags are the consent.
	Consent func(model, user string) string

	// Keep does .keep FILE. It gets the programs that ran without an error, the oldest first, and what it returns is printed. nil:
	// there is no such command.
	Keep func(path string, ran []string) (string, error)

	// Options are for the tool that programs run by, so that a terminal has the limits and the zone of
	// the tool that is served. Admits holds for the screen as for a model. Record is kept beside the
	// terminal's own; Principal is the terminal's, and so is Zone where -zone is given.
	Options codemode.Options

	// Models are those that may be asked, as [models.Among] has them, of which the first one with a key is; nil: any that
	// -model or the environment names. A model is shown what programs return.
	Models []string

	// Distrust says how long a chat with a model is wary of what outsiders wrote, unless -distrust does.
	Distrust agent.Distrust

	asker func(ctx context.Context, opt askerOptions) (asker, error) // nil: the model that the environment or -model names
}

// Question is one in words, and the program that answers it.
type Question struct{ Words, Program string }

// User is a person on whose behalf a program can run.
type User struct {
	ID   int64
	Name string
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a program failed
	exitUsage  = 2 // it never ran: wrong flags, no database

	exitStopped = 128 + 2 // Ctrl-C, as shells have it
)

// Main is the main function of a command: it runs the app with the arguments of the
// process, and does not return.
func Main(a App) {
	os.Exit(a.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run is Main with the arguments of a command line and other streams, and gives the
// exit code: 0 with a result, 1 when a program failed, 2 when it could not be run, 130 when Ctrl-C stopped it.
func (a App) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return a.run(args, screen.Standard(stdin, stdout, stderr))
}

func (a App) run(args []string, std *screen.Streams) int {
	a.Name, a.Who = cmp.Or(a.Name, filepath.Base(os.Args[0])), cmp.Or(a.Who, "user")
	a.Package = cmp.Or(a.Package, a.Name)
	grants, err := adapt(a.Grants, a.Who, a.Members != nil)
	if err != nil {
		std.Complain(a.Name, err)
		return exitUsage
	}
	ctx := context.Background()
	opt, err := a.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(std.Out, a.help())
		return exitOK
	}
	if err != nil {
		std.Complain(a.Name, fmt.Errorf("%w\nrun %s -help for help", err, a.Name))
		return exitUsage
	}
	fail := func(err error) int {
		std.Complain(a.Name, err)
		return exitUsage
	}
	program, err := opt.source(std.In)
	if err != nil {
		return fail(err)
	}
	db, err := a.open(ctx, opt.db, grants)
	if err != nil {
		return fail(err)
	}
	if a.DB == nil {
		defer db.Close()
	}
	a.Distrust = opt.distrust
	s := &session{app: a, granted: grants, db: db, model: opt.model, zone: opt.zone}
	if opt.trace {
		s.trace = record.New(std.Err)
	}
	if err := s.become(ctx, opt.who, opt.as); err != nil {
		return fail(err)
	}
	switch {
	case opt.api:
		fmt.Fprintln(std.Out, s.api())
		return exitOK
	case opt.flow != "":
		asked, err := flows.Select(s.tool.Flows(), opt.flow)
		if err == nil {
			err = flows.Write(std.Out, asked)
		}
		if err != nil {
			return fail(fmt.Errorf("-flow: %w", err))
		}
		return exitOK
	case program != nil && opt.dryRun:
		return s.dryRun(ctx, *program, std)
	case program != nil:
		return s.once(ctx, *program, std)
	case opt.ask != nil:
		return s.askOnce(ctx, *opt.ask, std)
	case std.Terminal:
		return s.prompt(ctx, std, opt)
	}
	return s.piped(ctx, std)
}

// dryRun is once, and keeps nothing.
func (s *session) dryRun(ctx context.Context, program string, std *screen.Streams) (code int) {
	s.preview = true
	if code = s.once(ctx, program, std); code == exitOK {
		if note := s.last.Result.EffectsNote(); note != "" {
			std.Complain(s.app.Name, errors.New(note))
		}
		std.Complain(s.app.Name, errors.New("a dry run: nothing was kept"))
	}
	return code
}

// once runs one program and prints what it gave as JSON, and beside it what it changed.
func (s *session) once(ctx context.Context, program string, std *screen.Streams) int {
	res := s.interruptible(ctx, program)
	fmt.Fprint(std.Err, printable.Text(res.Console))
	if res.Notice != "" {
		std.Complain(s.app.Name, errors.New(res.Notice))
	}
	screen.Screen{}.Changed(std.Err, s.last.Settled(), s.last.Admits, s.last.Now)
	line, code := []byte(res.JSON), exitOK
	if res.Err != nil {
		if errors.Unwrap(res.Err) != nil && !screen.Stopped(res.Err) { // for us who run it; the program's author reads the message
			std.Complain(s.app.Name, res.Err)
		}
		at := fail.PosOf(res.Err)
		line, code = failureJSON(fail.KindOf(res.Err).String(), fail.GuestText(res.Err), at.Line, at.Column), exitFailed
	}
	if screen.Stopped(res.Err) {
		std.Complain(s.app.Name, errors.New("stopped"))
		code = exitStopped
	}
	if _, err := std.Out.Write(append(printable.JSON(line), '\n')); err != nil {
		std.Complain(s.app.Name, fmt.Errorf("can't write the result: %w", err))
		return exitUsage
	}
	return code
}

func failureJSON(kind, message string, line, column int) []byte {
	type failure struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
	}
	return printable.Marshal(struct {
		Error failure `json:"error"`
	}{failure{kind, message, line, column}})
}

// interruptible runs a program that Ctrl-C cancels. A second Ctrl-C ends the process.
func (s *session) interruptible(ctx context.Context, program string) *codemode.Result {
	var res *codemode.Result
	s.interrupted = cancellable(ctx, 0, func(ctx context.Context) { res = s.run(ctx, program) })
	return res
}

// cancellable runs f with a context that Ctrl-C cancels, and reports whether it
// did. Within patience another one is the same one; after that it ends the process,
// for what does not heed its context must not hold whoever waits.
func cancellable(ctx context.Context, patience time.Duration, f func(ctx context.Context)) bool {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		select {
		case <-done:
		case <-time.After(patience):
			signal.Reset(os.Interrupt)
		}
	}()
	f(ctx)
	return ctx.Err() != nil
}
