package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoReuse: each program of a player has a process of its own. Code that took one over would
// meet the next attempt of its player in a process that serves several, also the program that a model wrote
// for them, whose key is another.
func TestNoReuse(t *testing.T) {
	pools := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || path == "reuse_test.go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if n.Name == "Reuse" {
					t.Errorf("%s mentions Reuse", path)
				}
			case *ast.CompositeLit: // without the names of fields it would be given unseen
				s, ok := n.Type.(*ast.SelectorExpr)
				if !ok || s.Sel.Name != "PoolOptions" {
					return true
				}
				pools++
				for _, e := range n.Elts {
					if _, ok := e.(*ast.KeyValueExpr); !ok {
						t.Errorf("%s: PoolOptions without the names of its fields", path)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || pools < 2 {
		t.Errorf("%d pools, %v", pools, err)
	}
}
