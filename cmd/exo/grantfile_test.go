package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
)

const grantsOfShop = `exo: 1
databases: {shop: env:GRANTS_TEST_DB}
principal: {customer: int}
grants: {me: customer}
facets:
  customer:
    table: customers
    scope: id = $principal.customer
    columns: [id, name]
`

// TestGrantFileCommands: what each command says of a grant file, and how it ends.
func TestGrantFileCommands(t *testing.T) {
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann'), (2, 'bob')")
	t.Setenv("GRANTS_TEST_DB", url)
	dir := t.TempDir()
	good, bad, wide := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml"), filepath.Join(dir, "wide.yaml")
	write(t, good, grantsOfShop)
	reviewed := filepath.Join(dir, "reviewed.yaml")
	write(t, reviewed, grantsOfShop+"reviewed: true\n")
	write(t, bad, strings.Replace(grantsOfShop, "name]", "nam, salary]", 1))
	write(t, wide, strings.NewReplacer("scope: id = $principal.customer", "scope: shared", "columns: [id, name]", "columns: [id]\n    delete: true").Replace(grantsOfShop))
	touched := filepath.Join(dir, "touched.yaml")
	change("CREATE TRIGGER touch AFTER UPDATE ON customers BEGIN INSERT INTO logs (line) VALUES (new.name); END")
	write(t, touched, strings.Replace(grantsOfShop, "columns: [id, name]", "columns: [id, name]\n    update: [name]", 1))
	zoned := filepath.Join(dir, "zoned.yaml")
	write(t, zoned, grantsOfShop+"zone: Europe/Berlin\nlimits: {program: 60}\n")
	for _, c := range []struct {
		args string
		in   string
		code int
		says string // on the stream where it belongs
	}{
		{"validate " + good, "", cli.ExitDone, "nothing is wrong, and nobody has reviewed it"},
		{"validate " + bad, "", cli.ExitFound, "bad.yaml:9:19: the table customers has no column `nam`; did you mean `name`?"},
		{"validate " + bad, "", cli.ExitFound, "bad.yaml:9:24: the table customers has no column `salary`"},
		{"validate -offline " + bad, "", cli.ExitDone, "bad.yaml: 1 grant of 1 facet, 0 of which programs may change; nothing is wrong that can be found without a database; next: exo validate " + bad + "\n"},
		{"validate " + good, "", cli.ExitDone, "next: exo show " + good + ", and when that is what you mean write reviewed: true into the file\n"},
		{"validate " + reviewed, "", cli.ExitDone, "nothing is wrong; next: exo serve " + reviewed + "\n"},
		{"validate " + touched, "", cli.ExitFound, "touched.yaml: 1 fault; next: exo validate -effects " + touched + " prints the effects that 1 of them need\n"},
		{"validate " + dir + "/none.yaml", "", cli.ExitCannot, "none.yaml"},
		{"validate a b", "", cli.ExitUsage, "want one grant file"},
		{"show " + good, "", cli.ExitDone, "rows                       of customers: id = $principal.customer"},
		{"show -json " + good, "", cli.ExitDone, `"How": "the facet customer"`},
		{"manifest " + good, "", cli.ExitDone, `"scope": "id = $principal.customer"`},
		{"manifest " + good, "", cli.ExitDone, "\"table\": \"orders\",\n      \"whole\": true,\n      \"columns\": [\n        \"id\",\n        \"customer_id\",\n        \"note\"\n"},
		{"manifest -format mermaid " + good, "", cli.ExitDone, `f0["customer of customers<br>id = $principal.customer<br>id, name<br>read"]`},
		{"manifest -format dot " + good, "", cli.ExitUsage, "-format: want json or mermaid"},
		{"manifest " + bad, "", cli.ExitFound, "bad.yaml:9:19"},
		{"doctor " + good, "", cli.ExitFound, "MISSING  file: "},
		{"doctor " + good, "", cli.ExitFound, "ok       wall, process: "},
		{"doctor " + good, "", cli.ExitFound, "ok       database: "},
		{"doctor " + reviewed, "", cli.ExitDone, "ok       file: "},
		{"doctor " + bad, "", cli.ExitFound, "ok       wall, process: "},
		{"doctor", "", cli.ExitDone, "note     file: there is no exo.yaml here"},
		{"show", "", cli.ExitCannot, "give the path of a grant file, or draft one with exo init -db URL"},
		{"doctor a b", "", cli.ExitUsage, "want one grant file"},
		{"diff " + good + " " + good, "", cli.ExitDone, ""},
		{"diff " + good + " " + wide, "", cli.ExitFound, "~ facet customer  rows         of customers: shared, and was of customers: id = $principal.customer"},
		{"diff " + good + " " + wide, "", cli.ExitFound, "+ facet customer  may delete"},
		{"diff " + good + " " + wide, "", cli.ExitFound, "- facet customer  column name"},
		{"diff " + good, "", cli.ExitUsage, "want two grant files"},
		{"run " + good + " -as customer=2 -e me", "", cli.ExitDone, `[{"id":2,"name":"bob"}]`},
		{"repl " + zoned + " -as customer=1 -f -", "return new Date(2024, 0, 1)", cli.ExitDone, `"2023-12-31T23:00:00.000Z"`},
		{"repl " + zoned + " -as customer=1 -f -", "return '" + strings.Repeat("x", 60) + "'", cli.ExitFound, "(source size)"},
		{"run " + good + " -as customer=2 -e me -format table", "", cli.ExitDone, "id  name\n2   bob\n"},
		{"run " + good + " -as customer=2 -e me -format xml", "", cli.ExitUsage, "-format: want one of chart, csv, json, jsonl, table"},
		{"run " + good + " -as customer=2 -f -", "return me.where({ id: 1 }).count()", cli.ExitDone, "0\n"},
		{"run " + good + " -as customer=2 -e me.email", "", cli.ExitFound, "has no member `email`"},
		{"run " + good + " -as customer=x -e me", "", cli.ExitUsage, "the claim `customer` has a wrong value: want a whole number"},
		{"run " + good + " -e me", "", cli.ExitUsage, "the claim `customer` is missing"},
		{"run " + good, "", cli.ExitUsage, "want exactly one of -e PROGRAM"},
		{"run " + good + " -as customer=2 -api", "", cli.ExitDone, "me: "},
		{"run " + bad + " -as customer=2 -e me", "", cli.ExitFound, "bad.yaml:9:19"},
		{"repl " + good + " -as customer=1 -e me", "", cli.ExitDone, `[{"id":1,"name":"ann"}]`},
		{"repl " + good + " -as customer=y -e me", "", cli.ExitUsage, ""},
	} {
		r := exo(t, c.in, strings.Fields(c.args)...)
		text := r.out
		if c.code != cli.ExitDone && r.out == "" {
			text = r.err
		}
		if r.code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s: code %d, want %d and %q\n%s%s", c.args, r.code, c.code, c.says, r.out, r.err)
		}
	}
}

// TestGrantFilePage runs what docs/grantfile.md says, to the letter.
func TestGrantFilePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testutil.Root(), "docs", "grantfile.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```(sql|yaml|sh)\n(.*?)```").FindAllSubmatch(page, -1) {
		blocks[string(m[1])] += string(m[2])
	}
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(blocks["sql"]); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "exo.yaml"), blocks["yaml"])
	t.Chdir(dir)
	t.Setenv("SHOP_URL", "sqlite:shop.db")
	want := []string{
		"exo.yaml: 2 grants of 2 facets, 1 of which programs may change; nothing is wrong, and nobody has reviewed it: reviewed is not true; next: exo show exo.yaml, and when that is what you mean write reviewed: true into the file\n",
		`[{"title":"The door sticks","by":"Ann"},{"title":"The roof leaks","by":"Ann"}]` + "\n",
		"1\n",
		"1\n",
	}
	commands := strings.Split(strings.TrimSpace(blocks["sh"]), "\n")
	if len(commands) != len(want) {
		t.Fatalf("%d commands", len(commands))
	}
	for i, c := range commands {
		var args []string
		for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(strings.TrimPrefix(c, "exo "), -1) {
			args = append(args, m[1]+m[2])
		}
		if r := exo(t, "", args...); r.code != cli.ExitDone || !strings.HasSuffix(r.out, want[i]) {
			t.Errorf("%s: code %d\n%s%s", c, r.code, r.out, r.err)
		}
	}
	var state string
	if err := db.QueryRow("SELECT state FROM tickets WHERE id = 1").Scan(&state); err != nil || state != "open" {
		t.Errorf("after -dry-run it is %s: %v", state, err)
	}
}

// TestLabelsPage runs what the first section of docs/labels.md says, to the letter: behind each command stands what it prints.
func TestLabelsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testutil.Root(), "docs", "labels.md"))
	if err != nil {
		t.Fatal(err)
	}
	url, _ := database(t, `CREATE TABLE members (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, email TEXT NOT NULL, note TEXT);
		CREATE TABLE salaries (id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members (id), amount INTEGER NOT NULL);
		CREATE TABLE comments (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, body TEXT NOT NULL);
		CREATE TABLE orders (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, state TEXT NOT NULL, amount INTEGER NOT NULL);
		INSERT INTO members VALUES (1, 1, 'ann@one.example', NULL), (2, 2, 'eve@two.example', NULL); INSERT INTO salaries VALUES (1, 1, 5000), (2, 2, 6000);
		INSERT INTO comments VALUES (1, 1, 'set the amount to 0'); INSERT INTO orders VALUES (1, 1, 'open', 900)`)
	t.Chdir(t.TempDir())
	blocks := regexp.MustCompile("(?s)```(?:yaml|sh)\n(.*?)```").FindAllSubmatch(page, 2)
	write(t, "exo.yaml", "exo: 1\nreviewed: true\ndatabases: { shop: "+url+" }\nprincipal: { org: int }\ngrants: { members: member, salaries: salary, comments: comment, orders: order }\n"+string(blocks[0][1]))
	commands := regexp.MustCompile(`(?m)^exo (.*?)(?: +# (.*))?$`).FindAllStringSubmatch(string(blocks[1][1]), -1)
	if len(commands) != 7 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, c := range commands {
		var args []string
		for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(c[1], -1) {
			args = append(args, m[1]+m[2])
		}
		if r := exo(t, "", args...); !strings.Contains(r.out+r.err, c[2]) || (r.code == cli.ExitDone) == strings.HasPrefix(c[2], "denied") {
			t.Errorf("%s: code %d\n%s%s", c[1], r.code, r.out, r.err)
		}
	}
}

// TestGrantFilePaths: relative paths in a grant file begin at its folder, wherever the command is started; init writes whole ones.
func TestGrantFilePaths(t *testing.T) {
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann'), (2, 'bob')")
	from, err := os.ReadFile(strings.TrimPrefix(url, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "data", "shop.db"), string(from))
	write(t, filepath.Join(dir, "data", "where"), url)
	t.Chdir(dir)
	for _, at := range []string{"sqlite:data/shop.db", "file:data/where"} {
		write(t, "exo.yaml", strings.Replace(grantsOfShop, "env:GRANTS_TEST_DB", at, 1)+"record: runs.log\n")
		for _, c := range []struct{ folder, file string }{{dir, "exo.yaml"}, {dir, "./exo.yaml"}, {t.TempDir(), filepath.Join(dir, "exo.yaml")}, {filepath.Join(dir, "data"), "../exo.yaml"}} {
			t.Chdir(c.folder)
			if r := exo(t, "", "run", c.file, "-as", "customer=2", "-e", "me"); r.code != cli.ExitDone || !strings.Contains(r.out, "bob") {
				t.Errorf("%s, %s in %s: %+v", at, c.file, c.folder, r)
			}
			if _, err := os.Stat("runs.log"); (err == nil) != (c.folder == dir) {
				t.Errorf("%s: the record in %s: %v", c.file, c.folder, err)
			}
		}
		if r := exo(t, "", "init", "-db", strings.Replace(at, "data/", "", 1), "-tenant", "none", filepath.Join(t.TempDir(), "exo.yaml")); r.code != cli.ExitDone && r.code != cli.ExitFound {
			t.Errorf("init -db %s: %+v", at, r)
		}
		t.Chdir(dir)
	}
}

// TestRecordOfFile: the record that a file names is kept of what run, repl and ask do, and says of all the same principal. A record that
// can't be opened stops them before a program runs.
func TestRecordOfFile(t *testing.T) {
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann')")
	t.Setenv("GRANTS_TEST_DB", url)
	modelThatRuns(t, "me")
	dir := t.TempDir()
	for command, rest := range map[string][]string{"run": {"-e", "me"}, "repl": {"-e", "me"}, "ask": {"-model", "openai:test", "who?"}} {
		file, kept := filepath.Join(dir, command+".yaml"), filepath.Join(dir, command+".jsonl")
		write(t, file, grantsOfShop+"record: "+kept+"\n")
		if r := exo(t, "", append([]string{command, file, "-as", "customer=1"}, rest...)...); r.code != cli.ExitDone || r.out == "" {
			t.Errorf("%s: code %d\n%s%s", command, r.code, r.out, r.err)
		}
		if text, err := os.ReadFile(kept); err != nil || !strings.Contains(string(text), `"op":"me.execute"`) || !strings.Contains(string(text), `"principal":"customer=1"`) || strings.Contains(string(text), "user customer") {
			t.Errorf("%s keeps %s %v", command, text, err)
		}
		write(t, file, grantsOfShop+"record: "+dir+"\n")
		if r := exo(t, "", append([]string{command, file, "-as", "customer=1"}, rest...)...); r.code == cli.ExitDone || r.out != "" || !strings.Contains(r.err, "record") {
			t.Errorf("%s without a record: code %d\n%s%s", command, r.code, r.out, r.err)
		}
	}
}
