package dynamic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type genPerson struct {
	ID             int64
	Email, Initial string
}

// TestGeneratedIsLabelled: a column that the database calculates of a labelled one has its label, also through another generated column,
// stored or not, and its readers. In Go, where a declaration is made without the catalogue, Check names the column and what to write. The
// twin: where the email has no label the initial is shown.
func TestGeneratedIsLabelled(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		setup := []string{"CREATE TABLE people (id {int} PRIMARY KEY, owner {int} NOT NULL, email TEXT NOT NULL, plain TEXT, initial TEXT GENERATED ALWAYS AS (substr(email, 1, 1)) STORED, size {int} GENERATED ALWAYS AS (length(plain)) STORED)"}
		columns := []string{"initial"}
		if e.Name == tu.SQLite.Name { // where one may be calculated of another, and not stored
			setup[0] = strings.Replace(setup[0], ", size", ", upper TEXT GENERATED ALWAYS AS (upper(initial)) VIRTUAL, twice TEXT GENERATED ALWAYS AS (upper || 'x') STORED, size", 1)
			columns = append(columns, "upper", "twice")
		}
		setup = append(setup, "INSERT INTO people (id, owner, email, plain) VALUES (1, 7, 'ada@a.example', 'abc')")
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup...)})
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		run := func(program string, specs ...dynamic.ColumnSpec) *codemode.Result {
			table, err := dynamic.New(live).Table("people", specs...)
			if err != nil {
				t.Fatal(err)
			}
			facet, err := table.Facet("person", append([]string{"id", "owner", "email", "size"}, columns...)...)
			if err != nil {
				t.Fatal(err)
			}
			o, err := facet.Grant(db, dynamic.AllRows())
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(codemode.Grants{"people": o}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			return tool.Run(t.Context(), program)
		}
		for _, c := range columns {
			for _, x := range []struct {
				spec        dynamic.ColumnSpec
				want, label string
			}{
				{dynamic.ColumnSpec{Name: "email", Label: []string{"pii"}}, `["[sealed pii]"]`, "{pii}"},
				{dynamic.ColumnSpec{Name: "email", Label: []string{"pii"}, Readers: dynamic.Readers{Kind: "member", Columns: []string{"owner"}}}, `["[sealed pii]"]`, "{pii@member}"},
				{dynamic.ColumnSpec{Name: "email"}, "", "{}"},
			} {
				if r := run("return people.select(p => p."+c+")", x.spec); r.Err != nil || (string(r.JSON) == x.want) != (x.want != "") || x.want == "" && !strings.Contains(strings.ToLower(string(r.JSON)), `["a`) {
					t.Errorf("%s of %v: %s %v", c, x.spec, r.JSON, r.Err)
				}
				if r := run("return people.where(p => p."+c+" > 'b').count()", x.spec); r.Label.String() != x.label || (fail.KindOf(r.Err) == fail.Denied) != (x.label != "{}") {
					t.Errorf("%s of %v: %v, label %v", c, x.spec, r.Err, r.Label)
				}
			}
		}
		if r := run("return people.select(p => p.size)", dynamic.ColumnSpec{Name: "email", Label: []string{"pii"}}); string(r.JSON) != "[3]" {
			t.Errorf("a column of another one: %s %v", r.JSON, r.Err)
		}
		if r := run("return people.select(p => p.initial)", dynamic.ColumnSpec{Name: "email", Label: []string{value.Untrusted}}); r.Err != nil || !r.Label.HasExactly(value.Untrusted) {
			t.Errorf("what outsiders write: %v %v", r.Label, r.Err)
		}
		if _, err := dynamic.New(live).Table("people", dynamic.ColumnSpec{Name: "email", Label: []string{"pii"}}, dynamic.ColumnSpec{Name: "initial", Label: []string{"x"}, Readers: dynamic.Readers{Kind: "member", Columns: []string{"owner"}}}); err == nil || !strings.Contains(err.Error(), "Leave out Readers") {
			t.Errorf("other readers: %v", err)
		}

		people := func(tags, initials string) exosql.Declared {
			table := exosql.NewTable[genPerson]("people")
			id := exosql.NewKey(table, "id", func(p *genPerson) *int64 { return &p.ID })
			email, initial := exosql.NewColumn(table, "email", func(p *genPerson) *string { return &p.Email }), exosql.NewColumn(table, "initial", func(p *genPerson) *string { return &p.Initial })
			if tags != "" {
				email.WithLabel(tags)
			}
			if initials != "" {
				initial.WithLabel(initials)
			}
			return exosql.Granted(exosql.NewFacet(table, "person", id, email, initial).Of(exosql.Grant(db, table, exosql.AllRows[genPerson]())))
		}
		for _, c := range [][2]string{{"pii", ""}, {"pii", "x"}, {"", ""}, {"pii", "pii"}} {
			err := exosql.Check(t.Context(), db, people(c[0], c[1]))
			for _, want := range []string{"the database calculates this column from email, which is labelled {pii}", `WithLabel("pii")`} {
				if strings.Contains(fmt.Sprint(err), want) != (c[0] != "" && c[1] != "pii") {
					t.Errorf("%q: %v", c, err)
				}
			}
		}
	})
}
