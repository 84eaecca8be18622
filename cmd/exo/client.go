package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode/mcp"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// clients are those for which exo knows where a server is configured.
func clients() []string { return []string{"claude", "claude-code", "codex", "cursor", "vscode"} }

// serveArgs start exo serve on a file.
func serveArgs(file string, d *draft.Draft) []string {
	args := []string{"serve", file}
	if d.Tenant != nil {
		args = append(args, "-as", d.Tenant.Claim+"="+strings.ToUpper(d.Tenant.Type))
	}
	return args
}

// snippet is what a client is given to start exo with arguments. env is the variable in which it finds the URL; "": none.
func snippet(client string, args []string, env string) string {
	name := "exo"
	const value = "the URL of the database"
	server := map[string]any{"command": cli.ProgramName, "args": args}
	if env != "" {
		server["env"] = map[string]string{env: value}
	}
	where, key := "", "mcpServers"
	switch client {
	case "claude":
		where = "claude_desktop_config.json, or .mcp.json of Claude Code"
	case "claude-code":
		words := []string{"claude", "mcp", "add", name}
		if env != "" {
			words = append(words, "-e", env+"="+value)
		}
		return strings.Join(scalar.Each(append(append(words, "--", cli.ProgramName), args...), shellWord), " ") + "\n"
	case "cursor":
		where = ".cursor/mcp.json"
	case "vscode":
		where, key = ".vscode/mcp.json", "servers"
		server["type"] = "stdio"
	case "codex":
		var b strings.Builder
		fmt.Fprintf(&b, "# ~/.codex/config.toml\n[mcp_servers.%s]\ncommand = %s\nargs = %s\n", name, asJSON(cli.ProgramName), asJSON(args))
		if env != "" {
			fmt.Fprintf(&b, "env = { %s = %s }\n", env, asJSON(value))
		}
		return b.String()
	}
	text, err := json.MarshalIndent(map[string]any{key: map[string]any{name: server}}, "", "  ")
	if err != nil {
		panic("exo: " + err.Error()) // texts, lists and maps of them
	}
	return "// " + where + "\n" + string(text) + "\n"
}

// asJSON is a text or a list of texts, which TOML writes as JSON does.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("exo: " + err.Error())
	}
	return string(b)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+-]+$`)

// shellWord is a word as a shell takes it.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Clients that start exo try -serve: what a person has agreed to at a terminal, once, is served, and nothing else.

// agreement is the file that says that somebody has agreed to serve the rows of claims, as they are granted now, of the database at a
// URL, whose password does not count. It is in the folder of the user's configuration.
func (t *trial) agreement(url, claims string) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	p, err := t.Open.File.ParseClaims(claims)
	if err != nil {
		return "", cli.Usagef("-as: %w", err)
	}
	place := url
	if kindOf(url) == schema.Postgres {
		pc, err := postgresConfig("URL", url)
		if err != nil {
			return "", err
		}
		// Another host, role or search path has other rows behind the same names; a password is no part of what was agreed to.
		place = asJSON([]any{pc.User, pc.Host, pc.Port, pc.Database, pc.RuntimeParams})
		for _, f := range pc.Fallbacks {
			place += asJSON([]any{f.Host, f.Port})
		}
	} else if path, err := filepath.Abs(strings.TrimPrefix(url, "sqlite:")); err == nil {
		place = "sqlite:" + path
	}
	sum := sha256.Sum256([]byte(asJSON([]any{place, p.Name(), t.Open.File.Lines()})))
	return filepath.Join(dir, "exoagent", "tried", fmt.Sprintf("%x", sum)), nil
}

// printClient prints what starts exo try -serve in a client. Before the first time a person types whose rows these are.
func (o *tryOptions) printClient(std cli.Stdio, t *trial) error {
	if t.Draft.Tenant == nil {
		return errors.New("a whole database is served only by a file that somebody has reviewed: -keep FILE writes it")
	}
	claims := t.who.Claims
	path, err := t.agreement(t.url, claims)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		ask := asker(std)
		if ask == nil {
			return &cli.Failure{Code: cli.ExitFound, Err: errors.New("somebody has to agree at a terminal, once: run the same command there")}
		}
		want := strings.TrimSpace(cmp.Or(printable.Cut(printable.OneLine(t.who.Name), 60), claims))
		fmt.Fprintf(std.Err, "Whatever starts exo try -serve on this machine then reads, for %s:\n%s", claims, t.columns())
		cli.DropTyped(std.In) // what was pasted behind the command agrees to nothing
		switch answer, err := ask("Type "+want+" to agree", "", nil); {
		case err != nil:
			return err
		case answer != want:
			return &cli.Failure{Code: cli.ExitFound, Err: errors.New("nothing was agreed to")}
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
	_, err = io.WriteString(std.Out, snippet(o.client, o.words(t.at, claims, "-serve"), o.env))
	return err
}

// refuse tells a client, and so its user, what to do before anything of the database at a place is served. It ends when the client does.
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
	reason := fmt.Sprintf("nobody has agreed that clients read the rows of %s as they are granted now. Run this at a terminal, once%s, and then start this server again: %s", o.as, variable, strings.Join(scalar.Each(words, shellWord), " "))
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

// words are the arguments by which exo try takes the same rows again, of the database at a place.
func (o *tryOptions) words(at, claims string, more ...string) []string {
	args := append([]string{"try", at, "-as", claims}, more...)
	if o.tenant != "" {
		args = append(args, "-tenant", o.tenant)
	}
	if o.schemas != "" {
		args = append(args, "-schema", o.schemas)
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
	// Served is the database that was looked at: a variable or a file may name another one by now.
	return s.serveFile(ctx, std, t.Open.File, t.Open.File.Name, &grantfile.Options{Databases: o.open})
}
