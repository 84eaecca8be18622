package scope_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Whether a link of a row leads to a row in scope: as a link that stands for a truth
// value, and asked. The same rows come from JavaScript over what a left join gives.
func TestExists(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		with := "(await tasks.leftJoin(({ task }) => task.assignee()).select(({ task, member }) => ({ id: task.id, done: task.done, has: member.id !== null })).execute())"
		for _, c := range []struct{ cond, plain string }{
			{"t.assignee()", "x.has"},
			{"!t.assignee", "!x.has"},
			{"!t.assignee()", "!x.has"},
			{"!!t.assignee", "x.has"},
			{"t.assignee === null", "!x.has"},
			{"null == t.assignee()", "!x.has"},
			{"t.assignee !== null", "x.has"},
			{"t.assignee() != undefined", "x.has"},
			{"t.assignee().exists()", "x.has"},
			{"t.assignee && !t.done", "x.has && !x.done"},
			{"t.done || !t.assignee", "x.done || !x.has"},
			{"!t.done && t.assignee", "!x.done && x.has"},
			{"t.assignee ? t.done : !t.done", "x.has ? x.done : !x.done"},
			{"!(t.assignee || t.done)", "!(x.has || x.done)"},
		} {
			o := r.Run(t, "const want = "+with+".filter((x) => "+c.plain+").map((x) => x.id).sort(); return { want, got: (await tasks.where((t) => "+c.cond+").execute()).map((t) => t.id).sort() }")
			if want, got, ok := strings.Cut(strings.TrimPrefix(o.JSON, `{"want":`), `,"got":`); !ok || want != strings.TrimSuffix(got, "}") || want == "[]" {
				t.Errorf("%s: %s", c.cond, o)
			}
		}
		o := r.Run(t, "const all = await tasks.execute(), n = await Promise.all(all.map((t) => tasks.where({ id: t.id }).comments().count())); const want = all.filter((t, i) => n[i] > 0).map((t) => t.id).sort();"+
			" return [want, (await tasks.where((t) => t.comments().exists()).execute()).map((t) => t.id).sort(), (await tasks.select((t) => ({ id: t.id, has: t.comments().exists() })).execute()).filter((t) => t.has === true).map((t) => t.id).sort()]")
		if parts := strings.Split(strings.Trim(o.JSON, "[]"), "],["); len(parts) != 3 || parts[0] != parts[1] || parts[0] != parts[2] || parts[0] == "" {
			t.Errorf("links to many: %s", o)
		}
		// Whether another query has rows is the same for each row.
		if o := r.Run(t, "return [await tasks.where((t) => tasks.exists()).count() === await tasks.count(), await tasks.where((t) => tasks.where({ id: -1 }).exists()).count()]"); o.JSON != "[true,0]" {
			t.Error(o)
		}
		for program, says := range map[string]string{
			"tasks.where((t) => !t.comments).count()":                                                  "task.comments().exists()",
			"tasks.where((t) => t.comments() && t.done).count()":                                       "task.comments().exists()",
			"return await tasks.exists()":                                                              "here write (await tasks.limit(1).count()) > 0",
			"const o = { f(t) { return !t.assignee } }; tasks.where(o.f).count()":                      "is a link: call it",
			"tasks.where((t) => t.assignee).count()":                                                   "is a link: call it",
			"tasks.select((t) => t.comments.count())":                                                  "task.comments is a link: call it",
			"tasks.groupBy((t) => t.done).select((g) => g.count)":                                      "group.count is an aggregate: call it",
			"tasks.where((t) => t.assignee ?? t.done).count()":                                         "is a link: call it",
			"const repo = { find(t) { return t.assignee || t.done } }; tasks.where(repo.find).count()": "is a link: call it",
			"const o = { p(t) { return t.assignee || t.done } }; tasks.where((t) => o.p(t)).count()":   "is a link: call it",
		} {
			if o := r.Run(t, program); o.Kind != fail.Invalid || !strings.Contains(o.Message, says) {
				t.Errorf("%s: %s", program, o)
			}
		}
	})
}

// A row that the link leads to and that is out of scope is not there, although the
// foreign key names it: the twin, whose scope is all rows, sees it.
func TestExistsInScope(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		count := func(members exosql.Scope) string {
			member := exosql.NewFacet(tu.Members, "member", tu.MemberID)
			task := exosql.NewFacet(tu.Tasks, "task", tu.TaskID, exosql.Via(tu.TaskAssigned, member))
			rel := exosql.Grant(db, tu.Tasks, exosql.AllRows[tu.Task](), members)
			r := tu.NewRunner(t, map[string]exo.Object{"tasks": task.Of(rel)}, exo.Limits{})
			o := r.Run(t, "return [await tasks.where((t) => !!t.assignee).count(), await tasks.where((t) => !t.assignee).count(), await tasks.count()]")
			if o.Result.Err != nil {
				t.Fatal(o)
			}
			// The names of these tables stand behind "group", which has a word of its own for what is not called.
			if o := r.Run(t, "tasks.select(t => t.assignee.id)"); !strings.Contains(o.Message, "task.assignee is a link: call it") {
				t.Error(o)
			}
			return o.JSON
		}
		all, none, acme := count(exosql.ScopeShared(tu.Members)), count(exosql.ScopeRows(tu.Members, tu.MemberID.Eq(-1))), count(exosql.ScopeRows(tu.Members, tu.MemberOrg.Eq(tu.Acme)))
		if all == acme || !strings.HasPrefix(none, "[0,") || acme == none {
			t.Errorf("shared %s, none in scope %s, one tenant's %s", all, none, acme)
		}
	})
}
