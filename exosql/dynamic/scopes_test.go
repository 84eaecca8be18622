package dynamic_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
)

// TestTemplateHasNoRows: an object of a template without a principal gives no row, and never those of the example; one with a principal
// gives the principal's.
func TestTemplateHasNoRows(t *testing.T) {
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "CREATE TABLE notes (id INTEGER PRIMARY KEY, org INTEGER NOT NULL); INSERT INTO notes VALUES (1, 1), (2, 2)")
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	notes, err := dynamic.New(live).Table("notes")
	if err != nil {
		t.Fatal(err)
	}
	facet, err := notes.Facet("note", "id")
	if err != nil {
		t.Fatal(err)
	}
	rows := func(org int) dynamic.Relation {
		s, err := dynamic.NewScopes(dynamic.ScopeRows(notes, dynamic.Eq("org", org)))
		if err != nil {
			t.Fatal(err)
		}
		return s.Rows(notes)
	}
	template, err := facet.Template(db, rows(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bind dynamic.Binding
		want string
	}{
		{nil, ""},
		{func(*dynamic.Template) (dynamic.Relation, error) { return dynamic.Relation{}, nil }, ""},
		{func(*dynamic.Template) (dynamic.Relation, error) { return rows(2), nil }, `[{"id":2}]`},
		{func(*dynamic.Template) (dynamic.Relation, error) { return rows(1), nil }, `[{"id":1}]`},
	} {
		tool, err := codemode.New(codemode.Grants{"notes": template.For(c.bind)}, &codemode.Options{Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		if r := tool.Run(t.Context(), "notes"); string(r.JSON) != c.want || (r.Err == nil) != (c.want != "") {
			t.Errorf("%s %v, want %s", r.JSON, r.Err, c.want)
		}
	}
	if (*dynamic.Template)(nil).For(nil) != nil || (&dynamic.Template{}).For(nil) != nil || (*dynamic.Template)(nil).Example() != nil {
		t.Error("a zero Template makes objects")
	}
	if _, err := facet.Template(db, (*dynamic.Scopes)(nil).Rows(notes)); err == nil {
		t.Error("zero Scopes have rows")
	}
}
