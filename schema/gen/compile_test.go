package gen_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// run runs a go command under the overlay.
func (o *overlay) run(t *testing.T, env []string, verb string, args ...string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Replace": o.paths})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(o.dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{verb, "-overlay", file}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", verb, err, out)
	}
	return string(out)
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

// starts are the functions of the starting points, by schema, with a key.
var starts = map[string]string{
	"chinook": "grantCustomer(db, 1)", "northwind": `grantCustomer(db, "ALFKI")`, "pagila": "grantCustomer(db, 1)", "rails": "grantUser(db, 1)",
	"odd": "grantLimit(db, 1)", "saas": "grantTenant(db, 1)",
}

// TestCompiles: what is written compiles, and so does the starting point of a facet
// once the slashes are off; go vet finds nothing. Then the program runs: the tables agree
// with a database that was made of the definitions, by Check, and a tool can be made
// of the starting point.
func TestCompiles(t *testing.T) {
	o := newOverlay(t)
	var imports, body strings.Builder
	var packages, env []string
	for i, d := range all(t) {
		dir := filepath.Join("testdata", d.pack())
		p := d.declare(t, d.parse(t))
		if d.name == "saas" {
			for _, f := range p.Files {
				o.put(t, filepath.Join(dir, f.Name), string(f.Text))
			}
		}
		o.put(t, filepath.Join(dir, "facet.go"), uncommented(t, p))
		o.put(t, filepath.Join(dir, "start.go"), fmt.Sprintf("package %s\n\nimport (\n\"github.com/exoagent/exoagent/codemode\"\n\"github.com/exoagent/exoagent/exosql\"\n)\n\nfunc Start(db *exosql.DB) codemode.Grants { return %s }\n", d.pack(), starts[d.name]))
		path := "github.com/exoagent/exoagent/schema/gen/testdata/" + d.pack()
		packages = append(packages, path)
		_, url := d.live(t)
		env = append(env, fmt.Sprintf("GEN_DB_%d=%s", i, url))
		fmt.Fprintf(&imports, "%q\n", path)
		fmt.Fprintf(&body, "run(%q, \"GEN_DB_%d\", %s.Start)\n", d.pack(), i, d.pack())
	}
	frame, err := os.ReadFile("testdata/run.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	o.put(t, "testdata/run/main.go", strings.NewReplacer("// IMPORTS\n", imports.String(), "// RUN\n", body.String()).Replace(string(frame)))
	packages = append(packages, "github.com/exoagent/exoagent/schema/gen/testdata/run")
	o.run(t, nil, "vet", packages...)
	out := o.run(t, env, "run", "github.com/exoagent/exoagent/schema/gen/testdata/run")
	if n := strings.Count(out, " ok\n"); n != len(packages)-1 || strings.Count(out, "\n") != n {
		t.Errorf("%d of %d are well:\n%s", n, len(packages)-1, out)
	}
}
