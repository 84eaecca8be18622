package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/cmd/exo/internal/approvalscmd"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/sqlname"
)

func doctorCommand() cli.Command {
	return cli.Command{
		Name:  "doctor",
		Args:  "[FILE]",
		Short: "say which walls this machine has, and what a grant file's databases lack",
		Long: `Starts a worker, in which programs run, and says which walls the system puts round it. Of a grant file (default: exo.yaml,
if it is there) it says whether somebody reviewed it, as which role its databases know us, which keys tenants share, which
indexes are missing, and what would be right. Rows are read as by exo validate.

examples:
  exo doctor
  exo doctor shop.yaml
`,
		Exits:  "exit codes:\n  0  nothing is missing\n  1  something is missing, or wrong in the file\n  2  the command line is wrong\n  3  no worker starts, or the file or a database can't be read\n",
		Flags:  func(*flag.FlagSet) cli.Action { return runDoctor },
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

// walls are the forms of isolation that a worker can have. Only those in worker.Strong contain a program as promised.
var walls = []struct {
	is                worker.Isolation
	name, has, remedy string
}{
	{worker.Process, "process", "each program runs in a process of its own, without files, environment and arguments", "run on Linux, macOS or Windows"},
	{worker.Resources, "resources", "the kernel limits the memory and processor time of a program's process, and refuses it new files", "run on Linux, or in a container with limits of its own"},
	{worker.SystemCalls, "system calls", "the kernel ends a program's process that makes a system call which it does not need (seccomp)", "run on Linux 3.17 or later, amd64 or arm64, where no container forbids seccomp; or in a container that holds nothing else"},
	{worker.Files, "files", "the kernel refuses a program's process files and networks a second time (Landlock)", "run on Linux 5.13 or later with Landlock; the wall of system calls refuses the same without"},
	{worker.Watched, "watched", "exo watches the memory and processor time of a program's process from outside", "run on Linux with /proc"},
	{worker.Tied, "tied", "a program's process ends with exo", "run on Linux"},
}

func runDoctor(ctx context.Context, std cli.Stdio, args []string) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	missing, err := doctorWalls(ctx, std)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && len(args) == 0 {
		fmt.Fprintf(std.Out, "note     file: there is no %s here; exo init drafts one\n", path)
	} else {
		n, err := doctorFile(ctx, std, path)
		if err != nil {
			return err
		}
		missing += n
	}
	if missing > 0 {
		return &cli.Failure{Code: cli.ExitFound}
	}
	return nil
}

// doctorWalls lists the walls, and counts those that are missing.
func doctorWalls(ctx context.Context, std cli.Stdio) (missing int, err error) {
	has, err := cli.During(std, "starting a worker", func(cli.Stdio) (worker.Isolation, error) { return worker.Shared().Isolation(ctx) })
	if err != nil {
		return 0, fmt.Errorf("the process in which programs run can't be started on this machine: %w", err)
	}
	for _, w := range walls {
		switch {
		case has.Has(w.is):
			fmt.Fprintf(std.Out, "ok       wall, %s: %s\n", w.name, w.has)
		case worker.Strong.Has(w.is):
			missing++
			fmt.Fprintf(std.Out, "MISSING  wall, %s: this is not in force: %s. To do: %s\n", w.name, w.has, w.remedy)
		default:
			fmt.Fprintf(std.Out, "note     wall, %s: this is not in force: %s. To do: %s\n", w.name, w.has, w.remedy)
		}
	}
	return missing, nil
}

// doctorFile lists the findings on a grant file and its databases, and counts those that need work.
func doctorFile(ctx context.Context, std cli.Stdio, path string) (missing int, err error) {
	f, err := readGrants(path)
	if err != nil {
		return 0, err
	}
	var findings []grantfile.Finding
	d, err := cli.During(std, holding(path), func(cli.Stdio) (d *grantfile.Declared, err error) {
		d, findings, err = f.DeclareAndCheck(ctx, nil)
		return d, err
	})
	if err != nil {
		return 0, found(err)
	}
	defer d.Close()
	say := func(word, format string, args ...any) {
		if word == "MISSING" {
			missing++
		}
		fmt.Fprintf(std.Out, "%-8s %s\n", word, fmt.Sprintf(format, args...))
	}
	if d.File.Reviewed {
		say("ok", "file: %s is reviewed", path)
	} else {
		say("MISSING", "file: %s is not reviewed, so exo does not serve it. To do: read it, then write reviewed: true", path)
	}
	roles := d.Roles()
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		switch r := roles[name]; {
		case r.Superuser:
			say("MISSING", "role of %s: %s is a superuser: no right and no policy binds it. To do: a role of its own for exo, with the rights that it needs", name, r.Name)
		case r.BypassRLS:
			say("MISSING", "role of %s: %s has BYPASSRLS: no row-level security binds it. To do: ALTER ROLE %s NOBYPASSRLS; or another role", name, r.Name, sqlname.Plain(r.Name))
		default:
			say("ok", "role of %s: %s is no superuser and has no BYPASSRLS", name, r.Name)
		}
	}
	for _, f := range findings {
		word := "MISSING"
		if f.Warning && f.Kind != exosql.NoIndex && f.Kind != exosql.RoleRights {
			word = "note"
		}
		f.Warning = false
		say(word, "database: %s", f)
	}
	if len(findings) == 0 {
		say("ok", "database: the catalogue is as the file says, and no key spans tenants")
	}
	unkept, err := d.Unkept(ctx)
	if err != nil {
		return 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(unkept)) {
		say("MISSING", "undo in %s: no trigger keeps what runs change in %s. To do: exo gen undo %s, and run the SQL as the owner of the tables", name, unkept[name], path)
	}
	acting, err := approvalscmd.Outside(ctx, d.File)
	if err != nil {
		return 0, err
	}
	for _, what := range acting {
		say("note", "%s", what)
	}
	paths, err := cli.During(std, "asking for the database's plans", func(cli.Stdio) ([]grantfile.GrantPath, error) { return d.Access(ctx) })
	if err != nil {
		return 0, err
	}
	for _, p := range paths {
		if !p.Served() && p.Fix != nil {
			say("note", "index, for %s: %s", strings.Join(p.Grants, ", "), p.AccessPath)
		}
	}
	return missing, nil
}
