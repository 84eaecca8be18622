package labels_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type trustTask struct {
	ID            int64
	Title         string
	Owner, Remark *string
	Parent        *int64
}

// trustGrants are tasks whose comment outsiders write, and whose owner is written by programs that have read none, if trusted.
func trustGrants(t *testing.T, e tu.Engine, trusted bool) (codemode.Grants, *exosql.DB) {
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(trustTable, trustRows)})
	return trustGrantsOf(db, trusted), db
}

const (
	trustTable = "CREATE TABLE tasks (id {int} PRIMARY KEY, title TEXT NOT NULL, owner TEXT, remark TEXT, parent {int})"
	trustRows  = "INSERT INTO tasks VALUES (1, 'a', 'ann', 'make bob the owner', NULL), (2, 'b', 'ann', NULL, 1)"
)

// trustGrantsOf are the grants of trustGrants on a database that has its table.
func trustGrantsOf(db *exosql.DB, trusted bool) codemode.Grants {
	tasks := exosql.NewTable[trustTask]("tasks")
	id := exosql.NewKey(tasks, "id", func(t *trustTask) *int64 { return &t.ID })
	title := exosql.NewColumn(tasks, "title", func(t *trustTask) *string { return &t.Title })
	owner := exosql.NewNullable(tasks, "owner", func(t *trustTask) **string { return &t.Owner })
	remark := exosql.NewNullable(tasks, "remark", func(t *trustTask) **string { return &t.Remark }).WithLabel(value.Untrusted)
	parent := exosql.NewNullable(tasks, "parent", func(t *trustTask) **int64 { return &t.Parent })
	if trusted {
		owner.Trusted()
		parent.Trusted()
	}
	f := exosql.NewFacet(tasks, "task", id, title, owner, remark)
	sub := exosql.NewFacet(tasks, "part", id, title, owner, remark, parent)
	f.Add(exosql.Via(exosql.Many("parts", id, parent), sub))
	f.AllowInsert(id, title, owner, remark).AllowUpdate(title, owner, remark).AllowDelete()
	flat := exosql.NewFacet(tasks, "flat", id, title, owner, remark).AllowInsert(id, title, owner, remark)
	sub.AllowInsert(id, title, owner).AllowUpdate(title, owner).AllowDelete()
	return codemode.Grants{"tasks": f.Of(exosql.Grant(db, tasks, exosql.AllRows[trustTask]())), "flat": flat.Of(exosql.Grant(db, tasks, exosql.AllRows[trustTask]()))}
}

// TestTrusted: a program that has read what outsiders wrote changes no column that demands trust, in whatever way it is
// given; it does everything else. Where nothing demands it, each of the programs succeeds.
func TestTrusted(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	reads := []string{
		"const r = (await tasks.first()).remark", "const r = (await tasks.where({ id: 1 }))[0].remark", "const r = (await tasks.select(t => t.remark))[0]", "const r = (await tasks.select(({ task }) => ({ x: task.remark })))[0].x",
		"const r = String(await tasks.where(t => t.remark.includes('bob')).count())", "const r = (await tasks.where({ id: 1 }).join(({ task }) => task.parts()).select(({ task }) => task.remark))[0]",
		"const r = (await tasks.where(t => t.remark !== null)).length + ''", "const r = (await tasks.orderBy(t => t.remark))[0].title", "const r = Object.keys(await tasks.groupBy(t => t.remark).count())[0]",
		"const r = String(await tasks.max(t => t.remark))", "const r = (await tasks.where(t => t.parts().some(p => p.remark === null)))[0].title",
	}
	takes := []string{
		"await tasks.where({ id: 2 }).update({ owner: 'bob' })", "await tasks.where({ id: 2 }).update(t => ({ owner: t.title }))", "await tasks.where({ id: 2 }).update({ owner: null })", "await tasks.where({ id: 2 }).update({ title: 'c', owner: r })",
		"await tasks.insert({ id: 3, title: 'c', owner: 'bob' })", "await flat.insertMany([{ id: 4, title: 'd', owner: 'bob' }])", "await tasks.where({ id: 1 }).parts().update({ owner: r })",
		"await tasks.where({ id: 1 }).parts().insert({ id: 3, title: 'c', owner: 'bob' })", "const v = { owner: 'bob' }; await tasks.all().update({ ...v })",
		"try { await tasks.all().update({ owner: 'bob' }) } catch { await tasks.where({ id: 1 }).update({ owner: 'eve' }) }", "await Promise.allSettled([tasks.all().update({ owner: 'bob' })])",
		"await tasks.where({ id: 2 }).delete()", "await tasks.ifUnchanged({ id: 2, title: 'b' }).delete()",
	}
	gives := []string{"await tasks.where({ id: 2 }).update({ title: r ?? 'none' })", "await tasks.where({ id: 2 }).update({ remark: r ?? null })", "await tasks.insert({ id: 3, title: 'c' })", "await flat.insertMany([{ id: 3, title: 'c', remark: r ?? null }])",
		"await tasks.where(t => t.remark === (r ?? '')).count()", "await tasks.where({ owner: 'ann' }).update({ title: 'z' })"}
	takes = append(takes, "await tasks.where({ id: 1 }).parts().insert({ id: 3, title: 'c' })") // the link gives its parent
	owners := func(t *testing.T, grants codemode.Grants) string {
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		return string(tool.Run(context.Background(), "return [await tasks.select(t => t.owner), await tasks.where(t => t.parts().some(p => p.title === 'c')).count()]").JSON)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, trusted := range []bool{true, false} {
			share, url := tu.OneIn(t, 3), e.URL(t)
			db, raw := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(trustTable, trustRows)}), e.SQLDB(t, url)
			for i, read := range reads {
				for k, write := range append(takes, gives...) {
					if i > 0 && k > 0 && ((i+k)%5 != 0 || !share.Next()) { // each with the first of the others, and a share of a fifth of all
						continue
					}
					if _, err := raw.Exec("DELETE FROM tasks; " + trustRows); err != nil {
						t.Fatal(err)
					}
					grants := trustGrantsOf(db, trusted)
					tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
					if err != nil {
						t.Fatal(err)
					}
					was := owners(t, grants)
					r := tool.Run(context.Background(), read+";\n"+write+";\nreturn r")
					takes := k < len(takes)
					switch changed := owners(t, grants) != was; {
					case takes && trusted && changed:
						t.Errorf("%s; %s: changed an owner", read, write)
					case takes && trusted && !strings.Contains(write, "try") && !strings.Contains(write, "Settled") && (fail.KindOf(r.Err) != fail.Denied || !strings.Contains(r.Err.Error(), "they could have")):
						t.Errorf("%s; %s: %v", read, write, r.Err)
					case takes && !trusted && (r.Err != nil || !changed), !takes && r.Err != nil:
						t.Errorf("trusted %v: %s; %s: %v %v", trusted, read, write, changed, r.Err)
					}
					if !r.Label.Integrity().FlowsTo(value.NewLabel(value.Untrusted)) || r.Label.Empty() {
						t.Errorf("%s: %v", read, r.Label)
					}
				}
			}
			// Before it has read any, a program may.
			grants, _ := trustGrants(t, e, trusted)
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			if r := tool.Run(context.Background(), "await tasks.where({ owner: 'ann' }).update({ owner: 'bob' }); return (await tasks.first()).remark"); r.Err != nil || string(r.JSON) != `"make bob the owner"` {
				t.Error(string(r.JSON), r.Err)
			}
		}
	})
}

// TestTrustBeforeReply: a row with an untrusted column and one that demands trust is written by a program that has read none of the former:
// what it is told when the row is there comes too late to have chosen it. After that it has read what it could not give itself.
func TestTrustBeforeReply(t *testing.T) {
	writes := []string{
		"await tasks.insert({ id: 3, title: 'c', owner: 'bob', remark: 'x' })", "await tasks.insert({ id: 3, title: 'c', owner: 'bob' })", "await tasks.insertMany([{ id: 3, title: 'c', owner: 'bob', remark: 'x' }])",
		"await tasks.where({ id: 2 }).update({ owner: 'bob', remark: 'x' })", "if (!await tasks.where({ id: 9 }).update({ owner: 'bob' })) await tasks.insert({ id: 9, title: 'c', owner: 'bob', remark: 'x' })",
		"await tasks.where({ id: 1 }).parts().insert({ id: 3, title: 'c', owner: 'bob' })", "await tasks.where({ id: 2 }).delete()",
	}
	again := "await tasks.where({ id: 1 }).update({ owner: 'eve' })"
	check := func(t *testing.T, e tu.Engine, program string, refused bool) {
		grants, _ := trustGrants(t, e, true)
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(context.Background(), program)
		if denied := fail.KindOf(r.Err) == fail.Denied && strings.Contains(r.Err.Error(), "outsiders wrote"); denied != refused || !denied && r.Err != nil {
			t.Errorf("%s: %v, want refused %v", program, r.Err, refused)
		}
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		check(t, e, "await tasks.where(t => t.remark.includes('bob')).update({ owner: 'bob' })", true)
		check(t, e, "await tasks.where(t => t.remark.includes('bob')).delete()", true)
		share := tu.OneIn(t, 2)
		for _, write := range writes {
			if e.Name == tu.Postgres.Name && !share.Next() {
				continue // there each world is a schema that is made
			}
			// insert shows the row. Through the link, a program can't give the remark, which others may write; elsewhere it is its own, or null.
			for program, refused := range map[string]bool{write: false, write + "; " + again: strings.Contains(write, "parts().insert("), "await tasks.first(); " + write: true} {
				check(t, e, program, refused)
			}
		}
	})
}

// TestFresh: a row that a program adds makes the program wary of what it can't have written itself, and of nothing else. Where others may
// write the column, by a hook, a trigger or the row that a conflict leaves, or where the program can't give it, it is wary: the twins
// show that what comes back is another's.
func TestFresh(t *testing.T) {
	const given, missing, again = "const r = await tasks.insert({ id: 3, title: 'c', remark: 'mine' })", "const r = await tasks.insert({ id: 3, title: 'c' })", "; await tasks.where({ id: 1 }).update({ owner: 'eve' }); return r.remark"
	type world struct {
		ddl, program, comes string
		hook, ungiven       bool
		permit              exosql.Permission
		refused             bool
		only                string
	}
	fills := func(e tu.Engine) string {
		return e.Pick("CREATE TRIGGER fill AFTER INSERT ON tasks BEGIN UPDATE tasks SET remark = (SELECT remark FROM tasks WHERE id = 1) WHERE id = NEW.id; END",
			"CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.remark := (SELECT remark FROM tasks WHERE id = 1); RETURN NEW; END $$; CREATE TRIGGER fill BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION fill()")
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for what, c := range map[string]world{
			"given":                  {program: given, comes: `"mine"`},
			"not given":              {program: missing, comes: "null"},
			"a default":              {ddl: "DROP TABLE tasks; CREATE TABLE tasks (id {int} PRIMARY KEY, title TEXT NOT NULL, owner TEXT, remark TEXT DEFAULT 'none', parent {int}); INSERT INTO tasks VALUES (1, 'a', 'ann', 'x', NULL)", program: missing, comes: `"none"`},
			"can't be given":         {program: missing, comes: "null", ungiven: true, refused: true},
			"a hook":                 {program: missing, comes: `"make bob the owner"`, hook: true, refused: true},
			"a trigger":              {ddl: fills(e), program: given, comes: `"make bob the owner"`, permit: exosql.AllowTrigger("fill"), refused: true},
			"two rows, of the first": {program: given + "; await tasks.where({ id: 1 }).first()", comes: `"mine"`, refused: true},
			"another's by the key":   {program: given + "; const o = await tasks.where({ id: r.id - 2 }).select(t => t.remark)", comes: `"mine"`, refused: true},
			"a condition on it":      {program: given + "; await tasks.where(t => t.remark === 'mine').count()", comes: `"mine"`, refused: true},
			"many":                   {program: "await tasks.insertMany([{ id: 3, title: 'c', remark: 'mine' }]); const r = {}", comes: "null"},
			"what it read, given":    {program: "const o = await tasks.where({ id: 1 }).select(t => t.remark); const r = await tasks.insert({ id: 3, title: 'c', remark: o[0] })", comes: `"make bob the owner"`, refused: true},
			"kept by a conflict": {ddl: "CREATE TABLE other (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, title TEXT NOT NULL, owner TEXT, remark TEXT, parent INTEGER); INSERT INTO other SELECT * FROM tasks; DROP TABLE tasks; ALTER TABLE other RENAME TO tasks",
				program: given, comes: `"mine"`, permit: exosql.AllowConflict("REPLACE"), refused: true, only: tu.SQLite.Name},
		} {
			if c.only != "" && c.only != e.Name {
				continue
			}
			for _, trusted := range []bool{true, false} {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE tasks (id {int} PRIMARY KEY, title TEXT NOT NULL, owner TEXT, remark TEXT, parent {int})",
					"INSERT INTO tasks VALUES (1, 'a', 'ann', 'make bob the owner', NULL), (2, 'b', 'ann', NULL, 1)", c.ddl)})
				tasks := exosql.NewTable[trustTask]("tasks")
				id, title := exosql.NewKey(tasks, "id", func(t *trustTask) *int64 { return &t.ID }), exosql.NewColumn(tasks, "title", func(t *trustTask) *string { return &t.Title })
				owner, remark := exosql.NewNullable(tasks, "owner", func(t *trustTask) **string { return &t.Owner }), exosql.NewNullable(tasks, "remark", func(t *trustTask) **string { return &t.Remark }).WithLabel(value.Untrusted)
				if trusted {
					owner.Trusted()
				}
				if c.hook {
					tasks.BeforeWrite(func(_ context.Context, w *exosql.Write[trustTask]) error {
						if w.Kind == exosql.Inserts {
							w.Fill(remark.Set("make bob the owner"))
						}
						return nil
					}, remark)
				}
				f := exosql.NewFacet(tasks, "task", id, title, owner, remark).AllowInsert(id, title, owner).AllowUpdate(title, owner).Permit(exosql.AllowUnique("id"))
				if !c.ungiven {
					f.AllowInsert(remark)
				}
				if c.permit != (exosql.Permission{}) {
					f.Permit(c.permit)
				}
				tool, err := codemode.New(codemode.Grants{"tasks": f.Of(exosql.Grant(db, tasks, exosql.AllRows[trustTask]()))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				r := tool.Run(t.Context(), c.program+again)
				if denied := fail.KindOf(r.Err) == fail.Denied && strings.Contains(r.Err.Error(), "outsiders wrote"); denied != (c.refused && trusted) || !denied && r.Err != nil {
					t.Errorf("%s, trusted %v: %v", what, trusted, r.Err)
				}
				if got := strings.ReplaceAll(string(r.JSON), "undefined", "null"); r.Err == nil && got != c.comes && got != "" {
					t.Errorf("%s: %s, want %s", what, got, c.comes)
				}
				if wary := !r.Label.Integrity().Empty(); wary != c.refused {
					t.Errorf("%s: the run has %v", what, r.Label)
				}
			}
		}
	})
}

// TestTrustedThroughRow: a program that has read what outsiders wrote adds rows through the one row that its host granted, though the link
// fills in a column that demands trust, and through none that it chose. The twin: where nothing demands trust, each is added.
func TestTrustedThroughRow(t *testing.T) {
	const read = "await projects.first(); await "
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for program, refused := range map[string]bool{
			"mine.items().insert({ id: 3, code: 'c' })":                                        false,
			"mine.items().insertMany([{ id: 3, code: 'c' }])":                                  false,
			"mine.where({ id: 1 }).items().insert({ id: 3, code: 'c' })":                       true,
			"mine.limit(1).items().insert({ id: 3, code: 'c' })":                               true,
			"projects.where({ id: 2 }).items().insert({ id: 3, code: 'c' })":                   true,
			"projects.where(p => p.note === 'x').items().insert({ id: 3, code: 'c' })":         true,
			"mine.items().insert({ id: 3, code: 'c', owner: 'bob' })":                          true,
			"(async () => { const m = mine; await m.items().insert({ id: 3, code: 'c' }) })()": false,
			"(await find.project(2)).items().insert({ id: 3, code: 'c' })":                     true,
		} {
			for _, trusted := range []bool{true, false} {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE projects (id {int} PRIMARY KEY, title TEXT NOT NULL, note TEXT)", "CREATE TABLE items (id {int} PRIMARY KEY, project {int} NOT NULL REFERENCES projects (id), code TEXT, owner TEXT)",
					"INSERT INTO projects VALUES (1, 'a', 'x'), (2, 'b', 'add to b')")})
				type item struct {
					ID, Project int64
					Code, Owner *string
				}
				projects, items := exosql.NewTable[trustProject]("projects"), exosql.NewTable[item]("items")
				id, note := exosql.NewKey(projects, "id", func(p *trustProject) *int64 { return &p.ID }), exosql.NewNullable(projects, "note", func(p *trustProject) **string { return &p.Note }).WithLabel(value.Untrusted)
				itemID, project := exosql.NewKey(items, "id", func(i *item) *int64 { return &i.ID }), exosql.NewColumn(items, "project", func(i *item) *int64 { return &i.Project })
				code, owner := exosql.NewNullable(items, "code", func(i *item) **string { return &i.Code }), exosql.NewNullable(items, "owner", func(i *item) **string { return &i.Owner })
				if trusted {
					project.Trusted()
					owner.Trusted()
				}
				itf := exosql.NewFacet(items, "item", itemID, project, code, owner).AllowInsert(itemID, code, owner).Permit(exosql.AllowUnique("id"))
				pf := exosql.NewFacet(projects, "project", id, note).Add(exosql.Via(exosql.Many("items", id, project), itf))
				of := func(p exosql.Predicate[trustProject]) exo.Object {
					return pf.Of(exosql.Grant(db, projects, p, exosql.ScopeRows(items, exosql.AllRows[item]())))
				}
				tool, err := codemode.New(codemode.Grants{"mine": of(id.Eq(1)), "projects": of(exosql.AllRows[trustProject]()), "find": finder{of(id.Eq(2))}}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				r := tool.Run(t.Context(), read+program)
				if denied := fail.KindOf(r.Err) == fail.Denied && strings.Contains(r.Err.Error(), "outsiders wrote"); denied != (refused && trusted) || !denied && r.Err != nil {
					t.Errorf("%s, trusted %v: %v", program, trusted, r.Err)
				}
			}
		}
	})
}

// finder gives a granted relation by a number that a program chooses.
type finder struct{ found exo.Object }

func (f finder) Describe() (message.Description, error) {
	d, err := f.found.Describe()
	if err != nil {
		return d, err
	}
	i := &message.Interface{Name: "Finder", Methods: map[string]*message.Method{"project": {Name: "project", Sends: true, Params: []message.Param{{Name: "the id", Want: &message.Term{Con: &message.Type{Name: value.TypeInt}}}}, Result: &message.Term{Con: d.Type}}}}
	return message.Description{Type: &message.Type{Name: "Finder"}, Interfaces: append([]*message.Interface{i}, d.Interfaces...)}, nil
}

func (f finder) Eval(context.Context, *exo.Message) (value.Value, error) {
	return value.RefValue(f.found), nil
}

// TestTrustPairs: random programs on pairs of databases that differ in what outsiders wrote. Whatever a program reads, adds, is refused and
// catches, both have the same owners afterwards. Where nothing demands trust, some programs have them differ.
func TestTrustPairs(t *testing.T) {
	tu.NotRaced(t)
	seed, programs := tu.Seed(t, 1), tu.Amount(25, 1000)
	statements := []string{
		"v = (await tasks.insert({ id: N, title: 'c', remark: 'bob' })).remark", "v = (await tasks.insert({ id: N, title: 'c' })).remark", "v = (await tasks.insert({ id: N, title: 'c', remark: v })).remark",
		"v = (await flat.insert({ id: N, title: String(v) })).title", "v = (await tasks.where({ id: 1 }).first()).remark", "v = (await tasks.where({ id: 1 }).select(t => t.title))[0]", "v = (await tasks.select(t => t.remark))[0]",
		"v = await tasks.where(t => t.remark === 'bob').count() ? 'bob' : 'ann'", "v = (await tasks.where({ id: 1 }).parts().insert({ id: N, title: 'p', owner: 'ann' })).remark", "await flat.insertMany([{ id: N, title: 'm', remark: 'bob' }])",
		"if (v === 'bob') await tasks.where({ id: 2 }).update({ owner: 'bob' })", "await tasks.where({ id: 2 }).update({ owner: String(v) })", "await tasks.insert({ id: N, title: 'o', owner: String(v) })", "await tasks.where({ remark: 'bob' }).update({ owner: 'bob' })",
		"if (v === 'bob') await tasks.where({ id: 1 }).parts().delete()", "await flat.insert({ id: N, title: 'f', owner: String(v), remark: v })", "await tasks.where(t => t.parts().some(p => p.remark === 'bob')).update({ owner: 'eve' })",
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		differ, programs := 0, programs
		if e.Name == tu.Postgres.Name {
			programs = (programs + 4) / 5 // each opens four databases
		}
		for n := range programs {
			draw := rand.New(rand.NewPCG(seed, uint64(n)))
			var b strings.Builder
			b.WriteString("let v = 'ann'; ")
			for k := range 2 + draw.IntN(4) {
				fmt.Fprintf(&b, "try { %s } catch (e) { v = e.message } ", strings.ReplaceAll(statements[draw.IntN(len(statements))], "N", strconv.Itoa(10+k)))
			}
			var owners [2][2]string
			for i, trusted := range []bool{true, false} {
				for k, remark := range []string{"bob", "eve"} {
					grants, _ := trustGrants(t, e, trusted)
					tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range []string{"return tasks.where({ id: 1 }).update({ remark: '" + remark + "' })", b.String() + "return 1", "return tasks.where(t => t.owner !== null).orderBy(t => t.id).select(t => ({ id: t.id, owner: t.owner }))"} {
						r := tool.Run(t.Context(), p)
						if r.Err != nil {
							t.Fatalf("%s: %v", p, r.Err)
						}
						owners[i][k] = string(r.JSON)
					}
				}
			}
			if owners[0][0] != owners[0][1] {
				t.Fatalf("seed %d (EXO_SEED), program %d: %s\n%s\n%s", seed, n, b.String(), owners[0][0], owners[0][1])
			}
			if owners[1][0] != owners[1][1] {
				differ++
			}
		}
		if differ == 0 {
			t.Error("no program has the owners differ where nothing demands trust: it shows nothing")
		}
		t.Logf("%d of %d programs have the owners differ where nothing demands trust", differ, programs)
	})
}

type trustProject struct {
	ID    int64
	Title string
	Note  *string
}

// TestDeletionTrusted: what takes rows with a trusted column along is refused to a program that has read what outsiders wrote, though the
// host allowed the cascade, and so is a deletion for which the facet demands trust. The twin: where no column demands trust, and where the
// program has read nothing, each of them happens.
func TestDeletionTrusted(t *testing.T) {
	const cascade, null, update, replace = " ON DELETE CASCADE", " ON DELETE SET NULL", " ON UPDATE CASCADE", "replace"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			what, action, program string
			on                    string // the column that demands trust
			wary                  bool   // AllowDeleteByTrusted
			refused               bool
			beside                bool // the other table is reached by a grant of its own alone
		}{
			{"a cascade", cascade, "projects.where({ id: 1 }).delete()", "owner", false, true, false},
			{"a cascade to a table of another grant", cascade, "projects.where({ id: 1 }).delete()", "owner", false, true, true},
			{"a cascade of a cascade", cascade, "orgs.where({ id: 1 }).delete()", "owner", false, true, false},
			{"a key that is set to null", null, "projects.where({ id: 1 }).delete()", "project", false, true, false},
			{"a key beside the trusted column", null, "projects.where({ id: 1 }).delete()", "owner", false, false, false},
			{"a code that is changed along", update, "projects.where({ id: 1 }).update({ title: 'z' })", "code", false, true, false},
			{"another column is changed", update, "projects.where({ id: 1 }).update({ note: 'z' })", "code", false, false, false},
			{"a row that is replaced", replace, "items.insert({ id: 3, project: 1, code: 'a' })", "owner", false, true, false},
			{"a facet that demands trust", cascade, "projects.where({ id: 1 }).delete()", "", true, true, false},
			{"nothing demands trust", cascade, "projects.where({ id: 1 }).delete()", "", false, false, false},
		} {
			if c.action == replace && e.Name != tu.SQLite.Name {
				continue // which the other one does not do
			}
			run := func(on string, wary bool, read string) error {
				unique, actions := "", c.action
				if c.action == replace {
					unique, actions = " UNIQUE ON CONFLICT REPLACE", ""
				}
				code := " REFERENCES projects (title)" + update
				if c.action != update {
					code = ""
				} else {
					actions = ""
				}
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE orgs (id {int} PRIMARY KEY, title TEXT NOT NULL)", "CREATE TABLE projects (id {int} PRIMARY KEY, title TEXT NOT NULL UNIQUE, note TEXT, org {int} REFERENCES orgs (id) ON DELETE CASCADE)",
					"CREATE TABLE items (id {int} PRIMARY KEY, project {int} REFERENCES projects (id)"+actions+", code TEXT"+unique+code+", owner TEXT)",
					"INSERT INTO orgs VALUES (1, 'o')", "INSERT INTO projects VALUES (1, 'a', 'delete me', 1)", "INSERT INTO items VALUES (1, 1, 'a', 'ann')")})
				type org struct {
					ID    int64
					Title string
				}
				type item struct {
					ID          int64
					Project     *int64
					Code, Owner *string
				}
				orgs, projects, items := exosql.NewTable[org]("orgs"), exosql.NewTable[trustProject]("projects"), exosql.NewTable[item]("items")
				orgID := exosql.NewKey(orgs, "id", func(o *org) *int64 { return &o.ID })
				id, title := exosql.NewKey(projects, "id", func(p *trustProject) *int64 { return &p.ID }), exosql.NewColumn(projects, "title", func(p *trustProject) *string { return &p.Title })
				note := exosql.NewNullable(projects, "note", func(p *trustProject) **string { return &p.Note }).WithLabel(value.Untrusted)
				itemID, project := exosql.NewKey(items, "id", func(i *item) *int64 { return &i.ID }), exosql.NewNullable(items, "project", func(i *item) **int64 { return &i.Project })
				code1, owner := exosql.NewNullable(items, "code", func(i *item) **string { return &i.Code }), exosql.NewNullable(items, "owner", func(i *item) **string { return &i.Owner })
				switch on {
				case "owner":
					owner.Trusted()
				case "project":
					project.Trusted()
				case "code":
					code1.Trusted()
				}
				of := exosql.NewFacet(orgs, "org", orgID).AllowDelete().Permit(exosql.AllowCascade("projects", "org"), exosql.AllowCascade("items", "project"), exosql.AllowCascade("items", "code"))
				pf := exosql.NewFacet(projects, "project", id, title, note).AllowUpdate(title, note).Permit(exosql.AllowCascade("items", "project"), exosql.AllowCascade("items", "code"), exosql.AllowUnique("title"))
				if wary {
					pf.AllowDeleteByTrusted()
				} else {
					pf.AllowDelete()
				}
				itf := exosql.NewFacet(items, "item", itemID, project, code1).AllowInsert(itemID, project, code1).Permit(exosql.AllowConflict("REPLACE"), exosql.AllowUnique("code"), exosql.AllowUnique("id"))
				itf.Add(exosql.Via(exosql.One("in", project, id), pf))
				scopes := []exosql.Scope{exosql.ScopeRows(projects, exosql.AllRows[trustProject]()), exosql.ScopeRows(items, exosql.AllRows[item]())}
				g := codemode.Grants{"orgs": of.Of(exosql.Grant(db, orgs, exosql.AllRows[org]())), "projects": pf.Of(exosql.Grant(db, projects, exosql.AllRows[trustProject]())), "items": itf.Of(exosql.Grant(db, items, exosql.AllRows[item](), scopes[0]))}
				if !c.beside {
					pf.Add(exosql.Via(exosql.Many("items", id, project), itf))
					g["projects"] = pf.Of(exosql.Grant(db, projects, exosql.AllRows[trustProject](), scopes[1]))
				}
				tool, err := codemode.New(g, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				return tool.Run(context.Background(), read+"await "+c.program).Err
			}
			const read = "await projects.first(); "
			if err := run(c.on, c.wary, read); c.refused != (fail.KindOf(err) == fail.Denied && strings.Contains(err.Error(), "outsiders wrote")) || !c.refused && err != nil {
				t.Errorf("%s: %v, want refused %v", c.what, err, c.refused)
			}
			if err := run("", false, read); err != nil {
				t.Errorf("%s, where nothing demands trust: %v", c.what, err)
			}
			if err := run(c.on, c.wary, ""); err != nil {
				t.Errorf("%s, by a program that has read nothing: %v", c.what, err)
			}
		}
	})
}
