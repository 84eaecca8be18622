package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
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

// finding is what a check found, as -json prints it.
type finding struct {
	Kind    string `json:"kind"`
	Table   string `json:"table"`
	Column  string `json:"column,omitempty"`
	Problem string `json:"problem"`
	Fix     string `json:"fix,omitempty"`
	Warning bool   `json:"warning,omitempty"`
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
	pkg, err := load(ctx, args[0])
	if err != nil {
		return err
	}
	report, err := pkg.inspect(ctx, std, o.source.db)
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
			report.Findings = []finding{}
		}
		e := json.NewEncoder(std.out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = e.Encode(report.Findings)
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
	Compared int       `json:"compared"` // variables
	Findings []finding `json:"findings"`
	Texts    []string  `json:"texts"` // of the findings, as exosql writes them
	Error    string    `json:"error"`
}

func (r *report) String() string {
	var b strings.Builder
	for _, t := range r.Texts {
		b.WriteString(t + "\n")
	}
	if len(r.Texts) == 0 {
		fmt.Fprintf(&b, "%d declarations agree with the database\n", r.Compared)
	}
	return b.String()
}
