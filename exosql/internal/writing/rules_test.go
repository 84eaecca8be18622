package writing

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// permits are permissions by their forms.
func permits(forms ...string) (list []decl.Permission) {
	for _, f := range forms {
		p, err := decl.ParsePermission(f)
		if err != nil {
			panic(err)
		}
		list = append(list, p)
	}
	return list
}

// TestWritable: each thing by which a write would reach beyond its scope is refused, and the same without it is not.
func TestWritable(t *testing.T) {
	jobs, people := &decl.Table{ID: 1, Name: "jobs"}, &decl.Table{ID: 2, Name: "people"}
	col := func(of *decl.Table, name string, key bool) *decl.Column {
		c := &decl.Column{Table: of, Name: name, Guest: name, Kind: value.TypeInt, Key: key}
		of.Add(c)
		return c
	}
	id, org, title, person, personID := col(jobs, "id", true), col(jobs, "org", false), col(jobs, "title", false), col(jobs, "person_id", false), col(people, "id", true)
	region, job := col(jobs, "region", false), col(people, "job", false)
	link := &decl.Link{From: jobs, To: people, Name: "person", One: true, Pairs: []decl.Pair{{From: person, To: personID}}}
	world := func(engine schema.Engine) (*schema.Database, *schema.Table, Write) {
		live := &schema.Table{Name: schema.Name{Name: "jobs"}, PrimaryKey: &schema.Key{Name: "pk", Columns: []string{"id"}},
			Columns:     []schema.Column{{Name: "id", Type: "INTEGER", Identity: schema.ByDefault, NotNull: true}, {Name: "org", Type: "INTEGER", NotNull: true}, {Name: "title", Type: "TEXT", NotNull: true}, {Name: "person_id", Type: "INTEGER"}, {Name: "code", Type: "TEXT"}, {Name: "region", Type: "INTEGER", NotNull: true}},
			Uniques:     []schema.Key{{Name: "u", Columns: []string{"org", "title"}, NullsDistinct: true}},
			ForeignKeys: []schema.ForeignKey{{Columns: []string{"person_id"}, Table: schema.Name{Name: "people"}, References: []string{"id"}}}}
		return &schema.Database{Engine: engine, Tables: []*schema.Table{live, {Name: schema.Name{Name: "people"}}}}, live,
			Write{Table: jobs, Rights: decl.Rights{Insert: []*decl.Column{title, person}, Update: []*decl.Column{title}, Delete: true}, Scope: []*decl.Column{org}, Decided: true, Links: []*decl.Link{link}}
	}
	for name, c := range map[string]struct {
		change func(d *schema.Database, t *schema.Table, w *Write)
		want   string // "": it may be written
	}{
		"as it is":      {func(*schema.Database, *schema.Table, *Write) {}, ""},
		"no such table": {func(d *schema.Database, t *schema.Table, w *Write) { t.Name.Name = "other" }, "or no table of the database"},
		"inherited":     {func(d *schema.Database, t *schema.Table, w *Write) { t.Inherited = true }, "other tables inherit from this one"},
		"no unique key": {func(d *schema.Database, t *schema.Table, w *Write) { t.PrimaryKey = nil }, "is not unique in the database"},
		"a wider key":   {func(d *schema.Database, t *schema.Table, w *Write) { t.PrimaryKey.Columns = []string{"id", "org"} }, "is not unique in the database"},
		"a trigger":     {func(d *schema.Database, t *schema.Table, w *Write) { t.Triggers = []schema.Trigger{{Name: "audit"}} }, "the trigger audit"},
		"a known trigger": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Triggers = []schema.Trigger{{Name: "audit"}}
			w.Rights.Permits = permits("trigger audit")
		}, ""},
		"a rule": {func(d *schema.Database, t *schema.Table, w *Write) { t.Rules = []schema.Rule{{Name: "r"}} }, "the rule r"},
		"a cascade": {func(d *schema.Database, t *schema.Table, w *Write) {
			d.Tables[1].ForeignKeys = []schema.ForeignKey{{Columns: []string{"job"}, Table: t.Name, OnDelete: schema.Cascade}}
		}, "people(job)"},
		"unique for all": {func(d *schema.Database, t *schema.Table, w *Write) { t.Uniques[0].Columns = []string{"title"} }, "unique among the rows of all tenants"},
		"the same, in part": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Where: "x", Parts: []schema.Part{{Column: "title"}}}}
		}, "unique among the rows of all tenants"},
		"by an expression": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Parts: []schema.Part{{Expr: "lower(title)"}}}}
		}, "unique among the rows of all tenants"},
		"in other letters": {func(d *schema.Database, t *schema.Table, w *Write) { t.Uniques[0].Columns = []string{"TITLE"} }, "unique among the rows of all tenants"},
		"said so": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns = []string{"title"}
			w.Rights.Permits = permits("unique(title)")
		}, ""},
		"not written":      {func(d *schema.Database, t *schema.Table, w *Write) { t.Uniques[0].Columns = []string{"code"} }, ""},
		"the key is given": {func(d *schema.Database, t *schema.Table, w *Write) { w.Rights.Insert = append(w.Rights.Insert, id) }, "(id) is unique among the rows of all tenants"},
		"within a parent of its own scope": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns = []string{"person_id", "title"}
		}, "(person_id, title) is unique among the rows of all tenants"}, // a person may be everybody's
		"within the parent that it is in scope by": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns, w.Scope = []string{"person_id", "title"}, []*decl.Column{person}
			w.Into = []*decl.Link{{From: people, To: jobs, Pairs: []decl.Pair{{From: personID, To: person}}}}
		}, ""},
		"within a tenant that the program chooses": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert = append(w.Rights.Insert, org)
		}, "(org, title) is unique among the rows of all tenants"},
		"within one that is filled in all the same": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Fixed = append(w.Rights.Insert, org), []*decl.Column{org}
		}, ""},
		"within a tenant that hooks choose": {func(d *schema.Database, t *schema.Table, w *Write) { w.Filled = []*decl.Column{org} }, "(org, title) is unique"},
		"within one that only updates could choose": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Filled = nil, []*decl.Column{org}
		}, ""},
		"within the tenant, by another collation": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Parts: []schema.Part{{Column: "org", Collation: "NOCASE"}, {Column: "title"}}}}
		}, "(org, title) is unique"},
		"a key of another collation": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.PrimaryKey.Parts = []schema.Part{{Column: "id", Collation: "BINARY"}}
		}, "is not unique in the database"},
		"a key of another direction": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.PrimaryKey.Parts = []schema.Part{{Column: "id", Desc: true}}
		}, ""},
		"a key that is not built": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.PrimaryKey, t.Indexes = nil, []schema.Index{{Unique: true, Invalid: true, Parts: []schema.Part{{Column: "id"}}}}
		}, "is not unique in the database"},
		"a trigger with the name of a permission": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Triggers, w.Rights.Permits = []schema.Trigger{{Name: "unique(title)"}}, permits("unique(title)")
		}, "the trigger unique(title)"},
		"a rule that replaces":               {func(d *schema.Database, t *schema.Table, w *Write) { t.OnConflict = []string{"REPLACE"} }, "one of its rules has ON CONFLICT REPLACE"},
		"a rule that keeps what came before": {func(d *schema.Database, t *schema.Table, w *Write) { t.OnConflict = []string{"FAIL"} }, "one of its rules has ON CONFLICT FAIL"},
		"a rule that replaces, known": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.OnConflict, w.Rights.Permits = []string{"REPLACE"}, permits("ON CONFLICT REPLACE")
		}, ""},
		"a trigger of a part": {func(d *schema.Database, t *schema.Table, w *Write) {
			d.Tables = append(d.Tables, &schema.Table{PartitionOf: &t.Name, Triggers: []schema.Trigger{{Name: "audit"}}})
		}, "the trigger audit"},
		"a cascade of a part": {func(d *schema.Database, t *schema.Table, w *Write) {
			d.Tables = append(d.Tables, &schema.Table{Name: schema.Name{Name: "part"}, PartitionOf: &t.Name})
			d.Tables[1].ForeignKeys = []schema.ForeignKey{{Columns: []string{"job"}, Table: schema.Name{Name: "part"}, OnDelete: schema.Cascade}}
		}, "people(job)"},
		"a foreign key of a part": {func(d *schema.Database, t *schema.Table, w *Write) {
			d.Tables = append(d.Tables, &schema.Table{PartitionOf: &t.Name, ForeignKeys: []schema.ForeignKey{{Columns: []string{"title"}, Table: schema.Name{Name: "titles"}, References: []string{"t"}}}})
		}, "programs may write (title), which refers to titles"},
		"within half of the scope": {func(d *schema.Database, t *schema.Table, w *Write) { w.Scope = append(w.Scope, region) }, "UNIQUE (region, org, title) instead"},
		"within all of it": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Scope, t.Uniques[0].Columns = append(w.Scope, region), []string{"region", "title", "org"}
		}, ""},
		"every row is in scope": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Scope, t.Uniques[0].Columns = nil, []string{"title"}
		}, ""},
		"a limited grant": {func(d *schema.Database, t *schema.Table, w *Write) { w.Decided = false }, "(org, title) is unique"},
		"in part, and said so of another part": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Where: "done", Parts: []schema.Part{{Column: "title"}}}}
			w.Rights.Permits = permits("unique(title)")
		}, `Permit(exosql.AllowUnique("title").Where("done"))`},
		"in part, by what is not in the key": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Where: "done", Parts: []schema.Part{{Column: "code"}}}}
		}, "(code) where done is unique"},
		"by an expression, said so": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Parts: []schema.Part{{Expr: "lower(title)"}}}}
			w.Rights.Permits = permits("unique(lower(title))")
		}, ""},
		"by an expression, within the tenant": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, Parts: []schema.Part{{Column: "org"}, {Expr: "lower(title)"}}}}
		}, ""},
		"excluded": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Exclusions = []schema.Exclusion{{Parts: []schema.Part{{Column: "title"}, {Column: "org"}}, Operators: []string{"=", "<>"}}}
		}, `Permit(exosql.AllowExclusion("title, org"))`},
		"excluded within the tenant": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Exclusions = []schema.Exclusion{{Parts: []schema.Part{{Column: "title"}, {Column: "org"}}, Operators: []string{"&&", "="}}}
		}, ""},
		"NULL is like NULL": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0] = schema.Key{Columns: []string{"code"}}
		}, "(code) is unique"},
		"an index where NULL is": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Indexes = []schema.Index{{Unique: true, NullsAlike: true, Parts: []schema.Part{{Column: "code"}}}}
		}, "(code) is unique"},
		"a default for all": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns, t.Columns[4].Default = []string{"code"}, "'x'"
		}, "(code) is unique"},
		"a default of its domain": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns, t.Columns[4].Domain = []string{"code"}, &schema.Name{Name: "seven"}
			d.Domains = []*schema.Domain{{Name: schema.Name{Name: "seven"}, Default: "7"}}
		}, "(code) is unique"},
		"a default, and no insert": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns, t.Columns[4].Default, w.Rights.Insert = []string{"code"}, "'x'", nil
		}, ""},
		"a random default": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns, t.Columns[4] = []string{"code"}, schema.Column{Name: "code", Kind: schema.UUID, Default: "gen_random_uuid()"}
		}, ""},
		"what the scope fills in": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Uniques[0].Columns, w.Scope = []string{"org"}, append(w.Scope, region)
		}, "(org) is unique"},
		"of the whole that it is a part of": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.PartitionOf = &schema.Name{Name: "whole"}
			d.Tables = append(d.Tables, &schema.Table{Name: *t.PartitionOf, Uniques: []schema.Key{{Columns: []string{"title"}}}})
		}, "(title) is unique"},
		"of one of its parts": {func(d *schema.Database, t *schema.Table, w *Write) {
			d.Tables = append(d.Tables, &schema.Table{PartitionOf: &t.Name, Uniques: []schema.Key{{Columns: []string{"title"}}}})
		}, "(title) is unique"},
		"no link":          {func(d *schema.Database, t *schema.Table, w *Write) { w.Links = nil }, "no link for this reference"},
		"a link by others": {func(d *schema.Database, t *schema.Table, w *Write) { t.ForeignKeys[0].References = []string{"code"} }, "no link for this reference"},
		"a link elsewhere": {func(d *schema.Database, t *schema.Table, w *Write) { t.ForeignKeys[0].Table.Name = "orgs" }, "no link for this reference"},
		"a link to itself, the other way round": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.ForeignKeys[0].Table.Name = "jobs"
			w.Links = []*decl.Link{{From: jobs, To: jobs, One: true, Pairs: []decl.Pair{{From: id, To: person}}}}
		}, "no link for this reference"},
		"a link to itself": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.ForeignKeys[0].Table.Name = "jobs"
			w.Links = []*decl.Link{{From: jobs, To: jobs, One: true, Pairs: []decl.Pair{{From: person, To: id}}}}
		}, ""},
		"the link that it is in scope by": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Links, w.Into = nil, []*decl.Link{{From: people, To: jobs, Pairs: []decl.Pair{{From: personID, To: person}}}}
		}, ""},
		"through a link that fills in a key to others": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links = []*decl.Column{title}, nil, nil
			w.Through = []*decl.Link{{From: jobs, To: jobs, Name: "follow", Pairs: []decl.Pair{{From: id, To: person}}}}
		}, "rows through the link follow, which fills in a reference to people"},
		"through a link that fills in a part of it": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links = []*decl.Column{title}, nil, nil
			t.ForeignKeys[0] = schema.ForeignKey{Columns: []string{"region", "person_id"}, Table: t.ForeignKeys[0].Table, References: []string{"region", "id"}}
			w.Through = []*decl.Link{{From: people, To: jobs, Name: "held", Pairs: []decl.Pair{{From: personID, To: person}}}}
		}, "insert rows through the link held"},
		"through it, and the link is seen": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Through = []*decl.Link{{From: jobs, To: jobs, Name: "follow", Pairs: []decl.Pair{{From: id, To: person}}}}
		}, ""},
		"through the link of the key": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links = []*decl.Column{title}, nil, nil
			w.Through = []*decl.Link{{From: people, To: jobs, Name: "held", Pairs: []decl.Pair{{From: personID, To: person}}}}
		}, ""},
		"through a row that refers to the same": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links = []*decl.Column{title}, nil, nil
			w.Through = []*decl.Link{{From: jobs, To: jobs, Name: "siblings", Pairs: []decl.Pair{{From: person, To: person}}}}
		}, ""},
		"through a row that may refer to none": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links = []*decl.Column{title}, nil, nil
			t.ForeignKeys[0].NotValid = true
			w.Through = []*decl.Link{{From: jobs, To: jobs, Name: "siblings", Pairs: []decl.Pair{{From: person, To: person}}}}
		}, "through the link siblings"},
		"through a row that refers to another": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links = []*decl.Column{title}, nil, nil
			w.Through = []*decl.Link{{From: jobs, To: jobs, Name: "siblings", Pairs: []decl.Pair{{From: region, To: person}}}}
		}, "through the link siblings"},
		"through it, by what the scope says": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links, w.Fixed = []*decl.Column{title}, nil, nil, []*decl.Column{person}
			t.Uniques = nil
			w.Through = []*decl.Link{{From: jobs, To: jobs, Name: "follow", Pairs: []decl.Pair{{From: id, To: person}}}}
		}, ""},
		"through it, where the scope has several": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update, w.Links, w.Scope = []*decl.Column{title}, nil, nil, append(w.Scope, person)
			t.Uniques = nil
			w.Through = []*decl.Link{{From: jobs, To: jobs, Name: "follow", Pairs: []decl.Pair{{From: id, To: person}}}}
		}, "through the link follow"},
		"within a tenant that a link fills in": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Through = []*decl.Link{{From: people, To: jobs, Name: "held", Pairs: []decl.Pair{{From: job, To: org}}}}
		}, "(org, title) is unique"},
		"unique for all, through a link": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Rights.Insert, w.Rights.Update = []*decl.Column{title}, nil
			t.Uniques[0].Columns = []string{"person_id"}
			w.Through = []*decl.Link{{From: people, To: jobs, Name: "held", Pairs: []decl.Pair{{From: personID, To: person}}}}
		}, "(person_id) is unique among the rows of all tenants"},
		"rows that wait for a new one": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Leading = []*decl.Link{{From: jobs, To: people, Pairs: []decl.Pair{{From: id, To: job}}}}
		}, `FOREIGN KEY (job) REFERENCES jobs (id) in the definition of people (SQLite can't add one later), or Permit(exosql.AllowWaiting("people", "job"))`},
		"those that a foreign key holds": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Leading = []*decl.Link{{From: jobs, To: people, Pairs: []decl.Pair{{From: id, To: job}}}}
			d.Tables[1].ForeignKeys = []schema.ForeignKey{{Columns: []string{"job"}, Table: t.Name}}
		}, ""},
		"those that the host knows": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Leading = []*decl.Link{{From: jobs, To: people, Pairs: []decl.Pair{{From: id, To: job}}}}
			w.Rights.Permits = permits("waiting people(job)")
		}, ""},
		"those of rows that nobody adds": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Leading, w.Rights.Insert = []*decl.Link{{From: jobs, To: people, Pairs: []decl.Pair{{From: id, To: job}}}}, nil
		}, ""},
		"a row that is led to": {func(d *schema.Database, t *schema.Table, w *Write) { w.Leading = []*decl.Link{link} }, ""},
		"a row that a default leads to": {func(d *schema.Database, t *schema.Table, w *Write) {
			w.Leading, t.Columns[3].Default, w.Rights.Permits = []*decl.Link{link}, "1", append(w.Rights.Permits, permits("default(person_id)")...)
		}, "into scope by (id), and no valid foreign key covers these columns"},
		"the scope, by a generated column": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[1].Generated, t.Columns[1].GenExpr = schema.Stored, `substr("TITLE", 1, 1)`
		}, "changes the generated column org"},
		"by one of another": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[1].Generated, t.Columns[1].GenExpr = schema.Stored, `code`
			t.Columns[4].Generated, t.Columns[4].GenExpr = schema.Virtual, `lower(title)`
		}, "changes the generated column org"},
		"by what can't be read": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[1].Generated, t.Columns[1].GenExpr = schema.Stored, `'`
		}, "changes the generated column org"},
		"by what nobody writes": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[1].Generated, t.Columns[1].GenExpr, w.Rights.Insert = schema.Stored, `lower(region)`, nil
		}, ""},
		"a generated key to others": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[3].Generated, t.Columns[3].GenExpr, w.Rights.Insert = schema.Stored, `length(title)`, nil
		}, "changes the generated column person_id"},
		"a generated key by which others are told": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[5].Generated, t.Columns[5].GenExpr, w.Rights.Insert, w.Told = schema.Stored, `title`, nil, []*decl.Column{region}
		}, "changes the generated column region"},
		"unique, generated": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[4].Generated, t.Columns[4].GenExpr, w.Rights.Insert = schema.Stored, `lower(title)`, nil
			t.Uniques[0].Columns = []string{"code"}
		}, "(code) is unique among the rows of all tenants"},
		"unique, generated of what is not written": {func(d *schema.Database, t *schema.Table, w *Write) {
			t.Columns[4].Generated, t.Columns[4].GenExpr, w.Rights.Insert = schema.Stored, `lower(region)`, nil
			t.Uniques[0].Columns = []string{"code"}
		}, ""},
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

// TestEffectsOfRights: a trigger, a rule or a cascade is a reason against a write where the rights of the facet can set it off, and none
// where they can't.
func TestEffectsOfRights(t *testing.T) {
	jobs := &decl.Table{ID: 1, Name: "jobs"}
	id := &decl.Column{Table: jobs, Name: "id", Kind: value.TypeInt, Key: true}
	title, code := &decl.Column{Table: jobs, Name: "title", Kind: value.TypeText}, &decl.Column{Table: jobs, Name: "code", Kind: value.TypeText}
	for _, c := range []*decl.Column{id, title, code} {
		jobs.Add(c)
	}
	trigger := func(events []string, columns ...string) func(*schema.Database, *schema.Table) {
		return func(_ *schema.Database, t *schema.Table) {
			t.Triggers = []schema.Trigger{{Name: "spy", Timing: "AFTER", Events: events, Columns: columns}}
		}
	}
	child := func(fk schema.ForeignKey) func(*schema.Database, *schema.Table) {
		return func(d *schema.Database, t *schema.Table) {
			fk.Columns, fk.Table = []string{"job"}, t.Name
			d.Tables = append(d.Tables, &schema.Table{Name: schema.Name{Name: "kids"}, Columns: []schema.Column{{Name: "job"}}, ForeignKeys: []schema.ForeignKey{fk},
				Triggers: []schema.Trigger{{Name: "grown", Timing: "AFTER", Events: []string{"UPDATE"}}, {Name: "gone", Timing: "AFTER", Events: []string{"DELETE"}}}})
		}
	}
	rule := func(event string) func(*schema.Database, *schema.Table) {
		return func(_ *schema.Database, t *schema.Table) { t.Rules = []schema.Rule{{Name: "spy", Event: event}} }
	}
	insert, delete := decl.Rights{Insert: []*decl.Column{title}}, decl.Rights{Delete: true}
	titled, coded := decl.Rights{Update: []*decl.Column{title}}, decl.Rights{Update: []*decl.Column{code}}
	for name, c := range map[string]struct {
		change func(*schema.Database, *schema.Table)
		rights decl.Rights
		want   string
	}{
		"insert, on insert":             {trigger([]string{"INSERT"}), insert, "trigger spy"},
		"insert, on delete":             {trigger([]string{"DELETE"}), insert, ""},
		"delete, on update and delete":  {trigger([]string{"UPDATE", "DELETE"}), delete, "trigger spy"},
		"delete, on insert":             {trigger([]string{"INSERT"}), delete, ""},
		"update, on delete":             {trigger([]string{"DELETE"}), titled, ""},
		"update, on truncate":           {trigger([]string{"TRUNCATE"}), titled, ""},
		"update, on update":             {trigger([]string{"UPDATE"}), titled, "trigger spy"},
		"update, of the column":         {trigger([]string{"UPDATE"}, "TITLE"), titled, "trigger spy"},
		"update, of another":            {trigger([]string{"UPDATE"}, "title"), coded, ""},
		"update, of a generated one":    {trigger([]string{"UPDATE"}, "low"), coded, "trigger spy"},
		"update, of one not made of it": {trigger([]string{"UPDATE"}, "low"), titled, ""},
		"of an event that is not known": {trigger(nil), titled, "trigger spy"},
		"rule on update":                {rule("UPDATE"), titled, "rule spy"},
		"rule on insert":                {rule("INSERT"), titled, ""},
		"rule that nobody knows":        {rule(""), titled, "rule spy"},
		"cascade of a delete":           {child(schema.ForeignKey{References: []string{"id"}, OnDelete: schema.Cascade}), delete, "cascade kids(job) trigger gone"},
		"set null by a delete":          {child(schema.ForeignKey{References: []string{"id"}, OnDelete: schema.SetNull}), delete, "cascade kids(job) trigger grown"},
		"cascade of a delete, updated":  {child(schema.ForeignKey{References: []string{"id"}, OnDelete: schema.Cascade}), titled, ""},
		"cascade of an update":          {child(schema.ForeignKey{References: []string{"code"}, OnUpdate: schema.Cascade}), coded, "cascade kids(job) trigger grown"},
		"cascade of another update":     {child(schema.ForeignKey{References: []string{"code"}, OnUpdate: schema.Cascade}), titled, ""},
		"cascade of an insert":          {child(schema.ForeignKey{References: []string{"code"}, OnUpdate: schema.Cascade, OnDelete: schema.Cascade}), insert, ""},
		"cascade to the key that is not named": {func(d *schema.Database, t *schema.Table) {
			t.PrimaryKey, t.Uniques = &schema.Key{Columns: []string{"code"}}, []schema.Key{{Columns: []string{"id"}}}
			child(schema.ForeignKey{OnUpdate: schema.Cascade})(d, t)
		}, coded, "cascade kids(job) trigger grown"},
		"a row that moves to another part": {func(d *schema.Database, t *schema.Table) {
			t.PartitionBy = "LIST (title)"
			d.Tables = append(d.Tables, &schema.Table{Name: schema.Name{Name: "part"}, PartitionOf: &t.Name, Triggers: []schema.Trigger{{Name: "spy", Events: []string{"INSERT"}}}})
		}, titled, "trigger spy"},
		"a row that stays in its part": {func(d *schema.Database, t *schema.Table) {
			t.PartitionBy = "LIST (code)"
			d.Tables = append(d.Tables, &schema.Table{Name: schema.Name{Name: "part"}, PartitionOf: &t.Name, Triggers: []schema.Trigger{{Name: "spy", Timing: "AFTER", Events: []string{"INSERT"}}}})
		}, titled, ""},
		"a row that a trigger may move": {func(d *schema.Database, t *schema.Table) {
			t.PartitionBy = "LIST (code)"
			d.Tables = append(d.Tables, &schema.Table{Name: schema.Name{Name: "part"}, PartitionOf: &t.Name, Triggers: []schema.Trigger{{Name: "spy", Timing: "AFTER", Events: []string{"INSERT"}}, {Name: "gives", Timing: "BEFORE", Events: []string{"UPDATE"}}}})
		}, titled, "trigger gives trigger spy"},
	} {
		live := &schema.Table{Name: schema.Name{Name: "jobs"}, PrimaryKey: &schema.Key{Columns: []string{"id"}},
			Columns: []schema.Column{{Name: "id", Type: "INTEGER", Identity: schema.ByDefault, NotNull: true}, {Name: "title", Type: "TEXT"}, {Name: "code", Type: "TEXT"}, {Name: "low", Type: "TEXT", Generated: schema.Stored, GenExpr: "lower(code)"}}}
		d := &schema.Database{Engine: schema.SQLite, Tables: []*schema.Table{live}}
		c.change(d, live)
		r := rulesOf(d)
		refusing{c: r, w: Write{Table: jobs, Rights: c.rights}, t: live}.changes(func(k kind) bool { return k == fires || k == rewrites || k == referred })
		var got []string
		for _, f := range r.Found() {
			got = append(got, f.Effect)
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}
