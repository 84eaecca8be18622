package main

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// TestListCompiles: what a mutation makes of its package compiles. Else no test fails for it, and the claim that names it has none.
func TestListCompiles(t *testing.T) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./...")
	cmd.Dir = repository
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[name] = file
	}
	set, parsed := token.NewFileSet(), map[string]*ast.File{}
	imports := importer.ForCompiler(set, "gc", func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) })
	share, tried := testutil.OneIn(t, 8), 0
	for _, m := range lists(t) {
		if !share.Next() {
			continue
		}
		text, err := m.Apply(repository)
		if err != nil {
			t.Error(err)
			continue
		}
		dir := filepath.Join(repository, filepath.Dir(m.File))
		pkg, err := build.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		built := false // on this system
		for _, name := range append(pkg.GoFiles, pkg.CgoFiles...) {
			path, source := filepath.Join(dir, name), any(nil)
			if name == filepath.Base(m.File) {
				built, source = true, text
			}
			file := parsed[path]
			if file == nil || source != nil {
				if file, err = parser.ParseFile(set, path, source, parser.SkipObjectResolution); err != nil {
					t.Fatal(err)
				}
			}
			if files = append(files, file); source == nil {
				parsed[path] = file
			}
		}
		if !built {
			continue
		}
		tried++
		config := types.Config{Importer: imports, Error: func(error) {}, FakeImportC: true}
		if _, err := config.Check(dir, set, files, nil); err != nil {
			t.Errorf("%s: %q does not compile: %v", m.At, m.New, err)
		}
	}
	if least := share.Of(1000); tried < least {
		t.Errorf("%d mutations were tried, want %d", tried, least)
	}
}
