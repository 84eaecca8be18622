package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/schema"
)

// hostile is a database whose every name and text is s.
func hostile(s string) *schema.Database {
	n := schema.Name{Schema: "public", Name: s}
	enum := &schema.Enum{Name: schema.Name{Schema: "public", Name: s}, Values: []string{s, s + "!"}, Comment: s}
	table := func(name schema.Name) *schema.Table {
		return &schema.Table{Name: name, Comment: s, PrimaryKey: &schema.Key{Columns: []string{"id"}}, Columns: []schema.Column{
			{Name: "id", Type: "bigint", Kind: schema.Int, NotNull: true, Comment: s},
			{Name: s, Type: s, Kind: schema.Text, Comment: s},
			{Name: s + "_", Type: s, Kind: schema.Text, Enum: &enum.Name, Comment: s},
			{Name: s + "_at", Type: "timestamp(3)", Kind: schema.Time},
			{Name: "other", Type: s, Comment: s},
		}, ForeignKeys: []schema.ForeignKey{{Columns: []string{s}, Table: n, References: []string{s}}},
			Checks: []schema.Check{{Expr: `"` + strings.ReplaceAll(s, `"`, `""`) + `" IN ('` + strings.ReplaceAll(s, "'", "''") + `')`}}}
	}
	return &schema.Database{Engine: schema.Postgres, Path: []string{"public"}, Enums: []*schema.Enum{enum},
		Tables: []*schema.Table{table(n), table(schema.Name{Schema: "public", Name: s + "2"})}}
}

// harmless parses what was written, and fails unless it is an import of exosql and
// time, types, constants, and variables made by exosql's functions, each of another name.
func harmless(t *testing.T, p *Package) {
	t.Helper()
	declared := map[string]bool{"": true}
	once := func(in map[string]bool, names ...*ast.Ident) {
		for _, n := range names {
			if in[n.Name] || !n.IsExported() {
				t.Fatalf("%s is declared twice, or not exported", n.Name)
			}
			in[n.Name] = true
		}
	}
	for _, f := range p.Files {
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%v\n%s", err, f.Text)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if f, is := d.(*ast.FuncDecl); is && strings.HasPrefix(f.Name.Name, "Declared") && f.Recv == nil && len(f.Body.List) == 1 {
				once(declared, f.Name)
				continue // the list of all tables
			}
			if !ok {
				t.Fatalf("%s declares a function:\n%s", f.Name, f.Text)
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					once(declared, s.Names...)
				case *ast.TypeSpec:
					once(declared, s.Name)
					if row, ok := s.Type.(*ast.StructType); ok {
						fields := map[string]bool{}
						for _, f := range row.Fields.List {
							once(fields, f.Names...)
						}
					}
				}
				if i, ok := s.(*ast.ImportSpec); ok && (i.Name != nil || i.Path.Value != `"time"` && i.Path.Value != `"github.com/exoagent/exoagent/exosql"`) {
					t.Fatalf("%s imports %s", f.Name, i.Path.Value)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if root := text(call.Fun); root != "exosql" {
					t.Fatalf("%s calls %s:\n%s", f.Name, root, f.Text)
				}
			}
			return true
		})
		for _, g := range file.Comments {
			for _, c := range g.List {
				if c.Text != "//" && !strings.HasPrefix(c.Text, "// ") || strings.HasPrefix(c.Text, "// +build") && c.Pos() < file.Package {
					t.Fatalf("%s has the directive %q", f.Name, c.Text)
				}
			}
		}
	}
}

// text is the leftmost name of an expression.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return text(e.X)
	case *ast.CallExpr:
		return text(e.Fun)
	case *ast.IndexExpr:
		return text(e.X)
	}
	return "?"
}

var hostileTexts = []string{
	"x\nfunc init() { panic(1) }", "x\rvar Y = 1", "x\u2028var Y = 1", "x\u0085func init() {}", "/*", "*/ func init() {} /*", "//go:build ignore", "go:embed x", "+build ignore", "\n+build ignore",
	"`", "\"", "\\", "'", "\x00", "\xff\xfe", "\ufeff", "\"); panic(1); (\"", "${x}", "%s%d%!", "exosql", "time.Time", "*time.Time", "type", "func", "init", "main", "", " ", "_", "İ", "ǅ", "ß",
	"🙂", "ａ", "́", "a\u0301", "٣", "²", "DO NOT EDIT.", "package x", strings.Repeat("x", 63), "then", "limit", "__proto__", "true",
}

func TestHostileTexts(t *testing.T) {
	for _, s := range hostileTexts {
		p, err := Declare(hostile(s), Options{Source: s})
		if err != nil {
			if !strings.Contains(err.Error(), "is left") {
				t.Errorf("%q: %v", s, err)
			}
			continue
		}
		harmless(t, p)
	}
}

func FuzzTexts(f *testing.F) {
	for _, s := range hostileTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Declare(hostile(s), Options{Source: s})
		if err != nil {
			if !strings.Contains(err.Error(), "is left") {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		harmless(t, p)
	})
}
