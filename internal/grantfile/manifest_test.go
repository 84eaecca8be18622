package grantfile_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/chart"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestManifest: each table and each column of the database is either shown or excluded, and never both.
func TestManifest(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		m, err := declare(t, e, whole).Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if g := m.Grants[2]; g.Name != "me" || g.Where != "id = $principal.user" || !slices.Equal(g.Reaches, []string{"person", "ticket", "org"}) {
			t.Errorf("the grant %+v", g)
		}
		x := m.Facets[0]
		if x.Scope != "org_id = $principal.org and state in $principal.states" || len(x.Columns) != 4 || x.Columns[3].As != "weight" || !x.Delete || !slices.Equal(x.Update, []string{"state"}) {
			t.Errorf("the facet %+v", x)
		}
		if l := m.Facets[1].Links[1]; l.To != "org" || !slices.Equal(l.Columns, []string{"org_id"}) || !slices.Equal(l.References, []string{"id"}) || !l.One {
			t.Errorf("the link %+v", l)
		}
		if m.Flows == nil {
			t.Error("nothing is labelled, and the list is missing")
		}
		var excluded []string
		for _, x := range m.Excluded {
			_, table, found := strings.Cut(x.Table, ".")
			if !found {
				table = x.Table
			}
			excluded = append(excluded, table+": "+strings.Join(x.Columns, ", "))
		}
		if got := strings.Join(excluded, "; "); got != "people: org_id, boss_id, active; tickets: org_id, asked_by, done_by" {
			t.Errorf("excluded are %s", got)
		}
		b, err := json.Marshal(m)
		if err != nil || strings.Contains(string(b), "null") {
			t.Errorf("%v %s", err, b)
		}
		drawn := chart.Mermaid(m)
		for _, want := range []string{`g1(["open<br>state = 'open'"]) --> f0`, `f0 -->|"asker"| f1`, `["ticket of tickets<br>`, "read, insert, update, delete", "subgraph excluded"} {
			if !strings.Contains(drawn, want) {
				t.Errorf("there is no %s in\n%s", want, drawn)
			}
		}
		m.Grants[0].Name = "a\"] --> evil[\"x\n<b>"
		if c := chart.Mermaid(m); strings.Contains(c, `"] --> evil`) || strings.Contains(c, "<b>") || strings.Count(c, "\n") != strings.Count(drawn, "\n") {
			t.Errorf("a name becomes part of the chart:\n%s", c)
		}
	})
}

// TestManifestFlows: a manifest says by which ways what is labelled can leave, and a difference of files what was opened.
func TestManifestFlows(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		text := strings.Replace(whole, "admits: [pii]\n", "", 1)
		if text == whole {
			t.Fatal("the file admits nothing")
		}
		m, err := declare(t, e, text).Manifest()
		if err != nil || len(m.Flows) == 0 || m.Flows[0].Tag != "pii" || m.Flows[0].To != exo.ResultFlow || m.Flows[0].May || !slices.Equal(m.Flows[0].From, []string{"Person.email"}) {
			t.Errorf("%v %+v", err, m.Flows)
		}
		before, err := grantfile.Parse("a", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		after, err := grantfile.Parse("b", []byte(whole))
		if err != nil {
			t.Fatal(err)
		}
		var changes []string
		for _, c := range grantfile.Diff(before, after) {
			changes = append(changes, c.Kind+" "+c.Of+" "+c.What+" "+c.How)
		}
		if got := strings.Join(changes, "; "); got != "changed flows pii to results: yes; added results may carry pii " {
			t.Error(got)
		}
	})
}
