package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/corpus/schemas"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/testutil"
)

// filmsURL names the variable that holds the URL of the database.
const filmsURL = "PAGILA_TEST_URL"

// rentedFilms makes a database of films that are rented, pagila, and an empty working folder.
func rentedFilms(t *testing.T, e testutil.Engine) (url string, raw *sql.DB) {
	t.Helper()
	app, err := schemas.Open("pagila")
	if err != nil {
		t.Fatal(err)
	}
	url = e.URL(t)
	raw = e.SQLDB(t, url)
	if _, err := raw.Exec(app.SQL); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv(filmsURL, url)
	return url, raw
}

// TestInit: a database becomes a file that exo validate takes as it is, and nothing is asked where there is no terminal.
func TestInit(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		url, _ := rentedFilms(t, e)
		const db = "env:" + filmsURL
		for _, c := range []struct {
			args string
			code int
			says string
		}{
			{"init", cli.ExitUsage, "-db is missing"},
			{"init -db " + db + " -client emacs", cli.ExitUsage, "-client: want one of"},
			{"init -db " + db + " -tenant nope", cli.ExitUsage, "no foreign key refers to a table nope, and no table has a column nope: want one of store, "},
			{"init -db env:PAGILA_TEST_NONE", cli.ExitCannot, "PAGILA_TEST_NONE is not set"},
			{"init -db " + db, cli.ExitDone, "exo.yaml: 6 of "},
			{"init -db " + db, cli.ExitCannot, "exo.yaml exists: give another name"},
			{"init -db " + db + " -force", cli.ExitDone, "a row of store, to which 5 of 11 other tables lead (likely)"},
			{"validate", cli.ExitDone, "nothing is wrong, and nobody has reviewed it"},
			{"init -db " + db + " one.yaml -tenant none", cli.ExitDone, "one.yaml: 12 of "},
			{"validate one.yaml", cli.ExitDone, "nothing is wrong"},
		} {
			r := exo(t, "", strings.Fields(c.args)...)
			if text := r.out + r.err; r.code != c.code || !strings.Contains(text, c.says) {
				t.Errorf("%s: code %d, want %d and %q\n%s", c.args, r.code, c.code, c.says, text)
			}
		}
		text, err := os.ReadFile("exo.yaml")
		if err != nil || strings.Contains(string(text), url) {
			t.Errorf("%v: the URL is in the file, or there is none:\n%s", err, text)
		}
		if r := exo(t, "", "run", "-as", "store=1", "-e", "payments.customer().store().select(s => s.storeId)"); r.out != "[1]\n" {
			t.Errorf("a program on the draft: %v", r)
		}
	})
}

// TestInitURL: of a URL the file has the path of a file of SQLite, made absolute, and nothing else.
func TestInitURL(t *testing.T) {
	url, _ := database(t, shop)
	dir := filepath.Dir(strings.TrimPrefix(url, "sqlite:"))
	t.Chdir(dir)
	r := exo(t, "", "init", "-db", "sqlite:shop.db", "-client", "codex")
	text, err := os.ReadFile("exo.yaml")
	if err != nil || r.code != cli.ExitDone || !strings.Contains(string(text), "  shop: sqlite:"+dir+"/shop.db\n") && !strings.Contains(string(text), `  shop: "sqlite:`+dir) {
		t.Fatalf("%v %v\n%s", r, err, text)
	}
	if !strings.Contains(r.out, "[mcp_servers.exo]") || !strings.Contains(r.out, `args = ["serve","`+dir+`/exo.yaml","-as","customer=INT"]`) {
		t.Errorf("the snippet: %s", r.out)
	}
	o := &initOptions{db: "postgres://ann:sekret@127.0.0.1:1/My-Shop"}
	if opt, _, err := o.database(); err != nil || opt.Name != "my_shop" || opt.URL != "env:MY_SHOP_URL" {
		t.Errorf("%+v %v", opt, err)
	}
	for client, want := range map[string]string{"claude": `"mcpServers"`, "cursor": `.cursor/mcp.json`, "vscode": `"servers"`} {
		r := exo(t, "", "init", "-db", "sqlite:shop.db", "-force", "-client", client)
		if r.code != cli.ExitDone || !strings.Contains(r.out, want) {
			t.Errorf("%s: %v", client, r)
		}
	}
}

// TestInitNothing: of a database in which nothing leads anywhere there is a file that grants nothing, and that is said.
func TestInitNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE a (id INTEGER PRIMARY KEY, n INT)"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if r := exo(t, "", "init", "-db", "sqlite:"+path); r.code != cli.ExitFound || !strings.Contains(r.err, "nothing is granted yet") {
		t.Error(r)
	}
}

// TestInitLeavesOut: a table that a grant file can't have is left out with the reason, whether the draft knows why or only the
// database says so; here its columns are others than when the catalogue was read. What is wrong with the connection ends the command.
func TestInitLeavesOut(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		url := e.URL(t)
		raw := e.SQLDB(t, url)
		odd := map[string]string{testutil.SQLite.Name: "GEOMETRY", testutil.Postgres.Name: "inet"}[e.Name]
		for _, s := range []string{
			"CREATE TABLE shops (id INTEGER PRIMARY KEY, name VARCHAR(9) NOT NULL)",
			"CREATE TABLE goods (id INTEGER PRIMARY KEY, shop_id INTEGER NOT NULL REFERENCES shops (id), price INTEGER, constructor INTEGER)",
			"CREATE TABLE parts (id INTEGER PRIMARY KEY, good_id INTEGER NOT NULL REFERENCES goods (id), weight INTEGER)",
			"CREATE TABLE bills (id INTEGER PRIMARY KEY, shop_id INTEGER NOT NULL REFERENCES shops (id), total INTEGER)",
			"CREATE TABLE hosts (id " + odd + " PRIMARY KEY, shop_id INTEGER NOT NULL REFERENCES shops (id))",
		} {
			if _, err := raw.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		ctx := t.Context()
		o := &initOptions{env: "SHOPS_URL"}
		s := source{db: url}
		live, err := s.read(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"ALTER TABLE bills RENAME COLUMN total TO amount", "DROP TABLE parts"} {
			if _, err := raw.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		opt := draft.Options{Name: "shops", URL: "env:SHOPS_URL"}
		d, text, rest, err := o.finish(ctx, live, opt, "exo.yaml", url)
		if err != nil || d.Granted() != 3 || len(rest) > 0 || !strings.Contains(text, "      constructor: { as: constructorValue }\n") {
			t.Fatalf("%v, %v\n%s", err, rest, text)
		}
		for table, want := range map[string]string{"shops": "", "goods": "", "bills": "has no column `total`", "parts": "has no table or view `parts`", "hosts": ""} {
			i := slices.IndexFunc(d.Facets, func(f *draft.Facet) bool { return f.Table == table })
			if out := d.Facets[i].Out; !strings.Contains(out, want) || (out == "") != (want == "") || want != "" && !strings.Contains(strings.ReplaceAll(text, "\n  # ", " "), " "+table+": "+out) {
				t.Errorf("%s is left out for %q, want %q\n%s", table, out, want, text)
			}
		}
		if _, _, _, err := o.finish(ctx, live, draft.Options{Name: "shops", URL: opt.URL, Tenant: "shops"}, "exo.yaml", "sqlite:"+t.TempDir()+"/none/none.db"); err == nil || !strings.Contains(err.Error(), "the database shops") {
			t.Errorf("a database that can't be opened: %v", err)
		}
		if _, err := raw.Exec("DROP TABLE hosts"); err != nil {
			t.Fatal(err)
		}
		if _, err := raw.Exec("ALTER TABLE shops RENAME COLUMN name TO title"); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := o.finish(ctx, live, draft.Options{Name: "shops", URL: opt.URL, Tenant: "shops"}, "exo.yaml", url); err == nil || !strings.Contains(err.Error(), "the table shops has no column `name`") {
			t.Errorf("the table of tenants itself: %v", err)
		}
	})
}
