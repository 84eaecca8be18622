// Exo is the command line of exoagent: it makes Go declarations of a live
// database, compares declarations with one, and opens a terminal on what a package grants.
//
//	exo gen -db postgres://you@localhost/shop -o ./shop
//	exo check -db postgres://you@localhost/shop ./shop
//	exo repl ./shop -db postgres://you@localhost/shop -user 1
//
// exo help lists the commands, the exit codes, and what each command takes.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, stdio{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}
