package main

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/corpus/schemas"
	"github.com/exoagent/exoagent/internal/testutil"
)

// prepared is a database of testdata, or of statements.
func prepared(t *testing.T, e testutil.Engine, statements ...string) (url string, raw *sql.DB) {
	t.Helper()
	url = e.URL(t)
	raw = e.SQLDB(t, url)
	for _, s := range statements {
		if _, err := raw.Exec(e.SQL(s)); err != nil {
			t.Fatalf("%v: %s", err, s)
		}
	}
	return url, raw
}

// drawn are the statements of a file of testdata/databases, or of testdata/schemas.
func drawn(t *testing.T, e testutil.Engine, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testutil.Root(), "testdata", "databases", name+"."+strings.ToLower(e.Pick("sqlite", "postgres"))+".sql"))
	if err == nil {
		return string(text)
	}
	app, err := schemas.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return app.SQL
}

// tried are databases, the tenant that is chosen, and a question with its answer in SQL.
var tried = []struct {
	name, whose  string
	program, sql string
}{
	{"crm", "workspace=1", "deals.count()", "SELECT count(*) FROM deals WHERE workspace_id = 1"},
	{"pagila", "store=1", "payments.count()", "SELECT count(*) FROM payment JOIN customer USING (customer_id) WHERE store_id = 1"},
	{"rails", "account=1, Acme", "posts.count()", "SELECT count(*) FROM posts WHERE user_id IN (SELECT id FROM users WHERE account_id = 1)"},
	{"erp", "company=AC01, Acme GmbH", "entries.count()", "SELECT count(*) FROM entry WHERE company_code = 'AC01'"},
}

// TestTryNewUser: on a database that nobody prepared the first right answer costs one command, no edit and no question.
func TestTryNewUser(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		for _, c := range tried {
			t.Run(c.name, func(t *testing.T) {
				url, raw := prepared(t, e, drawn(t, e, c.name))
				t.Chdir(t.TempDir())
				r := exo(t, "", "try", url, "-e", c.program)
				if want := rowsOf(t, raw, c.sql)[0]; r.code != cli.ExitDone || plainCell(strings.TrimSpace(r.out)) != want {
					t.Errorf("got %v, want %s", r, want)
				}
				if !strings.HasPrefix(r.err, "These are the rows of "+c.whose+", in ") || !strings.Contains(r.err, ". For another: -as ") || !strings.Contains(r.err, ". Everybody's: none.\n") {
					t.Errorf("the first line: %s", r.err)
				}
				if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
					t.Errorf("it left %v, %v", left, err)
				}
			})
		}
	})
}

// TestTryThreeSchemas: of a database whose tables are in three schemas those of all are shown, unless somebody chose a path.
func TestTryThreeSchemas(t *testing.T) {
	server := testutil.Server(t)
	admin := testutil.Admin(t, server)
	name := "exo_try_" + strings.ToLower(rand.Text()[:10])
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	url := testutil.InDatabase(t, server, name)
	raw := testutil.Postgres.SQLDB(t, url)
	for _, s := range []string{drawn(t, testutil.Postgres, "rails"), "CREATE SCHEMA core; CREATE SCHEMA people; CREATE SCHEMA press",
		"ALTER TABLE accounts SET SCHEMA core; ALTER TABLE users SET SCHEMA people; ALTER TABLE posts SET SCHEMA press"} {
		if _, err := raw.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "exo.yaml")
	r := exo(t, "", "try", url, "-e", "posts.select(p => p.user().account().name).distinct()", "-keep", file)
	if r.code != cli.ExitDone || r.out != "[\"Acme\"]\n" || !strings.Contains(r.err, "rows of account=1, Acme, in 3 of 3 other tables") {
		t.Error(r)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "    schema: [") {
		t.Errorf("%v\n%s", err, text)
	}
	if r := exo(t, "", "try", testutil.WithParam(t, url, "search_path", "people"), "-tenant", "account_id", "-e", "users.count()"); r.out != "2\n" {
		t.Errorf("a path that somebody chose: %v", r)
	}
	if r := exo(t, "", "try", url, "-schema", "core", "-tenant", "none", "-e", "accounts.count()"); r.out != "3\n" || !strings.Contains(r.err, "Every row of 1 table. Everybody's: accounts.") {
		t.Errorf("-schema: %v", r)
	}
}

// TestTryWhose: who is chosen, who is named, and that a whole database is shown to nobody who has not said so.
func TestTryWhose(t *testing.T) {
	shops := []string{"CREATE TABLE shops (id {int} PRIMARY KEY, title VARCHAR(20000))", "CREATE TABLE goods (id {int} PRIMARY KEY, shop_id {int} NOT NULL REFERENCES shops (id), price {int})",
		"CREATE TABLE visits (id {int} PRIMARY KEY, shop_id {int} NOT NULL REFERENCES shops (id))", "CREATE TABLE words (word VARCHAR(9))"}
	many := []string{"INSERT INTO shops VALUES (1, 'empty'), (2, 'half'), (3, 'other'), (7, 'full')", "INSERT INTO goods VALUES (1, 2, 5), (2, 2, 5), (3, 7, 6)", "INSERT INTO visits VALUES (1, 7)"}
	odd := []string{`CREATE TABLE "имя" (id {int} PRIMARY KEY, "a""b" VARCHAR(20))`, `CREATE TABLE "order lines; --" (id {int} PRIMARY KEY, x {int} NOT NULL REFERENCES "имя" (id), "unit price" {int})`,
		`INSERT INTO "имя" VALUES (1, 'x')`, `INSERT INTO "order lines; --" VALUES (1, 1, 5), (2, 1, 7)`}
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		for name, c := range map[string]struct {
			statements, args []string
			code             int
			out, says        string
		}{
			"the one with rows in most tables": {slices.Concat(shops, many), []string{"-e", "goods.select(g => g.price)"}, cli.ExitDone, "[6]\n", "rows of shop=7, full, in 2 of 2 other tables. For another: -as shop=2. "},
			"another":                          {slices.Concat(shops, many), []string{"-as", "shop=2", "-e", "goods.count()"}, cli.ExitDone, "2\n", "rows of shop=2, half, in 1 of 2 other tables. For another: -as shop=INT. "},
			"one without rows":                 {slices.Concat(shops, many), []string{"-as", "shop=99", "-e", "goods.count()"}, cli.ExitDone, "0\n", "rows of shop=99, in 0 of 2 other tables"},
			"no claim":                         {slices.Concat(shops, many), []string{"-as", "org=1", "-e", "1"}, cli.ExitUsage, "", "-as: "},
			"one tenant":                       {append(slices.Clone(shops), "INSERT INTO shops VALUES (4, 'only')"), []string{"-e", "shops.select(s => s.title)"}, cli.ExitDone, "[\"only\"]\n", "rows of shop=4, only, in 0 of 2 other tables"},
			"no rows":                          {shops, []string{"-e", "1"}, cli.ExitCannot, "", "exo found no tenant in shops, which has no rows, or no key that can be typed: name a tenant with -as shop=INT"},
			"no rows, and somebody":            {shops, []string{"-as", "shop=1", "-e", "goods.count()"}, cli.ExitDone, "0\n", "rows of shop=1, in 0 of 2 other tables"},
			"the whole":                        {slices.Concat(shops, many), []string{"-tenant", "none", "-e", "goods.count()"}, cli.ExitDone, "3\n", "Every row of 4 tables. Everybody's: goods, shops, visits, words.\n"},
			"nothing says whose":               {[]string{"CREATE TABLE words (id {int} PRIMARY KEY, n {int})", "INSERT INTO words VALUES (1, 5)"}, []string{"-e", "words.count()"}, cli.ExitCannot, "", "or -tenant none if everybody may see every row"},
			"no such tenant":                   {shops, []string{"-tenant", "nope", "-e", "1"}, cli.ExitUsage, "", "no foreign key refers to a table nope"},
			"a column":                         {[]string{"CREATE TABLE sites (id {int} PRIMARY KEY, region VARCHAR(9))", "INSERT INTO sites VALUES (1, 'x,y'), (2, 'north'), (3, 'x,')"}, []string{"-tenant", "region", "-e", "sites.select(x => x.id)"}, cli.ExitDone, "[2]\n", "rows of region=north, in 1 of 1 table. For another: -as region=TEXT. "},
			"keys that nobody can type":        {[]string{"CREATE TABLE sites (id {int} PRIMARY KEY, region VARCHAR(9))", "INSERT INTO sites VALUES (1, 'x,y'), (2, 'a\x1b[2J')"}, []string{"-tenant", "region", "-e", "1"}, cli.ExitCannot, "", "exo found no tenant in"},
			"two names of the owner": {[]string{"CREATE TABLE teams (id {int} PRIMARY KEY, name VARCHAR(9))", "CREATE TABLE users (id {int} PRIMARY KEY, current_team_id {int} REFERENCES teams (id))",
				"CREATE TABLE invites (id {int} PRIMARY KEY, team_id {int} NOT NULL REFERENCES teams (id))", "INSERT INTO teams VALUES (1, 'red'), (2, 'blue')", "INSERT INTO users VALUES (1, 1)", "INSERT INTO invites VALUES (1, 1)"}, []string{"-e", "1"}, cli.ExitDone, "1\n", "rows of team=1, red, in 2 of 2 other tables. For another: -as team=2. "},
			"a guess": {[]string{"CREATE TABLE posts (id {int} PRIMARY KEY, username VARCHAR(9))", "CREATE TABLE notes (id {int} PRIMARY KEY, post_id {int} NOT NULL)", "CREATE TABLE a (id {int} PRIMARY KEY)", "CREATE TABLE b (id {int} PRIMARY KEY)",
				"INSERT INTO posts VALUES (4, 'ann')", "INSERT INTO notes VALUES (1, 4)"}, []string{"-e", "1"}, cli.ExitDone, "1\n", "rows of post=4, ann, in 1 of 1 other table. For another: -as post=INT. Everybody's: none.\nThat rows belong to posts is a guess: -tenant TABLE or -tenant COLUMN names another owner.\n2 of 4 tables and views are left out: no column says who owns their rows (2).\n-keep FILE writes the draft, with what is left out and why."},
			"an evil name": {append(slices.Clone(shops), "INSERT INTO shops VALUES (1, '\x1b[2J\r\nroot> "+strings.Repeat("x", 10_000)+"')"), []string{"-e", "1"}, cli.ExitDone, "1\n", `rows of shop=1, \u001b[2J\u000d\nroot> xxx`},
			"odd names":    {odd, []string{"-e", "orderLines.sum('unitPrice')"}, cli.ExitDone, "12\n", "rows of x=1, "},
			"writes":       {slices.Concat(shops, many), []string{"-e", "goods.delete()"}, cli.ExitFound, "", "rows of shop=7"},
		} {
			t.Run(name, func(t *testing.T) {
				url, _ := prepared(t, e, c.statements...)
				r := exo(t, "", append([]string{"try", url}, c.args...)...)
				if r.code != c.code || r.out != c.out && c.code != cli.ExitFound || !strings.Contains(r.err, c.says) {
					t.Errorf("code %d, %s\n%s\nwant %d %s %s", r.code, r.out, r.err, c.code, c.out, c.says)
				}
				if line, _, _ := strings.Cut(r.err, "\n"); len(line) > 400 || strings.Contains(r.out+r.err, "\x1b") {
					t.Errorf("%q", r.err)
				}
			})
		}
	})
}

// TestTryLeavesNoTrace: the database is what it was, a secret is not shown, and the draft is what exo init writes, with the programs
// that ran before it.
func TestTryLeavesNoTrace(t *testing.T) {
	url, _ := prepared(t, testutil.SQLite, drawn(t, testutil.SQLite, "rails"), "ALTER TABLE users ADD COLUMN password_digest TEXT DEFAULT 'x'")
	path := strings.TrimPrefix(url, "sqlite:")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	r := exo(t, "posts.count()\nnope.count()\nusers.select(u => u.passwordDigest)\nusers\n  .count()\n.keep kept.yaml\n.keep kept.yaml\n.keep\n.ask how many?\n", "try", url, "-keep", "first.yaml")
	if !strings.HasPrefix(r.out, "3\n") || strings.Contains(r.out, `"x"`) || !strings.Contains(r.out, "kept.yaml: 4 of ") || !strings.Contains(r.err, "kept.yaml: file exists") || !strings.Contains(r.err, ".keep FILE writes") || !strings.Contains(r.err, "only after you have agreed: start the command without -ask") {
		t.Errorf("%+v", r)
	}
	after, err := os.ReadFile(path)
	if files, _ := filepath.Glob(path + "*"); err != nil || !bytes.Equal(before, after) || len(files) != 1 {
		t.Errorf("the database was changed, or something lies beside it: %v %v", err, files)
	}
	if r := exo(t, "", "init", "-db", url, "init.yaml"); r.code != cli.ExitDone {
		t.Fatal(r)
	}
	texts := map[string]string{}
	for _, name := range []string{"first.yaml", "kept.yaml", "init.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
		if r := exo(t, "", "validate", name); r.code != cli.ExitDone {
			t.Errorf("%s: %v", name, r)
		}
	}
	first, rest, _ := strings.Cut(texts["init.yaml"], "\n")
	if want := first + "\n# Tried with exo try, for account=1.\n" + rest; texts["first.yaml"] != want {
		t.Errorf("-keep: %s", texts["first.yaml"])
	}
	if want := first + "\n# Tried with exo try, for account=1.\n# These programs ran:\n#\n#   posts.count()\n#\n#   users\n#     .count()\n#\n" + rest; texts["kept.yaml"] != want {
		t.Errorf(".keep: %s", texts["kept.yaml"])
	}
	if r := exo(t, "", "serve", "kept.yaml", "-as", "account=1"); r.code != cli.ExitFound || !strings.Contains(r.err, "nobody has reviewed") {
		t.Error(r)
	}
}

// TestTryUsage: what a command line lacks is said, and no password of a URL is shown.
func TestTryUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "there.yaml")
	write(t, file, "")
	for args, want := range map[string]result{
		"try":                                   {cli.ExitUsage, "", "or -demo, not 0 arguments"},
		"try a b":                               {cli.ExitUsage, "", "or -demo, not 2 arguments"},
		"try -demo sqlite:x":                    {cli.ExitUsage, "", "leave out URL"},
		"try -demo -keep x":                     {cli.ExitUsage, "", "leave out URL"},
		"try mysql://u:sekret@h/d":              {cli.ExitUsage, "", "the URL of the database is wrong"},
		"try sqlite:/none -schema x":            {cli.ExitUsage, "", "leave out -schema"},
		"try sqlite:/there/is/none":             {cli.ExitCannot, "", "none"},
		"try postgres://u:sekret@127.0.0.1:1/d": {cli.ExitCannot, "", "refused"},
		"try sqlite:x -client emacs":            {cli.ExitUsage, "", "-client: want one of claude, "},
		"try sqlite:x -serve":                   {cli.ExitUsage, "", "-serve needs -as"},
		"try -demo -as organization=1 -serve":   {cli.ExitUsage, "", "-serve needs -as"},
		"try sqlite:x -install":                 {cli.ExitUsage, "", "-install and -name need -client"},
		"try sqlite:x -name shop":               {cli.ExitUsage, "", "-install and -name need -client"},
		"try sqlite:x -client claude -name a.b": {cli.ExitUsage, "", "-name: want letters"},
		"try sqlite:x -zone Mars/Olympus":       {cli.ExitUsage, "", "-zone: there is no time zone"},
		"try sqlite:x -distrust never":          {cli.ExitUsage, "", "-distrust: "},
		"try -demo -client claude":              {cli.ExitUsage, "", "leave out -client"},
		"try env:EXO_TRY_NONE":                  {cli.ExitCannot, "", "EXO_TRY_NONE is not set"},
		"try sqlite:x -keep " + file:            {cli.ExitCannot, "", "exists: give another name"},
	} {
		r := exo(t, "", strings.Fields(args)...)
		if r.code != want.code || r.out != "" || !strings.Contains(r.err, want.err) || strings.Contains(r.err, "sekret") {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// TestTryDemo: the demo needs no database.
func TestTryDemo(t *testing.T) {
	r := exo(t, "", "try", "-demo", "-e", "tasks.count()")
	if r.code != cli.ExitDone || r.out != "28\n" || !strings.HasPrefix(r.err, "These are the rows of organization=1, Acme Robotics, in 4 of 4 other tables. For another: -as organization=2. Everybody's: none.\n") {
		t.Error(r)
	}
	if r := exo(t, ".keep x.yaml\n", "try", "-demo", "-as", "organization=3"); !strings.Contains(r.err, "the demo's database is only in memory") {
		t.Error(r)
	}
}

// TestTryQuestions: each of the five questions is about the tables of the database, and is answered.
func TestTryQuestions(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		for name, want := range map[string]int{"crm": 5, "pagila": 5, "rails": 5, "northwind": 4, "chinook": 5, "empty": 2} {
			text := []string{"CREATE TABLE shops (id {int} PRIMARY KEY, title VARCHAR(9))", "INSERT INTO shops VALUES (1, 'only')", "CREATE TABLE goods (id {int} PRIMARY KEY, shop_id {int} NOT NULL REFERENCES shops (id), state VARCHAR(9), sold_at TIMESTAMP)"}
			if name != "empty" {
				text = []string{drawn(t, e, name)}
			}
			url, _ := prepared(t, e, text...)
			o := &tryOptions{}
			x, err := o.prepare(t.Context(), cli.Stdio{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}, []string{url})
			if err != nil {
				t.Fatal(err)
			}
			defer x.DB.Close()
			if len(x.questions) != want { // what would find nothing is not among them
				t.Errorf("%s: %d questions: %q", name, len(x.questions), x.questions)
			}
			p, err := x.Open.File.ParseClaims(x.who.Claims)
			if err != nil {
				t.Fatal(err)
			}
			tool, closing, err := toolOf(t.Context(), cli.Stdio{Out: io.Discard, Err: io.Discard}, x.Open, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer closing()
			for _, q := range x.questions {
				if r := tool.Run(t.Context(), q.Program); r.Err != nil || string(r.JSON) == "0" || string(r.JSON) == "[]" {
					t.Errorf("%s: %s: %s %v", name, q, r.JSON, r.Err)
				}
			}
		}
	})
}
