package check

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// TestWritable: each thing by which a write would reach beyond its scope is refused, and the same without it is not.
func TestWritable(t *testing.T) {
	jobs, people := &decl.Table{ID: 1, Name: "jobs"}, &decl.Table{ID: 2, Name: "people"}
	col := func(of *decl.Table, name string, key bool) *decl.Column {
		c := &decl.Column{Table: of, Name: name, Guest: name, Kind: exo.TypeInt, Key: key}
		of.Add(c)
		return c
	}
	id, org, title, person, personID := col(jobs, "id", true), col(jobs, "org", false), col(jobs, "title", false), col(jobs, "person_id", false), col(people, "id", true)
	link := &decl.Link{From: jobs, To: people, Name: "person", One: true, Pairs: []decl.Pair{{From: person, To: personID}}}
	world := func(engine schema.Engine) (*schema.Database, *schema.Table, Write) {
		live := &schema.Table{Name: schema.Name{Name: "jobs"}, PrimaryKey: &schema.Key{Name: "pk", Columns: []string{"id"}},
			Uniques:     []schema.Key{{Name: "u", Columns: []string{"org", "title"}}},
			ForeignKeys: []schema.ForeignKey{{Columns: []string{"person_id"}, Table: schema.Name{Name: "people"}, References: []string{"id"}}}}
		return &schema.Database{Engine: engine, Tables: []*schema.Table{live, {Name: schema.Name{Name: "people"}}}}, live,
			Write{Table: jobs, Rights: decl.Rights{Insert: []*decl.Column{title, person}, Update: []*decl.Column{title}, Delete: true}, Fixed: []*decl.Column{org}, Links: []*decl.Link{link}}
	}
	for name, c := range map[string]struct {
		change func(d *schema.Database, t *schema.Table, w *Write)
		want   string // "": it may be written
	}{
		"as it is":      {func(*schema.Database, *schema.Table, *Write) {}, ""},
		"no such table": {func(d *schema.Database, t *schema.Table, w *Write) { t.Name.Name = "other" }, "is no table"},
		"inherited":     {func(d *schema.Database, t *schema.Table, w *Write) { t.Inherited = true }, "inherit from jobs"},
		"no unique key": {func(d *schema.Database, t *schema.Table, w *Write) { t.PrimaryKey = nil }, "is no primary key"},
		"a wider key":   {func(d *schema.Database, t *schema.Table, w *Write) { t.PrimaryKey.Columns = []string{"id", "org"} }, "is no primary key"},
		"a trigger":     {func(d *schema.Database, t *schema.Table, w *Write) { t.Triggers = []schema.Trigger{{Name: "audit"}} }, "the trigger audit"},
		"a known trigger": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Triggers = []schema.Trigger{{Name: "audit"}}
			w.Rights.Effects = []string{"audit"}
		}, ""},
		"a rule": {func(d *schema.Database, t *schema.Table, w *Write) { t.Rules = []string{"r"} }, "the rule r"},
		"a cascade": {func(d *schema.Database, t *schema.Table, w *Write) {
			d.Tables[1].ForeignKeys = []schema.ForeignKey{{Columns: []string{"job"}, Table: t.Name, OnDelete: schema.Cascade}}
		}, "people(job)"},
		"unique for all": {func(d *schema.Database, t *schema.Table, w *Write) { t.Uniques[0].Columns = []string{"title"} }, "unique among everybody's rows"},
		"the same, in part": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Where: "x", Parts: []schema.Part{{Column: "title"}}}}
		}, "unique among everybody's rows"},
		"by an expression": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Parts: []schema.Part{{Expr: "lower(title)"}}}}
		}, "unique among everybody's rows"},
		"in other letters": {func(d *schema.Database, t *schema.Table, w *Write) { t.Uniques[0].Columns = []string{"TITLE"} }, "unique among everybody's rows"},
		"said so": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns = []string{"title"}
			w.Rights.Effects = []string{"unique(title)"}
		}, ""},
		"not written":      {func(d *schema.Database, t *schema.Table, w *Write) { t.Uniques[0].Columns = []string{"code"} }, ""},
		"the key is given": {func(d *schema.Database, t *schema.Table, w *Write) { w.Rights.Insert = append(w.Rights.Insert, id) }, "(id), which is unique among everybody's rows"},
		"within a parent": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns = []string{"person_id", "title"}
		}, ""},
		"no link":          {func(d *schema.Database, t *schema.Table, w *Write) { w.Links = nil }, "no link by it"},
		"a link by others": {func(d *schema.Database, t *schema.Table, w *Write) { t.ForeignKeys[0].References = []string{"code"} }, "no link by it"},
		"a link elsewhere": {func(d *schema.Database, t *schema.Table, w *Write) { t.ForeignKeys[0].Table.Name = "orgs" }, "no link by it"},
		"not written either": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Links, w.Rights.Insert = nil, []*decl.Column{title}
		}, ""},
	} {
		d, live, w := world(schema.SQLite)
		c.change(d, live, &w)
		err := Writable(d, w)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
