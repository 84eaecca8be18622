package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/exoagent/exoagent/cmd/exo/internal/recordcmd"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl"
	core "github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/stores"
)

// defaultFile is the grant file that is used if the command line names none.
const defaultFile = "exo.yaml"

// fileOf returns the grant file that the arguments name.
func fileOf(args []string) (string, error) {
	switch len(args) {
	case 0:
		return defaultFile, nil
	case 1:
		return args[0], nil
	}
	return "", cli.Usagef("want one grant file, not %d arguments: write everything else as flags", len(args)) // the arguments are not repeated, since one may be a URL with a password
}

// readNamed reads the grant file that the arguments name.
func readNamed(args []string) (*grantfile.File, error) {
	path, err := fileOf(args)
	if err != nil {
		return nil, err
	}
	return readGrants(path)
}

// readGrants reads a grant file. If the file has a fault, the error has exit code 1.
func readGrants(path string) (*grantfile.File, error) {
	_, f, err := readGrantsText(path)
	return f, err
}

// readGrantsText reads a grant file like readGrants, and returns its text, too.
func readGrantsText(path string) ([]byte, *grantfile.File, error) {
	if kindOf(path) != "" {
		return nil, nil, cli.Usagef("want the path of a grant file, not the URL of a database: exo init -db URL drafts a file, and exo try URL needs none")
	}
	in, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: give the path of a grant file, or draft one with exo init -db URL", err)
	}
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, 2<<20))
	if err != nil {
		return nil, nil, err
	}
	f, err := grantfile.Parse(path, text)
	return text, f, found(err)
}

// found gives an error of a grant file exit code 1, which means that the file has a fault.
func found(err error) error {
	if wrong, ok := errors.AsType[*grantfile.Errors](err); ok {
		n := fmt.Sprintf("%d problems", len(wrong.Problems))
		if len(wrong.Problems) == 1 {
			n = "a problem"
		}
		return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("%s\n%w", n, err)}
	}
	if _, refused := errors.AsType[*grantfile.Refused](err); refused {
		return &cli.Failure{Code: cli.ExitFound, Err: err}
	}
	return err
}

// readAndOpen reads a grant file, and opens it.
func readAndOpen(ctx context.Context, std cli.Stdio, path string) (*grantfile.Declared, error) {
	f, err := readGrants(path)
	if err != nil {
		return nil, err
	}
	return openGrants(ctx, std, f, nil)
}

// openGrants opens a grant file for a command that uses it. It refuses a file that exo validate refuses, and prints the warnings once.
// It prints no warning about missing indexes, which cost time but reveal nothing; exo validate and exo doctor report them.
func openGrants(ctx context.Context, std cli.Stdio, f *grantfile.File, opt *grantfile.Options) (*grantfile.Declared, error) {
	d, warnings, err := f.Open(ctx, opt)
	for _, w := range warnings {
		if w.Kind != exosql.NoIndex {
			fmt.Fprintln(std.Err, w)
		}
	}
	return d, found(err)
}

// kept is a record in a file, a folder or a database.
type kept interface {
	core.Recorder
	Unsettled() ([]record.UnsettledRun, error)
	UnsettledAtOpen() []record.UnsettledRun
	Close() error
}

// recordOf opens the record that a file names, or returns nil if there is none. Some commands call recordOf before they open the file, so recordOf
// itself checks what the file says about the record.
func recordOf(ctx context.Context, f *grantfile.File) (kept, error) {
	if err := grantfile.Refusal(f.Name, f.RecordFindings()); err != nil {
		return nil, found(err)
	}
	switch {
	case f.Record == "" && f.RecordDB.Kind == "":
		return nil, nil
	case f.RecordKey.Kind == "":
		return orNil(record.Open(f.Record))
	}
	l, err := logOf(ctx, f)
	if err != nil {
		return nil, err
	}
	if f.Replies {
		l.KeepReplies(record.Replies{})
	}
	if f.Witnessed {
		err = l.RequireWitness(0)
	}
	return orNil(l, err)
}

// recorderOf does the work of recordOf for commands in other packages.
func recorderOf(ctx context.Context, f *grantfile.File) (core.Recorder, func() error, error) {
	rec, err := recordOf(ctx, f)
	if rec == nil || err != nil {
		return nil, nil, err
	}
	return rec, rec.Close, nil
}

// logOf opens the log that a file names, in a folder or a database.
func logOf(ctx context.Context, f *grantfile.File) (*record.Folder, error) {
	if f.RecordDB.Kind == "" {
		key, err := tree.ReadSigningKey(f.Record, f.RecordKey.Place())
		if err != nil {
			return nil, err
		}
		return record.OpenFolder(f.Record, key)
	}
	key, url, err := f.RecordSecrets()
	if err != nil {
		return nil, err
	}
	l, err := postgres.Open(ctx, url, key, nil)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return record.OnShared(l)
}

// orNil returns a nil interface after an error, instead of an interface with a nil pointer.
func orNil(r kept, err error) (kept, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// keep erases runs that are older than the file allows, now and while the record is open. It reads much of the record, so only exo serve does it.
func keep(std cli.Stdio, rec kept, f *grantfile.File) error {
	if l, is := rec.(*record.Folder); is && f.Keep > 0 {
		return l.Keep(f.Keep, func(err error) { fmt.Fprintln(std.Err, err) })
	}
	return nil
}

// settle completes the record of runs whose process was stopped, before this process begins a run. It asks the databases that know the outcome.
func settle(ctx context.Context, std cli.Stdio, rec kept, d *grantfile.Declared) error {
	runs := rec.UnsettledAtOpen()
	if err := settlers(d).Reconcile(ctx, rec, runs); err != nil {
		return err
	}
	for _, r := range runs {
		fmt.Fprintf(std.Err, "the process of run %s was stopped: the record now says how the run ended\n", r.ID)
		if r.Why != nil {
			fmt.Fprintln(std.Err, "whether the run committed is unknown:", r.Why)
		}
	}
	return nil
}

// settlers are the databases and services that know what became of runs.
func settlers(d *grantfile.Declared) record.Settlers {
	s := record.Settlers{Stores: settledBy(d), Objects: map[string]record.Settler{}}
	for name, o := range d.ServiceObjects() {
		if of, ok := o.(record.Settler); ok {
			s.Objects[name] = of
		}
	}
	return s
}

func settledBy(d *grantfile.Declared) (all []record.Store) {
	for i, db := range d.Witnesses {
		all = append(all, named{db, d.Names[i]})
	}
	if d.Unwitnessed {
		all = append(all, noMarks{})
	}
	return all
}

// named is a database with its name in the grant file.
type named struct {
	*exosql.DB
	name string
}

func (n named) String() string { return "the database " + n.name }

// noMarks represents a database that programs change and that keeps no marks. A run may have committed there even if no other database has a mark of
// it.
type noMarks struct{}

// Committed implements record.Store.
func (noMarks) Committed(context.Context, core.RunID) (bool, error) { return false, record.ErrUnknown }

func settleCommand() cli.Command {
	return cli.Command{
		Name:  "record settle",
		Args:  "RECORD|GRANTS.yaml",
		Short: "complete the record of runs whose process was stopped",
		Long: `Lists the runs without an end in the whole record: exo run and exo serve settle only those that begin in its last MiB.
Of a record alone, a folder or a file, it changes nothing; while a host has the record open, that lists the runs in progress, too.
With a grant file it asks the databases that the file names, as exo serve does at its start, and records what became of each run.
Stop the host first, and use its file: another database would answer that nothing was kept. A run that is settled so can be erased.
Effects that were about to act stay unknown.

example:
  exo record settle exo.yaml
`,
		Exits:  "exit codes:\n  0  each run has ended, and whether it committed is known\n  1  a run has not ended, or a commit is unknown for good, or a database could not be asked\n  2  the command line is wrong\n  3  it could not be done\n",
		Values: map[string][]string{"": {cli.AnyDir, cli.AnyFile}},
		Flags:  func(*flag.FlagSet) cli.Action { return settleRecord },
	}
}

func settleRecord(ctx context.Context, std cli.Stdio, args []string) (err error) {
	var runs []record.UnsettledRun
	open := false
	switch {
	case len(args) != 1:
		return cli.Usagef("want one record (a folder, a file, or env:NAME for a database), or a grant file that names one")
	case isGrantFile(args[0]):
		runs, err = settleFile(ctx, std, args[0])
	default:
		runs, err = recordcmd.Unsettled(args[0])
	}
	for i := range runs {
		r, what := &runs[i], "ended, and changed nothing"
		switch {
		case r.Settled && r.Commit != core.NoState:
			if what = "commit: " + r.Commit.String(); r.Why != nil {
				what += ": " + r.Why.Error()
			}
		case !r.Settled && r.Committing:
			what = "has not ended: it was about to commit"
		case !r.Settled:
			what = "has not ended"
		}
		fmt.Fprintf(std.Out, "%s  %s  %s\n", r.Began.UTC().Format(time.DateTime), r.ID, what)
		open = open || !r.Settled || r.Commit == core.StateUnknown
	}
	if open {
		return &cli.Failure{Code: cli.ExitFound, Err: err}
	}
	return err
}

// settleFile settles all runs of the record that a grant file names.
func settleFile(ctx context.Context, std cli.Stdio, path string) ([]record.UnsettledRun, error) {
	f, err := readGrants(path)
	if err != nil {
		return nil, err
	}
	rec, err := recordOf(ctx, f)
	if err == nil && rec == nil {
		err = cli.Usagef("%s names no record: add `record: PATH` to it, or give the record itself in place of the file", path)
	}
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	d, err := openGrants(ctx, std, f, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	runs, err := rec.Unsettled()
	return runs, errors.Join(err, settlers(d).Reconcile(ctx, rec, runs), rec.Close())
}

// isGrantFile reports whether an argument names a grant file rather than a package.
func isGrantFile(arg string) bool {
	return strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".yml")
}

// replOnFile opens the terminal on a grant file, for a command. The argument flags has flags of the terminal.
func replOnFile(command, path, url string, flags []string, std cli.Stdio) error {
	f, err := readGrants(path)
	if err != nil {
		return err
	}
	name, own, err := f.URL(os.Getenv)
	if err != nil {
		return err
	}
	var opened *grantfile.Declared // the file is opened once, for all principals that the terminal uses
	var refused error
	app := replOf(f, func(ctx context.Context, db *exosql.DB) (*grantfile.Declared, error) {
		if opened == nil {
			if opened, refused = openGrants(ctx, std, f, &grantfile.Options{Databases: map[string]*exosql.DB{name: db}}); refused == nil {
				opened.Deliver(nil)
			}
		}
		return opened, refused
	})
	app.Name, app.Package, app.About = cli.ProgramName+" "+command+" "+path, path, "A terminal on what the grant file "+path+" grants."
	rec, err := recordOf(context.Background(), f)
	switch {
	case err != nil:
		return err
	case rec != nil:
		defer rec.Close()
		app.Options.Record = rec
	}
	kept, err := stores.Open(context.Background(), f, func(w review.ChangeSet) { opened.Notify(w) })
	if err != nil {
		return err
	}
	defer kept.Close()
	kept.Into(&app.Options)
	if url == "" {
		flags = append(flags, "-db="+own)
	}
	err = runRepl(app, flags, std)
	if f, ok := errors.AsType[*cli.Failure](refused); ok && err != nil {
		return &cli.Failure{Code: f.Code} // the terminal has already printed the reason
	}
	return err
}

// replOf makes a terminal on a grant file. open opens the file.
func replOf(f *grantfile.File, open func(context.Context, *exosql.DB) (*grantfile.Declared, error)) repl.App {
	return repl.App{Options: f.ToolOptions(grantfile.Principal{}), Models: f.ModelNames(), Distrust: distrustOf(f.Distrust),
		Grants: func(ctx context.Context, db *exosql.DB, claims string) (codemode.Grants, error) {
			p, err := f.ParseClaims(claims)
			if err != nil {
				return nil, err
			}
			d, err := open(ctx, db)
			if err != nil {
				return nil, err
			}
			return d.Grants(p)
		},
		Principal: func(claims string) (core.Principal, error) {
			p, err := f.ParseClaims(claims)
			return p.Name(), err
		}}
}

// runRepl runs a terminal, which prints its own errors.
func runRepl(app repl.App, flags []string, std cli.Stdio) error {
	if code := app.Run(flags, std.In, cli.Terminal(std.Out), cli.Terminal(std.Err)); code != 0 {
		return &cli.Failure{Code: code}
	}
	return nil
}
