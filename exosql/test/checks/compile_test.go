package checks_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

var wrongLine = regexp.MustCompile(`(?m)^(.*) // ERROR (.*)\n// OK (.*)$`)

// TestCompiler checks that the mistakes of testdata/compile are refused by the
// compiler, with a message that names them, and that what is right in their
// place is not.
func TestCompiler(t *testing.T) {
	tu.NotQuick(t)
	check := typechecker(t)
	var decl string
	files := tu.Corpus(t, "compile", ".go")
	for _, f := range files {
		if f.Name == "decl.go" {
			decl = f.Read()
		}
	}
	if errs := check(decl); len(errs) > 0 {
		t.Fatalf("decl.go: %v", errs)
	}
	for _, f := range files {
		if f.Name == "decl.go" {
			continue
		}
		t.Run(strings.TrimSuffix(f.Name, ".go"), func(t *testing.T) {
			text := f.Read()
			m := wrongLine.FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("%s: want a line with // ERROR, and // OK in the next", f.Path)
			}
			line := strings.Count(text[:strings.Index(text, m[0])], "\n") + 1
			errs := check(decl, text)
			if len(errs) == 0 {
				t.Fatalf("compiles: %s", m[1])
			}
			found := false
			for _, e := range errs {
				if pos := e.Fset.Position(e.Pos); pos.Line != line || pos.Filename != "1.go" {
					t.Errorf("another error: %v", e)
				}
				found = found || regexp.MustCompile(m[2]).MatchString(e.Msg)
			}
			if !found {
				t.Errorf("the message is %v\nwant %s", errs, m[2])
			}
			if errs := check(decl, strings.Replace(text, m[0], m[3], 1)); len(errs) > 0 {
				t.Errorf("the twin does not compile: %v", errs)
			}
		})
	}
}

// typechecker checks packages against exosql as the go command compiled it.
func typechecker(t *testing.T) func(texts ...string) []types.Error {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Export", "./exosql")
	cmd.Dir, cmd.Stderr = tu.Root(), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return func(texts ...string) (errs []types.Error) {
		var files []*ast.File
		for i, text := range texts {
			f, err := parser.ParseFile(fset, fmt.Sprintf("%d.go", i), text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		conf := types.Config{Importer: imp, Error: func(err error) { errs = append(errs, err.(types.Error)) }}
		_, _ = conf.Check("wrong", fset, files, nil)
		return errs
	}
}
