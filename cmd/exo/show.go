package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/exoagent/exoagent/cmd/exo/internal/recordcmd"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantschema"
	"github.com/exoagent/exoagent/internal/recorddiff"
)

func showCommand() cli.Command {
	return cli.Command{
		Name:  "show",
		Args:  "[FILE]",
		Short: "list what a grant file grants",
		Long: `Lists each grant with its rows, columns, links and rights, and the limits, as they are with the preset of the
file (default: exo.yaml). What is not listed is not granted. No database is asked.

example:
  exo show shop.yaml
`,
		Exits: "exit codes:\n  0  done\n  1  something is wrong in the file\n  2  the command line is wrong\n  3  the file can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			asJSON := fs.Bool("json", false, "print it as JSON")
			return func(_ context.Context, std cli.Stdio, args []string) error { return runShow(std, args, *asJSON) }
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

func runShow(std cli.Stdio, args []string, asJSON bool) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	f, err := readGrants(path)
	if err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(std.Out)
		e.SetIndent("", "  ")
		return e.Encode(f.Lines())
	}
	w := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	last := ""
	for _, l := range f.Lines() {
		of := l.Of
		if of == last {
			of = ""
		}
		last = l.Of
		fmt.Fprintf(w, "%s\t%s\t%s\n", of, l.What, l.How)
	}
	return w.Flush()
}

func diffCommand() cli.Command {
	return cli.Command{
		Name:  "diff",
		Args:  "OLD NEW",
		Short: "say what a change to a grant file grants, and takes away",
		Long: `Compares two grant files by what they grant, with their presets: + is granted by the new one, - no more, ~ in another
way. Order and comments do not matter. For a review: the exit code is 1 where something differs.

With -record it compares what both files decide about the messages of past runs: which are refused now or allowed now, whose SQL has
another scope, and whose labels differ. No program runs, and no message acts: what a program would ask next is not known. The databases
are asked for their catalogues, and with -counts for the rows of messages that only read. Runs under other grants than OLD's are counted.

example:
  git show HEAD:exo.yaml > /tmp/old.yaml && exo diff /tmp/old.yaml exo.yaml
  exo diff /tmp/old.yaml exo.yaml -record /var/lib/exo/record -identity auditor.txt -since 2026-01-31
`,
		Exits: "exit codes:\n  0  both grant the same, or decide the same about the record\n  1  they differ\n  2  the command line is wrong\n  3  a file, a database or the record can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &diffOptions{}
			o.log.Flags(fs, "`RECORD`: compare what the files decide about its messages: a folder, a file, or env:NAME for a database")
			fs.StringVar(&o.db, "db", "", "with -record: `URL` of the database, for that which the files name")
			fs.BoolVar(&o.counts, "counts", false, "with -record: also run the messages that only read, and compare the numbers of rows")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyFile}, "-record": {cli.AnyDir, cli.AnyFile}, "-identity": {cli.AnyFile}},
	}
}

type diffOptions struct {
	log    recordcmd.Log
	db     string
	counts bool
}

func (o *diffOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("want two grant files, the old one and the new one, not %d arguments", len(args))
	}
	before, err := readGrants(args[0])
	if err != nil {
		return err
	}
	after, err := readGrants(args[1])
	if err != nil {
		return err
	}
	if o.log.Place != "" {
		return o.messages(ctx, std, before, after)
	}
	if *o != (diffOptions{}) {
		return cli.Usagef("add -record RECORD, which the other flags need, or leave them out")
	}
	changes := grantfile.Diff(before, after)
	w := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	for _, c := range changes {
		switch c.Kind {
		case "added":
			fmt.Fprintf(w, "+ %s\t%s\t%s\n", c.Of, c.What, c.How)
		case "removed":
			fmt.Fprintf(w, "- %s\t%s\t%s\n", c.Of, c.What, c.How)
		default:
			fmt.Fprintf(w, "~ %s\t%s\t%s, and was %s\n", c.Of, c.What, c.How, c.Was)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(changes) > 0 {
		return &cli.Failure{Code: cli.ExitFound}
	}
	return nil
}

// messages compares how two files decide about the messages of a record.
func (o *diffOptions) messages(ctx context.Context, std cli.Stdio, before, after *grantfile.File) error {
	all, wanted, err := o.log.Read()
	if err != nil {
		return err
	}
	old, err := o.declare(ctx, before, true)
	if err != nil {
		return err
	}
	defer old.Close()
	now, err := o.declare(ctx, after, false)
	if err != nil {
		return err
	}
	defer now.Close()
	r, err := recorddiff.Compare(ctx, all, old, now, recorddiff.Options{Want: wanted, Counts: o.counts})
	if errors.Is(err, recorddiff.ErrEncrypted) {
		err = cli.Usagef("%w: add -identity FILE", err)
	}
	if err != nil {
		return err
	}
	if err := r.Write(std.Out); err != nil || len(r.Changes) == 0 {
		return err
	}
	return &cli.Failure{Code: cli.ExitFound}
}

// declare declares a file with its databases, or with the one of -db. An old file may have pins of a catalogue that has changed since.
func (o *diffOptions) declare(ctx context.Context, f *grantfile.File, old bool) (*grantfile.Declared, error) {
	opt := &grantfile.Options{Unpinned: old}
	if o.db != "" {
		if len(f.Databases) != 1 {
			return nil, cli.Usagef("leave out -db, which is for files with one database: %s has %d", f.Name, len(f.Databases))
		}
		opt.Env = func(name string) string {
			if name == "-db" {
				return o.db
			}
			return os.Getenv(name) // secrets of services are read from the environment
		}
		f.Databases[0].URL, f.Databases[0].Replicas = grantfile.Secret{Kind: "env", Name: "-db"}, nil
	}
	if old {
		d, _, err := f.DeclareAndCheck(ctx, opt)
		return d, found(err)
	}
	d, _, err := f.Open(ctx, opt)
	return d, found(err)
}

func schemaCommand() cli.Command {
	return cli.Command{
		Name:  "schema",
		Short: "print the JSON Schema of a grant file",
		Long: `Editors complete and check a grant file by it. The published copy is

  ` + grantfile.SchemaURL + `

and exo init writes a line that names it.

example:
  exo schema > exo.schema.json
`,
		Flags: func(*flag.FlagSet) cli.Action {
			return func(_ context.Context, std cli.Stdio, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("exo schema takes no arguments, so leave out %q", args[0])
				}
				_, err := std.Out.Write(grantschema.JSON())
				return err
			}
		},
	}
}
