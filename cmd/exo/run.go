package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl"
	core "github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/errtree"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/stores"
)

func runCommand() cli.Command {
	return cli.Command{
		Name:  "run",
		Args:  "[FILE]",
		Short: "run a program on what a grant file grants",
		Long: `Runs one JavaScript program, in a process of its own, on what a grant file (default: exo.yaml) grants to one principal.
Its result is printed as JSON, or as -format says: a chart is drawn of numbers by a time or a name, and else a table. -as gives the claims of the principal; a list is joined by +, as in states=open+done.
With -dry-run the program runs to its end and all that it changed is undone: its result is printed, and the rows before and after
on standard error. What acts outside of the databases is refused. Numbers that the database counts up (sequences) are not given back.

examples:
  exo run -as org=5,user=1 -e 'tickets.where({ state: "open" }).count()'
  exo run shop.yaml -as org=5 -f report.js -format chart
  exo run -as org=5 -dry-run -e 'tickets.where({ id: 7 }).update({ state: "done" })'
`,
		Exits: "exit codes:\n  0  with a result\n  1  the program failed, or the file is wrong\n  2  the command line is wrong\n  3  the file or a database can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &runOptions{}
			fs.StringVar(&o.as, "as", "", "`CLAIMS`: the principal, like org=5,user=1")
			fs.StringVar(&o.program, "e", "", "`PROGRAM`: the program")
			fs.StringVar(&o.file, "f", "", "`FILE`: a file with the program; - is standard input")
			fs.StringVar(&o.format, "format", "json", "`FORM`: of the result: "+strings.Join(formats(), ", "))
			fs.BoolVar(&o.description, "api", false, "print what a model is shown, and end")
			fs.BoolVar(&o.dryRun, "dry-run", false, "show what the program would change, and keep nothing")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyFile}, "-f": {cli.AnyFile}, "-format": formats()},
	}
}

type runOptions struct {
	as, program, file, format string
	description, dryRun       bool
}

func (o *runOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	if n := len(o.program) + len(o.file); (n == 0) != o.description || o.program != "" && o.file != "" {
		return cli.Usagef("want exactly one of -e PROGRAM, -f FILE (a file with the program) and -api (what a model is shown)")
	}
	if o.description && o.dryRun {
		return cli.Usagef("-api runs no program: leave out -dry-run")
	}
	if !slices.Contains(formats(), o.format) {
		return cli.Usagef("-format: want one of %s, not %q", strings.Join(formats(), ", "), o.format)
	}
	program, err := o.source(std.In)
	if err != nil {
		return err
	}
	opt := &grantfile.Options{}
	if o.dryRun {
		opt.Images = repl.MaxImages
	}
	f, err := readGrants(path)
	if err != nil {
		return err
	}
	d, err := openGrants(ctx, std, f, opt)
	if err != nil {
		return err
	}
	defer d.Close()
	p, err := d.File.ParseClaims(o.as)
	if err != nil {
		return cli.Usagef("-as: %s", grantfile.Reason(err))
	}
	var seen *changes
	if o.dryRun {
		seen = &changes{}
	}
	tool, closing, err := toolOf(ctx, std, d, p, seen)
	if err != nil {
		return err
	}
	defer closing()
	if o.description {
		_, err := fmt.Fprintln(std.Out, tool.Description())
		return err
	}
	r := tool.RunJob(ctx, codemode.Job{Program: program, Preview: o.dryRun})
	if r.Console != "" {
		fmt.Fprintln(std.Err, r.Console)
	}
	if r.Notice != "" {
		fmt.Fprintln(std.Err, r.Notice)
	}
	if note := r.EffectsNote(); note != "" {
		fmt.Fprintln(std.Err, "effects: "+note)
	}
	if r.Err != nil {
		err := errtree.Without(r.Err, core.ErrNothingDone) // the line of effects above already says that nothing was done
		return &cli.Failure{Code: cli.ExitFound, Err: err} // printed with its place and its cause, since the person who runs this is the host
	}
	if o.dryRun {
		repl.WriteChanges(std.Err, seen.all, tool.Admits(), ", not kept")
		fmt.Fprintln(std.Err, "this was a dry run: no change was kept")
	}
	if o.format == "chart" {
		return writeChart(std, r.JSON)
	}
	return writeResult(std.Out, o.format, r.JSON)
}

func (o *runOptions) source(stdin io.Reader) (string, error) {
	switch o.file {
	case "":
		return o.program, nil
	case "-":
		text, err := io.ReadAll(io.LimitReader(stdin, 1<<20))
		return string(text), err
	}
	text, err := os.ReadFile(o.file)
	return string(text), err
}

// changes is a Recorder that collects the changes of a preview from the entry Committed, and passes each entry to another Recorder.
type changes struct {
	core.Recorder
	all []exosql.Changes
}

// Record implements exo.Recorder.
func (c *changes) Record(ctx context.Context, e core.Entry) error {
	if e.Step == core.Committed {
		for _, d := range e.Details {
			if x, ok := d.(exosql.Changes); ok {
				c.all = append(c.all, x)
			}
		}
	}
	return c.Recorder.Record(ctx, e)
}

// toolOf makes the tool of a principal, with the file's limits and record, and a function that closes the record. If seen is not nil, it gets the
// changes.
func toolOf(ctx context.Context, std cli.Stdio, d *grantfile.Declared, p grantfile.Principal, seen *changes) (*codemode.Tool, func() error, error) {
	grants, err := d.Grants(p)
	if err != nil {
		return nil, nil, err
	}
	opt := d.File.ToolOptions(p)
	closing := func() error { return nil }
	rec, err := recordOf(ctx, d.File)
	switch {
	case err != nil:
		return nil, nil, err
	case rec != nil:
		if err := settle(ctx, std, rec, d); err != nil {
			return nil, nil, errors.Join(err, rec.Close())
		}
		opt.Record, closing = rec, rec.Close
	case d.File.Writes():
		opt.Record = core.Unrecorded // used if the file names no record
	}
	d.Deliver(nil)
	kept, err := stores.Open(ctx, d.File, d.Notify)
	if err != nil {
		return nil, nil, errors.Join(err, closing())
	}
	kept.Into(&opt)
	record := closing
	closing = func() error { return errors.Join(kept.Close(), record()) }
	if seen != nil && opt.Record != nil {
		seen.Recorder, opt.Record = opt.Record, seen
	}
	tool, err := codemode.New(grants, &opt)
	if err != nil {
		return nil, nil, errors.Join(err, closing())
	}
	return tool, closing, nil
}
