package writing

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/schema"
)

// TestLaw: each kind of dependant is listed by one of the functions that list dependants, and has one case of the two switches that discharge them.
// A default only refuses, so that a kind without a case is refused.
func TestLaw(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "law.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	listed, answered := map[string]int{}, map[string]int{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.CONST {
					kinds = append(kinds, v.Names[0].Name)
				}
			}
		case *ast.FuncDecl:
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if strings.HasPrefix(d.Name.Name, "dependants") {
						listed[n.Name]++
					}
				case *ast.SwitchStmt:
					if tag, ok := n.Tag.(*ast.SelectorExpr); !ok || tag.Sel.Name != "kind" {
						break
					}
					for _, c := range n.Body.List {
						c := c.(*ast.CaseClause)
						if c.List == nil && !refuses(c.Body) {
							t.Errorf("the switch of %s has a default that does more than refuse", d.Name.Name)
						}
						for _, x := range c.List {
							answered[x.(*ast.Ident).Name]++
						}
					}
				}
				return true
			})
		}
	}
	for _, k := range kinds {
		if listed[k] == 0 || answered[k] != 1 {
			t.Errorf("%s is listed %d times, and %d cases answer it", k, listed[k], answered[k])
		}
	}
	if len(kinds) != int(equates) || len(answered) != len(kinds) {
		t.Errorf("%d kinds, of which the last is number %d, and %d are answered", len(kinds), equates, len(answered))
	}
}

// TestUnanswered: a kind without a discharge is refused, by a message and by the catalogue.
func TestUnanswered(t *testing.T) {
	of := &decl.Table{Name: "jobs"}
	g := &scope.Grant{}
	w := &writer{m: &exo.Message{Checked: message.Checked{Root: &message.Node{Name: language.Delete}}}, w: &Writing{Table: of, Grant: g}}
	live := &schema.Table{Name: schema.Name{Name: "jobs"}}
	for kind, answers := range map[kind]bool{0: false, counts + 20: false, decides: true} {
		if err := w.discharge(g, dependant{kind: kind, table: of}, nil); (err == nil) != answers {
			t.Errorf("kind %d in a message: %v", kind, err)
		}
	}
	for kind, answers := range map[kind]bool{0: false, equates + 1: false, exposes: true} {
		r := rulesOf(&schema.Database{Engine: schema.SQLite, Tables: []*schema.Table{live}})
		refusing{c: r, w: Write{Table: of}, t: live}.discharge(change{}, dependant{kind: kind})
		if got := r.Found(); slices.ContainsFunc(got, func(f check.Finding) bool { return strings.Contains(f.Problem, "no rule") }) == answers {
			t.Errorf("kind %d by the catalogue: %v", kind, got)
		}
	}
}

// TestDependsTwice: what a grant decides by another declaration of the table that is written counts as what it decides by the table itself: rows
// that wait for a new one would come into scope by either.
func TestDependsTwice(t *testing.T) {
	table := func(id uint64, name string) (*decl.Table, *decl.Column) {
		of := &decl.Table{ID: id, Name: name}
		key := &decl.Column{Table: of, Name: "id", Guest: "id", Kind: value.TypeInt, Key: true}
		of.Add(key)
		return of, key
	}
	jobs, _ := table(1, "jobs")
	again, id := table(2, "Jobs")
	notes, job := table(3, "notes")
	link := &decl.Link{From: again, To: notes, Name: "notes", Pairs: []decl.Pair{{From: id, To: job}}}
	for name, c := range map[string]struct {
		to   *decl.Table
		want int
	}{"the same table": {again, 1}, "another table": {notes, 0}} {
		w := Write{Table: jobs, Facet: &decl.Facet{Table: jobs}}
		link.From = c.to
		w.Depends(&scope.Grant{Scopes: scope.Scopes{jobs: {Kind: decl.ScopeShared, Table: jobs}, again: {Kind: decl.ScopeShared, Table: again}, notes: {Kind: decl.ScopeVia, Table: notes, Link: link}}}, nil)
		if len(w.Leading) != c.want || len(w.Told) != c.want {
			t.Errorf("%s: links %v, columns %v", name, w.Leading, w.Told)
		}
	}
}

// refuses reports whether statements only add a reason to refuse.
func refuses(body []ast.Stmt) bool {
	x, ok := body[0].(*ast.ExprStmt)
	return ok && len(body) == 1 && strings.HasPrefix(types.ExprString(x.X), "r.because(")
}
