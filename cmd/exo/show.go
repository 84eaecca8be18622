package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"text/tabwriter"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
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

example:
  git show HEAD:exo.yaml > /tmp/old.yaml && exo diff /tmp/old.yaml exo.yaml
`,
		Exits: "exit codes:\n  0  both grant the same\n  1  they differ\n  2  the command line is wrong\n  3  a file can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			return func(_ context.Context, std cli.Stdio, args []string) error { return runDiff(std, args) }
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

func runDiff(std cli.Stdio, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("want two grant files, not %d", len(args))
	}
	before, err := readGrants(args[0])
	if err != nil {
		return err
	}
	after, err := readGrants(args[1])
	if err != nil {
		return err
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
					return cli.Usagef("unexpected argument %q", args[0])
				}
				_, err := std.Out.Write(grantfile.JSONSchema())
				return err
			}
		},
	}
}
