package main

import (
	"context"
	"flag"
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"strings"

	"github.com/exoagent/exoagent/schema"
	"github.com/exoagent/exoagent/schema/gen"
)

func genCommand() command {
	return command{
		name:  "gen",
		short: "write Go declarations of a database's tables",
		long: `It writes row types, tables, typed columns, links and enums for package exosql,
and never what a program may see of them: facets and grants are yours to write, and
facet_start.go has a commented one to start from. A second run changes nothing unless
the database changed. DIR is for what exo gen writes and for your own files beside
it; it replaces and removes only files that it wrote itself.

What exosql can't take, and views, whose keys nobody knows, are left out; a comment in
the code and the list at the end say what and why.

examples:
  exo gen -db sqlite:shop.db -o ./shop
  exo gen -db postgres://you@localhost/shop -o ./shop -tables 'orders*,customers,!*_old'
  exo gen -ddl schema.sql -engine sqlite -o ./shop
  exo gen -ddl schema.sql -engine postgres -scratch postgres://you@localhost/postgres -o ./shop

With -ddl, FILE runs in a scratch database, and that is read: SQLite's in memory,
PostgreSQL's under a new name on the server of -scratch, made and dropped by this run
with the rights of that URL's role, which needs CREATEDB. Run only files that you
trust. Dumps can be given as they are: rights and owners are passed over, and so are the
rows of COPY. Commands of psql, and what would change the server (CREATE ROLE...), are
errors.

A password is better given in PGPASSWORD or ~/.pgpass than in the URL.
`,
		flags: func(fs *flag.FlagSet) action {
			o := &genOptions{}
			o.source.flags(fs)
			fs.StringVar(&o.dir, "o", "", "`DIR`: where to write; made if it is not there")
			fs.StringVar(&o.pkg, "package", "", "`NAME`: of the package (default: the name of DIR)")
			fs.StringVar(&o.tables, "tables", "", "`PATTERNS`: which tables to declare, with commas; ! before one leaves out (default: all)")
			return o.run
		},
		values: map[string][]string{"-o": {anyDir}, "-ddl": {anyFile}, "-engine": {"postgres", "sqlite"}, "-scratch": {}},
	}
}

type genOptions struct {
	source           source
	dir, pkg, tables string
}

func (o *genOptions) run(ctx context.Context, std stdio, args []string) error {
	switch {
	case len(args) > 0:
		return usagef("unexpected argument %q", args[0])
	case o.dir == "":
		return usagef("-o is missing: the directory to write to")
	}
	if err := o.source.validate(); err != nil {
		return err
	}
	for _, pattern := range list(o.tables) {
		if _, err := path.Match(strings.TrimPrefix(pattern, "!"), ""); err != nil {
			return usagef("-tables: %q is no pattern: * stands for any letters, ? for one, [a-c] for one of these", pattern)
		}
	}
	pkg := o.pkg
	if pkg == "" {
		pkg = packageName(o.dir)
	} else if !token.IsIdentifier(pkg) || pkg == "_" {
		return usagef("-package %q can't be the name of a package", pkg)
	}
	db, err := o.source.read(ctx, std.in)
	if err != nil {
		return err
	}
	declared, err := gen.Declare(db, gen.Options{Package: pkg, Source: o.source.describe(), Tables: list(o.tables)})
	if err != nil {
		return err
	}
	done, err := writeFiles(o.dir, declared.Files)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %d tables; %s\n", o.dir, declared.Tables, done)
	if n := len(declared.LeftOut); n > 0 {
		fmt.Fprintf(std.out, "left out:\n")
		for _, l := range declared.LeftOut {
			fmt.Fprintf(std.out, "  %s\n", schema.Printable(l)) // one line each
		}
	}
	return nil
}

// list is the parts of s between commas.
func list(s string) (out []string) {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// packageName is the name of a package for a directory.
func packageName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(abs)))
	if !token.IsIdentifier(name) {
		return "tables"
	}
	return name
}
