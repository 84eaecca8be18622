package sqlite

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql/internal/plan"
)

var judged = []plan.Table{{Name: "tickets", Alias: "t0", Scope: []plan.Equality{{Column: "org_id", Params: []int{1, 4}}}}, {Name: "tickets", Alias: "t1"}}

// TestJudgePlan: each plan reads rows out of scope, or may, but for those with no reason.
func TestJudgePlan(t *testing.T) {
	rowid := func(t plan.Table) bool { return t.Scope[0].Column == "id" }
	for _, c := range []struct{ plan, refused string }{
		{"SEARCH t0 USING INDEX a (org_id=? AND code=?)", ""},
		{"SEARCH t0 USING COVERING INDEX a (code=? AND ORG_ID=? AND due>?)\nUSE TEMP B-TREE FOR ORDER BY\nSCAN t1", ""},
		{"SEARCH t0 USING PRIMARY KEY (org_id=?)\nCORRELATED SCALAR SUBQUERY 2\nSEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)", ""},
		{"CO-ROUTINE t3\nSEARCH t0 USING INDEX a (org_id=?) LEFT-JOIN\nSCAN t3", ""},
		{"SCAN t0", "t0 is read by SCAN"},
		{"SCAN t0 USING INDEX a", "t0 is read by SCAN USING INDEX a"},
		{"SEARCH t0 USING INDEX a (due>?)", "not searched by org_id"},
		{"SEARCH t0 USING INDEX a (ANY(code) AND org_id=?)", "it is not known how"}, // reads a row of each code of everybody's
		{"SEARCH t0 USING INDEX a (ANY(code) AND org_id=? AND due>?)", "it is not known how"},
		{"SEARCH t0 USING INDEX a (x y=? AND org_id=?)", "it is not known how"}, // a column may be called "x y=? AND org_id"
		{"SEARCH t0 USING INDEX a (<expr>=? AND org_id=?)", ""},
		{"SEARCH t0 USING INDEX a (code=? AND due>?)", "not searched by org_id"},
		{"SEARCH t0 USING INDEX a (org_id>? AND org_id<?)", "not searched by org_id"},
		{"SEARCH t0 USING INDEX a (ANY(org_id) AND due>?)", "it is not known how"},
		{"SEARCH t0 USING INDEX a ((org_id,code)>(?,?))", "it is not known how"},
		{"SEARCH t0 USING AUTOMATIC COVERING INDEX (org_id=?)", "t0 is read by SEARCH USING AUTOMATIC"},
		{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)", "t0 is read by SEARCH USING INTEGER PRIMARY KEY"}, // by the program's key
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN t0", "t0 is read by SCAN"},
		{"MULTI-INDEX OR\nINDEX 1\nSEARCH t0 USING INDEX a (org_id=?)", "MULTI-INDEX OR"},
		{"BLOOM FILTER ON t0 (org_id=?)\nSEARCH t0 USING INDEX a (org_id=?)", "BLOOM FILTER"},
		{"SEARCH t0 USING INDEX a (org_id=?)\nUSING INDEX b FOR IN-OPERATOR", "USING INDEX b"},
		{"SCAN t1", "does not say how it reads t0"},
		{"", "it is not known"},
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN t7", "it is not known what this reads"}, // in a view
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN tickets", "it is not known what this reads"},
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN (subquery-3)\nSCAN t12", ""},
	} {
		judgedAs(t, c.plan, judgePlan(strings.Split(c.plan, "\n"), judged, []string{"t3", "t12"}, rowid), c.refused)
	}
	key := []plan.Table{{Name: "users", Alias: "t0", Scope: []plan.Equality{{Column: "id", Params: []int{1}}}}}
	judgedAs(t, "its key", judgePlan([]string{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"}, key, nil, rowid), "")
	judgedAs(t, "a key that is no rowid", judgePlan([]string{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"}, key, nil, func(plan.Table) bool { return false }), "t0 is read by")
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
