package main

import (
	"context"
	"flag"
	"io"
)

func genRLSCommand() command {
	return command{
		name:  "gen rls",
		args:  "PACKAGE",
		short: "write the role, rights and row-level policies of what a package grants",
		long: `It calls the package's function of grants (exo help repl has its form), and prints the
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
		flags: func(fs *flag.FlagSet) action {
			o := &checkOptions{}
			o.flags(fs)
			fs.Lookup("db").Usage = "`URL`: the database, postgres://user@host/database"
			fs.StringVar(&o.role, "role", "", "`NAME`: the role; up to 40 small letters, digits and _")
			return o.runRLS
		},
		values: map[string][]string{"": {anyDir}},
	}
}

func (o *checkOptions) runRLS(ctx context.Context, std stdio, args []string) error {
	if o.role == "" {
		return usagef("-role is missing: the name of the role that programs' statements are to run as")
	}
	report, err := o.inspectArgs(ctx, std, args, true)
	if err != nil {
		return err
	}
	_, err = io.WriteString(std.out, report.Policies)
	return err
}
