package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exosql"
)

// App is one example: its database, and what it grants to whom.
type App struct {
	Name    string // of the command
	About   string // one sentence, for -help
	State   string // under which its history is kept; "": its name
	Who     string // what acts: the flag that chooses one has this name
	Default int64  // who acts when the flag is not given
	Schema  string // SQL that makes the tables
	Seed    string // SQL that fills them

	Principals func(ctx context.Context, db *exosql.DB) ([]Principal, error)
	Grants     func(db *exosql.DB, id int64) codemode.Grants
	Examples   []string  // programs to start from; the first ones that anybody tries
	Admits     exo.Label // what results may carry, on the screen as to a model

	// For stands in the place of Schema, Seed, Principals, Grants and Default where
	// the database is there already and whoever acts has a name of any form. It fails
	// when there is nobody of that name.
	For func(ctx context.Context, db *exosql.DB, who string) (codemode.Grants, error)

	// Asker makes the model that answers questions; it fails with ErrNoModel when
	// there is none. nil: there never is.
	Asker func(ctx context.Context, opt AskerOptions) (Asker, error)
}

// Principal is somebody on whose behalf a program can run.
type Principal struct {
	ID   int64
	Name string
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a program failed
	exitUsage  = 2 // it never ran: wrong flags, no database
)

// Main runs the app as a command and does not return.
func Main(a App) { os.Exit(a.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Run runs the app with the arguments of a command line and gives its exit code.
func (a App) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return a.run(args, standard(stdin, stdout, stderr))
}

func (a App) run(args []string, std *streams) int {
	ctx := context.Background()
	opt, err := a.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(std.out, a.help())
		return exitOK
	}
	if err != nil {
		std.complain(a.Name, fmt.Errorf("%w\nrun %s -help for help", err, a.Name))
		return exitUsage
	}
	fail := func(err error) int {
		std.complain(a.Name, err)
		return exitUsage
	}
	program, err := opt.source(std.in)
	if err != nil {
		return fail(err)
	}
	db, err := a.open(ctx, opt.db)
	if err != nil {
		return fail(err)
	}
	defer db.Close()
	s := &session{app: a, db: db, model: opt.model}
	if opt.trace {
		s.trace = record.New(std.err)
	}
	if err := s.become(ctx, opt.who); err != nil {
		return fail(err)
	}
	switch {
	case opt.api:
		fmt.Fprintln(std.out, s.api())
		return exitOK
	case program != nil:
		return s.once(ctx, *program, std)
	case opt.ask != nil:
		return s.askOnce(ctx, *opt.ask, std)
	case std.terminal:
		return s.prompt(ctx, std, opt)
	}
	return s.piped(ctx, std)
}

// once runs one program and prints what it gave as JSON.
func (s *session) once(ctx context.Context, program string, std *streams) int {
	res := s.interruptible(ctx, program)
	fmt.Fprint(std.err, printable(res.Console))
	if res.Notice != "" {
		std.complain(s.app.Name, errors.New(res.Notice))
	}
	line, code := []byte(res.JSON), exitOK
	if res.Err != nil {
		if errors.Unwrap(res.Err) != nil && !stopped(res.Err) { // for us who run it; the program's author reads the message
			std.complain(s.app.Name, res.Err)
		}
		at := exo.PosOf(res.Err)
		line, code = failureJSON(exo.KindOf(res.Err).String(), exo.GuestText(res.Err), at.Line, at.Column), exitFailed
	}
	if _, err := std.out.Write(append(printableJSON(line), '\n')); err != nil {
		std.complain(s.app.Name, fmt.Errorf("can't write the result: %w", err))
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
	return marshal(struct {
		Error failure `json:"error"`
	}{failure{kind, message, line, column}})
}

// marshal is json.Marshal without escapes for HTML, which nobody here reads, and
// with those that a terminal needs.
func marshal(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("terminal: %v", err)) // only ever given plain structs
	}
	return printableJSON([]byte(strings.TrimSuffix(b.String(), "\n")))
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
