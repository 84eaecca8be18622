// Package accesscmd has the commands of exo that take access back from principals, and give it again.
package accesscmd

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/access"
	"github.com/exoagent/exoagent/internal/grantfile/identity"
	"github.com/exoagent/exoagent/internal/printable"
)

// options has the flags of one command.
type options struct {
	as, subject, issuer, principal, why string
	all, asJSON                         bool
}

// action does the work of a command on a grant file's list of revoked principals.
type action func(ctx context.Context, o *options, std cli.Stdio, f *grantfile.File, l *revoke.List, p exo.Principal) error

// reader reads the grant file that the arguments name.
type reader func(args []string) (*grantfile.File, error)

// Commands returns the commands. The function read reads the grant file that the arguments name.
func Commands(read func(args []string) (*grantfile.File, error)) cli.Commands {
	command := reader(read).command
	return cli.Commands{
		command("list", "list the principals whose access was taken back", `One line for each, with the time and the reason.

examples:
  exo access list exo.yaml
`, func(o *options, fs *flag.FlagSet) {
			fs.BoolVar(&o.asJSON, "json", false, "print it as JSON")
		}, show),
		command("revoke", "take access back from a principal, or from all", `Within two seconds every exo that serves or runs the file, on each machine with the same store, stops the programs of the principals
and begins no others. A program that is stopped changes nothing, unless it had come to its end. Changes that wait for a person go on waiting,
and results can't be read. Messages of earlier programs still leave. Who agrees to changes on the page is not stopped: their proxy is, and a
link's session ends within an hour. Files with the same store share the list. Of a folder, run this as the user who runs the servers.

examples:
  exo access revoke -as org=5 -why "has not paid"
  exo access revoke -subject ann -why "her laptop was stolen"
  exo access revoke -all -why "we look at what happened last night" exo.yaml
`, func(o *options, fs *flag.FlagSet) {
			o.whom(fs)
			fs.StringVar(&o.why, "why", "", "`TEXT`: the reason, for this list alone")
		}, revokeIn),
		command("restore", "give access again", `Takes an entry off the list, as exo access list shows it: with the flags that put it there. -all ends what revoke -all began; other
entries stay.

examples:
  exo access restore -subject ann
  exo access restore -all exo.yaml
`, (*options).whom, restoreIn),
	}
}

// command makes one of the commands.
func (read reader) command(name, short, long string, flags func(*options, *flag.FlagSet), run action) cli.Command {
	return cli.Command{
		Name: "access " + name, Args: "[FILE]", Short: short, Long: long,
		Exits: "exit codes:\n  0  done\n  1  the file is wrong, or the principal is not revoked\n  2  the command line is wrong\n  3  the file or its store can't be used\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &options{}
			flags(o, fs)
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				f, err := read(args)
				if err != nil {
					return err
				}
				p, err := o.entry(f, fs, name == "revoke")
				if err != nil {
					return err
				}
				list, closing, err := f.Access.Open(ctx)
				if err == nil && list == nil {
					err = &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf(access.Missing, f.Name)}
				}
				if err != nil {
					return err
				}
				defer closing()
				return run(ctx, o, std, f, list, p)
			}
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

// whom declares the flags that name principals.
func (o *options) whom(fs *flag.FlagSet) {
	fs.StringVar(&o.as, "as", "", "`CLAIMS`: the principals with these claims, like org=5,user=1; or with some of them, like org=5")
	fs.StringVar(&o.subject, "subject", "", "`NAME`: who comes with a token of this subject; or the name of a token in the file")
	fs.StringVar(&o.issuer, "issuer", "", "`URL` of the -subject's issuer; \"grant file\" for tokens in the file (default: any)")
	fs.StringVar(&o.principal, "principal", "", "`NAME`: an entry as exo access list prints it, or the name of a principal as the record has it")
	fs.BoolVar(&o.all, "all", false, "all principals")
}

func revokeIn(ctx context.Context, o *options, std cli.Stdio, _ *grantfile.File, l *revoke.List, p exo.Principal) error {
	if o.all {
		return report(std, l.RevokeAll(ctx, o.why), "all principals are revoked", p)
	}
	return report(std, l.Revoke(ctx, p, o.why), "%s is revoked", p)
}

func restoreIn(ctx context.Context, o *options, std cli.Stdio, _ *grantfile.File, l *revoke.List, p exo.Principal) error {
	if o.all {
		return report(std, l.RestoreAll(ctx), "those whom no other entry names have access again", p)
	}
	return report(std, l.Restore(ctx, p), "%s has access again, unless another entry names it", p)
}

// entry returns the entry that the flags name; "" for -all. An entry to revoke has to name a principal that the file can let in.
func (o *options) entry(f *grantfile.File, fs *flag.FlagSet, revokes bool) (exo.Principal, error) {
	if fs.Lookup("all") == nil {
		return "", nil
	}
	var given []string
	empty := false
	fs.Visit(func(x *flag.Flag) { // an empty variable of a shell must not name more than was meant
		if x.Name == "why" || x.Name == "all" && !o.all {
			return
		}
		given = append(given, x.Name)
		empty = empty || x.Value.String() == ""
	})
	if n := len(given); empty || n == 0 || n > 1 && (o.all || o.principal != "") {
		return "", cli.Usagef("say whose access: -as CLAIMS, -subject NAME or both, or else -principal NAME, or else -all; no flag may be empty")
	}
	p, err := f.ParseSome(o.as)
	if err != nil {
		return "", cli.Usagef("-as: %s", grantfile.Reason(err))
	}
	who, _ := identity.Parse(p.Name())
	if who.Issuer, who.Subject = o.issuer, o.subject; o.issuer != "" && o.subject == "" {
		return "", cli.Usagef("-issuer needs -subject NAME, too")
	}
	for claim, v := range who.Claims {
		if list, is := v.([]any); is && len(list) == 0 {
			return "", cli.Usagef("-as: the claim %s without a value would name every principal: write a value, like %[1]s=open", claim)
		}
	}
	if o.as != "" && len(who.Claims) == 0 {
		return "", cli.Usagef("-as names no claim: want claims like org=5")
	}
	if revokes && o.subject != "" && !lets(f, o.subject, o.issuer) {
		return "", cli.Usagef("%s lets in no client with the subject %q%s: want the name of a token under `serve`, or a subject of one of its issuers", f.Name, o.subject, o.ofIssuer())
	}
	return cmp.Or(exo.Principal(o.principal), who.Name()), nil
}

// ofIssuer names -issuer, for errors.
func (o *options) ofIssuer() string {
	if o.issuer == "" {
		return ""
	}
	return fmt.Sprintf(" of the issuer %q", o.issuer)
}

// lets reports whether a token of the file may have this subject and issuer. An issuer "" means any issuer.
func lets(f *grantfile.File, subject, issuer string) bool {
	known := slices.ContainsFunc(f.Serve.Issuers, func(i grantfile.Issuer) bool { return issuer == "" || i.Text == issuer })
	own := slices.ContainsFunc(f.Serve.Tokens, func(t grantfile.Token) bool { return t.Text == subject })
	return known || own && (issuer == "" || issuer == grantfile.TokenIssuer)
}

// report prints that a principal, or all of them, lost or got back access. It returns err if the command failed.
func report(std cli.Stdio, err error, format string, p exo.Principal) error {
	if errors.Is(err, revoke.ErrNotRevoked) {
		return &cli.Failure{Code: cli.ExitFound, Err: errors.New("the list has no such entry: exo access list prints all entries")}
	}
	if err != nil {
		return err
	}
	if p != "" {
		format = fmt.Sprintf(format, printable.OneLine(string(p)))
	}
	_, err = fmt.Fprintln(std.Out, format)
	return err
}

func show(ctx context.Context, o *options, std cli.Stdio, f *grantfile.File, l *revoke.List, _ exo.Principal) error {
	all, err := l.Entries(ctx)
	if err != nil {
		return err
	}
	if o.asJSON {
		if all == nil {
			all = []revoke.Entry{}
		}
		_, err := fmt.Fprintf(std.Out, "%s\n", printable.MarshalIndent(all, "", "  "))
		return err
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(std.Err, "nobody is revoked")
		return err
	}
	for _, e := range all {
		who, _ := identity.Parse(e.Principal)
		for claim := range who.Claims {
			if !slices.ContainsFunc(f.Claims, func(c grantfile.Claim) bool { return c.Text == claim }) {
				fmt.Fprintf(std.Err, "the entry %s no longer concerns any principal: `principal` in %s has no claim %s\n", printable.OneLine(string(e.Principal)), f.Name, claim)
			}
		}
	}
	w := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "REVOKED\tSINCE\tWHY")
	for _, e := range all {
		name := printable.OneLine(string(e.Principal))
		if e.All {
			name = "all principals"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, e.At.Format("2006-01-02 15:04:05 UTC"), printable.OneLine(e.Why))
	}
	return w.Flush()
}
