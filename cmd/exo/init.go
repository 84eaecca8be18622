package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/clients"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

func initCommand() cli.Command {
	return cli.Command{
		Name:  "init",
		Args:  "[FILE]",
		Short: "draft a grant file from a database",
		Long: `Reads the catalogue of a database, and writes a grant file (default: exo.yaml) for a person to read and change. Nothing is
written to the database. Of rows only this is read: of SQLite the first and the last 500 of each table (fewer in a
database of more than 80), by which the file says how times, days and truth values are stored. What isn't given is asked for at a
terminal, and nowhere else.

The file grants what it can say whose it is: the rows of tables that lead, by foreign keys or by the names of columns, to one table of
tenants. The other tables, and columns whose names sound like secrets, persons or free text, are comments in it, with the reason. Programs
may only read.
It says reviewed: false, and nothing serves it before a person has changed that.

-db takes the URL itself, or where it is: env:NAME, file:PATH. The file never holds a URL of PostgreSQL, which may have a password.
-tenant none says that there is one tenant: everybody may reach every row.

examples:
  exo init -db sqlite:shop.db
  exo init -db env:SHOP_URL -tenant stores -client cursor
`,
		Exits: "exit codes:\n  0  the file is written, and exo validate finds nothing wrong in it\n  1  it is written, and something is left to do before it is valid\n  2  the command line is wrong\n  3  the database can't be read, or the file is there already\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &initOptions{}
			fs.StringVar(&o.db, "db", "", "`URL`: the database: sqlite:PATH, postgres://user@host/database, env:NAME, file:PATH")
			fs.StringVar(&o.schemas, "schema", "", "`NAMES`: PostgreSQL's schemas, with commas, in the order in which names are looked up (default: the database's)")
			fs.StringVar(&o.tenant, "tenant", "", "`TABLE`: whose rows those of the others are, or the column that says so; none: there is one tenant")
			fs.StringVar(&o.client, "client", "", "`NAME`: print how claude, claude-code, cursor, vscode or codex starts exo serve")
			fs.BoolVar(&o.force, "force", false, "write over a file that is there")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyFile}, "-client": clients.Names(), "-tenant": {draft.None}},
	}
}

type initOptions struct {
	clientOptions
	db, schemas, tenant string
	force               bool
	env                 string                // the environment variable that has the URL; "": none
	open                map[string]*exosql.DB // databases that are already open, by their names in the file
}

func (o *initOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	if err := o.checkClient(); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil && !o.force {
		return fmt.Errorf("%s exists: give another name for the file, or -force to write over it", path)
	}
	ask := asker(std)
	if o.db == "" {
		if ask == nil {
			return cli.Usagef("-db is missing: give sqlite:PATH, postgres://user@host/database, or where the URL is, as env:NAME or file:PATH")
		}
		if o.db, err = ask("The database (sqlite:PATH, postgres://user@host/database, env:NAME, file:PATH)", "", nil); err != nil {
			return err
		}
	}
	opt, url, err := o.database()
	if err != nil {
		return err
	}
	s := source{db: url, schemas: o.schemas}
	if err := s.validate(); err != nil {
		return err
	}
	live, err := cli.During(std, "reading the catalogue of "+s.describe(), func(cli.Stdio) (*schema.Database, error) { return s.read(ctx, nil) })
	if err != nil {
		return err
	}
	opt.About, opt.Tenant = s.describe(), o.tenant
	d, err := draft.New(live, opt)
	if err != nil {
		return cli.Usagef("%s", grantfile.Reason(err))
	}
	if o.tenant == "" && ask != nil && len(d.Tenants) > 0 {
		if opt.Tenant, err = o.askTenant(std, ask, d); err != nil {
			return err
		}
	}
	if o.client == "" && ask != nil {
		if o.client, err = ask("The client ("+strings.Join(clients.Names(), ", ")+", or none)", "none", append(clients.Names(), "none")); err != nil {
			return err
		}
	}
	made, err := cli.During(std, "holding the draft against the database", func(cli.Stdio) (m drafted, err error) {
		m.draft, m.text, m.rest, err = o.finish(ctx, live, opt, path, url)
		return m, err
	})
	if err != nil {
		return err
	}
	if err := writeGrants(path, made.text, o.force); err != nil {
		return err
	}
	return o.report(std, made.draft, path, made.rest)
}

// drafted is the result of finish.
type drafted struct {
	draft *draft.Draft
	text  string
	rest  []string
}

// database returns options with the URL in the form of the grant file, like env:NAME, and the URL itself.
func (o *initOptions) database() (opt draft.Options, url string, err error) {
	opt.Schemas = list(o.schemas)
	kind, rest, _ := strings.Cut(o.db, ":")
	switch {
	case kind == "env" || kind == "file":
		at := grantfile.Secret{Kind: kind, Name: rest}
		opt.URL = at.String()
		if kind == "env" {
			o.env = rest
		} else if full, err := filepath.Abs(rest); err != nil {
			return opt, "", err
		} else {
			opt.URL = "file:" + full // the path becomes absolute, since the grant file would read a relative one from its own folder
		}
		if url, err = at.Read(os.Getenv); err != nil {
			return opt, "", err
		}
		opt.Name = databaseName(url)
		return opt, url, nil
	case kindOf(o.db) == schema.SQLite:
		path, err := filepath.Abs(rest)
		opt.URL, opt.Name = "sqlite:"+path, databaseName(o.db)
		return opt, o.db, err
	}
	opt.Name = databaseName(o.db)
	o.env = strings.ToUpper(opt.Name) + "_URL"
	opt.URL = "env:" + o.env
	return opt, o.db, nil
}

var notWord = scalar.Pattern(`[^A-Za-z0-9]+`)

// databaseName returns the name that the grant file gives to a database. It has no user, host or password of the URL.
func databaseName(url string) string {
	name := ""
	if kindOf(url) == schema.SQLite {
		name = filepath.Base(strings.TrimPrefix(url, "sqlite:"))
		name = strings.TrimSuffix(name, filepath.Ext(name))
	} else if pc, err := postgresConfig("-db", url); err == nil {
		name = pc.Database
	}
	name = strings.Trim(notWord().ReplaceAllString(name, "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "db"
	}
	return strings.ToLower(name)
}

func (o *initOptions) askTenant(std cli.Stdio, ask question, d *draft.Draft) (string, error) {
	fmt.Fprintln(std.Err, "Which table has the tenants? Other tables refer to these:")
	var names []string
	for i, t := range d.Tenants {
		names = append(names, t.Table)
		if i < 5 {
			fmt.Fprintf(std.Err, "  %s: from %d of %d other tables (%s)\n", t.Table, len(t.Direct)+t.Through, t.Of, t.Sure)
		}
	}
	return ask("The table of tenants, or none", names[0], append(names, draft.None))
}

// finish makes a draft, and checks it against the database as exo validate does. It leaves out the tables that can't be declared or that have
// a finding, and pins the others. The result rest lists the faults that remain.
func (o *initOptions) finish(ctx context.Context, live *schema.Database, opt draft.Options, path, url string) (d *draft.Draft, text string, rest []string, err error) {
	opt.Out = map[string]string{}
	getenv := func(name string) string {
		if name == o.env {
			return url
		}
		return os.Getenv(name)
	}
	var why error // the reason why the last table was left out, reported if draft.New then fails
	for range len(live.Tables) + 1 {
		if d, err = draft.New(live, opt); err != nil {
			return nil, "", nil, cmp.Or(why, err)
		}
		text = d.Text(nil)
		if d.Granted() == 0 {
			return d, text, []string{"nothing is granted yet: " + o.nothing(d)}, nil
		}
		pins, findings, err := inspect(ctx, path, text, &grantfile.Options{Env: getenv, Databases: o.open})
		if wrong, ok := errors.AsType[*grantfile.Errors](err); ok && leaveOut(d, opt.Out, wrong) {
			why = err
			continue
		}
		if err != nil {
			return nil, "", nil, err
		}
		text, rest = d.Text(pins), nil
		again := false
		for _, f := range findings {
			switch {
			case f.Warning:
			case f.Table != "" && opt.Out[f.Table] == "" && slices.ContainsFunc(d.Facets, func(x *draft.Facet) bool { return x.Table == f.Table && x.Out == "" }):
				opt.Out[f.Table], again = f.Problem, true
			default:
				rest = append(rest, f.String())
			}
		}
		if !again {
			break
		}
	}
	return d, text, rest, nil
}

// nothing returns advice for a draft that grants nothing.
func (o *initOptions) nothing(d *draft.Draft) string {
	switch in := d.Elsewhere(); {
	case len(in) > 0:
		return "tables are in other schemas than those in which names are looked up: run the same command with -force -schema " + schema.Printable(strings.Join(in, ","))
	case d.Tenant == nil && o.tenant != draft.None:
		return "say who owns the rows: run the same command with -force -tenant TABLE or COLUMN, or -tenant none where everybody may see every row; or take out the # before what programs may see"
	}
	return "take out the # before what programs may see"
}

// leaveOut adds each table that can't be declared to out, with the reason. It returns false if it adds none, because each fault belongs to no
// table, or to a table in out.
func leaveOut(d *draft.Draft, out map[string]string, wrong *grantfile.Errors) bool {
	more := false
	for _, p := range wrong.Problems {
		if table := d.TableAt(p.Line); table != "" && out[table] == "" {
			out[table], more = p.Msg, true
		}
	}
	return more
}

// inspect returns the digests of a draft's tables, and the findings of exo validate about the draft.
func inspect(ctx context.Context, path, text string, opt *grantfile.Options) (map[string]string, []grantfile.Finding, error) {
	f, err := grantfile.Parse(path, []byte(text))
	if err != nil {
		return nil, nil, fmt.Errorf("exo can't read the draft that it wrote, which is a bug of exo: please report it: %w", err)
	}
	decl, findings, err := f.DeclareAndCheck(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	defer decl.Close()
	return decl.Digests(), findings, nil
}

// writeGrants writes a file. If the file exists, writeGrants fails; with force, the new file replaces it in one step.
func writeGrants(path, text string, force bool) error {
	if !force {
		return atomicfile.Create(path, []byte(text), 0o644)
	}
	return atomicfile.Replace(path, []byte(text), 0o644)
}

func (o *initOptions) report(std cli.Stdio, d *draft.Draft, path string, rest []string) error {
	fmt.Fprintf(std.Err, "%s: %d of %d tables are granted, to read; the others are comments, with the reason\n", path, d.Granted(), len(d.Facets))
	for _, l := range d.Summary() {
		fmt.Fprintln(std.Err, schema.Printable(l))
	}
	if t := d.Tenant; t != nil {
		fmt.Fprintf(std.Err, "each row belongs to a row of %s, to which %d of %d other tables lead (%s); if that is wrong, run the same command with -force -tenant TABLE or COLUMN, or -tenant none where everybody may see every row\n", schema.Printable(t.Table), len(t.Direct)+t.Through, t.Of, t.Sure)
	}
	if in := d.Elsewhere(); len(in) > 0 && d.Granted() > 0 {
		fmt.Fprintf(std.Err, "tables of other schemas are left out: to draft these too, run the same command with -force -schema %s\n", schema.Printable(strings.Join(in, ",")))
	}
	if o.env != "" && os.Getenv(o.env) == "" {
		fmt.Fprintf(std.Err, "set the variable %s to the URL of the database: the file has only the variable's name\n", o.env)
	}
	fmt.Fprintf(std.Err, "next: read %s and change what should be otherwise, write reviewed: true into it, and run exo validate %[1]s\n", path)
	if o.client != "" && o.client != "none" {
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(std.Out, clients.Entry{Client: o.client, Args: serveArgs(full, d), Var: o.env}.Text()); err != nil {
			return err
		}
	}
	if len(rest) > 0 {
		return &cli.Failure{Code: cli.ExitFound, Err: errors.New("the file is not valid yet; what is left to do:\n" + strings.Join(rest, "\n"))}
	}
	return nil
}

// question asks a person for one thing. The argument allowed has the possible answers; nil means any text.
type question func(what, otherwise string, allowed []string) (string, error)

// asker returns a question for the terminal. It returns nil if the input is no terminal, so that a script never waits for an answer.
func asker(std cli.Stdio) question {
	in, ok := std.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	lines := bufio.NewReader(io.LimitReader(in, 1<<16))
	return func(what, otherwise string, allowed []string) (string, error) {
		for {
			prompt := what
			if otherwise != "" {
				prompt += " [" + otherwise + "]"
			}
			fmt.Fprint(std.Err, prompt+": ")
			answer, err := lines.ReadString('\n')
			if err != nil {
				return "", errors.New("the input ended before an answer: run the command again")
			}
			if answer = strings.TrimSpace(answer); answer == "" {
				answer = otherwise
			}
			if answer != "" && (allowed == nil || slices.Contains(allowed, answer)) {
				return answer, nil
			}
			if allowed != nil {
				fmt.Fprintf(std.Err, "want one of %s\n", strings.Join(allowed, ", "))
			}
		}
	}
}
