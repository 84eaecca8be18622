package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// TestGenerated: a column that the database calculates of a labelled one, also through another, is named unless it has the label.
func TestGenerated(t *testing.T) {
	live := &schema.Database{Engine: schema.SQLite, Tables: []*schema.Table{{Name: schema.Name{Name: "people"}, Columns: []schema.Column{{Name: "email"}, {Name: "plain"},
		{Name: "initial", Generated: schema.Stored, GenExpr: "substr(email, 1, 1)"}, {Name: "upper", Generated: schema.Virtual, GenExpr: "upper(initial)"}, {Name: "size", Generated: schema.Stored, GenExpr: "length(plain)"}}}}}
	for _, c := range []struct{ email, initial, want string }{{"", "", ""}, {"pii", "", "initial upper"}, {"pii", "pii", "upper"}, {"pii", "x", "initial upper"}} {
		people := &decl.Table{ID: 1, Name: "people"}
		for _, name := range []string{"email", "plain", "initial", "upper", "size"} {
			col := &decl.Column{Table: people, Name: name}
			if tag := map[string]string{"email": c.email, "initial": c.initial}[name]; tag != "" {
				col.Label = value.NewLabel(tag)
			}
			people.Cols = append(people.Cols, col)
		}
		check := NewChecker()
		check.Live = live
		check.Use(people)
		check.generated()
		var got []string
		for _, f := range check.found {
			if f.Kind == LabelMismatch && strings.Contains(f.Problem, "the database calculates this column from ") && f.Fix != "" {
				got = append(got, f.Column)
			}
		}
		if s := strings.Join(slices.Compact(got), " "); s != c.want {
			t.Errorf("%+v: %q", c, s)
		}
	}
}
