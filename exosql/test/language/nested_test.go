package language_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestNestedValues: a column, and whatever is calculated, is in a row within a row what it is in a result: the same
// value of the same type, of each type, with its limits and null. It is one statement.
func TestNestedValues(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		f := kit.ThingFacet()
		f.Add(exosql.Via(exosql.One("me", kit.ThingID, kit.ThingID), f), exosql.Via(exosql.Many("mine", kit.ThingID, kit.ThingID), f))
		r := tu.NewRunner(t, map[string]exo.Object{"things": f.Of(exosql.Grant(kit.OpenThings(t, e), kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
		const same = `; const plain = await things.orderBy(t => t.id).select(show).execute();
const all = await things.orderBy(o => o.id).select(o => ({ one: o.me().select(show), many: o.mine().select(show), first: o.mine().select(show).first(), in: { deep: o.mine().select(i => ({ x: i.me().select(show) })) } })).execute();
const text = x => JSON.stringify(x);
return plain.every((p, i) => [all[i].one, all[i].many[0], all[i].first, all[i].in.deep[0].x].every(x => text(x) === text(p)) && all[i].many.length === 1) || [plain, all]`
		n := 0
		for _, x := range kit.Expressions {
			o := r.Run(t, "const show = t => ({ x: "+x.Expr+" })"+same)
			if o.Kind == 0 && (o.JSON != "true" || len(o.SQL) != 2) {
				t.Errorf("%s: %s in %d statements", x.Expr, o, len(o.SQL))
			}
			if o.Kind == 0 {
				n++
			}
		}
		if o := r.Run(t, "const show = t => t"+same); o.JSON != "true" {
			t.Errorf("whole rows: %s", o)
		}
		if n < len(kit.Expressions)*9/10 {
			t.Errorf("%d of %d expressions were compared", n, len(kit.Expressions))
		}
	})
}

// TestNestedDeclarations: what a column can't hold is null within a row, too, and so is a NULL that the declaration says is not there.
func TestNestedDeclarations(t *testing.T) {
	for name, change := range map[string]string{
		"text in an int": "UPDATE tasks SET priority = 'SECRET' WHERE id = 1001", "blob in a text": "UPDATE tasks SET title = x'534543524554' WHERE id = 1001",
		"2 in a bool": "UPDATE tasks SET done = 2 WHERE id = 1001", "text in a time": "UPDATE tasks SET due_at = 'SECRET' WHERE id = 1001",
		"NULL": "ALTER TABLE tasks DROP COLUMN title; ALTER TABLE tasks ADD COLUMN title TEXT", "NUL in a text": "UPDATE tasks SET title = 'SECRET' || char(0) || 'x' WHERE id = 1001",
		"no UTF-8 in a text": "UPDATE tasks SET title = CAST(x'ff534543524554' AS TEXT) WHERE id = 1001",
	} {
		r := tu.As(t, tu.OpenWith(t, change), tu.Acme, exo.Limits{})
		for _, shown := range []string{"p.tasks()", "p.tasks().first()", "p.tasks().select(t => ({ c: t.project().select(p => ({ t: p.tasks() })) }))"} {
			if o := r.Run(t, "return await org.projects().select(p => ({ x: "+shown+" })).execute()"); o.Kind != 0 || !strings.Contains(strings.Join(o.Result.Notices, ""), "values in this answer") || strings.Contains(o.Visible(), "SECRET") {
				t.Errorf("%s, %s: %s", name, shown, o)
			}
		}
	}
}

// TestNestedBounds: a list of rows is bounded in rows and in bytes, and all of them by what the run may read.
func TestNestedBounds(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		numbers := e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 10001) SELECT n FROM s) AS s", "generate_series(1, 10001) AS s (n)")
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append(kit.NotesSQL(e, 10), "DELETE FROM notes", "INSERT INTO notes (id, owner, folder_id, text, code, due) SELECT s.n, 1, 1, 'x', 'c', 1 FROM "+numbers)...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		rows := func(r *tu.Runner, program string) tu.Outcome {
			return r.Run(t, "const all = await folders.where(f => f.id === 1).select(f => ({ notes: "+program+" })).execute(); return all[0].notes.length")
		}
		if o := rows(r, "f.notes()"); o.Kind != fail.Limit || !strings.Contains(o.Message, "10,000 rows") {
			t.Error(o)
		}
		if o := rows(r, "f.notes().limit(10000)"); o.JSON != "10000" {
			t.Error(o)
		}
		if o := rows(tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{Rows: 5000}), "f.notes().limit(5000)"); o.Kind != fail.Limit || !strings.Contains(o.Message, "5000") {
			t.Errorf("of a run that may read 5,000 rows: %s", o)
		}
		// 1 MiB in texts that a function makes longer: 16 bytes for each row, and its text.
		wide := func(n int) string {
			return fmt.Sprintf("f.notes().limit(%d).select(n => ({ t: n.text.concat('%s') }))", n, strings.Repeat("y", 9983))
		}
		if o := rows(r, wide(104)); o.JSON != "104" {
			t.Error(o)
		}
		if o := rows(r, wide(106)); o.Kind != fail.Limit || !strings.Contains(o.Message, "1 MiB") {
			t.Error(o)
		}
		if o := rows(r, "f.notes().limit(3).select(n => ({ in: n.folder().select(f => ({ x: "+strings.ReplaceAll(wide(60), "n =>", "o =>")+" })) }))"); o.Kind != fail.Limit {
			t.Errorf("lists within a list: %s", strings.ReplaceAll(o.String(), "y", ""))
		}
	})
}

// TestNestedSorts: rows within rows are made of one row after the other, in the order of the query, and not of all that are sorted:
// an engine would hold 1 MiB of each before the first of them counts among those that a program may read.
func TestNestedSorts(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		numbers := e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 9000) SELECT n FROM s) AS s", "generate_series(1, 9000) AS s (n)")
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append(kit.NotesSQL(e, 10), "DELETE FROM notes", "INSERT INTO notes (id, owner, folder_id, text, code, due) SELECT s.n, 1, 1, 'a text of the usual length of notes', 'c', 10000 - s.n FROM "+numbers)...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for _, program := range []string{"notes.orderBy(n => n.due)", "notes.offset(1)", "notes.orderBy(n => n.due).offset(1)"} {
			if o := r.Run(t, "return await "+program+".select(n => ({ all: n.folder().notes() }))"); o.Kind != fail.Limit || !strings.Contains(o.Message, "rows were read") {
				t.Errorf("%s: %.200s", program, o)
			}
		}
		if o := r.Run(t, "return await notes.orderBy(n => n.due).where(n => n.id < 4).select(n => ({ id: n.id, all: n.folder().notes().orderBy(n => n.due).limit(2).select(n => n.id) }))"); o.JSON != `[{"id":3,"all":[9000,8999]},{"id":2,"all":[9000,8999]},{"id":1,"all":[9000,8999]}]` {
			t.Error(o)
		}
	})
}

// TestNestedWithheld: rows are shown only of an object that may be executed, and with its labels.
func TestNestedWithheld(t *testing.T) {
	acme := tu.Tenant(tu.Open(t), tu.Acme)
	for name, x := range map[string]struct {
		methods []string
		kind    fail.Kind
	}{
		"all":        {[]string{"select", "execute", "where", "assignee", "exists", "comments", "first"}, 0},
		"no execute": {[]string{"select", "count", "where", "assignee", "exists", "comments", "first"}, fail.Invalid},
		"no first":   {[]string{"select", "execute", "where", "assignee", "exists", "comments"}, fail.Denied},
	} {
		r := tu.NewRunner(t, map[string]exo.Object{"tasks": policy.Only(acme["tasks"], x.methods...)}, exo.Limits{})
		run := "execute"
		if name == "no execute" {
			run = "count"
		}
		if o := r.Run(t, "return await tasks.select(t => ({ c: t.comments().first(), a: t.assignee() }))."+run+"()"); o.Kind != x.kind {
			t.Errorf("%s: %s", name, o)
		}
	}
	r := tu.NewRunner(t, map[string]exo.Object{"tasks": policy.Only(acme["tasks"], "select", "execute", "where", "comments", "first", "count")}, exo.Limits{})
	if o := r.Run(t, "return await tasks.where(t => t.comments().first() === null).count()"); o.Kind == 0 || o.Kind == fail.Internal {
		t.Errorf("nothing asks whether there is one: %s", o)
	}
}

// TestNestedOrder: each list has the order, the limit and the offset of its own, ties by key in the direction of the order.
func TestNestedOrder(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kit.NotesSQL(e, 400)...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for _, chain := range []string{"", ".orderBy(n => n.code)", ".orderBy(n => [n.code.desc(), n.due])", ".orderBy(n => n.due.desc()).limit(3)", ".orderBy(n => n.text).offset(2)", ".orderBy(n => n.due).offset(1).limit(2).where(n => n.due > 3)", ".limit(4).orderBy(n => n.due)", ".orderBy(n => n.folder().name).limit(5)", ".where(n => n.due > 500)"} {
			o := r.Run(t, `const total = `+fmt.Sprint(chain == "" || !strings.Contains(chain, "limit") && !strings.Contains(chain, "offset"))+`;
const nested = await folders.orderBy(f => f.id.desc()).limit(9).select(f => ({ id: f.id, notes: f.notes()`+chain+`.select(n => ({ id: n.id })) })).execute();
for (const f of nested) {
  const one = await folders.where(x => x.id === f.id).notes()`+chain+`.select(n => ({ id: n.id })).execute();
  const key = rows => JSON.stringify(total ? rows.map(r => r.id).sort() : rows.map(r => r.id));
  if (key(one) !== key(f.notes)) return [f, one];
}
return nested.length + ' ' + nested.some(f => f.notes.length > 0) + ' ' + (JSON.stringify(nested.map(f => f.id)) === JSON.stringify(nested.map(f => f.id).sort((a, b) => b - a)))`)
			if o.JSON != `"4 true true"` {
				t.Errorf("%s: %s", chain, o)
			}
		}
	})
}
