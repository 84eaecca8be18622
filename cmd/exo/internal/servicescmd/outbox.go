package servicescmd

// This file has the command that shows the messages that wait to be delivered.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/printable"
)

// Outbox returns exo services outbox. The function read reads the grant file that the arguments name.
func Outbox(read func(args []string) (*grantfile.File, error)) cli.Command {
	return cli.Command{
		Name:  "services outbox",
		Args:  "[FILE]",
		Short: "list the messages that wait to be delivered, and those that failed",
		Long: `Lists what programs have sent by the mails, chats and webhooks of a grant file (default: exo.yaml), the oldest first: the key by which the receiver
can tell a repetition, the service, what became of it, the attempts, and why the last one failed. A message is tried for three days by every process that
runs programs of the file. It is listed for a day once it was delivered, and otherwise for 30 days. Its text is encrypted, and not shown.

-retry delivers a message at once that waits, that failed, or of which no database knows whether its run was kept. -drop drops one.

examples:
  exo services outbox exo.yaml
  exo services outbox -retry 4f1e0c7f7c6ad4b0a7f3c2d1e0b9a887-2
`,
		Exits: "exit codes:\n  0  done\n  1  the message was not delivered, or there is none\n  2  the command line is wrong\n  3  the file or its store can't be used\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			asJSON := fs.Bool("json", false, "print it as JSON")
			retry := fs.String("retry", "", "`KEY`: deliver this message at once")
			drop := fs.String("drop", "", "`KEY`: drop this message")
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				if *retry != "" && *drop != "" {
					return cli.Usagef("give one of -retry and -drop, not both")
				}
				f, err := read(args)
				if err != nil {
					return err
				}
				if !f.Sends() {
					return cli.Usagef("%s sends no messages: none of its `services` has `mail`, `chat` or `webhook`", f.Name)
				}
				if *retry != "" && !f.Reviewed {
					return cli.Usagef("-retry would send secrets, and nobody has reviewed %s: read what exo show prints, and write `reviewed: true` into the file", f.Name)
				}
				o, closing, err := f.OpenOutbox(ctx, os.Getenv, *retry != "")
				if err != nil {
					return err
				}
				switch {
				case *retry != "":
					err = found(o.Retry(ctx, *retry))
				case *drop != "":
					err = found(o.Drop(ctx, *drop))
				default:
					err = list(ctx, std, o, *asJSON)
				}
				return errors.Join(err, closing())
			}
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

// found gives an exit code to an error that is no fault of the machine.
func found(err error) error {
	if err == nil {
		return nil
	}
	return &cli.Failure{Code: cli.ExitFound, Err: err}
}

func list(ctx context.Context, std cli.Stdio, o *outbox.Outbox, asJSON bool) error {
	all, err := o.List(ctx)
	slices.SortStableFunc(all, func(a, b outbox.Item) int { return a.At.Compare(b.At) })
	if asJSON {
		_, printed := fmt.Fprintf(std.Out, "%s\n", printable.MarshalIndent(slices.Concat([]outbox.Item{}, all), "", "  "))
		return errors.Join(err, printed)
	}
	if len(all) == 0 && err == nil {
		fmt.Fprintln(std.Err, "no message waits")
	}
	w := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	for _, x := range all {
		why := printable.OneLine(x.Why)
		if x.State == outbox.Waiting {
			why = "next at " + x.Next.Local().Format(time.DateTime) + " " + why
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d tries\t%s\n", printable.OneLine(x.Key), printable.OneLine(x.To), x.State, x.At.Local().Format(time.DateTime), x.Tries, why)
	}
	return errors.Join(err, w.Flush())
}
