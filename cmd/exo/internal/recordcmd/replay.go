package recordcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exoeval/replay"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/printable"
)

// This file replays a recorded run.

func replayCommand() cli.Command {
	return cli.Command{
		Name:  "replay",
		Args:  "RECORD RUN",
		Short: "run a recorded run again, and compare it with the record",
		Long: `Runs the program of a run again, with its clock, its random numbers and the recorded replies, and compares each message
and the result with the record. No database is opened and nothing acts. The record must have the replies: ` + "`replies: true`" + `
in the grant file. The signatures of a record in a folder or a database are checked: by -key, or else by the key in the record itself. A run of another version of exo is refused: use that version, or -any-version.

example:
  exo replay -identity auditor.txt /var/lib/exo/record 0f3a5c0e1a2b4d6f8091a2b3c4d5e6f7
`,
		Exits: "exit codes:\n  0  the run is as the record says\n  1  it differs, and where\n  2  the command line is wrong\n  3  it can't be replayed, and why\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o, anyVersion := &flags{}, false
			fs.StringVar(&o.identity, "identity", "", "`FILE` with an age identity, which reads what is encrypted")
			fs.StringVar(&o.key, "key", "", usage["public"])
			fs.BoolVar(&anyVersion, "any-version", false, "also replay a run of another version of exo: a difference may then be one of the versions")
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				if len(args) != 2 {
					return cli.Usagef("want RECORD RUN, a record and the ID of a run, not %d arguments", len(args))
				}
				return o.replay(ctx, std, args[0], args[1], anyVersion)
			}
		},
		Values: map[string][]string{"": {cli.AnyDir, cli.AnyFile}, "-identity": {cli.AnyFile}},
	}
}

func (o *flags) replay(ctx context.Context, std cli.Stdio, path, run string, anyVersion bool) error {
	id, err := exo.ParseRunID(run)
	if err != nil {
		return cli.Usagef("%w", err)
	}
	o.signed = true
	all, err := o.entries(path)
	if err != nil {
		return err
	}
	var entries []exo.Entry
	last := int64(-1) // the number of the run's last entry
	for x, err := range all {
		unsigned, is := errors.AsType[*tree.UnsignedError](err)
		switch {
		case errors.Is(err, record.ErrTorn): // no failure: a process is writing the last line
		case is && last >= unsigned.From:
			fmt.Fprintf(std.Out, "not signed yet: entries %d to %d of the record, the run's last ones among them; who can write the record can have changed them\n", unsigned.From, last)
		case is: // only entries after those of the run are unsigned
		case err != nil:
			return err
		case x.RunID != id:
		case errors.Is(x.Closed, tree.ErrErased):
			return fmt.Errorf("run %s was erased, so there is nothing to run again", id)
		case x.Closed != nil:
			return errors.New("the run is encrypted: add -identity FILE, with the age identity that reads the record")
		default:
			entries, last = append(entries, x.Entry), x.Leaf.Number
		}
	}
	if len(entries) == 0 {
		return fmt.Errorf("the record has no run %s: exo record tail lists its runs", id)
	}
	d, err := replay.Run(ctx, entries, replay.Options{AnyVersion: anyVersion})
	if _, is := errors.AsType[*replay.VersionError](err); is {
		err = fmt.Errorf("%w: run exo of that version, or add -any-version; then a difference may come from the version alone", err)
	}
	if err != nil {
		return err
	}
	if d != nil {
		return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("the run differs from its record: %s", printable.OneLine(fmt.Sprint(d)))}
	}
	fmt.Fprintf(std.Out, "equal: run %s asks and gives what the record says\n", id)
	return nil
}
