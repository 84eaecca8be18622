package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// TestReadmeCommands runs what the README says of a live database, in a module that is
// not this one.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(testutil.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- TestReadmeCommands[^>]*-->\n```sh\n(.*?)```").FindSubmatch(readme)
	if block == nil || strings.Count(string(block[1]), "exo gen") != 1 || strings.Count(string(block[1]), "exo check") != 1 {
		t.Fatalf("the README does not have the commands: %s", block)
	}
	url, change := database(t, shop)
	dir := filepath.Dir(strings.TrimPrefix(url, "sqlite:"))
	foreignModule(t, dir)
	shell := func() (string, error) {
		cmd := exec.Command("bash", "-ec", string(block[1]))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := shell()
	if err != nil || !strings.Contains(out, "./shop: 3 tables; 2 files written") || strings.Contains(out, "no such") {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = shell()
	if err != nil || !strings.Contains(out, "0 files written, 2 unchanged") {
		t.Fatalf("a second time: %v\n%s", err, out)
	}

	// A package of one's own, internal to the module, with a facet of the generated tables.
	own := filepath.Join(dir, "internal", "grants")
	if err := os.MkdirAll(own, 0o777); err != nil {
		t.Fatal(err)
	}
	text := "package grants\n\nimport (\n\"example.com/app/shop\"\n\"github.com/exoagent/exoagent/exosql\"\n)\n\nvar orders = exosql.NewFacet(shop.Orders, \"order\", shop.OrderID)\n"
	if err := os.WriteFile(filepath.Join(own, "grants.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	change("ALTER TABLE orders DROP COLUMN note")
	check := exec.Command(filepath.Join(dir, "exo"), "check", "-db", "sqlite:shop.db", "./internal/grants")
	check.Dir = dir
	check.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	got, err := check.Output()
	if code := check.ProcessState.ExitCode(); code != exitFound || !strings.HasPrefix(string(got), "orders.note: there is no such column") {
		t.Errorf("code %d, %v: %s", code, err, got)
	}
}

// foreignModule makes a module in dir that uses this one, as the README says.
func foreignModule(t *testing.T, dir string) {
	t.Helper()
	root := testutil.Root()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/exoagent/exoagent\n", "module example.com/app\n", 1) +
		"\nrequire github.com/exoagent/exoagent v0.0.0\n\nreplace github.com/exoagent/exoagent => " + root + "\n"
	for name, text := range map[string]string{"go.mod": text, "go.sum": string(sum)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
