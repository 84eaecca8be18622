package approvals_test

// This file has the texts that a model reads about change sets, in pairs of databases that differ in what its programs may not read.

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var ids = regexp.MustCompile(`[a-z2-7]{26}`)

// reads runs a program and returns all that its model reads.
func (w *world) reads(grants codemode.Grants, program string) string {
	w.t.Helper()
	res := w.toolOf("user:1", grants).Run(w.t.Context(), program)
	if res.Err == nil {
		w.t.Fatalf("%s: it was not refused, and nobody was asked", program)
	}
	return ids.ReplaceAllString(fmt.Sprint(fail.KindOf(res.Err), " ", fail.GuestText(res.Err), " ", res.Notice), "ID")
}

// TestModelReadsNothingHidden: two databases that differ only in what a program may not read give the same texts. The twin is a facet that shows it: there
// the texts, or the program's own reads, differ.
func TestModelReadsNothingHidden(t *testing.T) {
	const many = `return staff.insertMany(Array.from({ length: 300 }, (_, i) => ({ name: "n" + i, salary: 1, note: "x".repeat(40000) })))`
	const most = `return staff.where({ salary: 7 }).update({ salary: 8 })`
	// large is 6 MB in 60 rows. With what is there after the change that is more than a change set may have.
	large := func(e tu.Engine, column string) string {
		return fmt.Sprintf("UPDATE staff SET %s = %s WHERE salary = 7", column, e.Pick("hex(zeroblob(50000))", "repeat('0', 100000)"))
	}
	for _, c := range []struct {
		name, program string
		kind          fail.Kind
		differ        func(e tu.Engine) string                            // what is otherwise in the second database
		shows         func(d *declared, hide bool) []exosql.Member[staff] // nil: no facet shows it
		twin          bool                                                // the twin's texts differ
	}{
		{"a labelled value", rise, fail.Pending, func(tu.Engine) string { return `UPDATE staff SET salary = 111 WHERE id = 1001` },
			func(d *declared, hide bool) []exosql.Member[staff] {
				if hide {
					d.salary.WithLabel("pay")
				}
				return []exosql.Member[staff]{d.id, d.name, d.salary, d.note}
			}, false},
		{"a hidden key", `return staff.insert({ name: "new", salary: 1, note: "see 5001" })`, fail.Pending,
			func(e tu.Engine) string {
				return e.Pick(`INSERT INTO staff (id, org_id, name, salary) VALUES (5000, 2, 'k', 1)`, `SELECT setval(pg_get_serial_sequence('staff', 'id'), 8000)`)
			},
			func(d *declared, hide bool) []exosql.Member[staff] {
				if hide {
					return []exosql.Member[staff]{d.name, d.salary, d.note}
				}
				return []exosql.Member[staff]{d.id, d.name, d.salary, d.note}
			}, true},
		{"the size of hidden columns", most, fail.Pending, func(e tu.Engine) string { return large(e, "secret") }, nil, false},
		{"the size of labelled columns", most, fail.Pending, func(e tu.Engine) string { return large(e, "note") },
			func(d *declared, hide bool) []exosql.Member[staff] {
				if hide {
					d.note.WithLabel("diary")
				}
				return []exosql.Member[staff]{d.id, d.name, d.salary, d.note}
			}, true},
		{"the sizes of hidden columns in too large a set", many, fail.Limit, func(e tu.Engine) string {
			return "ALTER TABLE staff ADD COLUMN more text NOT NULL DEFAULT 'twenty characters ...'"
		}, nil, false},
		{"a hidden column", rise, fail.Pending, func(tu.Engine) string { return `UPDATE staff SET secret = '5001' WHERE id = 1001` }, nil, false},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			texts := map[bool][2]string{}
			for _, hide := range []bool{true, false}[:map[bool]int{true: 1, false: 2}[c.shows == nil]] {
				var two [2]string
				for i, more := range []string{`SELECT 1`, c.differ(e)} {
					w := fresh(t, e, c.shows == nil, e.Pick(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO staff (id, org_id, name, salary) SELECT i, 1, 'r' || i, 7 FROM n; INSERT INTO staff (id, org_id, name, salary) VALUES (4000, 2, 'j', 1)`,
						`INSERT INTO staff (id, org_id, name, salary) SELECT i, 1, 'r' || i, 7 FROM generate_series(1, 60) AS i`), more)
					d := declare()
					members := []exosql.Member[staff]{d.id, d.name, d.salary, d.note}
					if c.shows != nil {
						members = c.shows(&d, hide)
					}
					f := exosql.NewFacet(d.staff, "staff", members...).AllowInsert(d.name, d.salary, d.note).AllowUpdate(d.salary, d.note).Permit(exosql.AllowUnique("name")).Approve(exosql.ApproveAlways())
					two[i] = w.reads(codemode.Grants{"staff": d.ours(w, f)}, c.program)
				}
				texts[hide] = two
			}
			if two := texts[true]; two[0] != two[1] || !regexp.MustCompile("^"+c.kind.String()+" ").MatchString(two[0]) {
				t.Errorf("%s: the model reads\n%s\nand\n%s", c.name, two[0], two[1])
			}
			if two := texts[false]; (two[0] != two[1]) != c.twin {
				t.Errorf("%s: the twin reads\n%s\nand\n%s", c.name, two[0], two[1])
			}
		})
	}
}
