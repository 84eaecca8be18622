package dynamic_test

import (
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestLabelsOfSharedScopes: rows carry the label of what their scope reads also where grants share their scopes, and the labelled table
// has none among these. The twin grants the same without sharing.
func TestLabelsOfSharedScopes(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE a (id {int} PRIMARY KEY, d_id {int} NOT NULL)", "CREATE TABLE b (id {int} PRIMARY KEY, a_id {int} NOT NULL)",
			"CREATE TABLE x (id {int} PRIMARY KEY, b_id {int} NOT NULL)", "CREATE TABLE d (id {int} PRIMARY KEY, x_id {int} NOT NULL)", "INSERT INTO a VALUES (1, 1)", "INSERT INTO b VALUES (1, 1)", "INSERT INTO x VALUES (1, 1)", "INSERT INTO d VALUES (1, 1)")})
		live, err := db.Catalog(t.Context())
		must(t, err)
		for _, shared := range []bool{true, false} {
			ds := dynamic.New(live)
			a, b, x, d := get(ds.Table("a"))(t), get(ds.Table("b"))(t), get(ds.Table("x"))(t), get(ds.Table("d"))(t)
			must(t, b.WithLabel("medical"))
			link := func(name string, from, to *dynamic.Table, column, references string) *dynamic.Link {
				return get(from.Link(dynamic.LinkSpec{Name: name, Columns: []string{column}, To: to, References: []string{references}}))(t)
			}
			bs, xs, rows := link("bs", a, b, "id", "a_id"), link("xs", b, x, "id", "b_id"), link("ds", x, d, "id", "x_id")
			direct := link("d", a, d, "d_id", "id")
			fa, fb, fx, fd := get(a.Facet("a", "id"))(t), get(b.Facet("b", "id"))(t), get(x.Facet("x", "id"))(t), get(d.Facet("d", "id"))(t)
			must(t, fa.Add(bs, fb))
			must(t, fa.Add(direct, fd))
			must(t, fb.Add(xs, fx))
			must(t, fx.Add(rows, fd))
			var o exo.Object
			if shared {
				o = get(fa.Of(db, get(dynamic.NewScopes(dynamic.ScopeRows(a, dynamic.Ge("id", 1)), dynamic.ScopeVia(rows)))(t).Rows(a)))(t)
			} else {
				o, err = fa.Grant(db, dynamic.Ge("id", 1), dynamic.ScopeVia(rows))
			}
			must(t, err)
			tool := get(codemode.New(codemode.Grants{"a": o}, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("medical"), Evaluator: exoeval.InProcess{}}))(t)
			if r := tool.Run(t.Context(), "return a.d().count()"); r.Err != nil || string(r.JSON) != "1" || r.Label.String() != "{medical}" {
				t.Errorf("shared %t: %s %v, label %v", shared, r.JSON, r.Err, r.Label)
			}
		}
	})
}

// TestTemplateOfOtherLabels: a principal gets no rows whose scope reads what is labelled by a template whose example reads nothing such.
func TestTemplateOfOtherLabels(t *testing.T) {
	e := tu.SQLite
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE p (id {int} PRIMARY KEY, pay {int} NOT NULL)", "INSERT INTO p VALUES (1, 5), (2, 6)")})
	live, err := db.Catalog(t.Context())
	must(t, err)
	p := get(dynamic.New(live).Table("p", dynamic.ColumnSpec{Name: "pay", Label: []string{"pay"}}))(t)
	f := get(p.Facet("p", "id"))(t)
	template := get(f.Template(db, p.Rows(dynamic.AllRows())))(t)
	for column, ok := range map[string]bool{"pay": false, "id": true} {
		pred := dynamic.Eq(column, map[bool]int{false: 5, true: 1}[ok])
		o := template.For(func(*dynamic.Template) (dynamic.Relation, error) { return p.Rows(dynamic.AllRows()).Where(pred), nil })
		tool := get(codemode.New(codemode.Grants{"p": o}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}}))(t)
		if r := tool.Run(t.Context(), "return p.count()"); (r.Err == nil) != ok || ok && string(r.JSON) != "1" {
			t.Errorf("%s: %s %v", column, r.JSON, r.Err)
		}
	}
}
