package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/schema"
)

func validateCommand() command {
	return command{
		name:  "validate",
		args:  "[FILE]",
		short: "say what is wrong in a grant file",
		long: `Reads a grant file (default: exo.yaml) and holds it against its databases: names, types, links,
scopes and rights, each with its line and column; and what exo check says of declarations in Go: keys, indexes of scopes, rules
that span tenants. Warnings do not fail unless -strict says so. No row is read.

-pin, when nothing is wrong but the pins, writes into the file the pin of each facet's table as it is now, and prints what has changed
since the last one: look at that in the database first.

examples:
  exo validate
  exo validate -pin
  exo validate -offline shop.yaml
`,
		exits: "exit codes:\n  0  nothing is wrong\n  1  something is wrong\n  2  the command line is wrong\n  3  the file or a database can't be read\n",
		flags: func(fs *flag.FlagSet) action {
			offline := fs.Bool("offline", false, "only what can be said without a database")
			strict := fs.Bool("strict", false, "fail for warnings too")
			pin := fs.Bool("pin", false, "write pins of the tables as they are now into the file")
			return func(ctx context.Context, std stdio, args []string) error {
				return runValidate(ctx, std, args, *offline, *strict, *pin)
			}
		},
		values: map[string][]string{"": {anyFile}},
	}
}

func runValidate(ctx context.Context, std stdio, args []string, offline, strict, pin bool) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	if offline && pin {
		return usagef("-pin needs the database, and -offline says not to ask it")
	}
	text, f, err := readGrantsText(path)
	if err != nil {
		return err
	}
	var d *grantfile.Declared
	var findings []exosql.Finding
	if !offline {
		d, err = during(std, holding(path), func(stdio) (d *grantfile.Declared, err error) {
			d, findings, err = f.Inspect(ctx, &grantfile.Options{Unpinned: pin})
			return d, err
		})
		if err != nil {
			return found(err)
		}
		defer d.Close()
	}
	for _, x := range findings {
		fmt.Fprintln(std.out, x)
	}
	if d != nil {
		lines, err := d.RowLabels()
		if err != nil {
			return err
		}
		for _, l := range lines {
			fmt.Fprintln(std.out, schema.Printable(l))
		}
	}
	if grantfile.Refusal(path, findings) != nil || strict && len(findings) > 0 {
		return &failure{code: exitFound}
	}
	if pin {
		if err := writePins(std, d, path, text); err != nil {
			return err
		}
	}
	fmt.Fprintf(std.out, "%s: %d grants of %d facets; nothing is wrong", path, len(f.Grants), len(f.Facets))
	if !f.Reviewed {
		fmt.Fprint(std.out, ", and nobody has reviewed it: reviewed is not true")
	}
	fmt.Fprintln(std.out)
	return nil
}

// writePins writes the pins into the file that text was read from, and prints what has changed.
func writePins(std stdio, d *grantfile.Declared, path string, text []byte) error {
	made, pins, err := d.Pin(text)
	if err != nil || len(pins) == 0 {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := writeGrants(path, string(made), true); err != nil {
		return err
	}
	if err := os.Chmod(path, info.Mode().Perm()); err != nil {
		return err
	}
	for _, p := range pins {
		fmt.Fprintf(std.out, "%s: pinned%s\n", p.Facet, strings.TrimSuffix(": "+strings.Join(p.Changed, "; "), ": "))
	}
	return nil
}
