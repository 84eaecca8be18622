package fence

import (
	"errors"
	"slices"
	"testing"
)

var judgedPostgres = []Table{{Name: "tickets", Alias: "t0", Scope: []Equality{{Column: "org_id", Params: []int{1, 4}}}}, {Name: "tickets", Alias: "t1"}}

// TestJudgePostgres: each plan reads rows out of scope, or may, but for those with no reason.
func TestJudgePostgres(t *testing.T) {
	indexes := func(name string) []string {
		return map[string][]string{"org": {"org_id"}, "due": {"due"}, "org_due": {"org_id", "due"}, "due_org": {"due", "org_id"}}[name]
	}
	const scan = `"Node Type": "Index Scan", "Relation Name": "tickets", "Alias": "t0", `
	or := func(again, name, cond string) string { // an index for each of two conditions
		return `"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "` + again + `", "Plans": [{"Parent Relationship": "Outer", "Node Type": "BitmapOr", "Plans": [` +
			`{"Node Type": "Bitmap Index Scan", "Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due <= $2))"}, {"Node Type": "Bitmap Index Scan", "Index Name": "` + name + `", "Index Cond": "` + cond + `"}]}]`
	}
	for _, c := range []struct{ plan, refused string }{
		{scan + `"Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due >= $2))", "Filter": "(n = $3)"`, ""},
		{scan + `"Index Name": "org", "Index Cond": "(t0.org_id = $1)"`, ""},
		{scan + `"Index Name": "org", "Index Cond": "((org_id)::text = ($1)::text)"`, ""},
		{scan + `"Index Name": "org_due", "Index Cond": "((org_id = ANY (ARRAY[$1, $4])) AND (due >= $2))"`, ""},
		{scan + `"Index Name": "org", "Index Cond": "((org_id)::text = ANY (ARRAY[($1)::text, ($4)::text]))"`, ""},
		{scan + `"Index Name": "org", "Index Cond": "(org_id = ANY (ARRAY[$1, $2]))"`, "not searched by org_id"}, // one of them is a value of the program
		{scan + `"Index Name": "org", "Index Cond": "(org_id <> ALL (ARRAY[$1, $4]))"`, "not searched by org_id"},
		{`"Node Type": "Limit", "Plans": [{` + scan + `"Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "Seq Scan", "Relation Name": "tickets", "Alias": "t1"}]`, ""},
		{`"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((org_id = $1) AND (due >= $2))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due >= $2))"}]`, ""},
		{`"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((due >= $2) AND (org_id = $1))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due >= $2))"}]`, "before its scope"},
		{`"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((org_id = $1) AND (due >= $2))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "BitmapAnd", "Plans": []}]`, "several indexes"},
		{or("(((org_id = $1) AND (due <= $2)) OR ((org_id = $1) AND (due IS NULL)))", "org_due", "((org_id = $1) AND (due IS NULL))"), ""},
		{or("(((org_id = $1) AND (due <= $2)) OR ((org_id = $1) AND (due IS NULL)))", "due", "(due IS NULL)"), "whose first columns are not those of the table's scope"},
		{or("(((org_id = $1) AND (due <= $2)) OR ((org_id = $1) AND (due IS NULL)))", "org_due", "((org_id = $2) AND (due IS NULL))"), "not searched by org_id"},
		{or("(((org_id = $1) AND (due <= $2)) OR (due IS NULL))", "org_due", "((org_id = $1) AND (due IS NULL))"), "before its scope"}, // of a page that is held as a whole
		{or("(((org_id = $1) OR (due <= $2)) AND ((org_id = $1) OR (due IS NULL)))", "org_due", "((org_id = $1) AND (due IS NULL))"), "before its scope"},
		{`"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "(org_id = $1)", "Plans": [{"Parent Relationship": "Outer", "Node Type": "BitmapOr", "Plans": []}]`, "by no index"},
		{`"Node Type": "Seq Scan", "Relation Name": "tickets", "Alias": "t0", "Filter": "(org_id = $1)"`, "read by a Seq Scan"},
		{scan + `"Index Name": "org_due", "Index Cond": "(org_id = $2)"`, "not searched by org_id"},   // a value of the program
		{scan + `"Index Name": "org_due", "Index Cond": "(org_id = $11)"`, "not searched by org_id"},  // another number
		{scan + `"Index Name": "org_due", "Index Cond": "(corg_id = $1)"`, "not searched by org_id"},  // another column
		{scan + `"Index Name": "org_due", "Index Cond": "(org_id >= $1)"`, "not searched by org_id"},  // a range
		{scan + `"Index Name": "org_due", "Index Cond": "(x.org_id = $1)"`, "not searched by org_id"}, // of another table
		{scan + `"Index Name": "org_due", "Index Cond": "((org_id = $1) OR (due = $2))"`, "one of several"},
		{scan + `"Index Name": "due", "Index Cond": "(due >= $2)", "Filter": "(org_id = $1)"`, "whose first columns are not those of the table's scope"},
		{scan + `"Index Name": "due_org", "Index Cond": "((due >= $2) AND (org_id = $1))"`, "whose first columns are not those of the table's scope"},
		{scan + `"Index Name": "org_due", "Index Cond": "(\"(org_id = $1)\" = $2)"`, "unusual characters"},
		{scan + `"Index Name": "org", "Index Cond": "(org_id = $1)", "Plans": [{"Node Type": "Seq Scan", "Relation Name": "raw", "Alias": "t1"}]`, "reads raw as t1"},
		{scan + `"Index Name": "other", "Index Cond": "(org_id = $1)"`, "whose columns are unknown"},
		{`"Node Type": "Nested Loop", "Plans": [{` + scan + `"Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "Seq Scan", "Relation Name": "tickets", "Alias": "t0_1"}]`, "does not name"},
		{`"Node Type": "Nested Loop", "Plans": [{` + scan + `"Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "Result", "Subplan Name": "InitPlan 1 (returns $1)"}]`, "the result of a part of the plan"},
		{`"Node Type": "Result"`, "does not show how it reads t0"},
	} {
		judgedAs(t, c.plan, JudgePostgres([]byte(`[{"Plan": {`+c.plan+`}}]`), judgedPostgres, indexes), c.refused)
	}
	for _, text := range []string{``, `[]`, `{}`, `[{"Plan": 1}]`, `[{"Plan": {"Plans": [1]}}]`, `[{"Plan": {}}, {"Plan": {}}]`} {
		judgedAs(t, text, JudgePostgres([]byte(text), judgedPostgres, indexes), "the plan")
	}
	two := []Table{{Name: "tickets", Alias: "t0", Scope: []Equality{{Column: "org_id", Params: []int{1}}, {Column: "region", Params: []int{2}}}}}
	both := func(string) []string { return []string{"region", "org_id", "due"} }
	judgedAs(t, "two columns", JudgePostgres([]byte(`[{"Plan": {`+scan+`"Index Name": "a", "Index Cond": "((region = $2) AND (org_id = $1))"}}]`), two, both), "")
	judgedAs(t, "one between two", JudgePostgres([]byte(`[{"Plan": {`+scan+`"Index Name": "a", "Index Cond": "((region = $2) AND (org_id = $1))"}}]`), two, func(string) []string { return []string{"region", "due", "org_id"} }), "whose first columns are not those of the table's scope")
	judgedAs(t, "two, one checked again behind", JudgePostgres([]byte(`[{"Plan": {"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((org_id = $1) AND (due > $3) AND (region = $2))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "a", "Index Cond": "((region = $2) AND (org_id = $1) AND (due > $3))"}]}}]`), two, both), "before its scope")
	judgedAs(t, "two, both checked again first", JudgePostgres([]byte(`[{"Plan": {"Node Type": "Bitmap Heap Scan", "Relation Name": "tickets", "Alias": "t0", "Recheck Cond": "((region = $2) AND (org_id = $1) AND (due > $3))", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "a", "Index Cond": "((region = $2) AND (org_id = $1) AND (due > $3))"}]}}]`), two, both), "")
	judgedAs(t, "one of two", JudgePostgres([]byte(`[{"Plan": {`+scan+`"Index Name": "a", "Index Cond": "(org_id = $1)"}}]`), two, both), "not searched by region")
}

// TestJudgePostgresGuarded: a guarded table may be read as a whole, and by a link, if its scope decides
// before anything else that was not written behind it.
func TestJudgePostgresGuarded(t *testing.T) {
	tables := []Table{
		{Name: "customers", Alias: "t0", Guarded: true, Scope: []Equality{{Column: "org_id", Params: []int{1, 4}}}, Links: []Match{{Column: "id", Alias: "t1", Other: "customer_id"}}},
		{Name: "tickets", Alias: "t1", Scope: []Equality{{Column: "org_id", Params: []int{2}}}},
	}
	indexes := func(name string) []string {
		return map[string][]string{"key": {"id"}, "id_due": {"id", "due"}, "due": {"due"}, "org": {"org_id"}, "org_due": {"org_id", "due"}, "id_org": {"id", "org_id"}}[name]
	}
	const (
		outer = `"Node Type": "Nested Loop", "Plans": [{"Node Type": "Index Scan", "Relation Name": "tickets", "Alias": "t1", "Index Name": "org", "Index Cond": "(org_id = $2)"}, {"Relation Name": "customers", "Alias": "t0", `
		seq   = outer + `"Node Type": "Seq Scan", "Filter": `
		key   = outer + `"Node Type": "Index Scan", "Index Name": "key", "Index Cond": "(id = t1.customer_id)", "Filter": `
	)
	and := func(plans, again string) string {
		return outer + `"Node Type": "Bitmap Heap Scan", "Recheck Cond": "` + again + `", "Filter": "(org_id = $1)", "Plans": [{"Parent Relationship": "Outer", "Node Type": "BitmapAnd", "Plans": [` + plans + `]}]`
	}
	for _, c := range []struct{ plan, refused string }{
		{seq + `"((org_id = $1) AND (region = $3))"`, ""},
		{seq + `"(CASE WHEN (org_id = $4) THEN (region = $3) ELSE false END AND (org_id = $1))"`, ""},
		{seq + `"(org_id = $1)"`, ""},
		{seq + `"((id = t1.customer_id) AND (org_id = $1))"`, ""},
		{seq + `"((t1.customer_id = id) AND (org_id = $1))"`, ""},
		{key + `"((org_id = $1) AND CASE WHEN (org_id = $4) THEN (region = $3) ELSE false END)"`, ""},
		{key + `"(CASE WHEN ((t0.org_id = $4) AND (t1.org_id = $2)) THEN (region = t1.code) ELSE false END AND (org_id = $1))"`, ""},
		{outer + `"Node Type": "Bitmap Heap Scan", "Recheck Cond": "(id = t1.customer_id)", "Filter": "(org_id = $1)", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "key", "Index Cond": "(id = t1.customer_id)"}]`, ""},
		{outer + `"Node Type": "Index Scan", "Index Name": "id_org", "Index Cond": "((id = t1.customer_id) AND (org_id = $1))"`, ""},
		{outer + `"Node Type": "Index Scan", "Index Name": "org_due", "Index Cond": "((org_id = $1) AND (due > $3))"`, ""}, // a search for the scope
		{and(`{"Node Type": "Bitmap Index Scan", "Index Name": "key", "Index Cond": "(id = t1.customer_id)"}, {"Node Type": "Bitmap Index Scan", "Index Name": "org", "Index Cond": "(org_id = $1)"}`, "((org_id = $1) AND (id = t1.customer_id))"), ""},
		{outer + `"Node Type": "Bitmap Heap Scan", "Recheck Cond": "(id = t1.customer_id)", "Filter": "(org_id = $1)", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "id_due", "Index Cond": "(id = t1.customer_id)"}]`, ""}, // a bitmap has no order

		{and(`{"Node Type": "Bitmap Index Scan", "Index Name": "key", "Index Cond": "(id = t1.customer_id)"}, {"Node Type": "Bitmap Index Scan", "Index Name": "due", "Index Cond": "(due > $3)"}`, "((id = t1.customer_id) AND (due > $3))"), "before its scope"},
		{and(`{"Node Type": "Bitmap Index Scan", "Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "Bitmap Index Scan", "Index Name": "due"}`, "(org_id = $1)"), "several indexes"},
		{and(`{"Node Type": "Bitmap Index Scan", "Index Name": "part", "Index Cond": "(org_id = $1)"}`, "(org_id = $1)"), "several indexes"},
		// Of a page that is held as a whole the scope would not be looked at again.
		{and(`{"Node Type": "Bitmap Index Scan", "Index Name": "key", "Index Cond": "(id = t1.customer_id)"}, {"Node Type": "Bitmap Index Scan", "Index Name": "org", "Index Cond": "(org_id = $1)"}`, "(id = t1.customer_id)"), "before its scope"},
		{and(`{"Node Type": "Bitmap Index Scan", "Index Name": "org", "Index Cond": "(org_id = $1)"}, {"Node Type": "BitmapOr", "Plans": [{"Node Type": "Bitmap Index Scan", "Index Name": "key", "Index Cond": "(id = t1.customer_id)"}, {"Node Type": "Bitmap Index Scan", "Index Name": "id_org", "Index Cond": "(id = t1.customer_id)"}]}`, "((org_id = $1) AND (id = t1.customer_id))"), "several indexes"},
		{seq + `"(region = $3)"`, "Seq Scan"},
		{seq + `"((region = $3) AND (org_id = $1))"`, "Seq Scan"}, // the program's condition first
		{seq + `"((id = $3) AND (org_id = $1))"`, "Seq Scan"},     // carried over from the other end of the link
		{seq + `"((id = t2.customer_id) AND (org_id = $1))"`, "Seq Scan"},
		{seq + `"((due = t1.customer_id) AND (org_id = $1))"`, "Seq Scan"},
		{seq + `"((id < t1.customer_id) AND (org_id = $1))"`, "Seq Scan"},
		{seq + `"(CASE WHEN (org_id = $3) THEN (region = $3) ELSE false END AND (org_id = $1))"`, "Seq Scan"}, // the program's own CASE
		{seq + `"(CASE WHEN ((org_id = $4) AND (region = $3)) THEN true ELSE false END AND (org_id = $1))"`, "Seq Scan"},
		{seq + `"(CASE WHEN (org_id = $4) THEN false ELSE (region = $3) END AND (org_id = $1))"`, "Seq Scan"},
		{seq + `"(CASE WHEN (t1.org_id = $2) THEN (region = $3) ELSE false END AND (org_id = $1))"`, "Seq Scan"}, // another table's scope
		{seq + `"((org_id = $1) OR (region = $3))"`, "Seq Scan"},
		{seq + `"((NOT (org_id = $1)) AND (region = $3))"`, "Seq Scan"},
		{seq + `"((\"(org_id = $1)\" = $3) AND (org_id = $1))"`, "Seq Scan"},
		{seq + `"(('(org_id = $1) AND ' = name) AND (org_id = $1))"`, "Seq Scan"},
		{seq + `"((org_id = $1) AND "`, "Seq Scan"},
		{outer + `"Node Type": "Seq Scan"`, "Seq Scan"},
		{key + `"((region = $3) AND (org_id = $1))"`, "whose first columns are not those of the table's scope"},
		{key + `""`, "whose first columns are not those of the table's scope"},
		{outer + `"Node Type": "Index Scan", "Index Name": "key", "Index Cond": "(id = $3)", "Filter": "(org_id = $1)"`, "whose first columns are not those of the table's scope"},
		{outer + `"Node Type": "Index Scan", "Index Name": "id_org", "Index Cond": "((org_id = $1) AND (id = $3))"`, "whose first columns are not those of the table's scope"}, // the way down compares id first
		{outer + `"Node Type": "Index Scan", "Index Name": "key", "Index Cond": "((id = t1.customer_id) AND (id = t1.customer_id))", "Filter": "(org_id = $1)"`, "whose first columns are not those of the table's scope"},
		{outer + `"Node Type": "Index Scan", "Index Name": "id_due", "Index Cond": "(id = t1.customer_id)", "Filter": "(org_id = $1)"`, "whose first columns are not those of the table's scope"}, // in the order of due
		{outer + `"Node Type": "Index Scan", "Index Name": "due", "Filter": "(org_id = $1)"`, "whose first columns are not those of the table's scope"},
		{outer + `"Node Type": "Bitmap Heap Scan", "Recheck Cond": "(region = $3)", "Filter": "(org_id = $1)", "Plans": [{"Parent Relationship": "Outer", "Node Type": "Bitmap Index Scan", "Index Name": "key", "Index Cond": "(id = t1.customer_id)"}]`, "before its scope"},
		{outer + `"Node Type": "Bitmap Heap Scan", "Recheck Cond": "(id = t1.customer_id)", "Filter": "(org_id = $1)", "Plans": [{"Parent Relationship": "Outer", "Node Type": "BitmapOr", "Plans": []}]`, "before its scope"},
		{outer + `"Node Type": "Bitmap Heap Scan", "Filter": "(org_id = $1)"`, "before its scope"},
		{outer + `"Node Type": "Tid Scan", "Filter": "(org_id = $1)"`, "Tid Scan"},
	} {
		err := JudgePostgres([]byte(`[{"Plan": {`+c.plan+`}]}}]`), tables, indexes)
		judgedAs(t, c.plan, err, c.refused)
		if wide, ok := errors.AsType[*OutOfScope](err); c.refused != "" && (!ok || !slices.Equal(wide.Aliases, []string{"t0"})) {
			t.Errorf("%v is about %v\n%s", err, wide, c.plan)
		}
	}
}

// TestJudgePostgresGates: where rows are in scope only if another table has a row, that is known before
// any is read.
func TestJudgePostgresGates(t *testing.T) {
	tables := []Table{
		{Name: "projects", Alias: "t0", Gates: []string{"t1"}, Scope: []Equality{{Column: "org_id", Params: []int{1}}}},
		{Name: "orgs", Alias: "t1", Scope: []Equality{{Column: "id", Params: []int{2}}}},
	}
	indexes := func(name string) []string {
		return map[string][]string{"org": {"org_id"}, "key": {"id"}}[name]
	}
	const (
		scan = `{"Node Type": "Index Scan", "Relation Name": "projects", "Alias": "t0", "Index Name": "org", "Index Cond": "(org_id = $1)"}`
		gate = `"Node Type": "Index Only Scan", "Parent Relationship": "InitPlan", "Relation Name": "orgs", "Alias": "t1", "Index Name": "key", "Index Cond": "(id = $2)"}`
	)
	init := func(name string) string { return `{"Subplan Name": "` + name + `", ` + gate }
	for _, c := range []struct{ plan, refused string }{
		{`"Node Type": "Result", "One-Time Filter": "$0", "Plans": [` + init("InitPlan 1 (returns $0)") + `, ` + scan + `]`, ""},
		{`"Node Type": "Result", "One-Time Filter": "($0 AND $1)", "Plans": [` + init("InitPlan 2 (returns $1)") + `, ` + scan + `]`, ""},
		{`"Node Type": "Result", "One-Time Filter": "(InitPlan 1).col1", "Plans": [` + init("InitPlan 1") + `, {"Node Type": "Sort", "Plans": [` + scan + `]}]`, ""},
		{`"Node Type": "Result", "One-Time Filter": "$10", "Plans": [` + init("InitPlan 1 (returns $1)") + `, ` + scan + `]`, "before it has checked"},
		{`"Node Type": "Result", "One-Time Filter": "($0 OR $3)", "Plans": [` + init("InitPlan 1 (returns $0)") + `, ` + scan + `]`, "before it has checked"},
		{`"Node Type": "Result", "One-Time Filter": "(NOT $0)", "Plans": [` + init("InitPlan 1 (returns $0)") + `, ` + scan + `]`, "before it has checked"},
		{`"Node Type": "Result", "One-Time Filter": "$0", "Plans": [` + init("SubPlan 1") + `, ` + scan + `]`, "before it has checked"},
		{`"Node Type": "Nested Loop", "Plans": [` + scan + `, {"Node Type": "Result", "One-Time Filter": "$0", "Plans": [` + init("InitPlan 1 (returns $0)") + `]}]`, "before it has checked"},
		{`"Node Type": "Append", "Plans": [` + init("InitPlan 1 (returns $0)") + `, ` + scan + `]`, "before it has checked"},
	} {
		judgedAs(t, c.plan, JudgePostgres([]byte(`[{"Plan": {`+c.plan+`}}]`), tables, indexes), c.refused)
	}
	// The row at the start of the link may be in scope through a link itself.
	tables[1].Gates = []string{"t2"}
	tables = append(tables, Table{Name: "owners", Alias: "t2", Scope: []Equality{{Column: "id", Params: []int{3}}}})
	const (
		orgs   = `{"Node Type": "Index Only Scan", "Parent Relationship": "Outer", "Relation Name": "orgs", "Alias": "t1", "Index Name": "key", "Index Cond": "(id = $2)"}`
		owners = `{"Node Type": "Index Only Scan", "Parent Relationship": "InitPlan", "Subplan Name": "InitPlan 1 (returns $8)", "Relation Name": "owners", "Alias": "t2", "Index Name": "key", "Index Cond": "(id = $3)"}`
	)
	for _, c := range []struct{ filter, second, under, refused string }{
		{"$9", "$8", owners + ", " + orgs, ""},
		{"$8", "$8", owners + ", " + orgs, "checked that t1,"},
		{"$9", "$9", owners + ", " + orgs, "checked that t2,"},
		{"$9", "$8", owners + ", " + orgs + ", " + orgs, "checked that t1,"},
	} {
		p := `"Node Type": "Result", "One-Time Filter": "` + c.filter + `", "Plans": [{"Node Type": "Result", "Parent Relationship": "InitPlan", "Subplan Name": "InitPlan 2 (returns $9)", "One-Time Filter": "` + c.second + `", "Plans": [` + c.under + `]}, ` + scan + `]`
		judgedAs(t, p, JudgePostgres([]byte(`[{"Plan": {`+p+`}}]`), tables, indexes), c.refused)
	}
}
