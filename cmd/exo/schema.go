package main

import (
	"context"
	"flag"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
)

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
