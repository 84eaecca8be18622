package grantfile_test

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
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestRowLabel: the label of a table's rows is said by one facet of it and holds for all; two that differ are an error. What is shown,
// compared and told of flows has it.
func TestRowLabel(t *testing.T) {
	labelled := with(t, "    table: orgs\n", "    table: orgs\n    label: [deal]\n")
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			text, program string
			label, told   string
		}{
			{labelled, "return me.org().count()", "{deal}", "denied"},
			{labelled, "return me.select(p => p.org().name)", "{deal}", "denied"},
			{labelled, "return me.select(p => p.name)", "{}", `["Ann"]`},
			{whole, "return me.org().count()", "{}", "1"},
		} {
			d := declare(t, e, c.text)
			p, err := d.File.ParseClaims("org=1,user=1,states=open")
			if err != nil {
				t.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			told := string(r.JSON)
			if r.Err != nil {
				told = fail.KindOf(r.Err).String()
			}
			if r.Label.String() != c.label || told != c.told {
				t.Errorf("%s: %s %v, label %v", c.program, told, r.Err, r.Label)
			}
			if m, err := d.Manifest(); err != nil || strings.Contains(fmt.Sprint(m), "deal") != (c.text == labelled) {
				t.Errorf("the manifest: %v", err)
			}
		}
	})
	if changes := grantfile.Diff(parse(t, labelled), parse(t, whole)); !strings.Contains(fmt.Sprint(changes), "rows are labelled") {
		t.Errorf("the label is gone, and exo diff says %v", changes)
	}
	second := func(tag string) []byte {
		return []byte(strings.Replace(labelled, "facets:\n", "facets:\n  other:\n    table: orgs\n    scope: id = $principal.org\n    columns: [id]\n    label: ["+tag+"]\n", 1))
	}
	if _, err := grantfile.Parse("exo.yaml", second("deal")); err != nil {
		t.Errorf("two that say the same: %v", err)
	}
	if _, err := grantfile.Parse("exo.yaml", second("x")); err == nil || !strings.Contains(err.Error(), "`label` differs from the one on line") {
		t.Errorf("two that differ: %v", err)
	}
}

// TestReadersOfPrincipal: results carry what the principal may read, and a tag that is none, or names no claim, is an error of the file.
func TestReadersOfPrincipal(t *testing.T) {
	const file = "exo: 1\nreviewed: true\ndatabases: {shop: 'env:SHOP'}\nprincipal: {me: int, teams: [int]}\nADMITS\ngrants: {people: person}\nfacets:\n  person:\n    table: people\n    scope: shared\n    columns: {id: , email: {label: LABEL, readers: {member: id}}}\nlabels: {pii: secret, pay: secret}\n"
	text := func(admits, label string) string {
		return strings.NewReplacer("ADMITS", admits, "LABEL", label).Replace(file)
	}
	for admits, want := range map[string]string{
		`admits: ["pii@member:$principal.me"]`: "{pii@member:42}", `admits: ["pii@member:7", pay]`: "{pay,pii@member:7}", `admits: [pii]`: "{pii}",
	} {
		f := parse(t, text(admits, "[pii]"))
		p, err := f.ParseClaims("me=42,teams=1")
		if err != nil {
			t.Fatal(err)
		}
		if got := f.ToolOptions(p).Admits.String(); got != want {
			t.Errorf("%s: %s, want %s", admits, got, want)
		}
	}
	for _, c := range [][3]string{
		{`admits: ["pii@member:$principal.mee"]`, "[pii]", "`principal` has no claim `mee`"}, {`admits: ["pii@member:$principal.teams"]`, "[pii]", "the claim teams can't be the id of a reader"},
		{`admits: ["pii@"]`, "[pii]", "can't be a tag"}, {`admits: ["pii@member:a b"]`, "[pii]", "can't be a tag"}, {`admits: [Untrusted]`, "[pii]", "for what outsiders wrote use"},
		{`admits: [pay]`, `["pii@member"]`, "has a kind of reader, but no id: write `label: [pii]`"}, {`admits: [pay]`, `["pii@"]`, "can't be a tag"}, {`admits: [pay]`, `["pii@member:$principal.me"]`, "can't be a tag"},
	} {
		if _, err := grantfile.Parse("exo.yaml", []byte(text(c[0], c[1]))); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s, %s: %v", c[0], c[1], err)
		}
	}
	none, own, all := parse(t, text("zone: UTC", "[pii]")), parse(t, text(`admits: ["pii@member:$principal.me"]`, "[pii]")), parse(t, text(`admits: ["pii@member"]`, "[pii]"))
	for what, f := range map[string]*grantfile.File{"flows pii@member to results: yes, of pii@member:principal.me": own, "flows pii@member to results: yes": all} {
		text := ""
		for _, c := range grantfile.Diff(none, f) {
			text += fmt.Sprintln(c)
		}
		if !strings.Contains(text, what) {
			t.Errorf("%s is not in\n%s", what, text)
		}
	}
}

// TestRowLabelsOfScopes: of a facet that is in scope by labelled rows, validate and flows say which label it has and where from.
func TestRowLabelsOfScopes(t *testing.T) {
	const text = "exo: 1\nreviewed: true\ndatabases: {shop: 'env:SHOP'}\ngrants: {people: person}\nlabels: {medical: secret}\nfacets:\n  visit:\n    table: visits\n    scope: day > 0\n    columns: [id, person]\n    links: {who: person}\n    LABEL\n  person:\n    table: people\n    scope: via visit.who\n    columns: [id, name]\n    EFFECTS\n"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL)", "CREATE TABLE visits (id {int} PRIMARY KEY, person {int} NOT NULL REFERENCES people (id), day {int} NOT NULL)")})
		for _, c := range []struct{ label, effects, want string }{
			{"label: [medical]", "", "PersonQuery: every answer about it is labelled medical, because its scope reads visits.who"}, {"label: [medical]", "effects: ['reveals visits.who']", ""}, {"", "", ""},
		} {
			f := parse(t, strings.NewReplacer("LABEL", c.label, "EFFECTS", c.effects).Replace(text))
			d, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			if err != nil {
				t.Fatal(err)
			}
			lines, err := d.RowLabels()
			if got := strings.Join(lines, "\n"); err != nil || got != c.want {
				t.Errorf("%+v: %q %v", c, got, err)
			}
			m, err := d.Manifest()
			if err != nil || strings.Contains(fmt.Sprint(m.Flows), "PersonQuery by visits.who") != (c.want != "") {
				t.Errorf("%+v: %v %v", c, m.Flows, err)
			}
			// What a permission lets programs learn is a way, too.
			if strings.Contains(fmt.Sprint(m.Flows), "{medical [person] person.effects true the permission `reveals visits.who`") != (c.effects != "") {
				t.Errorf("%+v: %v", c, m.Flows)
			}
		}
	})
}

// TestDeleteTrusted: `delete` takes a word besides true and false, which exo show and exo diff say.
func TestDeleteTrusted(t *testing.T) {
	const text = "exo: 1\nreviewed: true\ndatabases: {shop: 'env:SHOP'}\ngrants: {people: person}\nfacets:\n  person:\n    table: people\n    scope: shared\n    columns: [id, name]\n    delete: VALUE\n"
	of := func(value string) *grantfile.File { return parse(t, strings.Replace(text, "VALUE", value, 1)) }
	if c := grantfile.Diff(of("true"), of("trusted")); len(c) != 1 || c[0].Kind != "changed" || c[0].What != "may delete" || c[0].How != "trusted programs only" {
		t.Errorf("%+v", c)
	}
	if _, err := grantfile.Parse("exo.yaml", []byte(strings.Replace(text, "VALUE", "maybe", 1))); err == nil || !strings.Contains(err.Error(), "want true or false or trusted") {
		t.Error(err)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL)")})
		for value, trusted := range map[string]bool{"true": false, "trusted": true} {
			d, err := of(value).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.File.ParseClaims("")
			if err != nil {
				t.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				t.Fatal(err)
			}
			desc, err := grants["people"].Describe()
			if err != nil || desc.Interface("PersonQuery").Methods["delete"].Trusted != trusted {
				t.Errorf("%s: %v", value, err)
			}
		}
	})
}

// TestRowLabelsDeeper: what a facet allows to be revealed by one link leaves the labels that the rows of that link have by their own scope.
func TestRowLabelsDeeper(t *testing.T) {
	const file = `exo: 1
reviewed: true
preset: read-only@1
admits: [legal, medical]
labels: {legal: secret, medical: secret}
databases: {shop: env:SHOP_URL}
grants: {people: person}
facets:
  clinic: {table: clinics, label: [legal], scope: kind = 1, columns: [id], links: {visits: {to: visit, columns: [v_id], references: [id], one: true}}}
  visit: {table: visits, label: [medical], scope: via clinic.visits, columns: [id], links: {who: {to: person, columns: [person], references: [id], one: true}}}
  person: {table: people, scope: via visit.who, columns: [id]EFFECTS}
`
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE clinics (id {int} PRIMARY KEY, kind {int} NOT NULL, v_id {int} NOT NULL)", "CREATE TABLE visits (id {int} PRIMARY KEY, person {int} NOT NULL)", "CREATE TABLE people (id {int} PRIMARY KEY)",
			"INSERT INTO clinics VALUES (1, 1, 1)", "INSERT INTO visits VALUES (1, 1)", "INSERT INTO people VALUES (1), (2)")})
		for effects, want := range map[string]string{"": "{legal,medical}", ", effects: ['reveals visits.who']": "{legal}", ", effects: ['reveals visits.who', 'reveals clinics.visits']": "{legal}"} {
			d, err := parse(t, strings.Replace(file, "EFFECTS", effects, 1)).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.File.ParseClaims("")
			if err != nil {
				t.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded, Admits: value.NewLabel("legal", "medical")})
			if err != nil {
				t.Fatal(err)
			}
			if r := tool.Run(t.Context(), "return people.count()"); r.Err != nil || string(r.JSON) != "1" || r.Label.String() != want {
				t.Errorf("%s: %s %v, label %v, want %s", effects, r.JSON, r.Err, r.Label, want)
			}
		}
	})
}
