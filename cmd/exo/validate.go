package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/schema"
)

func validateCommand() cli.Command {
	return cli.Command{
		Name:  "validate",
		Args:  "[FILE]",
		Short: "say what is wrong in a grant file",
		Long: `Reads a grant file (default: exo.yaml) and holds it against its databases: names, types, links,
scopes and rights, each with its line and column; and what exo check says of declarations in Go: keys, indexes of scopes, rules
that span tenants. Warnings do not fail unless -strict says so.
Of rows only this is read: of SQLite the first and the last 500 of each table (fewer in a database of more than 80), to see whether
times, days and truth values are stored as the file says.

Each line begins with the place in the file and ends with a code in brackets, like [missing column]: -json prints the same as JSON.

-effects prints, as YAML to paste, what facets have to allow under effects: before a program can write by them, each with its reason.
Nothing is written: decide of each whether it may act, or be learned. What no effect allows goes to standard error.

-pin, when nothing is wrong but the pins, writes into the file the pin of each facet's table as it is now, and prints what has changed
since the last one: look at that in the database first.

examples:
  exo validate
  exo validate -pin
  exo validate -effects
  exo validate -offline shop.yaml
`,
		Exits: "exit codes:\n  0  nothing is wrong\n  1  something is wrong\n  2  the command line is wrong\n  3  the file or a database can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			offline := fs.Bool("offline", false, "only what can be said without a database")
			strict := fs.Bool("strict", false, "fail for warnings too")
			pin := fs.Bool("pin", false, "write pins of the tables as they are now into the file")
			asJSON := fs.Bool("json", false, "print what is wrong as JSON")
			effects := fs.Bool("effects", false, "print the effects that facets have to allow, as YAML")
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				v := &validating{offline: *offline, strict: *strict, pin: *pin, json: *asJSON, effects: *effects}
				err := v.run(ctx, std, args)
				if wrong, ok := errors.AsType[*grantfile.Errors](err); ok && v.json {
					if err := v.print(std, grantfile.FindingsOf(wrong)); err != nil {
						return err
					}
					return &cli.Failure{Code: cli.ExitFound}
				}
				return err
			}
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

// validating has the flags of one exo validate.
type validating struct{ offline, strict, pin, json, effects bool }

// print reports findings.
func (v *validating) print(std cli.Stdio, findings []grantfile.Finding) error {
	if v.json {
		_, err := fmt.Fprintf(std.Out, "%s\n", printable.MarshalIndent(append([]grantfile.Finding{}, findings...), "", "  "))
		return err
	}
	for _, x := range findings {
		fmt.Fprintln(std.Out, x)
	}
	return nil
}

func (v *validating) run(ctx context.Context, std cli.Stdio, args []string) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	switch {
	case v.offline && (v.pin || v.effects):
		return cli.Usagef("leave out -offline: -pin and -effects need the database")
	case v.json && (v.pin || v.effects):
		return cli.Usagef("leave out -json, which can't be used with -pin or -effects")
	}
	text, f, err := readGrantsText(path)
	if err != nil {
		return err
	}
	var d *grantfile.Declared
	var findings []grantfile.Finding
	if !v.offline {
		d, err = cli.During(std, holding(path), func(cli.Stdio) (d *grantfile.Declared, err error) {
			d, findings, err = f.DeclareAndCheck(ctx, &grantfile.Options{Unpinned: v.pin})
			return d, err
		})
		if err != nil {
			return found(err)
		}
		defer d.Close()
	}
	if v.effects {
		yaml := d.Effects(findings)
		yaml = cmp.Or(yaml, "# no facet has to allow more\n")
		if _, err := io.WriteString(std.Out, yaml); err != nil {
			return err
		}
		for _, x := range findings {
			if x.Effect == "" && !x.Warning { // fixing this finding needs more than an effect in the file
				fmt.Fprintln(std.Err, x)
			}
		}
		if grantfile.Refusal(path, findings) != nil {
			return &cli.Failure{Code: cli.ExitFound}
		}
		return nil
	}
	if err := v.print(std, findings); err != nil {
		return err
	}
	if d != nil && !v.json {
		lines, err := d.RowLabels()
		if err != nil {
			return err
		}
		for _, l := range lines {
			fmt.Fprintln(std.Out, schema.Printable(l))
		}
	}
	refused := grantfile.Refusal(path, findings) != nil || v.strict && len(findings) > 0
	if refused && !v.json {
		fmt.Fprintln(std.Out, v.refusal(path, findings))
	}
	if refused {
		return &cli.Failure{Code: cli.ExitFound}
	}
	if v.json {
		return nil
	}
	if v.pin {
		if err := writePins(std, d, path, text); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(std.Out, v.summary(path, f, len(findings)))
	return err
}

// summary counts the grants of a file without faults, and names the next command.
func (v *validating) summary(path string, f *grantfile.File, warnings int) string {
	written := 0
	for i := range f.Facets {
		if f.Facets[i].Writes() {
			written++
		}
	}
	s := fmt.Sprintf("%s: %s of %s, %d of which programs may change; ", path, counted(len(f.Grants), "grant"), counted(len(f.Facets), "facet"), written)
	if n := len(f.Services); n > 0 {
		s += counted(n, "service") + "; "
	}
	if warnings > 0 {
		s += counted(warnings, "warning") + ", and else "
	}
	s += "nothing is wrong"
	switch {
	case v.offline:
		return s + " that can be found without a database; next: exo validate " + path
	case !f.Reviewed:
		return s + ", and nobody has reviewed it: reviewed is not true; next: exo show " + path + ", and when that is what you mean write reviewed: true into the file"
	}
	return s + "; next: exo serve " + path
}

// refusal counts the faults and warnings of a file, and names the next command.
func (v *validating) refusal(path string, findings []grantfile.Finding) string {
	wrong, effects := 0, 0
	for _, x := range findings {
		if !x.Warning {
			wrong++
			if x.Effect != "" {
				effects++
			}
		}
	}
	s := path + ": "
	switch warnings := len(findings) - wrong; {
	case wrong == 0:
		return s + "nothing is wrong but " + counted(warnings, "warning") + ", which -strict refuses"
	case warnings == 0:
		s += counted(wrong, "fault")
	default:
		s += counted(wrong, "fault") + " and " + counted(warnings, "warning")
	}
	if effects > 0 {
		return fmt.Sprintf("%s; next: exo validate -effects %s prints the effects that %d of them need", s, path, effects)
	}
	return s + "; next: correct what the lines name, and run exo validate again"
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// writePins writes pins into the file with this text, and prints what has changed.
func writePins(std cli.Stdio, d *grantfile.Declared, path string, text []byte) error {
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
		fmt.Fprintf(std.Out, "%s: pinned%s\n", p.Facet, strings.TrimSuffix(": "+strings.Join(p.Changed, "; "), ": "))
	}
	return nil
}

// holding returns the text that is shown while a grant file is compared with its databases.
func holding(path string) string { return "holding " + path + " against its databases" }
