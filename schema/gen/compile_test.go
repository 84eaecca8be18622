package gen_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema/gen"
)

// overlay lays files over the module for one go command: paths below schema/gen.
type overlay struct {
	dir   string
	paths map[string]string
}

func newOverlay(t *testing.T) *overlay {
	return &overlay{t.TempDir(), map[string]string{}}
}

// put lays text over a path, which need not exist.
func (o *overlay) put(t *testing.T, path, text string) {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(o.dir, fmt.Sprintf("%d.go", len(o.paths)))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.paths[abs] = file
}

// write writes the overlay, once all texts are put.
func (o *overlay) write(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Replace": o.paths})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.file(), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (o *overlay) file() string { return filepath.Join(o.dir, "overlay.json") }

// run runs a go command under the overlay.
func (o *overlay) run(env []string, verb string, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{verb, "-overlay", o.file()}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", verb, err, out)
	}
	return string(out), err
}

// uncommented is the code in the comments of a facet's starting point.
func uncommented(t *testing.T, p *gen.Package) string {
	t.Helper()
	for _, f := range p.Files {
		if f.Name != "facet_start.go" {
			continue
		}
		_, code, ok := strings.Cut(string(f.Text), "\n// package ")
		if !ok {
			t.Fatalf("no code in\n%s", f.Text)
		}
		var b strings.Builder
		b.WriteString("package ")
		for l := range strings.Lines(code) {
			l = strings.TrimPrefix(l, "//")
			b.WriteString(strings.TrimPrefix(l, " "))
		}
		return b.String()
	}
	t.Fatal("no facet_start.go")
	return ""
}

// starts are the functions of the starting points, by schema or package, with a key.
var starts = map[string]string{
	"chinook": "Grants(db, 1)", "northwind": `Grants(db, "ALFKI")`, "pagila": "Grants(db, 1)", "rails": "Grants(db, 1)",
	"oddsqlite": `Grants(db, 1, "b")`, "oddpostgres": "Grants(db, 1)", "saas": "Grants(db, 1)",
}

// plainly has the generated packages compiled without optimising and without what a debugger needs: the five
// hundred tables are 40,000 instances of generic methods, of which ten run. A normal run compiles 52 of them. lessGarbage lets the compiler collect less often. Together
// they take half the time; what is checked is the same.
const (
	plainly     = "-gcflags=github.com/exoagent/exoagent/schema/gen/testdata/...=-N -l -dwarf=false"
	lessGarbage = "GOGC=400"
)

// TestCompiles: what is written compiles, and so does the starting point of a facet
// once the slashes are off; go vet finds nothing. Then the program runs: the tables agree
// with a database that was made of the definitions, by Check, and a tool can be made
// of the starting point.
func TestCompiles(t *testing.T) {
	tu.NotQuick(t)
	o := newOverlay(t)
	var imports, body strings.Builder
	var packages, env []string
	runs := 0
	for i, d := range all(t, tu.Amount(52, 500)) {
		db, url := d.live(t)
		p := d.declare(t, db)
		env = append(env, fmt.Sprintf("GEN_DB_%d=%s", i, url))
		fmt.Fprintf(&body, "run(%q, \"GEN_DB_%d\", %s.Declared(), %s.Start)\n", d, i, d.pack(), d.pack())
		runs++
		dir := filepath.Join("testdata", d.pack())
		if d.name == "saas" {
			if d.engine.Name == tu.Postgres.Name {
				continue // the same package as on SQLite: TestFiveHundredTables
			}
			dir = realDir(t, p) // go vet takes no folder that is not there
		}
		o.put(t, filepath.Join(dir, "facet.go"), uncommented(t, p))
		o.put(t, filepath.Join(dir, "start.go"), fmt.Sprintf("package %s\n\nimport (\n\"github.com/exoagent/exoagent/codemode\"\n\"github.com/exoagent/exoagent/exosql\"\n)\n\nfunc Start(db *exosql.DB) codemode.Grants { return %s }\n", d.pack(), cmp.Or(starts[d.name], starts[d.pack()])))
		path := "github.com/exoagent/exoagent/schema/gen/" + filepath.ToSlash(dir)
		packages = append(packages, path)
		fmt.Fprintf(&imports, "%s %q\n", d.pack(), path)
	}
	frame, err := os.ReadFile("testdata/run.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	o.put(t, "testdata/run/main.go", strings.NewReplacer("// IMPORTS\n", imports.String(), "// RUN\n", body.String()).Replace(string(frame)))
	o.write(t)
	vetted := make(chan error)
	go func() {
		_, err := o.run(nil, "vet", packages...)
		vetted <- err
	}()
	out, err := o.run(append(env, lessGarbage), "run", "-ldflags=-s -w", plainly, "github.com/exoagent/exoagent/schema/gen/testdata/run")
	if err := errors.Join(err, <-vetted); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out, " ok\n"); n != runs || strings.Count(out, "\n") != n {
		t.Errorf("%d of %d are well:\n%s", n, runs, out)
	}
}

// realDir writes a package to a folder of testdata that is gone with the test.
func realDir(t *testing.T, p *gen.Package) string {
	t.Helper()
	dir, err := os.MkdirTemp("testdata", "tmp-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, f := range p.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
