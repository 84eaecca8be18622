package writing

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// TestTells: each rule by which a write tells of a labelled column is found, by its name, and none where nothing is labelled, or
// where the write has nothing to do with it.
func TestTells(t *testing.T) {
	staff, notes, files := &decl.Table{ID: 1, Name: "staff"}, &decl.Table{ID: 2, Name: "notes"}, &decl.Table{ID: 3, Name: "files"}
	col := func(of *decl.Table, name string) *decl.Column { return &decl.Column{Table: of, Name: name} }
	name, rank, pay, person, note := col(staff, "name"), col(staff, "rank"), col(staff, "pay"), col(notes, "person"), col(files, "note")
	update := func(cols ...*decl.Column) decl.Rights { return decl.Rights{Update: cols} }
	insert := func(cols ...*decl.Column) decl.Rights { return decl.Rights{Insert: cols} }
	key := func(cols ...string) schema.Key { return schema.Key{Columns: cols} }
	ref := func(of, to string, del, upd schema.Action) schema.ForeignKey {
		return schema.ForeignKey{Columns: []string{of}, Table: schema.Name{Name: to}, References: []string{"id"}, OnDelete: del, OnUpdate: upd}
	}
	part := func(cols ...string) (out []schema.Part) {
		for _, c := range cols {
			if strings.Contains(c, "(") {
				out = append(out, schema.Part{Expr: c})
			} else {
				out = append(out, schema.Part{Column: c})
			}
		}
		return out
	}
	type world struct{ staff, notes, files *schema.Table }
	id := col(staff, "id")
	for what, c := range map[string]struct {
		rules  func(w world)
		rights decl.Rights
		secret []*decl.Column
		want   string // by commas
		sqlite bool
	}{
		"nothing":                {func(world) {}, update(name, rank), []*decl.Column{pay}, "", false},
		"unique beside":          {func(w world) { w.staff.Uniques = []schema.Key{key("name")} }, update(name, rank), []*decl.Column{pay}, "", false},
		"unique over both":       {func(w world) { w.staff.Uniques = []schema.Key{key("name", "pay")} }, update(name), []*decl.Column{pay}, "reveals unique(name, pay)", false},
		"not what is written":    {func(w world) { w.staff.Uniques = []schema.Key{key("name", "pay")} }, update(rank), []*decl.Column{pay}, "", false},
		"unique, at an insert":   {func(w world) { w.staff.Uniques = []schema.Key{key("name", "pay")}; w.staff.Columns[3].NotNull = true }, insert(name, pay), []*decl.Column{pay}, "reveals unique(name, pay)", false},
		"numbered, at an insert": {func(w world) { w.staff.Uniques = []schema.Key{key("id", "pay")} }, insert(name), []*decl.Column{pay}, "reveals unique(id, pay)", false},
		"of some rows":           {func(w world) { w.staff.Indexes = []schema.Index{{Unique: true, Where: "pay > 7", Parts: part("name")}} }, update(name), []*decl.Column{pay}, "reveals unique(name) where pay > 7", false},
		"by an expression":       {func(w world) { w.staff.Indexes = []schema.Index{{Unique: true, Parts: part("name", "abs(pay)")}} }, update(name), []*decl.Column{pay}, "reveals unique(name, abs(pay))", false},
		"of a column made of it": {func(w world) {
			w.staff.Columns = append(w.staff.Columns, schema.Column{Name: "double", Generated: schema.Stored, GenExpr: "pay * 2"})
			w.staff.Uniques = []schema.Key{key("name", "double")}
		}, update(name), []*decl.Column{pay}, "reveals unique(name, double)", false},
		"excluded": {func(w world) {
			w.staff.Exclusions = []schema.Exclusion{{Parts: part("name", "pay"), Operators: []string{"=", "&&"}}}
		}, update(name), []*decl.Column{pay}, "reveals exclude(name, pay)", false},
		"an index decides order": {func(w world) {
			w.staff.Uniques = []schema.Key{key("rank")}
			w.staff.Indexes = []schema.Index{{Parts: part("pay")}}
		}, update(rank), []*decl.Column{pay}, "reveals unique(rank)", false},
		"one that carries it": {func(w world) {
			w.staff.Uniques = []schema.Key{key("rank")}
			w.staff.Indexes = []schema.Index{{Parts: part("name"), Include: []string{"pay"}}}
		}, update(rank), []*decl.Column{pay}, "reveals unique(rank)", true},
		"one of some rows": {func(w world) {
			w.staff.Uniques = []schema.Key{key("rank")}
			w.staff.Indexes = []schema.Index{{Parts: part("name"), Where: "pay > 7"}}
		}, update(rank), []*decl.Column{pay}, "reveals unique(rank)", true},
		"a unique one": {func(w world) { w.staff.Uniques = []schema.Key{key("rank"), key("pay")} }, update(rank), []*decl.Column{pay}, "reveals unique(rank)", true},
		"a check": {func(w world) {
			w.staff.Checks = []schema.Check{{Expr: "rank < pay"}, {Expr: "pay > 0"}, {Expr: "rank > 0"}}
		}, update(rank), []*decl.Column{pay}, "reveals check(rank < pay)", false},
		"an insert breaks none":  {func(w world) { w.staff.Checks = []schema.Check{{Expr: "rank < pay"}} }, insert(rank), []*decl.Column{pay}, "", false},
		"an entry is calculated": {func(w world) { w.staff.Indexes = []schema.Index{{Parts: part("(1 / (rank - pay))")}} }, update(rank), []*decl.Column{pay}, "reveals index((1 / (rank - pay)))", true},
		"an entry is long":       {func(w world) { w.staff.Indexes = []schema.Index{{Parts: part("pay", "name")}} }, update(name), []*decl.Column{pay}, "reveals index(pay, name)", false},
		"not on SQLite":          {func(w world) { w.staff.Indexes = []schema.Index{{Parts: part("pay", "name")}} }, update(name), []*decl.Column{pay}, "", true},
		"numbers are never long": {func(w world) { w.staff.Indexes = []schema.Index{{Parts: part("pay", "rank")}} }, update(rank), []*decl.Column{pay}, "", false},
		"a column is calculated": {func(w world) {
			w.staff.Columns = append(w.staff.Columns, schema.Column{Name: "x", Generated: schema.Stored, GenExpr: "1 / (rank - pay)"})
		}, update(rank), []*decl.Column{pay}, "reveals generated(x)", false},
		"what can't be read":     {func(w world) { w.staff.Indexes = []schema.Index{{Unique: true, Parts: []schema.Part{{Expr: "'"}}}} }, update(name), []*decl.Column{pay}, "reveals unique(')", false},
		"a check of itself":      {func(w world) { w.staff.Checks = []schema.Check{{Expr: "pay > 0"}} }, update(pay, name), []*decl.Column{pay}, "", false},
		"a check of two secrets": {func(w world) { w.staff.Checks = []schema.Check{{Expr: "pay > rank"}} }, update(pay, rank), []*decl.Column{pay, rank}, "reveals check(pay > rank)", false},
		"an index of itself":     {func(w world) { w.staff.Indexes = []schema.Index{{Parts: part("name")}} }, update(name), []*decl.Column{name}, "", false},
		"a key of itself":        {func(w world) { w.staff.ForeignKeys = []schema.ForeignKey{ref("rank", "grades", "", "")} }, update(rank), []*decl.Column{rank}, "", false},
		"unique itself":          {func(w world) { w.staff.Uniques = []schema.Key{key("pay")} }, update(pay), []*decl.Column{pay}, "reveals unique(pay)", false},
		"a key of two columns": {func(w world) {
			f := ref("rank", "grades", "", "")
			f.Columns = []string{"rank", "pay"}
			w.staff.ForeignKeys = []schema.ForeignKey{f}
		}, update(rank), []*decl.Column{pay}, "reveals foreign key(rank, pay)", false},
		"who refers to it":       {func(w world) { w.notes.ForeignKeys = []schema.ForeignKey{ref("person", "staff", "", "")} }, decl.Rights{Delete: true}, []*decl.Column{person}, "reveals notes(person)", false},
		"who refers to a key":    {func(w world) { w.notes.ForeignKeys = []schema.ForeignKey{ref("person", "staff", "", "")} }, update(id), []*decl.Column{person}, "reveals notes(person)", false},
		"not to what is written": {func(w world) { w.notes.ForeignKeys = []schema.ForeignKey{ref("person", "staff", "", "")} }, update(rank), []*decl.Column{person}, "", false},
		"who refers to what goes along": {func(w world) {
			w.notes.ForeignKeys = []schema.ForeignKey{ref("person", "staff", schema.Cascade, "")}
			w.files.ForeignKeys = []schema.ForeignKey{ref("note", "notes", "", "")}
		}, decl.Rights{Delete: true}, []*decl.Column{note}, "reveals notes.files(note)", false},
		"a check of what is set to NULL": {func(w world) {
			w.notes.ForeignKeys = []schema.ForeignKey{ref("person", "staff", schema.SetNull, "")}
			w.notes.Checks = []schema.Check{{Expr: "person IS NOT NULL OR secret > 0"}}
		}, decl.Rights{Delete: true}, []*decl.Column{col(notes, "secret")}, "reveals notes.check(person IS NOT NULL OR secret > 0)", false},
		"a check of what is changed along": {func(w world) {
			w.notes.ForeignKeys = []schema.ForeignKey{ref("person", "staff", "", schema.Cascade)}
			w.notes.Checks = []schema.Check{{Expr: "person < secret"}}
		}, update(id), []*decl.Column{col(notes, "secret")}, "reveals notes.check(person < secret)", false},
		"a check that rows may break": {func(w world) { w.staff.Checks = []schema.Check{{Expr: "pay > 75", NotValid: true}} }, update(rank), []*decl.Column{pay}, "reveals check(pay > 75)", false},
		"a check that grows old":      {func(w world) { w.staff.Checks = []schema.Check{{Expr: "pay > date_part('year', now())"}} }, update(rank), []*decl.Column{pay}, "reveals check(pay > date_part('year', now()))", false},
		"another one":                 {func(w world) { w.staff.Checks = []schema.Check{{Expr: "rank > 75", NotValid: true}} }, update(rank), []*decl.Column{pay}, "", false},
		"what a unique key carries": {func(w world) {
			w.staff.Uniques = []schema.Key{{Columns: []string{"name"}, Include: []string{"pay"}}}
		}, update(name), []*decl.Column{pay}, "reveals index(name, pay), reveals unique(name)", false},
		"a check of a partition": {func(w world) {
			w.notes.PartitionOf, w.notes.Checks = &w.staff.Name, []schema.Check{{Expr: "person < secret"}}
		}, update(col(staff, "person")), []*decl.Column{col(staff, "secret")}, "reveals check(person < secret)", false},
		"a check of an heir": {func(w world) {
			w.notes.Inherits, w.notes.Checks = []schema.Name{w.staff.Name}, []schema.Check{{Expr: "person < secret"}}
		}, update(col(staff, "person")), []*decl.Column{col(staff, "secret")}, "reveals check(person < secret)", false},
		"a policy": {func(w world) {
			w.staff.RowSecurity, w.staff.Policies = true, []schema.Policy{{Command: "UPDATE", Using: "true", Check: "rank < pay"}, {Command: "SELECT", Using: "rank < pay + 1"}}
		}, update(rank), []*decl.Column{pay}, "reveals check(rank < pay)", false},
		"a policy that is off": {func(w world) {
			w.staff.Policies = []schema.Policy{{Command: "UPDATE", Check: "rank < pay"}}
		}, update(rank), []*decl.Column{pay}, "", false},
		"bounds of partitions": {func(w world) { w.staff.PartitionBy = "RANGE (rank, pay)" }, update(rank), []*decl.Column{pay}, "reveals check(RANGE (rank, pay))", false},
		"a row that is replaced": {func(w world) {
			w.staff.OnConflict, w.notes.ForeignKeys = []string{"REPLACE"}, []schema.ForeignKey{ref("person", "staff", "", "")}
		}, update(rank), []*decl.Column{person}, "reveals notes(person)", true},
		"a key that is calculated": {func(w world) {
			w.notes.Columns = append(w.notes.Columns, schema.Column{Name: "p2", Generated: schema.Stored, GenExpr: "person + 0"})
			w.notes.ForeignKeys = []schema.ForeignKey{ref("p2", "staff", "", "")}
		}, decl.Rights{Delete: true}, []*decl.Column{person}, "reveals notes(p2)", false},
		"what a unique index carries": {func(w world) {
			w.staff.Indexes = []schema.Index{{Unique: true, Parts: part("name"), Include: []string{"pay"}}}
		}, update(name), []*decl.Column{pay}, "reveals index(name, pay), reveals unique(name)", false},
		"an entry of some rows": {func(w world) {
			w.staff.Indexes = []schema.Index{{Parts: part("abs(rank)"), Where: "pay > 7"}}
		}, update(rank), []*decl.Column{pay}, "reveals index(abs(rank), pay > 7)", true},
		"in a circle": {func(w world) {
			w.staff.ForeignKeys = []schema.ForeignKey{ref("boss", "staff", schema.Cascade, schema.Cascade)}
		}, decl.Rights{Delete: true, Update: []*decl.Column{id}}, []*decl.Column{pay}, "", false},
	} {
		w := world{
			&schema.Table{Name: schema.Name{Name: "staff"}, Columns: []schema.Column{{Name: "id", Kind: schema.Int, Identity: schema.ByDefault}, {Name: "name", Kind: schema.Text}, {Name: "rank", Kind: schema.Int}, {Name: "pay", Kind: schema.Int}, {Name: "boss", Kind: schema.Int}}},
			&schema.Table{Name: schema.Name{Name: "notes"}, Columns: []schema.Column{{Name: "id", Kind: schema.Int}, {Name: "person", Kind: schema.Int}, {Name: "secret", Kind: schema.Int}}},
			&schema.Table{Name: schema.Name{Name: "files"}, Columns: []schema.Column{{Name: "note", Kind: schema.Int}}},
		}
		c.rules(w)
		live := &schema.Database{Engine: schema.Postgres, Tables: []*schema.Table{w.staff, w.notes, w.files}}
		if c.sqlite {
			live.Engine = schema.SQLite
		}
		find := func(secret []*decl.Column, allowed ...string) string {
			var got []string
			rights := c.rights
			for _, a := range slices.DeleteFunc(allowed, func(a string) bool { return a == "" }) {
				p, err := decl.ParsePermission(a)
				if err != nil {
					t.Fatal(err)
				}
				rights.Permits = append(rights.Permits, p)
			}
			r := rulesOf(live)
			refusing{c: r, w: Write{Table: staff, Rights: rights, Labelled: secret}, t: w.staff}.changes(func(kind) bool { return true })
			for _, f := range r.Found() {
				if strings.HasPrefix(f.Effect, "reveals ") {
					got = append(got, f.Effect)
				}
			}
			slices.Sort(got)
			return strings.Join(got, ", ")
		}
		if got := find(c.secret); got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
		if got := find(nil); got != "" {
			t.Errorf("%s, and nothing is labelled: %q", what, got)
		}
		if got := find(c.secret, strings.Split(strings.ReplaceAll(c.want, ", reveals ", "\nreveals "), "\n")...); got != "" {
			t.Errorf("%s, allowed: %q", what, got)
		}
	}
}
