// Exo is the command line of exoagent. Without a Go program it drafts a grant file from a
// database, checks it, and runs programs on it or serves it to MCP clients:
//
//	exo init -db sqlite:shop.db
//	exo validate
//	exo run -as org=1 -e 'tickets.count()'
//	exo serve exo.yaml -as org=1
//
// For a Go program it writes declarations of a database's tables, compares them with the
// database, and opens a terminal on what a package grants:
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
	"slices"

	"github.com/exoagent/exoagent/cmd/exo/internal/accesscmd"
	"github.com/exoagent/exoagent/cmd/exo/internal/approvalscmd"
	"github.com/exoagent/exoagent/cmd/exo/internal/budgetscmd"
	"github.com/exoagent/exoagent/cmd/exo/internal/recordcmd"
	"github.com/exoagent/exoagent/cmd/exo/internal/servicescmd"
	"github.com/exoagent/exoagent/cmd/exo/internal/undocmd"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
)

var approvals = approvalscmd.Host{
	Read: readGrants,
	Open: func(ctx context.Context, std cli.Stdio, f *grantfile.File) (*grantfile.Declared, error) {
		return openGrants(ctx, std, f, nil)
	},
	Tool: func(ctx context.Context, std cli.Stdio, d *grantfile.Declared, p grantfile.Principal) (*codemode.Tool, func() error, error) {
		return toolOf(ctx, std, d, p, nil)
	},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := cli.Run(ctx, cli.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, commands(), os.Args[1:])
	stop()
	os.Exit(code)
}

// commands returns the commands in the order in which help lists them. Each command has a file of its own.
func commands() cli.Commands {
	return append(cli.Commands{
		genCommand(),
		genRLSCommand(),
		genStoreCommand(),
		checkCommand(),
		indexesCommand(),
		replCommand(),
		tryCommand(),
		initCommand(),
		validateCommand(),
		showCommand(),
		servicescmd.Command(readNamed),
		budgetscmd.Command(readNamed),
		servicescmd.Outbox(readNamed),
		manifestCommand(),
		diffCommand(),
		runCommand(),
		askCommand(),
		demoCommand(),
		serveCommand(),
		schemaCommand(),
		doctorCommand(),
		cli.Help(commands),
		cli.Completion(),
		cli.Man(commands),
		versionCommand(),
		cli.Complete(commands),
	}, slices.Concat(recordcmd.Commands(), cli.Commands{settleCommand()}, approvals.Commands(), accesscmd.Commands(readNamed), undocmd.Commands(undocmd.Files{Read: readGrants, Record: recorderOf, Open: approvals.Open}))...)
}
