package grantfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const someMeasures = `    measures:
      share: {ratio: [solved, total]}
      solved: {count: true, where: state = 'done', doc: those that are done}
      total: {count: true}
      heaviest:
        max: or
        where: state in ('open', 'done') and "or" is not null
    search: [title]
`

// TestMeasures: programs call what the file defines, and whoever reviews the file sees it.
func TestMeasures(t *testing.T) {
	text := with(t, "    search: [title]\n", someMeasures)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		d := declare(t, e, text)
		p, err := d.File.ParseClaims("org=1,user=1,states=open+done")
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
		for program, want := range map[string]string{
			"return [await tickets.share(), await tickets.solved(), await tickets.heaviest()]": "[0.5,1,2]",
			"return me.asked().solved()": "0",
			"return tickets.groupBy(t => t.state).select(g => ({ s: g.state, n: g.share() }))": `[{"s":"done","n":1},{"s":"open","n":0}]`,
			"return me.org().select(o => ({ n: o.name }))":                                     `[{"n":"one"}]`,
		} {
			if r := tool.Run(t.Context(), program); r.Err != nil || string(r.JSON) != want {
				t.Errorf("%s: %s %v, want %s", program, r.JSON, r.Err, want)
			}
		}
		if s := tool.Declarations(); !strings.Contains(s, "solved(): Promise<number>; // [measure] those that are done") || !strings.Contains(s, "heaviest(): Promise<number | null>; // [measure]") {
			t.Error(s)
		}
		m, err := d.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(m.Facets[0].Measures)
		if want := `[{"name":"share","of":"solved / total"},{"name":"solved","of":"count of rows where state = 'done'"},{"name":"total","of":"count of rows"},{"name":"heaviest","of":"max of or where state in ('open', 'done') and \"or\" is not null"}]`; string(b) != want {
			t.Errorf("%s\nwant %s", b, want)
		}
	})
	before, after := parse(t, text), parse(t, strings.Replace(text, "state = 'done', doc", "state != 'open', doc", 1))
	if got := fmt.Sprint(grantfile.Diff(before, after)); got != "[{{facet ticket measure solved count of rows where state != 'open'; described as \"those that are done\"} count of rows where state = 'done'; described as \"those that are done\" changed}]" {
		t.Error(got)
	}
	// The flows of a label name the measure that brings it.
	labelled := with(t, "    search: [title]\n", someMeasures, "or: {as: weight}", "or: {as: weight, label: [x]}")
	m, err := declare(t, tu.SQLite, labelled).Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(m.Flows); !strings.Contains(s, "TicketQuery.heaviest") || strings.Contains(s, "TicketQuery.solved") {
		t.Error(s)
	}
}

// TestMeasureProblems: what is wrong with a measure is an error with its place, before anything is served.
func TestMeasureProblems(t *testing.T) {
	for text, want := range map[string]string{
		"share: {ratio: [solved]}":                          "27:22: ratio: want two measures, like [won, closed]",
		"share: {ratio: [solved, share]}":                   "27:31: ratio: want a measure of this facet that is no ratio itself, not `share`",
		"share: {ratio: [solved, totl]}":                    "27:31: ratio: want a measure of this facet that is no ratio itself, not `totl`; did you mean `total`?",
		"share: {ratio: [solved, total], where: id = 1}":    "27:7: the measure share: a ratio can't have `where`",
		"share: {sum: id, count: true}":                     "27:7: the measure share: want exactly one of",
		"share: {doc: x}":                                   "27:7: the measure share: want exactly one of",
		"share: {count: false}":                             "27:22: count: write `count: true`",
		"share: {count: id}":                                "27:22: count: write `count: true`",
		"share: {median: id}":                               "`median` is no key of the measure share; did you mean `mean`?",
		"share: {sum: org_id}":                              "27:20: `org_id` is not among the columns that the facet ticket shows",
		"share: {count: true, where: org_id = 1}":           "27:35: `org_id` is not among the columns that the facet ticket shows",
		"share: {count: true, where: id = $principal.user}": "27:40: where: a measure is the same for all users, so write a value in place of the claim",
		"share: {count: true, where: id == 1}":              "27:38: write `=`, not `==`",
		"share: {sum: title}":                               "27:7: the measure share: the column title is text, which has no sum",
		"title: {count: true}":                              "27:7: the measure title: two members are named \"title\"",
		"weight: {count: true}":                             "27:7: the measure weight: two members are named \"weight\"",
		"asker: {count: true}":                              "27:7: the measure asker has the name of a link of the facet",
		"groupBy: {count: true}":                            "27:7: the measure groupBy: \"groupBy\" can't be the name of a measure",
		"constructor: {count: true}":                        "27:7: the measure constructor: \"constructor\" can't be the name of a measure",
		"share: {count: true, where: id = 'one'}":           "27:35: the condition on id: ",
		"total: {count: true}":                              "29:7: `total` is given twice: line 27 has it already",
	} {
		whole := with(t, "    search: [title]\n", strings.Replace(someMeasures, "share: {ratio: [solved, total]}", text, 1))
		f, err := grantfile.Parse("exo.yaml", []byte(whole))
		if err == nil {
			_, err = f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": open(t, tu.SQLite)}})
		}
		if fail.KindOf(err) != fail.Invalid || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s:\n%v\nwant %s", text, err, want)
		}
	}
}
