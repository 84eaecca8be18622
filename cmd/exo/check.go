package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/printable"
)

func checkCommand() command {
	return command{
		name:  "check",
		args:  "PACKAGE",
		short: "compare the declarations of a Go package with a database",
		long: `PACKAGE is a directory or an import path, of a package of the module you are in.
Compared are its variables that exosql.Check takes, exported or not: tables with
their columns, links, facets, relations. Warnings do not fail the check unless -strict says so.

The package is built with the go command, and started in a process of its own: its
variables are what they are only then. Of a package main, only the variables are made.

examples:
  exo check -db sqlite:shop.db ./shop
  exo check -db postgres://ci@localhost/shop -json example.com/app/shop

A password is better given in PGPASSWORD or ~/.pgpass than in the URL.
`,
		flags: func(fs *flag.FlagSet) action {
			o := &checkOptions{}
			fs.StringVar(&o.source.db, "db", "", "`URL`: the database, sqlite:PATH or postgres://user@host/database")
			fs.BoolVar(&o.json, "json", false, "print the findings as JSON")
			fs.BoolVar(&o.strict, "strict", false, "fail for warnings too")
			return o.run
		},
		values: map[string][]string{"": {anyDir}},
	}
}

type checkOptions struct {
	source       source
	json, strict bool
}

func (o *checkOptions) run(ctx context.Context, std stdio, args []string) error {
	if len(args) != 1 {
		return usagef("want one package, not %d", len(args))
	}
	if o.source.db == "" {
		return usagef("-db is missing: the URL of a database")
	}
	if err := o.source.validate(); err != nil {
		return err
	}
	p, err := findPackage(ctx, args[0])
	if err != nil {
		return err
	}
	report, err := p.inspect(ctx, std, o.source.db)
	if err != nil {
		return err
	}
	bad := 0
	for _, f := range report.Findings {
		if !f.Warning || o.strict {
			bad++
		}
	}
	if o.json {
		if report.Findings == nil {
			report.Findings = []exosql.Finding{}
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err = e.Encode(report.Findings); err == nil {
			_, err = std.out.Write(printable.JSON(b.Bytes()))
		}
	} else {
		_, err = fmt.Fprint(std.out, report)
	}
	if err == nil && bad > 0 {
		err = &failure{code: exitFound}
	}
	return err
}

// report is what the process of a package writes.
type report struct {
	Compared int // variables
	Findings []exosql.Finding
	Error    string
}

func (r *report) String() string {
	if len(r.Findings) == 0 {
		return fmt.Sprintf("%d declarations agree with the database\n", r.Compared)
	}
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// inspect builds the package with what is laid over it, runs it against the
// database, and reads its report. The URL goes by the environment: arguments are for all to see.
func (p *goPackage) inspect(ctx context.Context, std stdio, url string) (*report, error) {
	if !slices.Contains(p.Deps, exosqlPath) {
		return nil, fmt.Errorf("%s declares nothing for exosql: it does not import it", p.ImportPath)
	}
	files, target, err := p.checkFiles()
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
	cmd.Env = append(os.Environ(), checkURL+"="+url, checkReport+"="+out)
	cmd.Stdout, cmd.Stderr = std.err, std.err // what the package itself prints
	cmd.WaitDelay = time.Second               // what it started and left behind may hold them open
	ran := cmd.Run()
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%s ended before it was checked: %w", p.ImportPath, errors.Join(ran)))
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
