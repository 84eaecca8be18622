package exoagent_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/exoagent/exoagent"

// anything may be imported by these, and nobody imports them.
var leaves = []string{"examples/", "challenge", "cmd/", "internal/corpus", "internal/testutil", "internal/bench", "internal/mutate", "codemode/repl", "exosql/internal/kit", "exosql/test/"}

var updateImports = flag.Bool("update-imports", false, "write imports.txt anew")

// TestImports: imports.txt lists what each package imports besides the standard library, so that an edge between packages is added by a person, who
// reads the table. exo knows neither SQL nor JavaScript, exosql no JavaScript, exoeval and codemode no SQL: then each can be audited alone.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Standard", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	top := func(name string) bool {
		return slices.ContainsFunc(leaves, func(l string) bool { return strings.HasPrefix(name, l) })
	}
	var lines []string
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		var own, others []string
		for _, imp := range p.Imports {
			local, ours := strings.CutPrefix(imp, module+"/")
			switch {
			case ours && top(local) && !top(name):
				t.Errorf("%s imports %s, which is at the top: nothing may import it", name, local)
			case ours:
				own = append(own, local)
			case strings.Contains(strings.Split(imp, "/")[0], "."):
				others = append(others, imp)
			}
		}
		if name != "" && !top(name) {
			lines = append(lines, strings.TrimSpace(name+": "+strings.Join(append(own, others...), " ")))
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *updateImports {
		if err := os.WriteFile("imports.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	for _, l := range lines {
		if !slices.Contains(known, l) {
			t.Errorf("imports.txt has another line for: %s\n(go test . -run TestImports -update-imports writes it, once somebody has agreed)", l)
		}
	}
	for _, l := range known {
		if name, _, _ := strings.Cut(l, ":"); !strings.Contains(got, name+":") {
			t.Errorf("imports.txt has %s, which is not there", name)
		}
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
// tries the examples waited for all of it. Only a program that imports the adapter links it. The SDK of OpenTelemetry in cmd/exo is 48 packages, which
// are small: 0.2 ms at the start of a process. The official exporters would be 145 more, and 0.7 ms more (RATIONALE.md).
func TestGeminiIsOptional(t *testing.T) {
	const library = "github.com/google/generative-ai-go" + "/genai"
	for _, command := range []string{"./examples/simple", "./examples/saas", "./cmd/exo", "./challenge"} {
		most := 510
		if command == "./cmd/exo" {
			most += 56
		}
		if all := deps(t, command); slices.Contains(all, library) || len(all) > most || slices.Contains(all, "google.golang.org/protobuf/proto") {
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
			if fields[0] == module+"/exo/mcpclient" && imp == "net/http" {
				continue // it takes a client from its host, and starts processes by internal/wall
			}
			if fields[0] == module+"/exo/notify" && (imp == "net" || imp == "net/http") {
				continue // it speaks SMTP and HTTP on connections that exo/web makes
			}
			if fields[0] == module+"/exo/web" && imp != "unsafe" && imp != "plugin" {
				continue // it is the way to other hosts, and runs the host's command for a secret
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
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".js" || path == "imports_test.go" || path == "docs_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		read++
		for _, outside := range []string{"facts/", "DESIGN.md", "STYLE.md", "exoagent.md"} {
			_, here := os.Stat(filepath.Join(filepath.Dir(path), outside)) // a large package has a DESIGN.md of its own
			if strings.Contains(string(text), outside) && here != nil {
				t.Errorf("%s cites %s, which is not here", path, outside)
			}
			if form := "Its design is DESIGN.md in this package's folder."; outside == "DESIGN.md" && here == nil && filepath.Base(path) == "doc.go" && !strings.Contains(strings.ReplaceAll(string(text), "\n// ", " "), form) {
				t.Errorf("%s does not say %q, which a reader on pkg.go.dev needs", path, form)
			}
		}
		return err
	})
	if err != nil || read < 50 {
		t.Fatalf("%d files read: %v", read, err)
	}
}
