package main

import (
	"context"
	"flag"

	"github.com/exoagent/exoagent/internal/grantfile"
)

func schemaCommand() command {
	return command{
		name:  "schema",
		short: "print the JSON Schema of a grant file",
		long: `Editors complete and check a grant file by it. The published copy is

  ` + grantfile.SchemaURL + `

and exo init writes a line that names it.

example:
  exo schema > exo.schema.json
`,
		flags: func(*flag.FlagSet) action {
			return func(_ context.Context, std stdio, args []string) error {
				if len(args) > 0 {
					return usagef("unexpected argument %q", args[0])
				}
				_, err := std.out.Write(grantfile.JSONSchema())
				return err
			}
		},
	}
}
