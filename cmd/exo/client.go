package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode/mcp"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/clients"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/schema"
)

// serveArgs returns the arguments that start exo serve on a file.
func serveArgs(file string, d *draft.Draft) []string {
	args := []string{"serve", file}
	if d.Tenant != nil {
		args = append(args, "-as", d.Tenant.Claim+"="+strings.ToUpper(d.Tenant.Type))
	}
	return args
}

// clientOptions are the flags for the entry of exo in a client's configuration.
type clientOptions struct {
	client, name string
	install      bool
}

func (o *clientOptions) clientFlags(fs *flag.FlagSet, what string) {
	fs.StringVar(&o.client, "client", "", "`NAME`: print how claude, claude-code, cursor, vscode or codex starts "+what)
	fs.BoolVar(&o.install, "install", false, "with -client: add that to the client's own configuration, in place of printing it")
	fs.StringVar(&o.name, "name", "", "`NAME`: with -client: what the client calls it, so that it can have several (default: "+cli.ProgramName+")")
}

func (o *clientOptions) checkClient() error {
	if names := strings.Join(clients.Names(), ", "); o.client != "" && !slices.Contains(clients.Names(), o.client) {
		return cli.Usagef("-client: want one of %s, not %q", names, o.client)
	} else if (o.install || o.name != "") && o.client == "" {
		return cli.Usagef("-install and -name need -client with one of %s", names)
	}
	if o.name != "" && !clients.IsName(o.name) {
		return cli.Usagef("-name: want letters, digits, - and _, not %q", o.name)
	}
	return nil
}

// give prints an entry for a client's configuration, or adds it to the client.
func (o *clientOptions) give(ctx context.Context, std cli.Stdio, e clients.Entry) error {
	if e.Client, e.Name = o.client, o.name; o.install {
		return e.Install(ctx, std)
	}
	_, err := io.WriteString(std.Out, e.Text())
	return err
}

// A client that starts exo try -serve gets only rows that a person has agreed to once, at a terminal.

// agreement returns the path of a file. The file exists if a person has agreed to serve the rows of claims in the database at url, as they are
// granted now. The password in url does not matter. The file is in the folder of the user's configuration.
func (t *trial) agreement(url, claims string) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	p, err := t.Open.File.ParseClaims(claims)
	if err != nil {
		return "", cli.Usagef("-as: %s", grantfile.Reason(err))
	}
	place := url
	if kindOf(url) == schema.Postgres {
		pc, err := postgresConfig("URL", url)
		if err != nil {
			return "", err
		}
		// With another host, role or search path, the same names may mean other rows, so such a change needs a new agreement. A new password needs
		// none.
		parts := []any{pc.User, pc.Host, pc.Port, pc.Database, pc.RuntimeParams}
		for _, f := range pc.Fallbacks {
			parts = append(parts, f.Host, f.Port)
		}
		place = string(printable.Marshal(parts))
	} else if path, err := filepath.Abs(strings.TrimPrefix(url, "sqlite:")); err == nil {
		place = "sqlite:" + path
	}
	sum := sha256.Sum256(printable.Marshal([]any{place, p.Name(), t.Open.File.Lines()}))
	return filepath.Join(dir, "exoagent", "tried", fmt.Sprintf("%x", sum)), nil
}

// printClient prints the entry that starts exo try -serve, or adds it to the client. The first time, a person must type the name or the claims of the rows' owner.
func (o *tryOptions) printClient(ctx context.Context, std cli.Stdio, t *trial) error {
	if t.Draft.Tenant == nil {
		return fmt.Errorf("-client serves the rows of one tenant, but -tenant %s names no tenant. To serve every row, write a draft with -keep FILE, read it, write reviewed: true into it, and run exo serve FILE -client %s", draft.None, o.client)
	}
	claims := t.who.Claims
	path, err := t.agreement(t.url, claims)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		ask := asker(std)
		if ask == nil {
			return &cli.Failure{Code: cli.ExitFound, Err: errors.New("a person has to agree once, at a terminal, that clients read these rows: run the same command in a terminal")}
		}
		want := strings.TrimSpace(cmp.Or(printable.Cut(printable.OneLine(t.who.Name), 60), claims))
		fmt.Fprintf(std.Err, "If you agree, each program that starts exo try -serve on this machine can read, for %s:\n%s", claims, t.columns())
		cli.DropTyped(std.In) // drop text that was pasted after the command, since it is no agreement
		switch answer, err := ask("Type "+want+" to agree", "", nil); {
		case err != nil:
			return err
		case answer != want:
			return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("you did not type %s, so nothing was changed: run the command again to agree", want)}
		}
		err = os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(claims+" of "+t.about+"\n"), 0o600)
		}
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return o.give(ctx, std, clients.Entry{Args: o.words(t.at, claims, "-serve"), Var: o.env, URL: t.url})
}

// refuse serves only a text that explains to the client's user what to do before the database called at is served. It returns when the client ends.
func (o *tryOptions) refuse(ctx context.Context, std cli.Stdio, at string) error {
	self, err := os.Executable()
	if err != nil {
		self = cli.ProgramName
	}
	variable := ""
	if o.env != "" {
		variable = ", with the URL of the database in the variable " + o.env
	}
	words := append([]string{self}, o.words(at, o.as, "-client", "claude")...)
	reason := fmt.Sprintf("nobody has agreed yet that clients read the rows of %s with these grants. Run this once in a terminal%s, and then start this server again: %s", o.as, variable, clients.Line(words))
	fmt.Fprintln(std.Err, cli.ProgramName+" try: "+reason)
	in, ok := std.In.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(std.In)
	}
	if err := mcp.Refuse(ctx, cli.ProgramName, moduleVersion(), reason, in, keptOpen{cli.Terminal(std.Out)}); err != nil {
		return err
	}
	return &cli.Failure{Code: cli.ExitFound}
}

// words returns the arguments of a command line that serves the same rows again. The argument at is the database as the first command named it.
func (o *tryOptions) words(at, claims string, more ...string) []string {
	args := append([]string{"try", at, "-as", claims}, more...)
	for _, f := range [][2]string{{"-tenant", o.tenant}, {"-schema", o.schemas}, {"-zone", o.zone}, {"-distrust", o.distrust}} {
		if f[1] != "" {
			args = append(args, f[0], f[1])
		}
	}
	return args
}

// serveDraft serves the draft to the client that started it.
func (o *tryOptions) serveDraft(ctx context.Context, std cli.Stdio, t *trial) error {
	path, err := t.agreement(t.url, o.as)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); t.Draft.Tenant == nil || err != nil {
		return o.refuse(ctx, std, t.at)
	}
	s := &serveOptions{as: o.as, labels: 24 * time.Hour, drain: 30 * time.Second}
	// Serve the database that is already open: by now, a variable or a file may name another one.
	return s.serveFile(ctx, std, t.Open.File, t.Open.File.Name, &grantfile.Options{Databases: o.open})
}
