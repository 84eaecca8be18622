package exoagent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notPublic are folders whose packages no host imports.
var notPublic = regexp.MustCompile(`(^|/)(internal|testdata|examples|challenge|cmd|\.[^/]*)(/|$)`)

// byInterface are methods that say nothing beyond the interface that asks for them.
var byInterface = map[string]bool{"String": true, "Error": true, "Unwrap": true}

// TestComments: go doc of each exported name of a public package says what it is, in a sentence
// that begins with the name.
func TestComments(t *testing.T) {
	seen := 0
	err := walkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || notPublic.MatchString(filepath.ToSlash(filepath.Dir(path))) {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if f.Name.Name == "main" {
			return nil
		}
		check := func(name *ast.Ident, doc *ast.CommentGroup, needed bool) {
			if !name.IsExported() {
				return
			}
			seen++
			text := strings.TrimSpace(doc.Text())
			if text == "" {
				if needed {
					t.Errorf("%s: %s has no comment", set.Position(name.Pos()), name.Name)
				}
				return
			}
			for _, article := range []string{"A ", "An ", "The "} {
				text = strings.TrimPrefix(text, article)
			}
			if rest, ok := strings.CutPrefix(text, name.Name); !ok || rest != "" && !strings.ContainsAny(rest[:1], " ,.:;\n'") {
				t.Errorf("%s: the comment of %s begins with %.40q", set.Position(name.Pos()), name.Name, text)
			}
		}
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil || ast.IsExported(receiver(decl.Recv.List[0].Type)) {
					check(decl.Name, decl.Doc, !byInterface[decl.Name.Name])
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					alone := !decl.Lparen.IsValid()
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						doc := spec.Doc
						if alone {
							doc = decl.Doc
						}
						check(spec.Name, doc, true)
					case *ast.ValueSpec:
						// In a group the comment of all, or one behind the line, may say what they are.
						if alone {
							check(spec.Names[0], decl.Doc, spec.Comment == nil)
						} else {
							check(spec.Names[0], spec.Doc, false)
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil || seen < 700 {
		t.Errorf("%d names were looked at: %v", seen, err)
	}
}

// receiver is the name of a method's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
