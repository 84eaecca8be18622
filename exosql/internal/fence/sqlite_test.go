package fence

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

var judgedSQLite = []Table{{Name: "tickets", Alias: "t0", Scope: []Equality{{Column: "org_id", Params: []int{1, 4}}}}, {Name: "tickets", Alias: "t1"}}

// TestJudgeSQLite: each plan reads rows out of scope, or may, but for those with no reason.
func TestJudgeSQLite(t *testing.T) {
	rowid := func(t Table) bool { return t.Scope[0].Column == "id" }
	for _, c := range []struct{ plan, refused string }{
		{"SEARCH t0 USING INDEX a (org_id=? AND code=?)", ""},
		{"SEARCH t0 USING COVERING INDEX a (ORG_ID=? AND code=? AND due>?)\nUSE TEMP B-TREE FOR ORDER BY\nSCAN t1", ""},
		{"SEARCH t0 USING COVERING INDEX a (code=? AND org_id=? AND due>?)", "not searched by org_id first"}, // compares codes with everybody's
		{"SEARCH t0 USING PRIMARY KEY (org_id=?)\nCORRELATED SCALAR SUBQUERY 2\nSEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)", ""},
		{"CO-ROUTINE t3\nSEARCH t0 USING INDEX a (org_id=?) LEFT-JOIN\nSCAN t3", ""},
		{"COMPOUND QUERY\nLEFT-MOST SUBQUERY\nSEARCH t0 USING INDEX a (org_id=?)\nUNION USING TEMP B-TREE\nSCAN t1", ""},
		{"MERGE (EXCEPT)\nLEFT\nSEARCH t0 USING INDEX a (org_id=? AND code=?)\nUSE TEMP B-TREE FOR ORDER BY\nRIGHT\nSCAN t1", ""},
		{"MERGE (UNION)\nLEFT\nSCAN t0 USING INDEX a\nRIGHT\nSCAN t1", "t0 is read by SCAN"}, // in the order of what is compared
		{"COMPOUND QUERY\nLEFT-MOST SUBQUERY\nSCAN t1\nUNION ALL\nSCAN t0", "t0 is read by SCAN"},
		{"MERGE (SOMETHING)\nLEFT\nSEARCH t0 USING INDEX a (org_id=?)", "is not understood"},
		{"SCAN t0", "t0 is read by SCAN"},
		{"SCAN t0 USING INDEX a", "t0 is read by SCAN USING INDEX a"},
		{"SEARCH t0 USING INDEX a (due>?)", "not searched by org_id"},
		{"SEARCH t0 USING INDEX a (ANY(code) AND org_id=?)", "is not understood"}, // reads a row of each code of everybody's
		{"SEARCH t0 USING INDEX a (ANY(code) AND org_id=? AND due>?)", "is not understood"},
		{"SEARCH t0 USING INDEX a (x y=? AND org_id=?)", "is not understood"}, // a column may be called "x y=? AND org_id"
		{"SEARCH t0 USING INDEX a (<expr>=? AND org_id=?)", "not searched by org_id first"},
		{"SEARCH t0 USING INDEX a (code=? AND due>?)", "not searched by org_id"},
		{"SEARCH t0 USING INDEX a (org_id>? AND org_id<?)", "not searched by org_id"},
		{"SEARCH t0 USING INDEX a (ANY(org_id) AND due>?)", "is not understood"},
		{"SEARCH t0 USING INDEX a ((org_id,code)>(?,?))", "is not understood"},
		{"SEARCH t0 USING INDEX a (org_id=? AND (code,due)>(?,?))", ""},
		{"SEARCH t0 USING INDEX a (org_id=? AND code=? AND (due,<expr>)<(?,?))", ""},
		{"SEARCH t0 USING INDEX a (org_id=? AND (x y,due)>(?,?))", "is not understood"},
		{"SEARCH t0 USING INDEX a ((code,due)>(?,?) AND org_id=?)", "is not understood"},
		{"SEARCH t0 USING AUTOMATIC COVERING INDEX (org_id=?)", "t0 is read by SEARCH USING AUTOMATIC"},
		{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)", "t0 is read by SEARCH USING INTEGER PRIMARY KEY"}, // by the program's key
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN t0", "t0 is read by SCAN"},
		{"MULTI-INDEX OR\nINDEX 1\nSEARCH t0 USING INDEX a (org_id=? AND due<?)\nINDEX 2\nSEARCH t0 USING INDEX a (org_id=? AND due=?)", ""},
		{"MULTI-INDEX OR\nINDEX 1\nSEARCH t0 USING INDEX a (org_id=? AND due<?)\nINDEX 2\nSEARCH t0 USING INDEX due (due=?)", "not searched by org_id"},
		{"MULTI-INDEX OR\nINDEX 1\nSEARCH t0 USING INDEX due (due<?)\nINDEX 2\nSEARCH t0 USING INDEX a (org_id=? AND due=?)", "not searched by org_id"},
		{"MULTI-INDEX OR\nINDEX 1\nSEARCH t0 USING INDEX a (org_id=?)\nINDEX 2", "INDEX 2"},
		{"BLOOM FILTER ON t0 (org_id=?)\nSEARCH t0 USING INDEX a (org_id=?)", "t0 is read by SCAN"},
		{"SEARCH t0 EXISTS USING INDEX a (org_id=?)", ""},
		{"MULTI-INDEX OR\nINDEX 1\nSEARCH t1 USING INDEX a (x=?)\nINDEX 2\nSEARCH t1 USING INDEX b (y=?)\nSEARCH t0 USING INDEX a (org_id=?)", ""},
		{"SEARCH t0 USING INDEX a (org_id=?)\nINDEX 1", "is not understood"},
		{"SEARCH t0 USING INDEX a (org_id=?)\nMULTI-INDEX OR", "MULTI-INDEX OR"},
		{"SEARCH t0 USING INDEX a (org_id=?)\nUSING INDEX b FOR IN-OPERATOR", "USING INDEX b"},
		{"SCAN t1", "does not show how it reads t0"},
		{"", "is not understood"},
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN t7", "it is not known which table"}, // in a view
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN tickets", "it is not known which table"},
		{"SEARCH t0 USING INDEX a (org_id=?)\nSCAN (subquery-3)\nSCAN t12", ""},
	} {
		judgedAs(t, c.plan, JudgeSQLite(strings.Split(c.plan, "\n"), judgedSQLite, []string{"t3", "t12"}, rowid), c.refused)
	}
	two := []Table{{Name: "tickets", Alias: "t0", Scope: []Equality{{Column: "org_id", Params: []int{1}}, {Column: "region", Params: []int{2}}}}}
	judgedAs(t, "two columns", JudgeSQLite([]string{"SEARCH t0 USING INDEX a (region=? AND org_id=? AND due>?)"}, two, nil, rowid), "")
	judgedAs(t, "one of two", JudgeSQLite([]string{"SEARCH t0 USING INDEX a (org_id=?)"}, two, nil, rowid), "not searched by region first")
	judgedAs(t, "one between two", JudgeSQLite([]string{"SEARCH t0 USING INDEX a (org_id=? AND code=? AND region=?)"}, two, nil, rowid), "not searched by region first")
	judgedAs(t, "a range of one", JudgeSQLite([]string{"SEARCH t0 USING INDEX a (org_id=? AND region>? AND region<?)"}, two, nil, rowid), "not searched by region first")
	judgedAs(t, "the rowid as one of two", JudgeSQLite([]string{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"}, two, nil, func(Table) bool { return true }), "t0 is read by")
	key := []Table{{Name: "users", Alias: "t0", Scope: []Equality{{Column: "id", Params: []int{1}}}}}
	judgedAs(t, "its key", JudgeSQLite([]string{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"}, key, nil, rowid), "")
	judgedAs(t, "a key that is no rowid", JudgeSQLite([]string{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"}, key, nil, func(Table) bool { return false }), "t0 is read by")
}

// TestJudgeSQLiteGuarded: a guarded table may be read as a whole and by one value of each column, in no
// order that a program could choose.
func TestJudgeSQLiteGuarded(t *testing.T) {
	guarded := []Table{judgedSQLite[0]}
	guarded[0].Guarded = true
	rowid := func(Table) bool { return false }
	for _, c := range []struct{ plan, refused string }{
		{"SCAN t0", ""},
		{"SCAN t0\nUSE TEMP B-TREE FOR ORDER BY", ""},
		{"SCAN t0 LEFT-JOIN", ""},
		{"BLOOM FILTER ON t0 (id=?)\nSEARCH t0 USING AUTOMATIC COVERING INDEX (id=?)", ""},
		{"SEARCH t0 USING AUTOMATIC PARTIAL COVERING INDEX (id=?)", ""},
		{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)", ""},
		{"SEARCH t0 USING INDEX a (customer_id=?)", ""},
		{"SEARCH t0 EXISTS USING COVERING INDEX a (customer_id=? AND <expr>=?)", ""},
		{"SEARCH t0 USING INDEX a (org_id=? AND due>?)", ""}, // a search for the scope
		{"SCAN t0 USING INDEX due", "t0 is read by SCAN USING INDEX due"},
		{"SCAN t0 USING COVERING INDEX due", "t0 is read by SCAN USING COVERING INDEX due"},
		{"SEARCH t0 USING INDEX a (customer_id=? AND due>?)", "not searched by org_id"},
		{"SEARCH t0 USING INDEX a (due>?)", "not searched by org_id"},
		{"SEARCH t0 USING INTEGER PRIMARY KEY (rowid>?)", "t0 is read by SEARCH"},
		{"SEARCH t0 USING INDEX a (ANY(code) AND customer_id=?)", "is not understood"},
		{"SEARCH t0 VIRTUAL TABLE INDEX 0:", "t0 is read by SEARCH VIRTUAL"},
		{"SCAN t0 VIRTUAL TABLE INDEX 0:", "t0 is read by SCAN VIRTUAL"},
		{"MULTI-INDEX OR\nINDEX 1\nSEARCH t0 USING INDEX a (customer_id=?)", "not searched by org_id"},
	} {
		judgedAs(t, c.plan, JudgeSQLite(strings.Split(c.plan, "\n"), guarded, nil, rowid), c.refused)
	}
}

// TestJudgeSQLiteNames: a refusal names every table of which rows out of scope are read.
func TestJudgeSQLiteNames(t *testing.T) {
	tables := slices.Clone(judgedSQLite)
	tables[1].Scope = tables[0].Scope
	err := JudgeSQLite([]string{"SCAN t0", "SEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)", "SCAN t0"}, tables, nil, func(Table) bool { return false })
	wide, ok := errors.AsType[*OutOfScope](err)
	if !ok || !slices.Equal(wide.Aliases, []string{"t0", "t1"}) || !strings.Contains(err.Error(), "t0") {
		t.Errorf("%v %v", err, wide)
	}
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
