package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/flows"
	"github.com/exoagent/exoagent/internal/grantfile/chart"
	"github.com/exoagent/exoagent/internal/printable"
)

func manifestCommand() cli.Command {
	return cli.Command{
		Name:  "manifest",
		Args:  "[FILE]",
		Short: "list what a grant file reaches in its databases, and what it excludes",
		Long: `Holds a grant file (default: exo.yaml) against its databases, and prints for each grant the facets that it reaches, for
each facet its rows, columns, links, rights and digest, all tables, views and columns that no facet shows, and by which ways
what is labelled can leave. -flow answers for one label, or one label and one way. Rows are read as by exo validate.

examples:
  exo manifest > manifest.json
  exo manifest -format mermaid shop.yaml
  exo manifest -flow "pii result"
`,
		Exits: "exit codes:\n  0  done\n  1  something is wrong in the file\n  2  the command line is wrong\n  3  the file or a database can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			format := fs.String("format", "json", "`FORM`: json, or mermaid for a flow chart")
			flow := fs.String("flow", "", "`TAG`: by which ways values with a label can leave: "+flows.Usage)
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				return runManifest(ctx, std, args, *format, *flow)
			}
		},
		Values: map[string][]string{"": {cli.AnyFile}, "-format": {"json", "mermaid"}},
	}
}

func runManifest(ctx context.Context, std cli.Stdio, args []string, format, flow string) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	if format != "json" && format != "mermaid" {
		return cli.Usagef("-format: want json or mermaid, not %q", format)
	}
	d, err := readAndOpen(ctx, std, path)
	if err != nil {
		return err
	}
	defer d.Close()
	m, err := d.Manifest()
	if err != nil {
		return err
	}
	if flow != "" {
		asked, err := flows.Select(m.Flows, flow)
		if err != nil {
			return cli.Usagef("-flow: %v", err)
		}
		return flows.Write(std.Out, asked)
	}
	if format == "mermaid" {
		_, err := io.WriteString(std.Out, chart.Mermaid(m))
		return err
	}
	_, err = fmt.Fprintf(std.Out, "%s\n", printable.MarshalIndent(m, "", "  "))
	return err
}
