package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestPageCommands runs what docs/schema.md says of a live database, to the letter, in
// a module that has nothing yet.
func TestPageCommands(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	commands := pageCommands(t)
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann'), (2, 'bob')")
	dir := filepath.Dir(strings.TrimPrefix(url, "sqlite:"))
	do := func(command string) (out string, code int) { return inModule(t, dir, command) }
	must := func(command string) string {
		t.Helper()
		out, code := do(command)
		if code != 0 {
			t.Fatalf("%s: code %d\n%s", command, code, out)
		}
		return out
	}
	must("go mod init example.com/app")
	var all string
	for _, c := range commands {
		all += must(c)
	}
	if !strings.Contains(all, "./shop: 3 tables; 2 files written") {
		t.Errorf("the commands say\n%s", all)
	}
	again := slices.IndexFunc(commands, func(c string) bool { return strings.Contains(c, "exo gen") })
	if out := must(commands[again]); !strings.Contains(out, "0 files written, 2 unchanged") {
		t.Errorf("a second time exo gen says\n%s", out)
	}

	// The starting point of a facet, as it stands, is what exo repl opens.
	start, err := os.ReadFile(filepath.Join(dir, "shop", "facet_start.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, sketch, _ := strings.Cut(string(start), "\n// package shop\n")
	write(t, filepath.Join(dir, "shop", "facet.go"), "package shop\n"+regexp.MustCompile("(?m)^// ?").ReplaceAllString(sketch, ""))
	must("go mod tidy")
	if out := must("go tool exo repl ./shop -db sqlite:shop.db -user 2 -e 'api.customer.select(c => ({ name: c.name }))'"); out != `[{"name":"bob"}]`+"\n" {
		t.Errorf("exo repl on the starting point: %s", out)
	}

	// And exo check says how the database reads it.
	report := indexBlock(t)
	for i, c := range report.commands {
		out, code := do(c)
		if want := []int{cli.ExitDone, cli.ExitDone, cli.ExitFound}; len(report.commands) != len(want) || code != want[i] {
			t.Errorf("%s: code %d\n%s", c, code, out)
		}
		if asJSON := strings.Contains(c, "-json"); !asJSON && !strings.Contains(out, report.says) || asJSON && !strings.Contains(out, `"facet": "order"`) {
			t.Errorf("%s:\n%s\nwant\n%s", c, out, report.says)
		}
	}

	// A package of one's own, internal to the module, with a facet of the generated tables.
	own := filepath.Join(dir, "internal", "grants")
	if err := os.MkdirAll(own, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(own, "grants.go"), "package grants\n\nimport (\n\"example.com/app/shop\"\n\"github.com/exoagent/exoagent/exosql\"\n)\n\nvar orders = exosql.NewFacet(shop.Orders, \"order\", shop.OrderID)\n")
	change("ALTER TABLE orders DROP COLUMN note")
	out, code := do("go tool exo check -db sqlite:shop.db ./internal/grants")
	if code != cli.ExitFound || !strings.HasPrefix(out, "orders.note: there is no such column") {
		t.Errorf("code %d: %s", code, out)
	}
}

// pageCommands are the commands of docs/schema.md, with this clone for the one beside it.
func pageCommands(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(testutil.Root(), "docs", "schema.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- test: TestPageCommands in cmd/exo -->\n```sh\n(.*?)```").FindSubmatch(page)
	if block == nil || strings.Count(string(block[1]), "exo gen") != 1 || strings.Count(string(block[1]), "exo check") != 1 || strings.Count(string(block[1]), "=../exoagent ") != 1 {
		t.Fatalf("docs/schema.md does not have the commands: %s", block)
	}
	text := strings.Replace(string(block[1]), "=../exoagent ", "='"+testutil.Root()+"' ", 1)
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\\\n", " ")), "\n")
}

// block are commands of docs/schema.md and what the page says that they print.
type block struct {
	commands []string
	says     string
}

func indexBlock(t *testing.T) block {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(testutil.Root(), "docs", "schema.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n<!-- test: TestPageCommands in cmd/exo -->\n```sh\n(go tool exo indexes [^`]*)```\n```text\n([^`]*)```").FindSubmatch(page)
	if m == nil {
		t.Fatal("docs/schema.md does not have the commands of exo indexes, and what they print")
	}
	return block{strings.Split(strings.TrimSpace(string(m[1])), "\n"), string(m[2])}
}

// inModule runs a command of a shell in a directory, with what the machine has of
// modules: no network is needed, and nothing comes from it unchecked. Only where a
// module is lacking it runs as it would for a reader. With -trimpath and without C, what is
// compiled does not depend on the folder, and serves the other tests of modules too.
func inModule(t *testing.T, dir, command string) (out string, code int) {
	t.Helper()
	for _, env := range [][]string{{"GOPROXY=off", "GOSUMDB=off"}, nil} {
		cmd := exec.Command("bash", "-ec", command)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "CGO_ENABLED=0"), env...)
		text, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		out, code = string(text), cmd.ProcessState.ExitCode()
		if code == 0 || !strings.Contains(out, "GOPROXY=off") {
			break
		}
	}
	return out, code
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
