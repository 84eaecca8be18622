package main

import (
	"context"
	"flag"
	"fmt"
	"go/token"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/schema"
	"github.com/exoagent/exoagent/schema/gen"
)

func genCommand() cli.Command {
	return cli.Command{
		Name:  "gen",
		Short: "write Go declarations of a database's tables",
		Long: `It writes row types, tables, typed columns, links and enums for package exosql,
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
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &genOptions{}
			o.source.flags(fs)
			fs.StringVar(&o.dir, "o", "", "`DIR`: where to write; made if it is not there")
			fs.StringVar(&o.pkg, "package", "", "`NAME`: of the package (default: the name of DIR)")
			fs.StringVar(&o.tables, "tables", "", "`PATTERNS`: which tables to declare, with commas; ! before one leaves out (default: all)")
			return o.run
		},
		Values: map[string][]string{"-o": {cli.AnyDir}, "-ddl": {cli.AnyFile}, "-engine": {"postgres", "sqlite"}, "-scratch": {}},
	}
}

type genOptions struct {
	source           source
	dir, pkg, tables string
}

func (o *genOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usagef("exo gen takes only flags, not the argument %q: the database is -db URL, and the directory -o DIR", args[0])
	case o.dir == "":
		return cli.Usagef("-o is missing: name the directory to write to, like -o ./shop")
	}
	if err := o.source.validate(); err != nil {
		return err
	}
	for _, pattern := range list(o.tables) {
		if _, err := path.Match(strings.TrimPrefix(pattern, "!"), ""); err != nil {
			return cli.Usagef("-tables: %q is no pattern: write names, or * for any letters, ? for one letter and [a-c] for one of these letters", pattern)
		}
	}
	pkg := o.pkg
	if pkg == "" {
		pkg = packageName(o.dir)
	} else if !token.IsIdentifier(pkg) || pkg == "_" {
		return cli.Usagef("-package %q can't be the name of a Go package: want letters, digits and _, and no digit first", pkg)
	}
	db, err := o.source.read(ctx, std.In)
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
	fmt.Fprintf(std.Out, "%s: %d tables; %s\n", o.dir, declared.Tables, done)
	if n := len(declared.LeftOut); n > 0 {
		fmt.Fprintf(std.Out, "left out:\n")
		for _, l := range declared.LeftOut {
			fmt.Fprintf(std.Out, "  %s\n", schema.Printable(l)) // escaped, so that each entry takes one line
		}
	}
	return nil
}

// list returns the parts of s between commas.
func list(s string) (out []string) {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// packageName returns a package name derived from the name of a directory.
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

func genRLSCommand() cli.Command {
	return cli.Command{
		Name:  "gen rls",
		Args:  "PACKAGE",
		Short: "write the role, rights and row-level policies of what a package grants",
		Long: `It calls the package's function of grants (exo help repl has its form), and prints the
SQL by which PostgreSQL lets a role do what is granted and no more: the role, the columns
that programs may read, insert and update, and for each command a policy that says which
rows. Nothing is changed: read the SQL, and run it as the owner of the tables. The host
then opens the database as that role, with exosql.OpenOptions.RowSecurity.

Run it again when the declarations change. The SQL takes back what the role had before,
and gives what is granted now, in one transaction; a notice names each table that the
role may not use any more. What policies of the host take from an object (exo.Wrap) the
role has all the same. What is no object of a facet is left out: if programs read tables
through it, their statements are refused by the database.

The structure of the grants counts and not who the user is: -user is anybody who is
granted all that programs of this role are to do.

examples:
  exo gen rls -db postgres://you@localhost/shop -role shop_agent -user 1 ./shop > rls.sql
  psql -f rls.sql postgres://you@localhost/shop

A password is better given in PGPASSWORD or ~/.pgpass than in the URL.
`,
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &checkOptions{}
			o.flags(fs)
			fs.Lookup("db").Usage = "`URL`: the database, postgres://user@host/database"
			fs.StringVar(&o.role, "role", "", "`NAME`: the role; up to 40 small letters, digits and _")
			return o.runRLS
		},
		Values: map[string][]string{"": {cli.AnyDir}},
	}
}

func (o *checkOptions) runRLS(ctx context.Context, std cli.Stdio, args []string) error {
	if o.role == "" {
		return cli.Usagef("-role is missing: name the role for which the SQL is written, like -role shop_agent")
	}
	report, err := o.inspectArgs(ctx, std, args, true)
	if err != nil {
		return err
	}
	_, err = io.WriteString(std.Out, report.Policies)
	return err
}

func genStoreCommand() cli.Command {
	return cli.Command{
		Name:  "gen store",
		Short: "write the SQL of the table in which a grant file's stores are kept",
		Long: `Prints the statements that make the table exo_store in PostgreSQL, once for each database that the file names as a store: of
approvals, budgets, access, services and, with -label-store, of labels. All of them may share one table.

example:
  exo gen store | psql "$STORE_URL"
`,
		Exits: "exit codes:\n  0  printed\n  2  the command line is wrong\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			return func(_ context.Context, std cli.Stdio, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("exo gen store takes no arguments, so leave out %q", args[0])
				}
				text, err := postgres.SQL("")
				if err == nil {
					_, err = io.WriteString(std.Out, text)
				}
				return err
			}
		},
	}
}
