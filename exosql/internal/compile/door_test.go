package compile

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
	"path/filepath"
	"strings"
	"testing"
)

// TestNoTableWithoutScope: code of this package that would put a table into a query without
// the conditions of its scope does not compile. Each case has a twin that does.
func TestNoTableWithoutScope(t *testing.T) {
	check := packageChecker(t)
	for name, c := range map[string]struct{ wrong, right, says string }{
		"a table":             {`f.sources.Add(row.Table, "t9", f.anything)`, `e, _ := row.Grant.Enter(row.Table, nil, nil); f.sources.Add(e, "t9", f.anything)`, "as scope.Entry value"},
		"a table's name":      {`f.sources.Add(row.Table.Name, "t9", f.anything)`, `f.sources.Add(scope.Entry{}, "t9", f.anything)`, "as scope.Entry value"},
		"an entry by hand":    {`f.sources.Add(scope.Entry{table: row.Table}, "t9", f.anything)`, `f.sources.Add(scope.Entry{}, "t9", f.anything)`, "unexported field table"},
		"an entry in parts":   {`f.sources.Add(scope.Entry{row.Grant, row.Table, nil}, "t9", f.anything)`, `f.sources.Add(scope.Entry{}, "t9", f.anything)`, "implicit assignment"},
		"fewer conditions":    {`e, _ := row.Grant.Enter(row.Table, nil, nil); e.must = nil; f.enter(e, nil, nil, nil)`, `e, _ := row.Grant.Enter(row.Table, nil, nil); f.enter(e, nil, nil, nil)`, "e.must undefined"},
		"no conditions":       {`f.sources.Add(scope.Entry{}, "t9")`, `f.sources.Add(scope.Entry{}, "t9", f.anything)`, "not enough arguments"},
		"a source":            {`f.sources = []sqlast.Source{{Table: "users", Alias: "t9"}}`, `f.sources = scope.Derived(&sqlast.Select{}, "t9")`, "as scope.Sources value"},
		"sources by hand":     {`f.sources = scope.Sources{list: []sqlast.Source{{Table: "users"}}}`, `f.sources = scope.Sources{}`, "unexported field list"},
		"a row without entry": {`f.enter(row.Table, nil, nil, nil)`, `f.enter(scope.Entry{}, nil, nil, nil)`, "as scope.Entry value"},
	} {
		body := func(s string) string {
			return "package compile\nimport (\"github.com/exoagent/exoagent/exosql/internal/expr\"; \"github.com/exoagent/exoagent/exosql/internal/scope\"; \"github.com/exoagent/exoagent/internal/sqlast\")\n" +
				"var _ scope.Entry; var _ sqlast.Source\nfunc (f *from) anything([]scope.Condition) error { return nil }\nfunc (f *from) wrong(row *expr.Row) { " + s + " }\n"
		}
		if errs := check(body(c.right)); len(errs) > 0 {
			t.Errorf("%s: the twin does not compile: %v", name, errs)
		}
		errs := check(body(c.wrong))
		if len(errs) == 0 {
			t.Errorf("%s: compiles: %s", name, c.wrong)
			continue
		}
		if !strings.Contains(errs[0].Error(), c.says) {
			t.Errorf("%s: refused for another reason: %v", name, errs)
		}
	}
}

// TestOneDoor: the FROM of a statement is written by package scope alone. Its literal in this
// package, or in that of expressions, would compile, so its name must not be there.
func TestOneDoor(t *testing.T) {
	found := 0
	for _, f := range packageFiles(t, "*.go", "../expr/*.go") {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "sqlast" {
					found++
					if n.Sel.Name == "Source" {
						t.Error("sqlast.Source is named: scope.Sources holds what a query reads")
					}
				}
			case *ast.CompositeLit:
				if sel, ok := n.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Write" && fmt.Sprint(sel.X) == "sqlast" {
					t.Error("a write is begun by hand: scope.Entry.Write does it")
				}
				if sel, ok := n.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Select" && strings.Contains(fmt.Sprint(keys(n)), "From") {
					t.Error("a FROM is written by hand: scope.Sources.Of does it")
				}
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					if sel, ok := l.(*ast.SelectorExpr); ok && sel.Sel.Name == "From" {
						if _, ok := sel.X.(*ast.Ident); ok {
							t.Error("a FROM is assigned by hand: scope.Sources.Of does it")
						}
					}
				}
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("sqlast is named %d times: the files were not read", found)
	}
}

func keys(lit *ast.CompositeLit) (out []ast.Expr) {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			out = append(out, kv.Key)
		}
	}
	return out
}

var doorFiles = token.NewFileSet()

func packageFiles(t *testing.T, patterns ...string) (files []*ast.File) {
	t.Helper()
	var names []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no files: %v", p, err)
		}
		names = append(names, found...)
	}
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(doorFiles, n, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// packageChecker checks this package with one more file.
func packageChecker(t *testing.T) func(text string) []error {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Export", ".")
	cmd.Stderr = os.Stderr
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
	imp := importer.ForCompiler(doorFiles, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	files := packageFiles(t, "*.go")
	return func(text string) (errs []error) {
		f, err := parser.ParseFile(doorFiles, "wrong.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: imp, Error: func(err error) { errs = append(errs, err) }}
		_, _ = conf.Check("github.com/exoagent/exoagent/exosql/internal/compile", doorFiles, append(files[:len(files):len(files)], f), nil)
		return errs
	}
}
