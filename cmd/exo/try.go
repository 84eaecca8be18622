package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode/repl"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/clients"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/try"
	"github.com/exoagent/exoagent/internal/zone"
	"github.com/exoagent/exoagent/schema"
)

func tryCommand() cli.Command {
	return cli.Command{
		Name:  "try",
		Args:  "URL",
		Short: "open a terminal on a database that nobody prepared, for one of its tenants",
		Long: `Drafts what exo init drafts, and keeps it in memory. It chooses one tenant that has rows, says which, and opens a terminal on the rows
of this tenant: type programs, or the number of a question that they answer. Programs may only read, and columns whose names sound
like secrets, persons or free text are left out. Nothing is written to the database.

URL is sqlite:PATH, postgres://user@host/database, env:NAME or file:PATH. Tables of all schemas are taken where names are looked up
in public alone. Where no table of tenants is found, it asks once, at a terminal; -tenant none says that everybody may see every row.

With a key of a model in the environment (GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY) it takes questions in words. Before
the first one it says which model sees which columns, and waits for a yes.

-client prints how a client of the Model Context Protocol starts exo try -serve. Before the first time it asks a person to type whose rows
these are; that is kept in the folder of the user's configuration, for as long as the same is granted. A whole database is not served so.
With -install it is added to the client: by the client's own command, or to its file, of which a copy is kept. No password is written.
-name gives the entry another name than exo, so that a client has several.

examples:
  exo try sqlite:shop.db
  exo try env:SHOP_URL -as store=2 -e 'payments.count()'
  exo try sqlite:shop.db -client cursor -install
  exo try -demo
`,
		Exits: "exit codes:\n  0  with a result\n  1  a program failed\n  2  the command line is wrong, or the terminal can't run\n  3  the database can't be read, or nothing says for whom\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &tryOptions{}
			fs.StringVar(&o.as, "as", "", "`CLAIMS`: on whose behalf, like store=2 (default: a tenant that has rows)")
			fs.StringVar(&o.tenant, "tenant", "", "`TABLE`: whose rows those of the others are, or the column that says so; none: everybody may see every row")
			fs.StringVar(&o.schemas, "schema", "", "`NAMES`: PostgreSQL's schemas, with commas, in the order in which names are looked up")
			fs.StringVar(&o.keep, "keep", "", "`FILE`: write the draft there, as exo init does")
			o.clientFlags(fs, "exo try -serve, once you have typed whose rows these are")
			fs.BoolVar(&o.serve, "serve", false, "serve the rows of -as to the client that started exo, if somebody has agreed to it by -client")
			fs.BoolVar(&o.demo, "demo", false, "a database of a project tracker, in memory, in place of URL")
			for _, f := range [][2]string{{"e", "`PROGRAM`: run a program; its result is printed as JSON"}, {"model", "`P:NAME`: which model; without it the first key in the environment decides"}} {
				fs.Func(f[0], f[1], func(v string) error { o.pass = append(o.pass, "-"+f[0]+"="+v); return nil })
			}
			fs.StringVar(&o.distrust, "distrust", "", distrustUsage)
			fs.StringVar(&o.zone, "zone", "", "`NAME`: the time zone of today and of local times, like Europe/Berlin (default: UTC)")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyFile}, "-keep": {cli.AnyFile}, "-client": clients.Names(), "-tenant": {draft.None}},
	}
}

type tryOptions struct {
	initOptions
	as, keep    string
	demo, serve bool
	pass        []string // the flags that are passed to the terminal, in order

	distrust, zone string // the values of -distrust and -zone, spelled as in a grant file
}

// trial is an open database with its draft.
type trial struct {
	try.Host
	about     string // the name of the database for people
	url       string
	at        string // the name of the URL in a grant file, like env:NAME
	text      string
	who       *try.Who
	questions []try.Question
	warnings  int
}

func (o *tryOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	if _, err := os.Lstat(o.keep); o.keep != "" && err == nil {
		return fmt.Errorf("-keep: %s exists: give another name for the file", o.keep)
	}
	if err := o.checkClient(); err != nil {
		return err
	}
	switch {
	case o.serve && (o.as == "" || o.demo || o.client != ""):
		return cli.Usagef("-serve needs -as CLAIMS, and can't be used with -demo or -client")
	case (o.serve || o.client != "") && len(o.pass) > 0:
		return cli.Usagef("leave out -e and -model: with -client and -serve, the client brings its own programs and model")
	case o.client != "" && o.demo:
		return cli.Usagef("leave out -client: the database of -demo is in memory, where no client can find it")
	}
	if err := checkDistrust(o.distrust); err != nil {
		return err
	}
	if _, err := zone.Load(o.zone); err != nil {
		return cli.Usagef("-zone: %s", err)
	}
	t, err := o.prepare(ctx, std, args)
	if t != nil && t.DB != nil {
		defer t.DB.Close()
	}
	if err != nil {
		return err
	}
	if o.serve {
		return o.serveDraft(ctx, std, t)
	}
	fmt.Fprintln(std.Err, t.greeting())
	if o.client != "" {
		return o.printClient(ctx, std, t)
	}
	if o.keep != "" {
		said, err := o.write(t, o.keep, nil)
		if err != nil {
			return err
		}
		fmt.Fprintln(std.Err, said)
	}
	app := replOf(t.Open.File, func(context.Context, *exosql.DB) (*grantfile.Declared, error) { return t.Open, nil })
	app.Name, app.About, app.DB, app.Consent = cli.ProgramName+" try", "A terminal on rows of "+t.about+".", t.DB, t.consent
	app.Keep = func(path string, ran []string) (string, error) { return o.write(t, path, ran) }
	for _, q := range t.questions {
		app.Questions = append(app.Questions, repl.Question(q))
	}
	flags := append([]string{"-no-history"}, o.pass...) // with this flag the terminal leaves no file
	if t.who.Claims != "" {
		flags = append(flags, "-user="+t.who.Claims)
	}
	return runRepl(app, flags, std)
}

// prepare opens the database that the arguments name, and drafts grants for it. It chooses the first principal, and the questions to offer.
// The caller closes the database, even after an error.
func (o *tryOptions) prepare(ctx context.Context, std cli.Stdio, args []string) (*trial, error) {
	opt, url := draft.Options{Name: "tracker", URL: "sqlite:tracker.db", About: "the demo"}, "sqlite::memory:"
	var setup func(context.Context, *sql.DB) error
	switch {
	case o.demo && (len(args) > 0 || o.keep != "" || o.schemas != ""):
		return nil, cli.Usagef("-demo brings its own database, in memory: leave out URL, -schema and -keep")
	case o.demo:
		setup = func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, tracker.Schema+tracker.Seed)
			return err
		}
	case len(args) != 1:
		return nil, cli.Usagef("want the URL of one database, sqlite:PATH or postgres://user@host/database, or -demo, not %d arguments", len(args))
	default:
		o.db = args[0]
		var err error
		if opt, url, err = o.database(); err != nil {
			return nil, err
		}
		s := source{db: url, schemas: o.schemas}
		if err := s.validate(); err != nil {
			return nil, err
		}
		opt.About = s.describe()
	}
	opt.Tenant = o.tenant
	t := &trial{about: opt.About, url: url, at: opt.URL}
	if err := o.draft(ctx, std, t, &opt, url, setup); err != nil {
		return t, err
	}
	_, err := cli.During(std, "looking for rows", func(cli.Stdio) (_ struct{}, err error) {
		if err = o.choose(ctx, t, opt, url); err == nil && o.client == "" && !o.serve {
			t.questions = t.Questions(ctx, t.who)
		}
		return struct{}{}, err
	})
	return t, err
}

// draft opens the database and drafts grants for it. If the draft is not sure which table has the tenants, draft asks once.
func (o *tryOptions) draft(ctx context.Context, std cli.Stdio, t *trial, opt *draft.Options, url string, setup func(context.Context, *sql.DB) error) (err error) {
	_, err = cli.During(std, "reading the catalogue of "+t.about, func(cli.Stdio) (_ struct{}, err error) {
		if opt.Schemas == nil && kindOf(url) == schema.Postgres {
			if opt.Schemas, err = allSchemas(ctx, url); err != nil {
				return struct{}{}, err
			}
		}
		at, err := strict.WithSchemas(url, opt.Schemas)
		if err == nil {
			t.DB, err = exosql.Open(ctx, at, &exosql.OpenOptions{Setup: setup, Images: repl.MaxImages})
		}
		if err == nil {
			t.Live, err = t.DB.Catalog(ctx)
		}
		return struct{}{}, err
	})
	if err != nil {
		return err
	}
	if t.Draft, err = draft.New(t.Live, *opt); err != nil {
		return cli.Usagef("%s", grantfile.Reason(err))
	}
	x := t.Draft.Tenant
	if o.tenant != "" || x != nil && (x.Sure != draft.Guess || x.ByName < len(x.Direct)) {
		return nil
	}
	guess := ""
	if x != nil { // only column names suggest this table
		guess = x.Table
	}
	ask := asker(std)
	switch {
	case ask == nil && x == nil:
		return fmt.Errorf("exo can't find out who owns the rows: add -tenant with the table of tenants, or with a column that has a row's tenant, or -tenant %s if everybody may see every row", draft.None)
	case ask == nil:
		return nil
	}
	fmt.Fprintf(std.Err, "Whose are the rows? Type the name of the table of their owners, or of a column that has a row's owner; %s if everybody may see every row.\n", draft.None)
	cli.DropTyped(std.In)
	if opt.Tenant, err = ask("The table, the column, or "+draft.None, schema.Printable(guess), nil); err != nil {
		return err
	}
	if o.tenant = opt.Tenant; opt.Tenant == schema.Printable(guess) {
		opt.Tenant = guess
	}
	if t.Draft, err = draft.New(t.Live, *opt); err != nil {
		return cli.Usagef("%s", grantfile.Reason(err))
	}
	return nil
}

// allSchemas returns the schemas of a database that have tables. It returns nil if the database or its URL sets a search path, or if there is only one
// schema.
func allSchemas(ctx context.Context, url string) ([]string, error) {
	pc, err := postgresConfig("URL", url)
	if err != nil || pc.RuntimeParams["search_path"] != "" || strings.Contains(pc.RuntimeParams["options"], "search_path") {
		return nil, err
	}
	live, err := (&source{db: url}).read(ctx, nil)
	if err != nil || slices.ContainsFunc(live.Path, func(s string) bool { return s != "public" }) {
		return nil, err
	}
	d, err := draft.New(live, draft.Options{})
	if err != nil {
		return nil, err
	}
	return d.Elsewhere(), nil
}

// choose checks the draft against the database, opens it like every command opens a grant file, and chooses the principal of programs.
func (o *tryOptions) choose(ctx context.Context, t *trial, opt draft.Options, url string) (err error) {
	o.open = map[string]*exosql.DB{opt.Name: t.DB}
	var rest []string
	if t.Draft, t.text, rest, err = o.finish(ctx, t.Live, opt, "draft.yaml", url); err != nil {
		return found(err)
	}
	if t.Draft.Granted() == 0 {
		return fmt.Errorf("exo found no table of this database that it can show: name another owner of the rows by -tenant. %s", strings.Join(t.Draft.Summary(), " "))
	}
	if len(rest) > 0 {
		return fmt.Errorf("exo try can't use this draft before a person corrects it: write it with exo init, and correct there:\n%s", strings.Join(rest, "\n"))
	}
	f, err := grantfile.Parse("draft.yaml", []byte(t.text))
	if err != nil {
		return found(err)
	}
	f.Zone, f.Distrust = o.zone, o.distrust
	var warnings []grantfile.Finding
	if t.Open, warnings, err = f.Open(ctx, &grantfile.Options{Databases: o.open}); err != nil {
		return found(err)
	}
	for _, w := range warnings {
		if w.Kind != exosql.NoIndex {
			t.warnings++
		}
	}
	if o.serve {
		return nil
	}
	if o.as == "" {
		t.who, err = t.Choose(ctx)
		if errors.Is(err, try.ErrNobody) {
			x := t.Draft.Tenant
			return fmt.Errorf("exo found no tenant in %s, which has no rows, or no key that can be typed: name a tenant with -as %s=%s, or show every row with -tenant %s", schema.Printable(x.Table), x.Claim, strings.ToUpper(x.Type), draft.None)
		}
		return err
	}
	if _, err := f.ParseClaims(o.as); err != nil {
		return cli.Usagef("-as: %s", grantfile.Reason(err))
	}
	t.who, err = t.Look(ctx, o.as)
	return err
}

// greeting names the tenant of the rows, the tables that all tenants share, and those left out, and shows how to see another tenant's rows.
func (t *trial) greeting() string {
	w, d := t.who, t.Draft
	var shared []string
	for _, x := range t.Open.File.Facets {
		if x.Scope.Shared {
			shared = append(shared, schema.Printable(x.Table.Text))
		}
	}
	everybodys := "Everybody's: none."
	if n := len(shared); n > 0 {
		everybodys = "Everybody's: " + strings.Join(shared[:min(n, 12)], ", ")
		if n > 12 {
			everybodys += fmt.Sprintf(" and %d more", n-12)
		}
		everybodys += "."
	}
	line := "Every row of " + count(d.Granted(), "table") + ". " + everybodys
	if x := d.Tenant; x != nil {
		name := ""
		if w.Name != "" {
			name = ", " + printable.Cut(printable.OneLine(w.Name), 60)
		}
		other := x.Claim + "=" + strings.ToUpper(x.Type)
		if len(w.Others) > 0 {
			other = w.Others[0]
		}
		what := "table"
		if x.Column != "" { // the tenant's own row does not count
			what = "other table"
		}
		line = fmt.Sprintf("These are the rows of %s%s, in %d of %s. For another: -as %s. %s", w.Claims, name, w.Filled, count(w.Tables, what), other, everybodys)
	}
	lines := []string{line}
	if x := d.Tenant; x != nil && x.Sure == draft.Guess {
		lines = append(lines, fmt.Sprintf("That rows belong to %s is a guess: -tenant TABLE or -tenant COLUMN names another owner.", schema.Printable(x.Table)))
	}
	known := len(lines)
	lines = append(lines, d.Summary()...)
	if t.warnings > 0 {
		lines = append(lines, "-keep FILE writes the draft, with what is left out and why. Then exo validate FILE explains "+count(t.warnings, "warning")+".")
	} else if len(lines) > known {
		lines = append(lines, "-keep FILE writes the draft, with what is left out and why.")
	}
	return strings.Join(lines, "\n")
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// consent is the text that a person agrees to before a model is asked on behalf of the claims.
func (t *trial) consent(model, claims string) string {
	return fmt.Sprintf("%s answers by programs. Its provider gets your question, the names of what is granted, and what the programs return: cells of these columns of %s.\n%sType yes to send it.",
		printable.OneLine(model), cmp.Or(printable.OneLine(claims), "everybody"), t.columns())
}

// columns lists the columns that are granted, one line for each table.
func (t *trial) columns() string {
	const most = 30
	var b strings.Builder
	tables := t.Draft.Shown()
	for _, s := range tables[:min(len(tables), most)] {
		names := scalar.Each(s.Columns, func(c draft.ShownColumn) string { return c.Name })
		fmt.Fprintf(&b, "  %s: %s\n", s.Grant, strings.Join(names, ", "))
	}
	if n := len(tables) - most; n > 0 {
		fmt.Fprintf(&b, "  and of %s more, which .tables lists\n", count(n, "table"))
	}
	return b.String()
}

// write writes the draft with the programs that ran, and returns advice on what to do with it.
func (o *tryOptions) write(t *trial, path string, ran []string) (string, error) {
	if o.demo {
		return "", errors.New("the demo's database is only in memory, so no grant file can name it: run exo try URL with a database of your own, and keep that draft")
	}
	first, rest, _ := strings.Cut(t.text, "\n")
	notes := []string{first, "# Tried with exo try, for " + cmp.Or(t.who.Claims, "everybody") + "."}
	if len(ran) > 0 {
		notes = append(notes, "# These programs ran:", "#")
	}
	for _, program := range ran {
		for l := range strings.Lines(program) {
			notes = append(notes, "#   "+schema.Printable(strings.TrimRight(l, "\r\n")))
		}
		notes = append(notes, "#")
	}
	if err := writeGrants(path, strings.Join(append(notes, rest), "\n"), false); err != nil {
		return "", err
	}
	said := fmt.Sprintf("%s: %d of %d tables are granted, to read. Next: read the file and change what should be otherwise, write reviewed: true into it, and run exo validate %[1]s", path, t.Draft.Granted(), len(t.Draft.Facets))
	if o.env != "" && os.Getenv(o.env) == "" {
		said += fmt.Sprintf("\nset the variable %s to the URL of the database: the file has only the variable's name", o.env)
	}
	return said, nil
}
