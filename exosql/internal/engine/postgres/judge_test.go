package postgres

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql/internal/plan"
)

var judged = []plan.Table{{Name: "tickets", Alias: "t0", Scope: []plan.Equality{{Column: "org_id", Params: []int{1, 4}}}}, {Name: "tickets", Alias: "t1"}}

// TestJudgePlan: each plan reads rows out of scope, or may, but for those with no reason.
func TestJudgePlan(t *testing.T) {
	indexes := func(name string) []string {
		return map[string][]string{"org": {"org_id"}, "due": {"due"}, "org_due": {"org_id", "due"}, "due_org": {"due", "org_id"}}[name]
	}
	const scan = `"Node Type": "Index Scan", "Relation Name": "tickets", "Alias": "t0", `
	for _, c := range []struct{ plan, refused string }{
		{scan + `"Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due >= $2))", "Filter": "(n = $3)"`, ""},
		{scan + `"Index Name": "org", "Index Cond": "(t0.org_id = $1)"`, ""},
		{scan + `"Index Name": "org", "Index Cond": "((org_id)::text = ($1)::text)"`, ""},
		{`"Node Type": "Limit", "Plans": [{` + scan + `"Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "Seq Scan", "Relation Name": "tickets", "Alias": "t1"}]`, ""},
		{`"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((org_id = $1) AND (due >= $2))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due >= $2))"}]`, ""},
		{`"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((due >= $2) AND (org_id = $1))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due >= $2))"}]`, "before its scope"},
		{`"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((org_id = $1) AND (due >= $2))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "BitmapAnd", "Plans": []}]`, "several indexes"},
		{`"Node Type": "Seq Scan", "Relation Name": "tickets", "Alias": "t0", "Filter": "(org_id = $1)"`, "read by a Seq Scan"},
		{scan + `"Index Name": "org_due", "Index Cond": "(org_id = $2)"`, "not searched by org_id"},   // a value of the program
		{scan + `"Index Name": "org_due", "Index Cond": "(org_id = $11)"`, "not searched by org_id"},  // another number
		{scan + `"Index Name": "org_due", "Index Cond": "(corg_id = $1)"`, "not searched by org_id"},  // another column
		{scan + `"Index Name": "org_due", "Index Cond": "(org_id >= $1)"`, "not searched by org_id"},  // a range
		{scan + `"Index Name": "org_due", "Index Cond": "(x.org_id = $1)"`, "not searched by org_id"}, // of another table
		{scan + `"Index Name": "org_due", "Index Cond": "((org_id = $1) OR (due = $2))"`, "one of several"},
		{scan + `"Index Name": "due", "Index Cond": "(due >= $2)", "Filter": "(org_id = $1)"`, "does not begin with its scope"},
		{scan + `"Index Name": "due_org", "Index Cond": "((due >= $2) AND (org_id = $1))"`, "does not begin with its scope"},
		{scan + `"Index Name": "org_due", "Index Cond": "(\"(org_id = $1)\" = $2)"`, "odd name"},
		{scan + `"Index Name": "org", "Index Cond": "(org_id = $1)", "Plans": [{"Node Type": "Seq Scan", "Relation Name": "raw", "Alias": "t1"}]`, "reads raw as t1"},
		{scan + `"Index Name": "other", "Index Cond": "(org_id = $1)"`, "nothing is known"},
		{`"Node Type": "Nested Loop", "Plans": [{` + scan + `"Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "Seq Scan", "Relation Name": "tickets", "Alias": "t0_1"}]`, "does not name"},
		{`"Node Type": "Nested Loop", "Plans": [{` + scan + `"Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "Result", "Subplan Name": "InitPlan 1 (returns $1)"}]`, "what a part of the plan returns"},
		{`"Node Type": "Result"`, "does not say how it reads t0"},
	} {
		judgedAs(t, c.plan, judgePlan([]byte(`[{"Plan": {`+c.plan+`}}]`), judged, indexes), c.refused)
	}
	for _, text := range []string{``, `[]`, `{}`, `[{"Plan": 1}]`, `[{"Plan": {"Plans": [1]}}]`, `[{"Plan": {}}, {"Plan": {}}]`} {
		judgedAs(t, text, judgePlan([]byte(text), judged, indexes), "the plan")
	}
	two := []plan.Table{{Name: "tickets", Alias: "t0", Scope: []plan.Equality{{Column: "org_id", Params: []int{1}}, {Column: "region", Params: []int{2}}}}}
	both := func(string) []string { return []string{"region", "org_id", "due"} }
	judgedAs(t, "two columns", judgePlan([]byte(`[{"Plan": {`+scan+`"Index Name": "a", "Index Cond": "((region = $2) AND (org_id = $1))"}}]`), two, both), "")
	judgedAs(t, "one of two", judgePlan([]byte(`[{"Plan": {`+scan+`"Index Name": "a", "Index Cond": "(org_id = $1)"}}]`), two, both), "not searched by region")
}

func judgedAs(t *testing.T, plan string, err error, refused string) {
	t.Helper()
	if refused == "" && err != nil {
		t.Errorf("%v\n%s", err, plan)
	}
	if refused != "" && (err == nil || !strings.Contains(err.Error(), refused)) {
		t.Errorf("%v, want %s\n%s", err, refused, plan)
	}
}
