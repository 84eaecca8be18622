// Package approvalscmd has the commands of exo for changes that wait for a person: list and show them, agree, refuse.
package approvalscmd

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/exoagent/exoagent/cmd/exo/internal/changespage"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/difference"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/pending"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/spin"
)

// Host has the functions of exo that these commands use.
type Host struct {
	Read func(path string) (*grantfile.File, error)
	Open func(context.Context, cli.Stdio, *grantfile.File) (*grantfile.Declared, error)
	// Tool makes the tool of a principal, with the record and the approvals of the file.
	Tool func(context.Context, cli.Stdio, *grantfile.Declared, grantfile.Principal) (tool *codemode.Tool, closing func() error, err error)
}

type options struct {
	Host
	file, format, why, yes, as, at string
	all                            bool
}

// Commands returns the commands in the order in which help lists them.
func (h Host) Commands() cli.Commands {
	command := func(name, args, short, long string, run func(*options, context.Context, cli.Stdio, string) error, flags ...string) cli.Command {
		return cli.Command{Name: "approvals " + name, Args: args, Short: short, Long: long, Values: map[string][]string{"-file": {cli.AnyFile}, "-format": {"text", "json"}},
			Exits: "exit codes:\n  0  done\n  1  the change set does not wait any more, or was not applied; or the file is wrong\n  2  the command line is wrong\n  3  the file, its store or a database can't be used\n",
			Flags: func(fs *flag.FlagSet) cli.Action {
				o := &options{Host: h}
				fs.StringVar(&o.file, "file", "exo.yaml", "`FILE`: the grant file")
				for _, f := range flags {
					switch f {
					case "format":
						fs.StringVar(&o.format, f, "text", "`FORM`: text or json")
					case "all":
						fs.BoolVar(&o.all, f, false, "also what was decided in the last 30 days; of one change set, every row")
					case "why":
						fs.StringVar(&o.why, f, "", "`TEXT`: the reason, which the model reads")
					case "yes":
						fs.StringVar(&o.yes, f, "", "`DIGEST`: agree without a question, to the change set with this digest, or with this beginning of 12 digits or more")
					case "as":
						fs.StringVar(&o.as, f, "", "`NAME`: whose link it is, as the record will name them (default: the user of this machine)")
					case "at":
						fs.StringVar(&o.at, f, "", "`URL` of the page, like http://127.0.0.1:8642/changes (default: `approvals: link` of the file)")
					}
				}
				return func(ctx context.Context, std cli.Stdio, given []string) error {
					if len(given) != len(strings.Fields(args)) {
						return cli.Usagef("want %s, and the grant file by -file FILE", cmp.Or(args, "no arguments"))
					}
					if o.format != "" && o.format != "text" && o.format != "json" {
						return cli.Usagef("-format: want text or json, not %q", o.format)
					}
					return run(o, ctx, std, strings.Join(given, ""))
				}
			}}
	}
	return cli.Commands{
		command("init", "", "make the key of a grant file's approvals", `Writes a random key to the file that approvals: key names, for its owner only, or prints it for a variable. Whoever has the key and
the store reads all that waits: keep the key elsewhere.

example:
  exo approvals init -file exo.yaml
`, (*options).init),
		command("list", "", "list the changes that wait for a person", `One line for each: its ID, how long it has waited, for whom, the rules that ask, and what it would change.

example:
  exo approvals list -all
`, (*options).list, "all", "format"),
		command("show", "ID", "show what a waiting program would change", `The difference, row by row, the messages that would leave, the program, and the labels of what it has read. Every text of a program
or of the database is in quotes, on one line. Above 200 changes the rows are grouped, rare and extreme ones first.

example:
  exo approvals show 5g2kqz
`, (*options).show, "all", "format"),
		command("approve", "ID", "agree to a change, and apply it", `Shows the change set and asks; above 200 changes for their number. Then its program runs again, and commits only if it does the same.
A record in a folder or a file is one process's: while exo serve has it open, agree on its page.

example:
  exo approvals approve 5g2kqz
`, (*options).approve, "yes"),
		command("reject", "ID", "refuse a change", `Nothing of it happens. The model reads why.

example:
  exo approvals reject 5g2kqz -why "not before the audit"
`, (*options).reject, "why"),
		command("link", "", "print a link of one use to the page of changes", `Whoever opens the link within ten minutes is taken for NAME for an hour, and agrees and refuses in that name.

example:
  exo approvals link -as ann -at http://127.0.0.1:8642/changes
`, (*options).link, "as", "at"),
		command("settle", "", "ask the databases what became of changes whose process was stopped", `A change set whose process was stopped while it applied it is applied or waits again. Each database needs witness: true.

example:
  exo approvals settle
`, (*options).settle),
	}
}

// open reads the file and opens its store.
func (o *options) open(ctx context.Context) (*grantfile.File, *pending.Sets, error) {
	f, err := o.Read(o.file)
	if err != nil {
		return nil, nil, err
	}
	k, err := pending.Open(ctx, f, nil)
	if err == nil && k == nil {
		err = cli.Usagef("no change of %s waits for a person: add `approve` to a facet or a service of the file first", o.file)
	}
	return f, k, err
}

func (o *options) init(_ context.Context, std cli.Stdio, _ string) error {
	f, err := o.Read(o.file)
	if err != nil {
		return err
	}
	key := rand.Text() + rand.Text()
	switch place := f.Approvals.Key.Place(); f.Approvals.Key.Kind {
	case "":
		return cli.Usagef("%s has no `approvals`: add the line `approvals: { key: file:approvals.key, store: approvals }` first", o.file)
	case "env":
		_, err = fmt.Fprintf(std.Out, "set the variable %s to this key, which exo shows only once:\n  %s\n", f.Approvals.Key.Name, key)
	default:
		path := strings.TrimPrefix(place, "file:")
		if err = atomicfile.Create(path, []byte(key+"\n"), 0o600); err == nil {
			_, err = fmt.Fprintf(std.Out, "the key is in %s: keep this file apart from copies of the store\n", path)
		} else if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("%w: if changes wait, keep this file, since only its key can read them; if none wait, remove it and run this command again", err)
		}
	}
	return err
}

// view makes the view of a change set. It shows the operator the labels that its principal's results may carry, and those that the file shows to
// approvers.
func view(f *grantfile.File, w review.ChangeSet, all bool) difference.View {
	p, _ := f.PrincipalNamed(w.Principal) // if the principal is no longer in the file, fewer labels are shown
	return difference.Of(w, f.Visible(p), all)
}

func (o *options) list(ctx context.Context, std cli.Stdio, _ string) error {
	f, k, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	all, err := k.List(ctx, o.all)
	if err != nil {
		return err
	}
	views := []difference.View{}
	for _, w := range all {
		views = append(views, view(f, w, false))
	}
	if o.format == "json" {
		_, err = fmt.Fprintf(std.Out, "%s\n", printable.MarshalIndent(views, "", "  "))
		return err
	}
	w := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	for _, v := range views {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", v.ID, v.State, time.Since(v.At).Round(time.Minute), v.Principal, strings.Join(v.Rules, ", "), v.Summary)
	}
	return w.Flush()
}

func (o *options) show(ctx context.Context, std cli.Stdio, id string) error {
	f, k, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	w, err := k.Get(ctx, id)
	if err != nil {
		return found(err)
	}
	return o.write(std.Out, view(f, w, o.all))
}

func (o *options) write(to io.Writer, v difference.View) error {
	if o.format == "json" {
		_, err := fmt.Fprintf(to, "%s\n", printable.MarshalIndent(v, "", "  "))
		return err
	}
	s := difference.Screen{}
	if raw := cli.Terminal(to); spin.Moves(raw) { // write to the terminal directly: the view escapes characters that act on it, and sets colours
		to, s.Color = raw, os.Getenv("NO_COLOR") == ""
		s.Width, _, _ = term.GetSize(int(raw.(*os.File).Fd())) // this is a file, since Moves returned true
	}
	return v.Write(to, s)
}

// found gives an exit code to an error that is not a fault of the machine.
func found(err error) error {
	if errors.Is(err, review.ErrNone) || errors.Is(err, review.ErrDecided) {
		return &cli.Failure{Code: cli.ExitFound, Err: err}
	}
	return err
}

// leastDigits is how many digits of a digest -yes needs, so that no digest of another change set begins with the same digits.
const leastDigits = 12

func (o *options) approve(ctx context.Context, std cli.Stdio, id string) error {
	f, k, err := o.open(ctx)
	if err != nil {
		return err
	}
	w, err := k.Get(ctx, id)
	err = errors.Join(found(err), k.Close())
	if err != nil {
		return err
	}
	if w.State != review.Pending {
		return found(fmt.Errorf("%w: the change set is %s", review.ErrDecided, w.State))
	}
	v := view(f, w, false)
	switch {
	case o.yes != "" && (len(o.yes) < leastDigits || !strings.HasPrefix(w.Digest(), o.yes)):
		return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("-yes: want the digest that exo approvals show %s prints, or at least its first %d digits", w.ID, leastDigits)}
	case o.yes == "":
		if err := o.write(std.Out, v); err != nil {
			return err
		}
		if err := ask(std, v.Typed()); err != nil {
			return err
		}
	}
	by, err := difference.Operator()
	if err != nil {
		return err
	}
	p, err := f.PrincipalNamed(w.Principal)
	if err != nil {
		return err
	}
	d, err := o.Open(ctx, std, f)
	if err != nil {
		return err
	}
	defer d.Close()
	tool, closing, err := o.Tool(ctx, std, d, p)
	if err != nil {
		return err
	}
	res, err := tool.Apply(ctx, w.ID, w.Digest(), by)
	err = errors.Join(found(err), closing())
	switch {
	case err != nil:
		return err
	case res.Err != nil:
		return &cli.Failure{Code: cli.ExitFound, Err: errors.New(difference.Outcome(res.Err, true))} // with the full reason, since the operator may read the whole database
	}
	fmt.Fprintf(std.Out, "applied, by the run %s: %s\n", res.ID, v.Summary)
	return nil
}

// ask asks for yes at a terminal, or for the number of changes if there are more than 200.
func ask(std cli.Stdio, number string) error {
	in, ok := std.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return cli.Usagef("the input is no terminal, so exo can't ask a person: run the command in a terminal, or add -yes DIGEST")
	}
	want := "yes"
	if number != "" {
		want = number
		fmt.Fprint(std.Err, "to agree, type the number of changes: ")
	} else {
		fmt.Fprint(std.Err, "to agree, type yes: ")
	}
	answer, err := bufio.NewReader(io.LimitReader(in, 1<<10)).ReadString('\n')
	if err != nil || strings.TrimSpace(answer) != want {
		return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("you did not type %s, so the change still waits", want)}
	}
	return nil
}

func (o *options) reject(ctx context.Context, std cli.Stdio, id string) error {
	_, k, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	by, err := difference.Operator()
	if err == nil {
		err = found(k.Reject(ctx, id, o.why, by))
	}
	if err == nil {
		fmt.Fprintln(std.Out, "refused: nothing of it happens")
	}
	return err
}

func (o *options) link(ctx context.Context, std cli.Stdio, _ string) error {
	f, k, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	at := cmp.Or(o.at, f.Approvals.Link.Text)
	if !strings.HasSuffix(at, grantfile.PagePath) {
		return cli.Usagef("-at: want the address of the page of changes, like http://127.0.0.1:8642%s; without -at, the file needs `link` under `approvals`", grantfile.PagePath)
	}
	if o.as == "" {
		by, err := difference.Operator()
		if err != nil {
			return err
		}
		o.as = by.Name
	}
	secret, err := changespage.NewLink(ctx, k.Store, k.Key, o.as, time.Now())
	if err == nil {
		_, err = fmt.Fprintf(std.Out, "%s/link/%s\n", at, secret)
	}
	return err
}

func (o *options) settle(ctx context.Context, std cli.Stdio, _ string) error {
	f, k, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	d, err := o.Open(ctx, std, f)
	if err != nil {
		return err
	}
	defer d.Close()
	n, err := Settle(ctx, k.Keeper, d)
	if err == nil {
		fmt.Fprintf(std.Out, "settled: %d\n", n)
	}
	return err
}

// Settle asks the databases about the change sets that a process was applying when it was stopped. Databases without a witness can't answer.
func Settle(ctx context.Context, k *review.Keeper, d *grantfile.Declared) (int, error) {
	if len(d.Witnesses) < len(d.File.Databases) {
		return 0, fmt.Errorf("a database of %s has no `witness: true`, and so can't say whether it kept a run's changes. Add `witness: true` next to the database's `url`", d.File.Name)
	}
	return k.Reconcile(ctx, func(ctx context.Context, run exo.RunID) (yes bool, err error) {
		all, err := k.List(ctx, true)
		if err != nil {
			return false, err
		}
		var began time.Time
		if at := slices.IndexFunc(all, func(c review.ChangeSet) bool { return c.Applies != nil && *c.Applies == run }); at >= 0 {
			began = all[at].Decided
		}
		state, err := d.Kept(ctx, run, began)
		if err == nil && state == exo.StateUnknown {
			err = review.ErrLost
		}
		return state == exo.StateApplied, err
	})
}
