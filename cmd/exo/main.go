// Exo is the command line of exoagent: it makes Go declarations of a live
// database, and compares declarations with one.
//
//	exo gen -db postgres://you@localhost/shop -o ./shop
//	exo check -db postgres://you@localhost/shop ./shop
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
