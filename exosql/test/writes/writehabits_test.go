package writes_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// writeSynonyms are forms of other libraries that change something, each beside the program that it must be: the same
// result, and the same rows afterwards.
var writeSynonyms = []struct{ habit, ours string }{
	{`jobs.update({ where: { id: 1 }, data: { status: "done" } })`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	{`jobs.updateMany({ where: { status: "todo" }, data: { points: 9 } })`, `jobs.where({ status: "todo" }).update({ points: 9 })`},
	{`jobs.where({ id: 1 }).update({ data: { status: "done" } })`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	{`jobs.update({ where: j => j.points > 2, data: j => ({ points: j.points * 2 }) })`, `jobs.where(j => j.points > 2).update(j => ({ points: j.points * 2 }))`},
	{`jobs.where({ id: 1 }).set({ status: "done" })`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	{`jobs.where({ id: 1 }).patch({ status: "done" })`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	{`jobs.match({ id: 1 }).updateMany({ status: "done" })`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	{`jobs.eq("id", 1).update({ status: "done" })`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	{`jobs.where({ id: 1 }).update({ status: "done" }).execute()`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	{`jobs.all().updateAll({ points: 2 })`, `jobs.all().update({ points: 2 })`},
	{`jobs.delete({ where: { id: 4 } })`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.delete({ id: 4 })`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.delete(j => j.id === 4)`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.deleteMany({ where: { id: 4 } })`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.destroy({ where: { id: 4 } })`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.where({ id: 4 }).remove()`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.where({ id: 4 }).del()`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.remove(await jobs.where({ id: 4 }).first())`, `jobs.where({ id: 4 }).delete()`},
	{`jobs.create({ data: { title: "x" } })`, `jobs.insert({ title: "x" })`},
	{`jobs.create({ title: "x" })`, `jobs.insert({ title: "x" })`},
	{`jobs.insertOne({ title: "x" })`, `jobs.insert({ title: "x" })`},
	{`jobs.insert([{ title: "x" }, { title: "y" }])`, `jobs.insertMany([{ title: "x" }, { title: "y" }])`},
	{`jobs.createMany({ data: [{ title: "x" }, { title: "y" }] })`, `jobs.insertMany([{ title: "x" }, { title: "y" }])`},
	{`jobs.bulkCreate([{ title: "x" }])`, `jobs.insertMany([{ title: "x" }])`},
	{`org.jobs().create({ title: "x" })`, `org.jobs().insert({ title: "x" })`},

	// A change that is not awaited is one: it was asked for, and an error of it is the program's (see TestNoWriteSynonym).
	{`7; jobs.where({ id: 1 }).update({ status: "done" }); return 1`, `jobs.where({ id: 1 }).update({ status: "done" })`},
	// What was read can be copied and shown otherwise, and given members of the program's own.
	{`{ ...await jobs.where({ id: 1 }).first(), status: "done" }.status`, `"done"`},
	{`Object.assign({}, await jobs.where({ id: 1 }).first(), { status: "done" }).status`, `"done"`},
	{`(await jobs.where({ id: 1 })).map(j => { j.late = true; return j.late })`, `[true]`},
	{`(await jobs.where({ id: 1 }).select("status")).map(j => { j.status = "x"; return j.status })`, `["x"]`},
}

// TestWriteSynonyms: a form of another library changes what ours does.
func TestWriteSynonyms(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		share := tu.OneIn(t, 4)
		for _, x := range writeSynonyms {
			if !share.Next() {
				continue
			}
			run := func(program string) string {
				program = strings.TrimPrefix(program, "7; ")
				if !strings.Contains(program, "return ") || strings.Contains(program, "=> {") {
					program = "return " + program
				}
				db, look := kit.OpenJobs(t, e)
				tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				r := tool.Run(t.Context(), program)
				if r.Err != nil {
					t.Errorf("%s\n%s", program, fail.GuestText(r.Err))
				}
				return string(r.JSON) + "\n" + look(kit.Jobs)
			}
			if got, want := run(x.habit), run(x.ours); got != want {
				t.Errorf("%s\ngives\n%s\nand not, as %s,\n%s", x.habit, got, x.ours, want)
			}
		}
	})
}

// noWriteSynonyms are forms that could mean two things, that come too late, or that would change nothing: each is an error
// that says what is right, and nothing is changed.
var noWriteSynonyms = []struct{ program, want string }{
	// What is added after a change, which has been sent: the run ends, caught or not.
	{`return jobs.update({ status: "done" }).where({ id: 1 })`, "write .where(condition).update("},
	{`try { await jobs.where({ status: "todo" }).update({ status: "done" }).where({ id: 1 }) } catch {} return 1`, "write .where(condition).update("},
	{`try { jobs.where({ id: 4 }).delete().eq("title", "x") } catch {} return 1`, "write .where(condition).delete("},
	{`return jobs.set({ status: "done" }).where(j => j.id === 1)`, "write .where(condition).update("},
	{`return jobs.update().set({ status: "done" })`, "takes one argument; got 0; write .where(condition).update"},
	{`return jobs.insert({ title: "x" }).returning("id")`, "insert returns the new row"},
	{`return jobs.insert({ title: "x" }).select().single()`, "insert returns the new row"},
	{`return jobs.insert({ title: "a" }).onConflict("title").merge()`, "and .insert({ … }) if that gives 0"},

	// A row that was read is no handle.
	{`const j = await jobs.where({ id: 1 }).first(); return j.update({ status: "done" })`, "write query.where({ id: row.id }).update"},
	{`const j = await jobs.where({ id: 4 }).first(); return j.delete()`, "write query.where({ id: row.id }).delete()"},
	{`return (await jobs.where({ id: 1 })).update({ status: "done" })`, "write query.where({ id: row.id }).update"},
	{`return jobs.where({ id: 1 }).first().update({ status: "done" })`, "write query.where({ id: row.id }).update"},
	{`const j = await jobs.where({ id: 1 }).first(); j.status = "done"; return j`, "write query.where({ id: row.id }).update({ status: value })"},
	{`for (const j of await jobs.where({ id: 1 })) { j.points += 1 }`, "write query.where({ id: row.id }).update({ points: value })"},
	{`(await jobs).forEach(j => { [j.status] = ["done"] })`, "write query.where({ id: row.id }).update({ status: value })"},
	{`const { rows } = await jobs.page(2); rows[0].status = "done"; return 1`, "write query.where({ id: row.id }).update({ status: value })"},
	{`const j = await jobs.insert({ title: "x" }); j.status = "done"; return j`, "write query.where({ id: row.id }).update({ status: value })"},
	{`return Object.assign(await jobs.where({ id: 1 }).first(), { status: "done" })`, "write query.where({ id: row.id }).update({ status: value })"},
	{`jobs.where({ id: 1 }).first().status = "done"; return 1`, "first() was not awaited"},
	{`return jobs.where({ id: 1 }).update({ title: jobs.where({ id: 2 }).first().title })`, "first() was not awaited"},
	{`return jobs.save({ id: 1, status: "done" })`, "for a row that is there, and .insert({ … }) for a new one"},
	{`jobs.where({ id: 1 }).status = "done"; return 1`, "is a query that has not run yet"},
	{`return delete jobs.where({ id: 4 })`, "its method `delete`"},
	{`const j = await jobs.first(); delete j; return 1`, "its method `delete`"},

	// Arguments in an order that two libraries read differently, or of a meaning that is not ours.
	{`return jobs.update({ id: 1 }, { status: "done" })`, "takes one argument; got 2; write .where(condition).update"},
	{`return jobs.update({ status: "done" }, { where: { id: 1 } })`, "takes one argument; got 2; write .where(condition).update"},
	{`return jobs.where({ id: 1 }).update("status", "done")`, "takes one argument; got 2; write .where(condition).update"},
	{`return jobs.update({ where: { id: 1 }, data: { status: "done" }, select: { id: true } })`, "has no option `select`"},
	{`return jobs.update({ where: {}, data: { status: "done" } })`, "the filter is empty"},
	{`return jobs.update({ where: undefined, data: { status: "done" } })`, "undefined"},
	{`return jobs.updateMany({ data: { status: "done" } })`, "write .where(…) before it, or .all()"},
	{`return jobs.deleteMany()`, "write .where(…) before it, or .all()"},
	{`return jobs.deleteMany({})`, "the filter is empty"},
	{`return jobs.delete(undefined)`, "is given undefined"},
	{`return jobs.where({ status: "todo" }).delete(undefined)`, "is given undefined"},
	{`return jobs.where({ status: "todo" }).delete(null)`, "write .where(condition).delete()"},
	{`return jobs.where({ status: "todo" }).delete({ id: undefined })`, "undefined"},
	{`return jobs.where({ status: "todo" }).remove([].find(j => j.id === 4))`, "is given undefined"},
	{`return jobs.where({ status: "todo" }).deleteMany({ where: undefined })`, "undefined"},
	{`return jobs.where({ status: "todo" }).update(undefined)`, "is given undefined"},
	{`return jobs.where({ status: "todo" }).set(null)`, "the values must be {title"},
	{`return jobs.delete(4)`, "write .where(condition).delete()"},
	{`return jobs.deleteOne({ id: 4 })`, ".limit(1) before it leaves the first row"},
	{`return jobs.findOneAndUpdate({ id: 1 }, { status: "done" })`, "write .where(condition).update"},
	{`return jobs.where({ id: 1 }).update({ $set: { status: "done" } })`, "write the values themselves"},
	{`return jobs.where({ id: 1 }).update({ $inc: { points: 1 } })`, "update(t => ({ column: t.column + 1 }))"},
	{`return jobs.where({ id: 1 }).update({ points: { increment: 1 } })`, "update(t => ({ column: t.column + 1 }))"},
	{`return jobs.where({ id: 1 }).increment("points")`, "update(t => ({ column: t.column + 1 }))"},
	{`return jobs.where({ id: 1 }).update(j => { j.status = "done" })`, "like .update(t => ({ status: value }))"},
	{`return jobs.where({ id: 1 }).update({ person: { connect: { id: 2 } } })`, "did you mean `personId`?"},
	{`return jobs.createMany({ data: [{ title: "x" }], skipDuplicates: true })`, "has no option `skipDuplicates`"},
	{`return jobs.insert({ title: "x" }, { title: "y" })`, "for several rows .insertMany"},
	{`return jobs.values({ title: "x" })`, "write .insert({ column: value })"},
	{`return jobs.insertGetId({ title: "x" })`, "it gives the row"},
	{`return jobs.truncate()`, "write .all().delete()"},
	{`return jobs.transaction(async () => 1)`, "the whole program is one transaction"},
	{`return api.$transaction([])`, "the whole program is one transaction"},

	// A number has none of the members that other libraries give: compared with 0 it would tell that nothing was changed.
	{`const r = await jobs.where({ id: 1 }).update({ status: "done" }); if (r.changes === 0) throw new Error("none"); return 1`, "it is a number and has no members"},
	{`const { count } = await jobs.updateMany({ where: { id: 1 }, data: { status: "done" } }); return count`, "it is a number and has no members"},
	{`const [j] = await jobs.insert([{ title: "x" }]); return j.id`, "it is a number and has no members"},
	{`const rows = await jobs.insertMany([{ title: "x" }]); return rows[0].id`, "it is a number and has no members"},

	// What was not awaited fails the program.
	{`jobs.insert({ title: "a" }); return 7`, "a promise that was not awaited failed"},
	{`jobs.where({ id: 1 }).update({ status: "done" }); jobs.insert({ title: "a" }); return 7`, "a promise that was not awaited failed"},
}

// TestNoWriteSynonym: what could mean two things, or would be lost, is an error and leaves nothing.
func TestNoWriteSynonym(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range noWriteSynonyms {
			r := tool.Run(t.Context(), x.program)
			if r.Err == nil {
				t.Errorf("%s\ngives %s, and is to be an error: %s", x.program, r.JSON, x.want)
			} else if text := fail.GuestText(r.Err); !strings.Contains(text, x.want) {
				t.Errorf("%s\nsays %s\nand not %s", x.program, text, x.want)
			}
			if has := look(kit.Jobs); has != kit.JobsBefore {
				t.Fatalf("%s\nleaves %s", x.program, has)
			}
		}
	})
}
