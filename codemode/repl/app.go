package repl

import (
	"cmp"
	"context"
	"crypto/rand"
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
	"github.com/exoagent/exoagent/internal/errtree"
	"github.com/exoagent/exoagent/internal/flows"
	"github.com/exoagent/exoagent/internal/printable"
)

// App is a command: a terminal on the objects that Grants returns. All other fields are optional.
type App struct {
	Grants any // a function of the form [GrantFunc]

	Name    string // the name of the command in its help and errors; "": the name of the process
	About   string // a sentence for -help, and for a model
	Package string // the name under which the history is kept, usually the import path of a package; "": Name
	Who     string // the kind of principal, which is also the flag that chooses one; "": user
	Default string // the principal if the flag is missing

	// Setup is SQL that creates tables in an empty database and fills them. If Setup is set, -db may be left out, which means a database in memory,
	// and a database with other tables is refused. If Setup is "", -db is the user's own database, which is used as it is.
	Setup    string
	Postgres string // Setup for PostgreSQL; "": Setup is used

	// DB is a database that the host has already opened. Then -db is not needed, and the terminal does not close DB.
	DB *exosql.DB

	// Users lists the principals that the flag Who accepts, as whole numbers. All others are refused.
	Users func(ctx context.Context, db *exosql.DB) ([]User, error)

	// Members lists the members who can act for the principal that Who names, the default first.
	// If Members is set, there is a flag -as, and Grants gets the number of a member after the number of the user.
	Members func(ctx context.Context, db *exosql.DB, user int64) ([]User, error)

	// Principal returns the record's name for the principal that the flag Who gives. If Principal is nil, the name consists of Who, the user's name
	// and the acting member.
	Principal func(user string) (exo.Principal, error)

	Examples []string // programs that the terminal offers to start with

	// Questions are questions that this database can answer. They replace Examples: the terminal
	// lists them before its first prompt, and typing only a number runs one.
	Questions []Question

	// Consent returns what the user must agree to before a model, "provider:name", sees the results of a user's programs. The terminal prints it
	// before the first question for each user and waits for a yes. Without a terminal no model is asked. If Consent is nil, the flags count as
	// consent.
	Consent func(model, user string) string

	// Keep runs the command .keep FILE. It gets the programs that ran without an error, oldest
	// first, and its result is printed. If Keep is nil, the command does not exist.
	Keep func(path string, ran []string) (string, error)

	// Options are the options of the tool that runs programs. With them a terminal can have the limits and
	// the zone of the served tool. Admits applies to the screen, like to a model. Record gets the entries
	// in addition to the terminal's own record. The terminal sets Principal, and with -zone also Zone.
	Options codemode.Options

	// Models are the models that may be asked, in the form of [models.Among]; the first one with a key is
	// used. If Models is nil, -model or the environment may name any model. A model sees what programs return.
	Models []string

	// Distrust is how long outsiders' words count in a chat with a model. The flag -distrust replaces it.
	Distrust agent.Distrust

	asker func(ctx context.Context, opt askerOptions) (asker, error) // makes the asker; nil: modelNamed
}

// Question is a question in words, with the program that answers it.
type Question struct{ Words, Program string }

// User is a person for whom a program can run.
type User struct {
	ID   int64
	Name string
}

// These are exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a program failed
	exitUsage  = 2 // no program ran, for example because of wrong flags or a missing database

	exitStopped = 128 + 2 // stopped by Ctrl-C, for which shells use this number
)

// Main is the main function of a command. It runs the app
// with the arguments of the process, and does not return.
func Main(a App) { os.Exit(a.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Run runs the app with these arguments and streams. It returns the exit code: 0 with a result, 1
// if a program failed, 2 if it could not run, 130 if Ctrl-C stopped it.
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
	s := &session{app: a, granted: grants, db: db, model: opt.model, zone: opt.zone, conversation: rand.Text()}
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

// dryRun runs a program like once, but keeps no change.
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

// once runs one program. It prints the result as JSON to Out, and the console, the notice and the changes to Err.
func (s *session) once(ctx context.Context, program string, std *screen.Streams) int {
	res := s.interruptible(ctx, program)
	fmt.Fprint(std.Err, printable.Text(res.Console))
	if res.Notice != "" {
		std.Complain(s.app.Name, errors.New(res.Notice))
	}
	screen.Screen{}.Changed(std.Err, s.last.Settled(), s.last.Admits, s.last.Now)
	line, code := []byte(res.JSON), exitOK
	if res.Err != nil {
		if codemode.HasHiddenCause(res.Err) && !screen.Stopped(res.Err) { // the cause is for the person who runs the program; its author reads only the message
			std.Complain(s.app.Name, errtree.Without(res.Err, exo.ErrNothingDone))
		}
		at := fail.PosOf(res.Err)
		line, code = failureJSON(fail.KindOf(res.Err).String(), fail.GuestText(res.Err), at.Line, at.Column), exitFailed
	}
	if err := s.prepared(ctx, std.Err, screen.Screen{}); err != nil {
		std.Complain(s.app.Name, err)
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

// interruptible runs a program. Ctrl-C cancels it, and a second Ctrl-C ends the process.
func (s *session) interruptible(ctx context.Context, program string) *codemode.Result {
	var res *codemode.Result
	s.interrupted = cancellable(ctx, 0, func(ctx context.Context) { res = s.run(ctx, program) })
	return res
}

// cancellable runs f with a context that Ctrl-C cancels, and reports whether it was cancelled. A
// second Ctrl-C within patience has no effect. After that it ends the process, so that no user has
// to wait for code that ignores its context.
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
