package exoagent_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/exoagent/exoagent"

// allowed is the import table of the design: for each package what it may
// import besides the standard library. exo knows neither SQL nor JavaScript,
// exosql no JavaScript, exoeval and codemode no SQL: then each can be audited alone.
var allowed = map[string][]string{
	"internal/wire":      {},
	"internal/terms":     {},
	"internal/errtree":   {},
	"internal/scalar":    {},
	"internal/sealed":    {"exo"},
	"internal/zone":      {"internal/wire"},
	"exo":                {"internal/scalar", "internal/wire", "internal/zone", "internal/errtree", "internal/lru"},
	"exo/record":         {"exo", "internal/errtree", "internal/filelock"},
	"exo/declassify":     {"exo", "internal/filelock"},
	"internal/filelock":  {},
	"exo/service":        {"exo", "internal/scalar", "internal/sealed", "github.com/google/jsonschema-go/jsonschema"},
	"exo/policy":         {"exo"},
	"exo/exotest":        {"exo", "internal/scalar"},
	"internal/sqlname":   {},
	"schema":             {"internal/sqlname"},
	"schema/gen":         {"exo", "internal/naming", "internal/scalar", "schema"},
	"internal/naming":    {"internal/scalar"},
	"internal/flows":     {"exo"},
	"internal/draft":     {"exo", "exosql/dynamic", "internal/grantfile", "internal/naming", "internal/scalar", "internal/terms", "schema"},
	"internal/fair":      {},
	"internal/lru":       {},
	"internal/printable": {"schema"},
	"internal/release":   {},
	"internal/spin":      {"golang.org/x/term"},
	"internal/pgbound":   {"github.com/jackc/pgx/v5"},
	"internal/pgsession": {"github.com/jackc/pgx/v5"},
	"internal/sqlast":    {"internal/sqlname", "github.com/Masterminds/squirrel"},
	"exosql": {"exo", "internal/scalar", "internal/sealed", "schema", "internal/sqlast", "internal/lru", "internal/pgsession", "exosql/internal/check", "exosql/internal/compile", "exosql/internal/cursor", "exosql/internal/decl", "exosql/internal/engine", "exosql/internal/engine/postgres", "exosql/internal/fence",
		"exosql/internal/bridge", "exosql/internal/engine/sqlite", "exosql/internal/language", "exosql/internal/plan", "exosql/internal/rowsec", "exosql/internal/scope", "exosql/internal/search", "exosql/internal/writing", "github.com/jackc/pgx/v5"},
	"exosql/dynamic":                  {"exo", "internal/scalar", "internal/sealed", "internal/terms", "exosql", "schema", "exosql/internal/bridge", "exosql/internal/check", "exosql/internal/decl", "exosql/internal/language", "exosql/internal/plan", "exosql/internal/writing"},
	"internal/grantfile":              {"codemode", "exo", "exoeval", "exosql", "exosql/dynamic", "internal/scalar", "internal/sqlname", "internal/terms", "schema", "go.yaml.in/yaml/v4"},
	"exosql/internal/cursor":          {},
	"exosql/internal/bridge":          {"exo", "exosql/internal/decl"},
	"exosql/internal/language":        {"exo", "internal/sqlast"},
	"exosql/internal/decl":            {"exo", "internal/scalar", "internal/sealed", "internal/terms", "exosql/internal/language", "exosql/internal/search"},
	"exosql/internal/number":          {"exo", "internal/scalar"},
	"exosql/internal/search":          {},
	"exosql/internal/fence":           {"internal/sqlast"},
	"exosql/internal/plan":            {"exo", "internal/scalar", "internal/sealed", "internal/sqlname", "exosql/internal/fence", "exosql/internal/number", "exosql/internal/search"},
	"exosql/internal/scope":           {"exo", "internal/sqlast", "exosql/internal/decl", "exosql/internal/plan"},
	"exosql/internal/rowsec":          {"exo", "internal/sqlname", "schema", "exosql/internal/decl", "exosql/internal/scope"},
	"exosql/internal/writing":         {"exo", "internal/sqlname", "schema", "exosql/internal/check", "exosql/internal/compile", "exosql/internal/decl", "exosql/internal/engine", "exosql/internal/fence", "exosql/internal/language", "exosql/internal/plan", "exosql/internal/scope"},
	"exosql/internal/compile":         {"exo", "internal/scalar", "internal/sealed", "internal/sqlast", "exosql/internal/decl", "exosql/internal/fence", "exosql/internal/language", "exosql/internal/number", "exosql/internal/plan", "exosql/internal/scope", "exosql/internal/search"},
	"exosql/internal/engine":          {"exo", "schema", "internal/lru", "exosql/internal/fence", "exosql/internal/plan"},
	"exosql/internal/engine/sqlite":   {"exo", "internal/scalar", "internal/sqlname", "internal/zone", "schema", "exosql/internal/engine", "exosql/internal/fence", "exosql/internal/number", "exosql/internal/plan", "exosql/internal/search", "internal/sqlast", "modernc.org/sqlite", "modernc.org/libc", "golang.org/x/text/cases", "golang.org/x/text/language"},
	"exosql/internal/engine/postgres": {"exo", "internal/scalar", "internal/sqlname", "schema", "internal/pgbound", "internal/pgsession", "exosql/internal/engine", "exosql/internal/fence", "exosql/internal/plan", "github.com/jackc/pgx/v5"},
	"exosql/internal/check":           {"exo", "internal/scalar", "internal/sqlname", "schema", "exosql/internal/decl", "exosql/internal/engine/sqlite"},
	"exoeval/internal/source":         {"exo", "internal/scalar", "github.com/dop251/goja"},
	"exoeval/internal/front":          {"exo", "exoeval/internal/source", "internal/scalar", "github.com/dop251/goja"},
	"exoeval/internal/realm":          {"exo", "exoeval/internal/source", "internal/scalar", "internal/zone", "github.com/dop251/goja"},
	"exoeval/internal/guest":          {"exo", "exoeval/internal/front", "exoeval/internal/realm", "internal/scalar", "github.com/dop251/goja"},
	"exoeval":                         {"exo", "exoeval/internal/front", "exoeval/internal/guest", "exoeval/internal/realm", "internal/scalar", "internal/zone", "internal/lru", "github.com/dop251/goja"},
	"exoeval/worker":                  {"exo", "exoeval", "internal/fair", "internal/wire", "internal/zone", "golang.org/x/sys/unix"},
	"exoeval/worker/exo-worker":       {"exoeval/worker"},
	"codemode":                        {"exo", "internal/scalar", "exoeval", "exoeval/worker", "github.com/google/jsonschema-go/jsonschema"},

	"codemode/mcp":        {"codemode", "codemode/mcp/bearer", "exo", "internal/filelock", "internal/printable", "github.com/modelcontextprotocol/go-sdk"},
	"codemode/mcp/bearer": {"github.com/go-jose/go-jose/v4"},

	"codemode/agent":               {"codemode", "exo"},
	"codemode/agent/internal/wire": {"codemode/agent"},
	"codemode/agent/openai":        {"codemode/agent", "codemode/agent/internal/wire"},
	"codemode/agent/anthropic":     {"codemode/agent", "codemode/agent/internal/wire"},
	"codemode/agent/gemini":        {"codemode/agent", "codemode/agent/internal/wire", "github.com/google/generative-ai-go/genai", "google.golang.org/api"},
	"codemode/agent/models":        {"codemode/agent", "codemode/agent/internal/wire", "codemode/agent/openai", "codemode/agent/anthropic"},
}

// anything may be imported by these, and nobody imports them.
var leaves = []string{"examples/", "challenge", "cmd/", "internal/corpus", "internal/testutil", "internal/bench", "internal/mutate", "codemode/repl"}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Standard", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		leaf := slices.ContainsFunc(leaves, func(l string) bool { return strings.HasPrefix(name, l) })
		for _, imp := range p.Imports {
			local := strings.TrimPrefix(imp, module+"/")
			if slices.ContainsFunc(leaves, func(l string) bool { return strings.HasPrefix(local, l) }) && local != imp && !leaf {
				t.Errorf("%s imports %s, which is at the top: nothing may import it", name, local)
			}
			if leaf || name == "" || !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue // the standard library
			}
			may, known := allowed[name]
			if !known {
				t.Errorf("package %s is not in the import table", name)
				break
			}
			if !slices.ContainsFunc(may, func(m string) bool { return m == local || strings.HasPrefix(local, m+"/") && strings.Contains(m, ".") }) {
				t.Errorf("%s must not import %s", name, local)
			}
		}
		seen++
	}
	if seen < 4 {
		t.Fatalf("go list saw %d packages", seen)
	}
}

// deps are the packages that a package is built of.
func deps(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-deps"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, module+strings.TrimPrefix(args[len(args)-1], ".")) {
		t.Fatal("go list does not list what was asked for")
	}
	return all
}

// TestNoNetworkInTools: every host imports codemode and exosql, and the process of each
// program starts the same binary again. Neither pays for models, which are chosen
// by importing an adapter, nor for a terminal.
func TestNoNetworkInTools(t *testing.T) {
	for _, d := range deps(t, "./codemode", "./exosql", "./exosql/dynamic", "./exo/service", "./exo/policy", "./codemode/agent") {
		if d == "net/http" || strings.HasPrefix(d, module+"/codemode/agent/") || strings.Contains(d, "google.golang.org") || strings.Contains(d, "generative-ai-go") ||
			strings.Contains(d, "/readline") || d == "golang.org/x/term" {
			t.Errorf("codemode or exosql depends on %s", d)
		}
	}
}

// TestGeminiIsOptional: Gemini's library is nearly half of what a command with a terminal was built of, and who
// tries the examples waited for all of it. Only a program that imports the adapter links it.
func TestGeminiIsOptional(t *testing.T) {
	const library = "github.com/google/generative-ai-go" + "/genai"
	for _, command := range []string{"./examples/simple", "./examples/saas", "./cmd/exo", "./challenge"} {
		if all := deps(t, command); slices.Contains(all, library) || len(all) > 450 {
			t.Errorf("%s is built of %d packages, with Gemini: %v", command, len(all), slices.Contains(all, library))
		}
	}
	if all := deps(t, "./codemode/agent/gemini"); !slices.Contains(all, library) {
		t.Error("the adapter does not link the library")
	}
}

// TestGeminiIsOneFile: the deprecated library can be replaced in one place.
func TestGeminiIsOneFile(t *testing.T) {
	var got []string
	err := walkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "\"github.com/google/generative-ai-go/genai\"\n") {
			got = append(got, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil || !slices.Equal(got, []string{"codemode/agent/gemini/gemini.go"}) {
		t.Errorf("it is imported in %v, %v", got, err)
	}
}

// TestNoUnsafe keeps what could undo the rest out of the packages that are the wall.
func TestNoUnsafe(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./exo/...", "./exosql/...", "./exoeval/...", "./internal/sqlast/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		for _, imp := range fields[1:] {
			if fields[0] == module+"/exoeval/worker" && (imp == "unsafe" || imp == "syscall") {
				continue // it starts processes and locks them down: the one package that may
			}
			if fields[0] == module+"/exo/record" && imp == "syscall" {
				continue // it locks its file, for the host: no program reaches it
			}
			switch imp {
			case "unsafe", "plugin", "os/exec", "net", "net/http", "syscall":
				t.Errorf("%s imports %s", fields[0], imp)
			}
		}
	}
}

// TestCommentsStayInside: a comment that cites a document outside the repository
// explains nothing to its reader.
func TestCommentsStayInside(t *testing.T) {
	read := 0
	err := walkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".js" || path == "imports_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		read++
		for _, outside := range []string{"facts/", "DESIGN.md", "STYLE.md", "exoagent.md"} {
			_, here := os.Stat(filepath.Join(filepath.Dir(path), outside)) // a large package has a DESIGN.md of its own
			if strings.Contains(string(text), outside) && here != nil {
				t.Errorf("%s cites %s, which is not here", path, outside)
			}
		}
		return err
	})
	if err != nil || read < 50 {
		t.Fatalf("%d files read: %v", read, err)
	}
}
