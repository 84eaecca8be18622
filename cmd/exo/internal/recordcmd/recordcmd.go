// Package recordcmd has the commands of exo for a record in a folder or in PostgreSQL: to make and verify it, prove a run, and erase runs.
package recordcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/cosign"
	"github.com/exoagent/exoagent/internal/dbwitness"
)

// flags has the flags of all these commands. usage has the help of each flag.
type flags struct {
	key, witness, identity, recipient, before, principal, row, object, label, since, table, effect string
	failed, changed, dryRun, signed                                                                bool
	n                                                                                              int
}

var usage = map[string]string{
	"key":       "`KEY`: the signing key, as file:PATH or env:NAME",
	"public":    "`KEY`: the public key itself, as exo record init printed it",
	"witness":   "`WITNESS` that gets the checkpoints, too: a second folder, env:NAME for a variable with the URL of a second PostgreSQL database, or https://HOST/PREFIX#KEY with the witness's key, which speaks C2SP's tlog-witness",
	"identity":  "`FILE` with an age identity, which reads what is encrypted; init writes a new one there",
	"recipient": "`AGE1`: those whose identities read what is encrypted, with commas between them",
	"before":    "`DATE`: erase all runs that began before it in UTC, as 2026-01-31",
	"since":     "`DATE`: only runs that began on it or later in UTC, as 2026-01-31",
	"principal": "`NAME`: only runs of this principal: its claims as the record has them, or its whole name, which has the subject of its token too",
	"row":       "`TABLE:KEY`: erase the runs whose record names this row, or, without :KEY, those that read or changed the table",
	"dry-run":   "only say how many runs would be erased; it needs no key",
	"object":    "`NAME`: only runs that sent a message to this granted object",
	"label":     "`TAG`: only runs that have read something labelled with it",
	"table":     "`NAME`: only runs one of whose statements or changes names this table, or may: where the record has a digest in its place",
	"effect":    "`OBJECT.METHOD`: only runs that called this method with an effect, like mail.send",
	"failed":    "only runs that failed",
	"changed":   "only runs that changed something, or tried to",
	"n":         "`NUMBER` of runs, the last ones",
}

func command(name, args, short, long string, run func(ctx context.Context, o *flags, std cli.Stdio, args []string) error, names ...string) cli.Command {
	exits := "exit codes:\n  0  done, and what was verified or checked is whole\n  1  something is changed or missing, a run has not ended, or the witness could not be asked\n  2  the command line is wrong\n  3  it could not be done\n"
	if name == "verify" {
		exits = strings.Replace(exits, "a run has not ended, ", "", 1) + "  4  nothing is changed or missing, and a run has not ended: it is in progress, or its process was stopped\n"
	}
	return cli.Command{Name: "record " + name, Args: args, Short: short, Long: long, Values: map[string][]string{"": {cli.AnyDir, cli.AnyFile}}, Exits: exits,
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &flags{}
			at := map[string]*string{"key": &o.key, "witness": &o.witness, "identity": &o.identity, "recipient": &o.recipient, "before": &o.before,
				"principal": &o.principal, "row": &o.row, "object": &o.object, "label": &o.label, "since": &o.since, "table": &o.table, "effect": &o.effect}
			for _, name := range names {
				switch name {
				case "failed":
					fs.BoolVar(&o.failed, name, false, usage[name])
				case "changed":
					fs.BoolVar(&o.changed, name, false, usage[name])
				case "dry-run":
					fs.BoolVar(&o.dryRun, name, false, usage[name])
				case "n":
					fs.IntVar(&o.n, name, 20, usage[name])
				case "public":
					fs.StringVar(&o.key, "key", "", usage[name])
				default:
					fs.StringVar(at[name], name, "", usage[name])
				}
			}
			return func(ctx context.Context, std cli.Stdio, given []string) error {
				if most := len(strings.Fields(args)); len(given) > most || len(given) < most-strings.Count(args, "[") {
					return cli.Usagef("want %s, not %d arguments", args, len(given))
				}
				return run(ctx, o, std, given)
			}
		}}
}

// Commands returns the commands in the order in which help lists them.
func Commands() cli.Commands {
	return cli.Commands{
		command("init", "DIR", "make a record in a folder or in PostgreSQL, with its keys", `DIR is a folder, or env:NAME for a variable with the URL of a PostgreSQL database, here and in the other commands.
The signing key must not be in the folder: -key file:PATH writes it to PATH, -key env:NAME prints it for a variable.
What programs and persons write is encrypted for age recipients: -recipient, or that of an identity which -identity makes.

example:
  exo record init -key file:/etc/exo/record.key -identity auditor.txt -witness /mnt/audit /var/lib/exo/record
  exo record init -key file:/etc/exo/record.key -identity auditor.txt env:RECORD_URL
`, initialize, "key", "witness", "identity", "recipient"),
		command("verify", "DIR", "check that nobody has changed a record, and that runs lack no entries", `Gives two verdicts, intact and complete, and says what they rest on. -key is the public key that exo record init printed,
from a place that those who can write the folder can't change. If only runs have not ended, the exit code is 4, and not 1.

example:
  exo record verify -key exo-record-5c0e+1a2b+AY3x -witness /mnt/audit /var/lib/exo/record
`, verify, "public", "witness"),
		command("tail", "RECORD", "list the last runs of a record: a folder, a database or a file", `One line for each run: when it began, its ID, for whom it ran, how it ended, and what became of its changes.
In a folder that is encrypted but for times and states; -identity FILE reads the rest.

example:
  exo record tail -identity auditor.txt -changed -since 2026-01-31 /var/lib/exo/record
`, tail, "identity", "since", "principal", "object", "label", "table", "effect", "failed", "changed", "n"),
		command("show", "RECORD RUN", "show one run of a record from its beginning to its end", `Each step with its time, what was asked, the SQL, and what came of it.

example:
  exo record show -identity auditor.txt /var/lib/exo/record 0f3a5c0e1a2b4d6f8091a2b3c4d5e6f7
`, show, "identity"),
		command("export", "RECORD", "print the entries of a record as lines of JSON, for jq and archives", `One object for each entry, with the names that the documentation of the package exo/record lists: run, step, at, call, op, state, err,
details, start and others. Before them, number is the place in a folder, and closed is erased, or encrypted: -identity FILE reads that.
A folder's own entries have the step erased, with the run in of, or resumed. What is printed is not encrypted, and no erasing reaches it.

example:
  exo record export -identity auditor.txt /var/lib/exo/record | jq 'select(.step == "begun") | .start.principal'
`, export, "identity"),
		command("proof", "DIR RUN", "print the proof of a run, which others check without the record", `It has the run's entries, and the hashes that lead to the signed checkpoint.

example:
  exo record proof /var/lib/exo/record 0f3a5c0e1a2b4d6f8091a2b3c4d5e6f7 > run.proof
`, prove),
		command("check", "FILE", "check the proof of a run with the public key alone", `It needs neither the record nor a network.

example:
  exo record check -key exo-record-5c0e+1a2b+AY3x run.proof
`, check, "public"),
		command("erase", "DIR [RUN]", "make what a run wrote unreadable for everybody", `Destroys data keys, and records that. All hashes stay. Older copies have the keys still, and a database has them until VACUUM.
Stop the host first if the record is in a folder: it alone has that while it runs. Want a run, -before, -principal or -row; the latter two need
-identity. Runs that have not ended stay: exo record settle ends those of a stopped process.

-row takes the runs with an image of the changed row, and those with a statement on the table and the key among the values of any
statement or kept reply, or with values that are too large for the record. KEY is compared as a whole, and has commas between several columns.
The record can't know which rows a list or a sum has read, which rows a change without images has changed, or the new keys that the
database chose. So exo says how many more runs have a statement on the table. -row TABLE erases these, too.

examples:
  exo record erase -key file:/etc/exo/record.key -before 2026-01-31 /var/lib/exo/record
  exo record erase -identity auditor.txt -row customers:42 -dry-run /var/lib/exo/record
`, erase, "key", "before", "principal", "row", "identity", "dry-run"),
		replayCommand(),
	}
}

// database reports whether a record is in a database. Its place is then env:NAME, where NAME is the variable with the URL.
func database(place string) bool {
	return strings.HasPrefix(place, "env:") || strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// urlOf returns the URL of a database. It may contain a password, so it is never printed.
func urlOf(place string) (string, error) {
	name, is := strings.CutPrefix(place, "env:")
	if !is {
		return place, nil
	}
	if url := strings.TrimSpace(os.Getenv(name)); url != "" {
		return url, nil
	}
	return "", cli.Usagef("the variable %s is not set: set it to the URL of the record's database, postgres://user@host/database", name)
}

// source returns the Source of a record.
func source(place string) (tree.Source, error) {
	if !database(place) {
		return tree.Dir(place), nil
	}
	url, err := urlOf(place)
	if err != nil {
		return nil, err
	}
	t, err := postgres.Connect(url)
	return tree.In(t), err
}

func outside(dir, key string) error {
	if !database(dir) && tree.Within(dir, key) {
		return cli.Usagef("%s is in the record's folder %s, so a person who can change the record could also sign it: keep the key in another folder", key, dir)
	}
	return nil
}

func initialize(ctx context.Context, o *flags, std cli.Stdio, args []string) (err error) {
	kind, name, _ := strings.Cut(o.key, ":")
	if kind != "env" && kind != "file" || name == "" {
		return cli.Usagef("-key: want file:PATH, a new file for the signing key, or env:NAME, to print the key for a variable")
	}
	if (o.recipient == "") == (o.identity == "") {
		return cli.Usagef("give exactly one of -identity FILE, where exo writes a new key that decrypts the record, and -recipient AGE1, the recipient of an age key that you have")
	}
	a := tree.About{Recipients: strings.Split(o.recipient, ",")}
	for _, r := range a.Recipients {
		if o.recipient != "" && !strings.HasPrefix(r, "age1") {
			return cli.Usagef("-recipient: want age recipients, which begin with age1, with commas between them, not %q", r)
		}
	}
	if a.Witness = o.witness; o.witness != "" && !cosign.Is(o.witness) && !dbwitness.Is(o.witness) {
		if a.Witness, err = filepath.Abs(o.witness); err != nil {
			return err
		}
	}
	var written []string
	defer func() { // remove new keys, so that they don't prevent a second try
		for i := 0; err != nil && i < len(written); i++ {
			err = errors.Join(err, os.Remove(written[i]))
		}
	}()
	writeNew := func(path, key string) error {
		if err := outside(args[0], path); err != nil {
			return err
		}
		if err := atomicfile.Create(path, []byte(key+"\n"), 0o600); errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%w: give another path, since a new key would replace the one in this file", err)
		} else if err != nil {
			return err
		}
		written = append(written, path)
		return nil
	}
	var private tree.SigningKey
	a.Origin, private, a.Key, err = tree.NewKey()
	if kind == "file" && err == nil {
		err = writeNew(name, string(private))
	}
	if o.identity != "" && err == nil {
		var id *age.X25519Identity
		if id, err = age.GenerateX25519Identity(); err == nil {
			a.Recipients = []string{id.Recipient().String()}
			err = writeNew(o.identity, id.String())
		}
	}
	inGrantFile := "folder: " + args[0]
	if database(args[0]) {
		inGrantFile = "database: " + args[0]
		if !strings.HasPrefix(args[0], "env:") {
			inGrantFile = "database: env:NAME"
		}
		var url string
		if err == nil {
			url, err = urlOf(args[0])
		}
		if at, _ := urlOf(a.Witness); err == nil && at == url {
			err = cli.Usagef("-witness: want another database than the record's, since a person who can change the record could change the witness, too")
		}
		if err == nil {
			err = postgres.Create(ctx, url, a, private)
		}
	} else if err == nil {
		err = tree.Create(args[0], a, private)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "public key, for exo record verify and check:\n  %s\n", a.Key)
	if kind == "env" {
		fmt.Fprintf(std.Out, "signing key, for the variable %s of the host; it is shown this once:\n  %s\n", name, string(private))
	}
	if o.identity != "" {
		fmt.Fprintf(std.Out, "%s reads all that programs and persons write, and nothing else does. The host does not need it: take it away from this machine, and keep a copy.\n", o.identity)
	}
	if database(args[0]) {
		fmt.Fprintf(std.Out, "rights that the host's role needs:\n%s\n", postgres.Rights)
	}
	if dbwitness.Is(o.witness) {
		fmt.Fprintf(std.Out, "rights that the role of the host's %s needs; verify needs SELECT. Give the host a URL of a role that does not own the table, or it can take the trigger away:\n%s\n", o.witness, dbwitness.Rights)
	}
	fmt.Fprintf(std.Out, "in the grant file:\n  record: { %s, key: %q }\n", inGrantFile, o.key)
	return nil
}

// exitOpen is the exit code of verify if the record is intact, but a run has not ended. So a monitor can distinguish this case from a changed record.
const exitOpen = 4

const noKey = "-key is missing: give the public key that exo record init printed"

func verify(_ context.Context, o *flags, std cli.Stdio, args []string) error {
	if o.key == "" {
		return cli.Usagef("%s", noKey)
	}
	from, err := source(args[0])
	if err != nil {
		return err
	}
	v, err := tree.Verify(from, tree.PublicKey(o.key), o.witness)
	if err != nil {
		return err
	}
	fmt.Fprintln(std.Out, strings.Join(v.Lines(), "\n"))
	switch {
	case !v.Complete() || v.Unasked != nil:
		return &cli.Failure{Code: cli.ExitFound}
	case len(v.Unended) > 0:
		return &cli.Failure{Code: exitOpen}
	}
	return nil
}

func prove(_ context.Context, _ *flags, std cli.Stdio, args []string) error {
	id, err := exo.ParseRunID(args[1])
	if err != nil {
		return cli.Usagef("%w", err)
	}
	from, err := source(args[0])
	if err != nil {
		return err
	}
	return tree.Prove(std.Out, from, tree.Run(id))
}

func check(_ context.Context, o *flags, std cli.Stdio, args []string) error {
	if o.key == "" {
		return cli.Usagef("%s", noKey)
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := tree.Check(f, tree.PublicKey(o.key))
	if err != nil {
		return &cli.Failure{Code: cli.ExitFound, Err: err}
	}
	fmt.Fprintf(std.Out, "proved: run %s has these %d entries in %s, which then had %d\n", p.Run, len(p.Entries), p.Origin, p.Size)
	if !p.Ended {
		return &cli.Failure{Code: cli.ExitFound, Err: errors.New("the run had not ended when the proof was made, so later entries may be missing: make the proof again after its end")}
	}
	for _, e := range p.Entries {
		fmt.Fprintf(std.Out, "  %s  %s  %s\n", e.At.UTC().Format(time.RFC3339Nano), e.Step, strings.TrimSpace(e.Effect+" "+e.State))
	}
	fmt.Fprintln(std.Out, "no entry is missing up to the run's end; the log may have later entries about what became known of the run")
	return nil
}

// erasable is a log that was opened to erase runs from it.
type erasable interface {
	Checked() iter.Seq2[*tree.Entry, error]
	Erase(before time.Time, runs ...tree.Run) (n int, skipped []tree.Run, err error)
	Close() error
}

func open(ctx context.Context, place, keyPlace string) (erasable, error) {
	dir := place
	if database(place) {
		dir = ""
	}
	key, err := tree.ReadSigningKey(dir, keyPlace)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		return tree.Open(dir, key)
	}
	url, err := urlOf(place)
	if err != nil {
		return nil, err
	}
	return postgres.Open(ctx, url, key, nil)
}
