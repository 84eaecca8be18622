// Challenge hosts a database with a secret and dares the world to steal it.
//
//	go run ./challenge                   serves the game on loopback; nothing else is needed
//	go run ./challenge attack DIR        runs a folder of programs and prints a table
//	go run ./challenge export            prints all attempts as lines of JSON
//	go run ./challenge backup FILE       copies what lasts, also while it serves
//
// Package game has the databases that players attack, package arena the rules (which player may
// send, read and share which attempt), package web the pages and the API. docs/challenge.md says how to put it on the internet.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/exoagent/exoagent/challenge/control"
)

// These are the exit codes.
const (
	exitOK    = 0
	exitWon   = 1 // attack returns it if a program has won
	exitUsage = 2 // the command did not run, or not to its end
)

func main() {
	if control.Child() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // after the first signal, a second one ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command := serve
	if len(args) > 0 {
		switch args[0] {
		case "attack":
			command, args = attack, args[1:]
		case "export":
			command, args = export, args[1:]
		case "backup":
			command, args = backup, args[1:]
		case "serve":
			args = args[1:]
		}
	}
	code, err := command(ctx, args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "challenge: %v\n", err)
		return exitUsage
	}
	return code
}
