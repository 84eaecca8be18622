package main

import (
	"flag"
)

func indexesCommand() command {
	return command{
		name:  "indexes",
		args:  "PACKAGE",
		short: "report which filters and orders of what a package grants an index serves",
		long: `It calls the package's function of grants (exo help repl has its form), and reports
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
		exits: `exit codes:
  0  done
  1  with -strict: an index would serve what none serves, or it can't be said of something
  2  the command line is wrong
  3  it could not be done: a database, package or directory that can't be reached or must not be written
`,
		flags: func(fs *flag.FlagSet) action {
			o := &checkOptions{indexes: true}
			o.flags(fs)
			fs.BoolVar(&o.json, "json", false, "print the report as JSON")
			fs.BoolVar(&o.strict, "strict", false, "fail where something is not served and an index would serve it")
			return o.run
		},
		values: map[string][]string{"": {anyDir}},
	}
}
