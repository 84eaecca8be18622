package exosql_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// staff have a boss each, and are of an org.
type employee struct {
	ID, Org int64
	Boss    *int64
	Name    string
}

var (
	staff     = exosql.NewTable[employee]("staff")
	staffID   = exosql.NewKey(staff, "id", func(s *employee) *int64 { return &s.ID })
	staffOrg  = exosql.NewColumn(staff, "org", func(s *employee) *int64 { return &s.Org })
	staffBoss = exosql.NewNullable(staff, "boss_id", func(s *employee) **int64 { return &s.Boss })
	staffName = exosql.NewColumn(staff, "name", func(s *employee) *string { return &s.Name })

	staffReports = exosql.Many("reports", staffID, staffBoss)
	staffManager = exosql.One("manager", staffBoss, staffID)
)

// staffSQL is a tree of org 1 in which 20, with 21 and 210 below, is of another org, a cycle of 31 and 32, and one of its own boss.
//
//	1 ─ 10 ─ 11 ─ 12
//	  ├ 20 (org 2) ─ 21 (org 1) ─ 210 (org 1)
//	  └ 13 ─ 14
//	31 ⇄ 32    40 ↻
func staffSQL(more ...string) []string {
	return append([]string{
		"CREATE TABLE staff (id {int} PRIMARY KEY, org {int} NOT NULL, boss_id {int}, name TEXT NOT NULL)",
		"INSERT INTO staff VALUES (1, 1, NULL, 'ann'), (10, 1, 1, 'bob'), (11, 1, 10, 'cid'), (12, 1, 11, 'dan'), (13, 1, 1, 'eve'), (14, 1, 13, 'flo'), " +
			"(20, 2, 1, 'BOLT'), (21, 1, 20, 'gus'), (210, 1, 21, 'hal'), (31, 1, 32, 'ivy'), (32, 1, 31, 'joe'), (40, 1, 40, 'kim'), (50, 2, 21, 'BOLT low')",
	}, more...)
}

func staffOf(db *exosql.DB, org int64) map[string]exo.Object {
	f := exosql.NewFacet(staff, "employee", staffID, staffOrg, staffBoss, staffName)
	f.Add(exosql.Via(staffReports, f), exosql.Via(staffManager, f))
	return map[string]exo.Object{"staff": f.Of(exosql.Grant(db, staff, staffOrg.Eq(org)))}
}

// TestTree: all rows below or above others, each once with its least depth, in every way to ask for them. Each is one statement.
func TestTree(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(staffSQL()...)})
		r := tu.NewRunner(t, staffOf(db, 1), exo.Limits{})
		const below = "staff.where(s => s.id === 1).reports().recursive()"
		for program, want := range map[string]string{
			below + ".orderBy(s => s.id).select(s => ({ id: s.id, d: s.depth }))":                                               `[{"d":1,"id":10},{"d":2,"id":11},{"d":3,"id":12},{"d":1,"id":13},{"d":2,"id":14}]`,
			below + ".orderBy(({ employee }) => employee.id).select(({ employee: { id, depth } }) => ({ id, depth })).limit(1)": `[{"depth":1,"id":10}]`,
			below + ".orderBy('depth', 'desc').select(s => s.name)":                                                             `["dan","cid","flo","bob","eve"]`,
			below + ".where(s => s.id === 12)":                                                                                  `[{"bossId":11,"depth":3,"id":12,"name":"dan","org":1}]`,
			below + ".where({ depth: 2 }).orderBy(s => s.id).select(s => s.id)":                                                 `[11,14]`,
			below + ".where(s => s.depth > 1 && s.name.includes('f')).count()":                                                  `1`,
			below + ".groupBy(s => s.depth).select(g => ({ d: g.depth, n: g.count() })).orderBy(g => g.depth)":                  `[{"d":1,"n":2},{"d":2,"n":2},{"d":3,"n":1}]`,
			below + ".countBy('depth').orderBy('depth')":                                                                        `[{"count":2,"depth":1},{"count":2,"depth":2},{"count":1,"depth":3}]`,
			below + ".max(s => s.depth)":                                                                                        `3`,
			below + ".sum('depth')":                                                                                             `9`,
			below + ".as('x').where(({ x }) => x.depth === 3).select(({ x }) => x.name)":                                        `["dan"]`,
			below + ".select(s => ({ depth: s.depth })).distinct().count()":                                                     `3`,
			below + ".orderBy(s => s.id).limit(2).where(s => s.depth === 2).select(s => s.id)":                                  `[11]`,
			below + ".manager().select(s => s.id).orderBy(s => s.id)":                                                           `[1,10,11,13]`,
			below + ".join(({ employee }) => employee.manager().as('boss')).orderBy(({ employee }) => employee.id).select(({ employee, boss }) => ({ e: employee.id, b: boss.id, d: employee.depth })).limit(2)": `[{"b":1,"d":1,"e":10},{"b":10,"d":2,"e":11}]`,
			below + ".orderBy(s => s.depth.desc()).distinctBy(s => s.bossId).select(s => s.id).orderBy(s => s.id)":                                                                                               `[11,12,13,14]`,
			below + ".union(staff.where(s => s.id === 1).reports().recursive()).count()":                                                                                                                         "error: invalid",
			below + ".select(s => ({ id: s.id })).union(staff.where(s => s.id === 12).manager().recursive().select(s => ({ id: s.id }))).orderBy(r => r.id).select(r => r.id)":                                   `[1,10,11,12,13,14]`,
			"staff.where(s => s.id === 1).reports().recursive(2).select(s => s.id).orderBy(s => s.id)":                                                                                                           `[10,11,13,14]`,
			"staff.where(s => s.id === 1).reports().recursive(1).select(s => s.id).orderBy(s => s.id)":                                                                                                           `[10,13]`,
			"staff.where(s => s.id === 1).reports().recursive(1000).count()":                                                                                                                                     `5`,
			"staff.where(s => s.id === 12).manager().recursive().orderBy(s => s.depth).select(s => s.id)":                                                                                                        `[11,10,1]`,
			"staff.where(s => s.id === 12).manager().recursive().where(s => s.bossId === null).first()":                                                                                                          `{"bossId":null,"depth":3,"id":1,"name":"ann","org":1}`,
			"staff.where(s => s.id === 210).manager().recursive().select(s => s.id)":                                                                                                                             `[21]`,
			"staff.where(s => s.id === 31).reports().recursive().select(s => ({ id: s.id, d: s.depth })).orderBy(s => s.id)":                                                                                     `[{"d":2,"id":31},{"d":1,"id":32}]`,
			"staff.where(s => s.id === 40).manager().recursive().select(s => ({ id: s.id, d: s.depth }))":                                                                                                        `[{"d":1,"id":40}]`,
			"staff.where(s => s.id.in([1, 10])).reports().recursive().orderBy(s => s.id).select(s => ({ id: s.id, d: s.depth })).limit(2)":                                                                       `[{"d":1,"id":10},{"d":1,"id":11}]`,
			"staff.reports().recursive().where(s => s.id === 12).select(s => s.depth)":                                                                                                                           `[1]`,
			"staff.where(s => s.id === 1).reports().recursive().where(s => s.depth === 1).reports().recursive().select(s => ({ id: s.id, d: s.depth })).orderBy(s => s.id)":                                      `[{"d":1,"id":11},{"d":2,"id":12},{"d":1,"id":14}]`,
			// In a callback: of each row.
			"staff.orderBy(s => s.id).select(s => ({ id: s.id, n: s.reports().recursive().count(), up: s.manager().recursive().max(m => m.depth) })).limit(4)":                                                                                               `[{"id":1,"n":5,"up":null},{"id":10,"n":2,"up":1},{"id":11,"n":1,"up":2},{"id":12,"n":0,"up":3}]`,
			"staff.where(s => s.reports().recursive().some(b => b.name === 'dan')).select(s => s.id).orderBy(s => s.id)":                                                                                                                                     `[1,10,11]`,
			"staff.where(s => s.manager().recursive().none(b => b.id === 1)).select(s => s.id).orderBy(s => s.id)":                                                                                                                                           `[1,21,31,32,40,210]`,
			"staff.where(s => s.id === 10).select(s => ({ all: s.reports().recursive().orderBy(b => b.depth).select(b => ({ id: b.id, d: b.depth })) }))":                                                                                                    `[{"all":[{"d":1,"id":11},{"d":2,"id":12}]}]`,
			"staff.where(s => s.id === 11).select(s => ({ all: s.reports().recursive(), top: s.manager().recursive().orderBy(m => m.depth.desc()).first().name }))":                                                                                          `[{"all":[{"bossId":11,"depth":1,"id":12,"name":"dan","org":1}],"top":"ann"}]`,
			"staff.orderBy(s => s.reports().recursive().count().desc()).limit(1).select(s => s.id)":                                                                                                                                                          `[1]`,
			"staff.where(s => s.id.in(staff.where(x => x.id === 1).reports().recursive().select(x => x.id))).count()":                                                                                                                                        `5`,
			"staff.groupBy(s => s.reports().recursive().exists()).select(g => ({ boss: g.exists, n: g.count() })).count()":                                                                                                                                   `error: denied`,
			"staff.join(staff.where(x => x.id === 1).reports().recursive().as('low'), ({ employee, low }) => low.bossId === employee.id).orderBy(({ low }) => low.id).select(({ employee, low }) => ({ b: employee.id, l: low.id, d: low.depth })).limit(2)": `[{"b":1,"d":1,"l":10},{"b":10,"d":2,"l":11}]`,
			"staff.where(s => s.id === 1).reports().tree().count()":                                                                                                                                                                                          `5`,
		} {
			o := r.Run(t, "return await "+program)
			got := o.JSON
			if o.Kind != 0 {
				got = "error: " + o.Kind.String()
			}
			if got != want && !tu.SameJSON(got, want) || o.Kind == 0 && len(o.SQL) != 1 {
				t.Errorf("%s\n%v\nwant %s\n%v", program, o, want, o.SQL)
			}
		}
	})
}

// TestTreeRefused: what can't be meant says what is right.
func TestTreeRefused(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(staffSQL()...)})
	r := tu.NewRunner(t, staffOf(db, 1), exo.Limits{})
	for program, says := range map[string]string{
		"staff.recursive()": "right after a link",
		"staff.reports().where(s => s.id > 1).recursive()":                         ".reports().recursive()",
		"staff.reports().orderBy(s => s.id).recursive()":                           ".reports().recursive()",
		"staff.reports().recursive().recursive()":                                  ".reports().recursive()",
		"staff.reports().recursive(0)":                                             "from 1 to 1000",
		"staff.reports().recursive(1001)":                                          "from 1 to 1000",
		"staff.reports().recursive(-1)":                                            "depth",
		"staff.reports().recursive('3')":                                           "depth",
		"staff.reports().recursive(1.5)":                                           "depth",
		"staff.reports().recursive({ depth: 3 })":                                  "depth",
		"staff.reports().recursive(s => s.id)":                                     "function",
		"staff.join(({ employee }) => employee.reports().recursive().as('x'))":     "begin the query with the tree",
		"staff.leftJoin(({ employee }) => employee.reports().recursive().as('x'))": "begin the query with the tree",
		"staff.descendants()":                                                      "recursive()",
		"staff.where(s => s.depth > 1)":                                            "depth",
	} {
		if o := r.Run(t, "return await "+program+".execute()"); o.Kind != fail.Invalid && o.Kind != fail.Denied || !strings.Contains(o.Message, says) {
			t.Errorf("%s: %v", program, o)
		}
	}
}

// TestTreeEndsAtScope: rows are reached through rows in scope alone, in every arm: below a foreign row there is nothing, though
// the rows there are in scope; and nothing shows how many foreign rows there are.
func TestTreeEndsAtScope(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var seen []string
		for _, others := range []string{"DELETE FROM staff WHERE id < 0", "DELETE FROM staff WHERE org = 2", "UPDATE staff SET boss_id = 40, name = 'z' WHERE org = 2", "INSERT INTO staff SELECT id + 1000, 2, 1, 'BOLT' FROM staff"} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(staffSQL(others)...)})
			r := tu.NewRunner(t, staffOf(db, 1), exo.Limits{})
			o := r.Run(t, `return [await staff.where(s => s.id === 1).reports().recursive().select(s => s.id).orderBy(s => s.id), await staff.where(s => s.id === 210).manager().recursive().select(s => s.id),
  await staff.orderBy(s => s.id).select(s => ({ id: s.id, down: s.reports().recursive().count(), up: s.manager().recursive(3).select(m => ({ n: m.name })) }))]`)
			if !strings.HasPrefix(o.JSON, "[[10,11,12,13,14],[21],") {
				t.Errorf("%s: %v", others, o)
			}
			for _, q := range o.SQL {
				o.JSON += fmt.Sprintln(q.SQL, q.Args)
			}
			seen = append(seen, o.JSON)
		}
		for _, s := range seen[1:] {
			if s != seen[0] {
				t.Errorf("what differs out of scope is seen:\n%s\n%s", seen[0], s)
			}
		}
	})
}

// treePrograms ask of rows of trees, with conditions of the program on them.
var treePrograms = []string{
	"staff.where(s => s.name.includes('n')).reports().recursive().where(s => s.name.includes('d') || s.id === 20)",
	"staff.reports().recursive().where(s => (s.id === 20 && s.name.includes('x')) || s.depth === 1)",
	"staff.manager().recursive().where(s => s.name.startsWith('a') && s.depth > 0)",
	"staff.where(s => s.reports().recursive().some(b => b.name.includes('a')))",
	"staff.where(s => s.manager().recursive().where(b => b.name.includes('a') || b.id === 20).exists())",
	"staff.orderBy(s => s.name.includes('n')).limit(9).reports().recursive(3).where(s => s.name.includes('d'))",
	"staff.select(s => ({ id: s.id, up: s.manager().recursive().max(m => m.name.includes('a') ? m.depth : 0) }))",
	"staff.reports().recursive().orderBy(s => s.name.includes('x')).limit(5)",
	"staff.reports().recursive().groupBy(s => ({ x: s.name.includes('x') || s.id === 20 }))",
	"staff.select(s => ({ all: s.reports().recursive().where(b => b.name.includes('a') || b.id === 20).orderBy(b => b.name.includes('d')) }))",
}

// TestOpenTrees: no condition of a program on a tree, or on where it begins, is tried on a row out of scope.
func TestOpenTrees(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, indexes := range [][]string{nil, {"CREATE INDEX staff_boss ON staff (boss_id)"}, {"CREATE INDEX staff_org ON staff (org)", "CREATE INDEX staff_org_boss ON staff (org, boss_id)", "CREATE INDEX staff_name ON staff (name)"}} {
			db, _, sprung := trapped(t, e, nil, staffSQL(append(indexes, "ANALYZE")...))
			r := tu.NewRunner(t, staffOf(db, 1), exo.Limits{})
			for _, program := range treePrograms {
				for _, call := range []string{".execute()", ".count()", ".first()"} {
					if o := r.Run(t, "return await "+program+call); sprung(o) || o.Kind != 0 || o.JSON == "[]" || o.JSON == "0" {
						t.Errorf("%s%s\n%v\n%v", program, call, o, o.SQL)
					}
				}
			}
		}
	})
}

// TestTreeDense: where each row leads to each, a tree ends by what a run may read or by time, and in any case soon.
func TestTreeDense(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		numbers := e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 300) SELECT n FROM s) AS s", "generate_series(1, 300) AS s (n)")
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append(staffSQL(), "INSERT INTO staff SELECT 1000 + n, 1, 1000 + n % 2, 'x' FROM "+numbers)...)})
		f := exosql.NewFacet(staff, "employee", staffID, staffName)
		f.Add(exosql.Via(exosql.Many("peers", staffOrg, staffOrg), f))
		grants := map[string]exo.Object{"staff": f.Of(exosql.Grant(db, staff, staffOrg.Eq(1)))}
		r := tu.NewRunner(t, grants, tu.Both{Bounds: exoeval.Bounds{Total: 2 * time.Second}})
		start := time.Now()
		if o := r.Run(t, "return await staff.peers().recursive(1000).count()"); o.Kind != 0 && o.Kind != fail.Limit {
			t.Error(o)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("it took %v", d)
		}
		if o := r.Run(t, "return await staff.where(s => s.id === 1).peers().recursive(2).max(s => s.depth)"); o.JSON != "1" {
			t.Error(o)
		}
	})
}

// TestTreeCycles: in a cycle a tree ends with the depth that it may have, and has each row once.
func TestTreeCycles(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(staffSQL()...)})
		r := tu.NewRunner(t, staffOf(db, 1), tu.Both{Bounds: exoeval.Bounds{Total: 5 * time.Second}})
		if o := r.Run(t, "return [await staff.where(s => s.id === 31).reports().recursive(1000).count(), await staff.where(s => s.id === 40).select(s => ({ n: s.manager().recursive(7).count() }))]"); o.JSON != `[2,[{"n":1}]]` {
			t.Error(o)
		}
	})
}

// TestTreeBounds: how many trees a query has is bounded, after one another and beside one another.
func TestTreeBounds(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, staffOf(e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(staffSQL()...)}), 1), exo.Limits{})
		for n, kind := range map[int]fail.Kind{4: 0, 9: fail.Limit} {
			if o := r.Run(t, "return await staff"+strings.Repeat(".reports().recursive(3)", n)+".count()"); o.Kind != kind {
				t.Errorf("%d after one another: %v", n, o)
			}
			show := ""
			for i := range n {
				show += fmt.Sprintf("n%d: s.reports().recursive(%d).count(), ", i, i+1)
			}
			if o := r.Run(t, "return await staff.select(s => ({ "+show+" }))"); o.Kind != kind {
				t.Errorf("%d beside one another: %v", n, o)
			}
		}
	})
}

// TestTreeTaken: where rows have a depth of their own, that of the tree has another name.
func TestTreeTaken(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(staffSQL()...)})
	deep := exosql.NewTable[employee]("staff")
	id := exosql.NewKey(deep, "id", func(s *employee) *int64 { return &s.ID })
	org := exosql.NewColumn(deep, "org", func(s *employee) *int64 { return &s.Org })
	boss := exosql.NewNullable(deep, "boss_id", func(s *employee) **int64 { return &s.Boss }).Named("depth")
	f := exosql.NewFacet(deep, "employee", id, boss)
	f.Add(exosql.Via(exosql.Many("reports", id, boss), f))
	r := tu.NewRunner(t, map[string]exo.Object{"staff": f.Of(exosql.Grant(db, deep, org.Eq(1)))}, exo.Limits{})
	if o := r.Run(t, "return await staff.where(s => s.id === 10).reports().recursive().orderBy(s => s.treeDepth)"); !tu.SameJSON(o.JSON, `[{"depth":10,"id":11,"treeDepth":1},{"depth":11,"id":12,"treeDepth":2}]`) {
		t.Error(o)
	}
}
