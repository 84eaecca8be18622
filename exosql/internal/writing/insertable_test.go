package writing

import (
	"testing"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// TestInsertable: a column that needs a value and that nobody gives one keeps rows from being inserted.
func TestInsertable(t *testing.T) {
	jobs := &decl.Table{ID: 1, Name: "jobs"}
	title, secret := &decl.Column{Table: jobs, Name: "title"}, &decl.Column{Table: jobs, Name: "secret"}
	for what, c := range map[string]struct {
		secret schema.Column
		write  Write
		needed bool
	}{
		"hidden":                     {schema.Column{NotNull: true}, Write{}, true},
		"may be NULL":                {schema.Column{}, Write{}, false},
		"has a default":              {schema.Column{NotNull: true, Default: "1"}, Write{}, false},
		"calculated by the database": {schema.Column{NotNull: true, Generated: schema.Stored}, Write{}, false},
		"given by the program":       {schema.Column{NotNull: true}, Write{Rights: decl.Rights{Insert: []*decl.Column{secret}}}, false},
		"given by the scope":         {schema.Column{NotNull: true}, Write{Fixed: []*decl.Column{secret}}, false},
		"given by a hook":            {schema.Column{NotNull: true}, Write{Filled: []*decl.Column{secret}}, false},
	} {
		c.secret.Name = "secret"
		live := &schema.Table{Name: schema.Name{Name: "jobs"}, Columns: []schema.Column{{Name: "title", NotNull: true}, c.secret}}
		w := c.write
		w.Table, w.Facet, w.Inserts = jobs, &decl.Facet{Table: jobs, Alias: "job"}, true
		w.Rights.Insert = append(w.Rights.Insert, title)
		of := NewChecker()
		of.Live, of.writes = &schema.Database{Engine: schema.SQLite, Tables: []*schema.Table{live}}, []Write{w}
		of.insertable()
		found := of.Found()
		if got := len(found) == 1 && found[0].Kind == check.NeededColumn && found[0].Column == "secret"; got != c.needed || len(found) > 1 {
			t.Errorf("%s: %+v", what, found)
		}
	}
}
