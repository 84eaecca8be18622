package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/printable"
)

func checkCommand() cli.Command {
	return cli.Command{
		Name:  "check",
		Args:  "PACKAGE",
		Short: "compare the declarations of a Go package with a database",
		Long: `PACKAGE is a directory or an import path, of a package of the module you are in.
Compared are its variables that exosql.Check takes, exported or not: tables with
their columns, links, facets, relations. Warnings do not fail the check unless -strict says so.

The package is built with the go command, and started in a process of its own: its
variables are what they are only then. Of a package main, only the variables are made.

With -user or -func the package's function of grants is called as well (exo help repl has
its form), and what it grants is compared too: its scopes, and what its facets let programs write.

examples:
  exo check -db sqlite:shop.db ./shop
  exo check -db postgres://ci@localhost/shop -json example.com/app/shop
  exo check -db sqlite:shop.db -user 1 ./shop

A password is better given in PGPASSWORD or ~/.pgpass than in the URL.
`,
		Exits: `exit codes:
  0  the declarations agree with the database
  1  they differ; with -strict: or there is a warning
  2  the command line is wrong
  3  it could not be done: a database or package that can't be reached or built
`,
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &checkOptions{}
			o.flags(fs)
			fs.BoolVar(&o.json, "json", false, "print the findings as JSON")
			fs.BoolVar(&o.strict, "strict", false, "fail for warnings too")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyDir}},
	}
}

type checkOptions struct {
	source                source
	json, strict, indexes bool // indexes is set for the command exo indexes
	user, function        string
	role                  string // the role for which exo gen rls writes policies
}

// flags declares the flags of every command that builds a package and compares it with a database.
func (o *checkOptions) flags(fs *flag.FlagSet) {
	fs.StringVar(&o.source.db, "db", "", "`URL`: the database, sqlite:PATH or postgres://user@host/database")
	fs.StringVar(&o.user, "user", "", "`NAME`: on whose behalf: what the function of grants is given")
	fs.StringVar(&o.function, "func", "", "`NAME`: the function, where it is not Grants")
}

// inspectArgs builds and inspects the package in a command line. If granted is set, it calls the
// package's function of grants.
func (o *checkOptions) inspectArgs(ctx context.Context, std cli.Stdio, args []string, granted bool) (*report, error) {
	p, err := o.target(ctx, args, granted)
	if err != nil {
		return nil, err
	}
	return cli.During(std, "inspecting "+p.ImportPath, func(std cli.Stdio) (*report, error) { return p.inspect(ctx, std, o) })
}

func (o *checkOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	report, err := o.inspectArgs(ctx, std, args, o.indexes || o.user != "")
	if err != nil {
		return err
	}
	if o.json {
		err = report.writeJSON(std.Out, o.indexes)
	} else {
		_, err = fmt.Fprint(std.Out, report.text(o.indexes))
	}
	if err == nil && report.fails(o.strict) {
		err = &cli.Failure{Code: cli.ExitFound}
	}
	return err
}

// target returns the package in a command line. If granted is set, the package's function of grants will be called.
func (o *checkOptions) target(ctx context.Context, args []string, granted bool) (*goPackage, error) {
	if len(args) != 1 {
		return nil, cli.Usagef("want one package, its directory or import path, not %d arguments", len(args))
	}
	if o.source.db == "" {
		return nil, cli.Usagef("%s", noDB)
	}
	if err := o.source.validate(); err != nil {
		return nil, err
	}
	switch {
	case o.function != "" && !token.IsIdentifier(o.function): // checked, since the name is written into Go code
		return nil, cli.Usagef("-func %q: want the name of a function, like Grants", o.function)
	case o.function == "" && granted:
		o.function = "Grants"
	}
	return findPackage(ctx, args[0])
}

// report is the report that the process of a checked package writes.
type report struct {
	Compared int // how many variables, or granted objects, were compared
	Findings []exosql.Finding
	Paths    []exosql.AccessPath
	Policies string // the SQL of the policies, for exo gen rls
	Error    string
}

// fails reports whether there is a finding other than a warning. If strict is set, these count, too: warnings,
// columns that a missing index would serve, and facets for which no index can be used (exosql.ByFence).
func (r *report) fails(strict bool) bool {
	return slices.ContainsFunc(r.Findings, func(f exosql.Finding) bool { return !f.Warning || strict }) ||
		strict && slices.ContainsFunc(r.Paths, func(p exosql.AccessPath) bool { return !p.Served() && (p.Fix != nil || p.Column == "") })
}

func (r *report) writeJSON(w io.Writer, indexes bool) error {
	var list any = append([]exosql.Finding{}, r.Findings...)
	if indexes {
		list = append([]exosql.AccessPath{}, r.Paths...)
	}
	_, err := fmt.Fprintf(w, "%s\n", printable.MarshalIndent(list, "", "  "))
	return err
}

func (r *report) text(indexes bool) string {
	var b strings.Builder
	for _, p := range r.Paths {
		b.WriteString(p.String() + "\n")
	}
	if indexes && b.Len() == 0 {
		return fmt.Sprintf("nothing to report of %d granted objects\n", r.Compared)
	}
	if len(r.Findings) == 0 && b.Len() == 0 {
		return fmt.Sprintf("%d declarations agree with the database\n", r.Compared)
	}
	for _, f := range r.Findings {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// inspect builds the package with the overlay files, runs it against the database, and reads its
// report. It passes the URL in the environment: all users of the machine can see arguments.
func (p *goPackage) inspect(ctx context.Context, std cli.Stdio, o *checkOptions) (*report, error) {
	if !slices.Contains(p.Deps, exosqlPath) {
		return nil, fmt.Errorf("%s does not import %s, so it declares no tables: name a package that declares some", p.ImportPath, exosqlPath)
	}
	files, target, err := p.checkFiles(o.function)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "exo-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary, err := build(ctx, dir, files, target)
	if err != nil {
		return nil, fmt.Errorf("%s can't be built:\n%w", p.ImportPath, err)
	}
	out := filepath.Join(dir, "report.json")
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append(os.Environ(), checkURL+"="+o.source.db, checkReport+"="+out, checkUser+"="+o.user, fmt.Sprintf("%s=%t", checkPaths, o.indexes), checkRole+"="+o.role)
	cmd.Stdout, cmd.Stderr = std.Err, std.Err // the output of the package's own code goes to standard error
	cmd.WaitDelay = time.Second               // a process that the package has left running may keep the output open
	ran := cmd.Run()
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("the process in which exo checks %s ended without a report: look for a panic or os.Exit in the package's init functions and variables, which ran there: %w", p.ImportPath, cmp.Or(ctx.Err(), ran, err))
	}
	r := &report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Error != "" {
		return nil, errors.Join(ctx.Err(), errors.New(r.Error))
	}
	return r, nil
}

func indexesCommand() cli.Command {
	return cli.Command{
		Name:  "indexes",
		Args:  "PACKAGE",
		Short: "report which filters and orders of what a package grants an index serves",
		Long: `It calls the package's function of grants (exo help repl has its form), and reports
for each column of each facet, which filters and orders an index serves that begins with
the columns of the scope, which of them read every row in scope, and the index that would
serve. The database is asked for its plans; no query runs, and nothing is changed. What is
not served is no failure unless -strict says so.

With -json each column has the index that would serve as data, in "fix", and the statement
that makes it, in "fix.sql".

examples:
  exo indexes -db sqlite:shop.db -user 1 ./shop
  exo indexes -db postgres://ci@localhost/shop -user 1 -func Grants -json ./shop

A password is better given in PGPASSWORD or ~/.pgpass than in the URL.
`,
		Exits: `exit codes:
  0  done
  1  with -strict: an index would serve what none serves, or it can't be said of something
  2  the command line is wrong
  3  it could not be done: a database, package or directory that can't be reached or must not be written
`,
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &checkOptions{indexes: true}
			o.flags(fs)
			fs.BoolVar(&o.json, "json", false, "print the report as JSON")
			fs.BoolVar(&o.strict, "strict", false, "fail where something is not served and an index would serve it")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyDir}},
	}
}
