package main

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// changes are programs of members of organization 1: what each gives, or its error behind "!".
var changes = []struct {
	name    string
	as      int64
	program string
	want    string
}{
	{"close a task, and say so", 2, `
		const closed = await api.organization.projects().tasks().where({ title: "Fix the contact form" }).update({ status: "done", dueAt: null });
		const c = await api.me.comments().insert({ taskId: 12, body: "It's done: 'tested'." });
		const t = api.organization.projects().tasks().where({ id: 12 });
		return [closed, await t.select(t => ({ status: t.status, dueAt: t.dueAt })).first(), await t.comments().where({ id: c.id }).select(c => ({ by: c.author().name, says: c.body })).first()]`,
		`[1,{"status":"done","dueAt":null},{"by":"Bob Castellanos","says":"It's done: 'tested'."}]`},
	{"comment through the task that it is on", 1, `const c = await api.me.comments().insert({ taskId: 3, body: "x" }); return api.me.comments().where({ id: c.id }).task().first()`, `{"id":3,"title":"Write the grip controller","status":"in_progress"}`},
	{"assign to a member", 1, `return api.organization.projects().tasks().where(t => !t.assignee && t.project().name === "Gripper v2").update({ assigneeId: 4 })`, "1"},
	{"delete what one has written", 3, `return [await api.me.comments().where({ id: 2 }).delete(), await api.organization.projects().tasks().comments().where({ id: 2 }).count()]`, "[1,0]"},

	{"a task of others", 1, `return api.organization.projects().tasks().where({ id: 29 }).update({ status: "todo" })`, "0"},
	{"assign to a stranger", 1, `return api.organization.projects().tasks().where({ id: 6 }).update({ assigneeId: 6 })`, "!`assigneeId` refers to no row that this program can reach"},
	{"comment on a task of others", 1, `return api.me.comments().insert({ taskId: 29, body: "x" })`, "!`taskId` refers to no row that this program can reach"},
	{"a comment as somebody else", 1, `return api.me.comments().insert({ taskId: 3, authorId: 2, body: "x" })`, "!there is no field `authorId`"},
	{"a comment of somebody else", 1, `return api.me.comments().where({ id: 2 }).delete()`, "0"},
	{"a comment of one's own on a task of others", 4, `return api.me.comments().where({ id: 84 }).delete()`, "0"},
	{"every comment that can be read", 1, `return api.organization.projects().tasks().comments().where({ id: 2 }).delete()`, "!has no member `delete`"},
	{"a member", 1, `return api.organization.members().where({ id: 5 }).update({ role: "owner" })`, "!has no member `update`"},
	{"oneself", 5, `return api.me.where({ id: 5 }).update({ role: "owner" })`, "!has no member `update`"},
	{"a project", 1, `return api.organization.projects().where({ id: 1 }).update({ archived: true })`, "!has no member `update`"},
	{"the title of a task", 1, `return api.organization.projects().tasks().where({ id: 3 }).update({ title: "x" })`, "!there is no field `title`"},
	{"a task that goes to another project", 1, `return api.organization.projects().tasks().where({ id: 3 }).update({ projectId: 5 })`, "!there is no field `projectId`"},
	{"a task that is new", 1, `return api.organization.projects().tasks().insert({ title: "x" })`, "!has no member `insert`"},
}

// TestWrites: what a member may change, what stays as it is, and that what is refused changes nothing in any table.
func TestWrites(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(e.Pick(tracker.Schema+tracker.Seed, tracker.Postgres))})
		raw := e.SQLDB(t, url)
		all := func() (out string) {
			t.Helper()
			for _, table := range []string{"organizations", "members", "projects", "tasks", "comments"} {
				out += tu.Rows(t, raw, "SELECT * FROM "+table+" ORDER BY id")
			}
			return out
		}
		for _, c := range changes {
			tool, err := codemode.New(grant(db, 1, c.as), &codemode.Options{Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			before := all()
			res := tool.Run(t.Context(), c.program)
			got := string(res.JSON)
			if res.Err != nil {
				got = "!" + fail.GuestText(res.Err)
			}
			why, fails := strings.CutPrefix(c.want, "!")
			if got != c.want && !(fails && strings.HasPrefix(got, "!") && strings.Contains(got, why)) {
				t.Errorf("%s: it gives %s, not %s", c.name, got, c.want)
			}
			if same := all() == before; same != (fails || c.want == "0") {
				t.Errorf("%s: the tables stay as they are: %t", c.name, same)
			}
		}
	})
}

// TestAs: -as says who comments, and only members of the organization can.
func TestAs(t *testing.T) {
	const program = `const c = await api.me.comments().insert({ taskId: 3, body: "x" }); return api.organization.projects().tasks().comments().where({ id: c.id }).author().select(a => a.name).first()`
	for _, c := range []struct {
		as   []string
		want string
		code int
	}{
		{nil, "\"Alice Moreau\"\n", 0},
		{[]string{"-as", "3"}, "\"Carol Nguyen\"\n", 0},
		{[]string{"-as", "6"}, "saas: there is no member 6; there are 1 (Alice Moreau), 2 (Bob Castellanos), 3 (Carol Nguyen), 4 (Dmitri Volkov), 5 (Esther Mbeki)\n", 2},
		{[]string{"-as", "x"}, "saas: -as \"x\": want a whole number\n", 2},
	} {
		if out, errs, code := run("", append(c.as, "-e", program)...); code != c.code || code == 0 && (out != c.want || !strings.Contains(errs, "myComment: 1 row added")) || code != 0 && out+errs != c.want {
			t.Errorf("%v: exit %d %s%s", c.as, code, out, errs)
		}
	}
}
