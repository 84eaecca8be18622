package exosql_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// linkPrograms ask of links in callbacks, of folders and notes.
var linkPrograms = []string{
	"notes.where(n => n.folder().name.includes('1'))",
	"notes.where(n => n.folder().name.includes('1') && n.text.includes('9') && n.code === 'c1')",
	"notes.where(n => n.folder().owner === 2 || n.folder().name.includes('1'))",
	"notes.select(n => ({ id: n.id, f: n.folder().name, x: n.folder().name.includes('1') }))",
	"notes.orderBy(n => [n.folder().name, n.id])",
	"notes.where(n => n.folder().notes().count() > 40)",
	"folders.select(f => ({ id: f.id, n: f.notes().count(), x: f.notes().where(n => n.text.includes('9')).count() }))",
	"folders.select(f => ({ id: f.id, m: f.notes().max(n => n.due), s: f.notes().sum(n => n.due), c: f.notes().countDistinct(n => n.code), t: f.notes().min(n => n.text.upper()) }))",
	"folders.where(f => f.notes().some(n => n.text.includes('9')))",
	"folders.where(f => f.notes().some(n => n.owner === 2 || n.text.includes('9')))",
	"folders.where(f => f.notes().every(n => n.due === null || n.due < 996 || n.text.includes('9')))",
	"folders.where(f => f.notes().none(n => n.code === 'c1' && n.text.startsWith('B')))",
	"folders.where(f => f.name.includes('1') && f.notes().where(n => n.due > 500 && n.text.includes('9')).exists())",
	"folders.where(f => f.id === 2 && f.notes().some(n => f.name.includes('1') && n.text.includes('9')))",
	"folders.where(f => f.notes().max(n => n.text.includes('9') ? 1 : 0) === 1 && f.name.includes('1'))",
	"folders.orderBy(f => [f.notes().max(n => n.due).desc(), f.id])",
	"folders.select(f => ({ id: f.id, top: f.notes().orderBy(n => [n.due.desc(), n.id]).limit(3).sum(n => n.due) }))",
	"folders.select(f => ({ id: f.id, n: f.notes().where(n => n.text.includes('9')).select(n => ({ id: n.id, t: n.text })) }))",
	"folders.select(f => ({ id: f.id, n: f.notes().orderBy(n => [n.due.desc(), n.id]).limit(3).select(n => ({ id: n.id, x: n.text.includes('9'), f: n.folder() })) }))",
	"folders.orderBy(f => f.name).limit(3).select(f => ({ id: f.id, n: f.notes().where(n => n.owner === 2 || n.code === 'c1').orderBy(n => n.text).offset(1) }))",
	"folders.select(f => ({ id: f.id, l: f.notes().orderBy(n => n.due).first().text, r: f.notes().where(n => n.text.includes('9')).first(), x: f.notes().select(n => ({ c: n.code })).distinct() }))",
	"folders.where(f => f.notes().orderBy(n => n.text).first() !== null && f.notes().where(n => n.text.includes('9')).first() !== null)",
	"notes.select(n => ({ id: n.id, f: n.folder(), s: n.folder().notes().orderBy(o => o.code).limit(2).select(o => ({ id: o.id, x: o.text.includes('9') })) }))",
	"folders.notes().where(n => n.folder().name.includes('1') && n.folder().notes().some(o => o.text.includes('9') && o.id !== n.id))",
	"notes.groupBy(n => n.folder().name).select(g => ({ k: g.name, n: g.where(n => n.folder().name.includes('1')).count() })).where(g => g.name.includes('1'))",
	"notes.join(({ note }) => note.folder().where(f => f.notes().some(n => n.text.includes('9'))))",
	"notes.leftJoin(({ note }) => note.folder().where(f => f.notes().count() > 10 && f.name.includes('1')))",

	// Queries in callbacks: each is within its own scope, and neither's rows are looked up by what the other's have.
	"notes.where(n => n.folderId.in(folders.where(f => f.name.includes('1')).select(f => f.id)))",
	"notes.where(n => n.code.in(notes.where(o => o.text.includes('9')).select(o => o.code)) && n.text.includes('9'))",
	"notes.where(n => n.due.in(notes.where(o => o.code === 'c1' && o.text.includes('9')).select(o => o.due)))",
	"notes.where(n => n.due.notIn(notes.where(o => o.text.includes('9')).select(o => o.due)) && n.text.includes('1'))",
	"folders.where(f => f.id.notIn(notes.where(n => n.text.includes('99')).select(n => n.folderId)))",
	"notes.where(n => n.text.in(notes.select(o => o.text)) || n.folder().name.includes('1'))",
	"notes.select(n => ({ id: n.id, x: n.text.includes('9'), f: n.folder().name })).where(r => r.x && r.f.includes('1'))",
	"notes.where(n => n.due > notes.avg(o => o.due) && n.text.includes('9'))",
	"notes.where(n => n.due === notes.where(o => o.text.includes('9')).max(o => o.due))",
	"folders.where(f => notes.some(n => n.folderId === f.id && n.text.includes('9')))",
	"folders.select(f => ({ id: f.id, n: notes.where(n => n.folderId === f.id && n.text.includes('9')).count(), x: f.name.in(notes.select(n => n.text)) }))",
	"notes.where(n => n.due.in(notes.orderBy(o => o.due.desc()).limit(5).select(o => o.due)))",
	"notes.where(n => n.code.in(notes.groupBy(o => o.code).where(g => g.max(o => o.due) > 500).select(g => g.code)))",
	"notes.orderBy(n => [n.due.in(notes.where(o => o.text.includes('9')).select(o => o.due)), n.id])",
}

// TestOpenLinks: whatever indexes there are, what a callback asks of a link is tried on no row out of scope, neither of
// the table that it leads to nor of the one that it comes from, and the answer is that of the fenced statement.
func TestOpenLinks(t *testing.T) { springsNoTrap(t, linkPrograms) }

// springsNoTrap runs programs where a trap stands in each row out of scope.
func springsNoTrap(t *testing.T, programs []string) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, indexes := range notesIndexSets {
			t.Run(name, func(t *testing.T) {
				db, _, sprung := trapDB(t, e, indexes...)
				r, bare := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{}), tu.NewRunner(t, kit.NotesOf(db, 1, true), exo.Limits{})
				ran, share := map[string]int{}, tu.OneIn(t, 4)
				for _, program := range programs {
					for _, call := range []string{".execute()", ".count()"} {
						if !share.Next() {
							continue
						}
						whole := "const r = await " + program + call + "; return Array.isArray(r) ? r.map(x => JSON.stringify(x)).sort() : r"
						o, want := r.Run(t, whole), bare.Run(t, whole)
						if sprung(o) || o.JSON != want.JSON || o.Kind != 0 || o.JSON == "[]" && !strings.Contains(program, "=== 2 &&") {
							t.Errorf("%s%s\n%v\nwant\n%v\n%v", program, call, o, want, o.SQL)
						}
						if len(o.SQL) == 1 {
							ran[exosql.Tier(o.SQL[0])]++
						}
					}
				}
				if ran["fenced"] > len(programs) && &programs[0] == &linkPrograms[0] {
					t.Errorf("of %d statements %v", 2*len(programs), ran)
				}
			})
		}
	})
}

// TestLinkReads: how much is read for what a callback asks of a link depends on no value of others, with indexes
// on all that the program compares that do not begin with the scope.
func TestLinkReads(t *testing.T) { readsAlike(t, linkPrograms) }

func readsAlike(t *testing.T, programs []string) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, more := range map[string][]string{"by value": {"CREATE INDEX notes_by_due ON notes (due)", "CREATE INDEX notes_by_code ON notes (code)", "CREATE INDEX notes_by_text ON notes (text)", "CREATE INDEX folders_by_name ON folders (name)"},
			"by link": {"CREATE INDEX notes_folder_due ON notes (folder_id, due)", "CREATE INDEX notes_owner ON notes (owner, folder_id)", "CREATE INDEX folders_owner ON folders (owner)"}} {
			t.Run(name, func(t *testing.T) {
				reads, answers := map[string][]int{}, map[string][]string{}
				bare := []int{}
				for _, others := range []string{"UPDATE notes SET due = 500, code = 'c3', text = '9' WHERE owner <> 1", "UPDATE notes SET due = 5000 + id, code = CASE WHEN id % 2 = 0 THEN 'a' ELSE 'z' END, text = 'z' WHERE owner <> 1"} {
					url := e.URL(t)
					db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(append(kit.NotesSQL(e, 2000, more...), others, "UPDATE folders SET name = (SELECT min(code) FROM notes WHERE notes.owner = folders.owner) WHERE owner <> 1")...)})
					r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
					ranged := tu.NewRunner(t, kit.NotesOf(db, 1, true), exo.Limits{}) // always fenced
					hand := e.SQLDB(t, url)
					share := tu.OneIn(t, 4) // the same for both
					for i := range 2 * len(programs) {
						if !share.Next() {
							continue
						}
						program, r := programs[i/2], []*tu.Runner{r, ranged}[i%2]
						p := program + ".count()"
						if strings.Contains(program, "select(") {
							p = program + ".execute()"
						}
						o := r.Run(t, "return await "+p)
						ask := "return await " + p
						if p = fmt.Sprint(p, i%2 == 1); o.Kind != 0 || len(o.SQL) != 1 {
							t.Fatalf("%s: %v", p, o)
						}
						answers[p] = append(answers[p], o.JSON)
						if e.Name == tu.Postgres.Name {
							reads[p] = append(reads[p], rowsRead(t, hand, o.SQL[0].SQL, o.SQL[0].Args))
							continue
						}
						exosql.SQLiteSteps(t.Context(), db)
						r.Run(t, ask)
						reads[p] = append(reads[p], exosql.SQLiteSteps(t.Context(), db))
					}
					// The twin: without a fence the engine goes down the index.
					const down = "SELECT max(due) FROM notes WHERE owner = 1"
					if name == "by link" {
						continue
					}
					if e.Name == tu.Postgres.Name {
						bare = append(bare, rowsRead(t, hand, down, nil))
					} else if n, err := exosql.SQLiteStepsOf(t.Context(), db, down, "notes", "owner", "due"); err != nil {
						t.Fatal(err)
					} else {
						bare = append(bare, n)
					}
				}
				for p, n := range reads {
					if n[0] != n[1] || n[0] == 0 {
						t.Errorf("%s: reads %d where others have one thing, %d where they have another", p, n[0], n[1])
					}
					if a := answers[p]; a[0] != a[1] || strings.Contains(a[0], "5000") {
						t.Errorf("%s: %s, and %s where others have something else", p, a[0], a[1])
					}
				}
				if name == "by value" && bare[0] == bare[1] {
					t.Errorf("the bare statement reads %d rows whatever others have: this shows nothing", bare[0])
				}
			})
		}
	})
}

// TestLinkGuards: where the table of the row is guarded, what is asked of its link stands behind its scope.
func TestLinkGuards(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, _, _ := trapNotes(t, e, "CREATE INDEX folders_owner ON folders (owner)")
		for _, program := range []string{
			"notes.where(n => n.folder().name === 'x').count()",
			"notes.where(n => n.folder().notes().count() > 4).count()",
			"folders.notes().where(n => n.folder().where(f => f.name > 'a').exists()).count()",
		} {
			o := r.Run(t, "return await "+program)
			guard := regexp.MustCompile(`CASE WHEN \("(t\d)"\."owner" = (\?|\$\d)\) THEN \(+(EXISTS )?\(?SELECT`)
			if o.Kind != 0 || exosql.Tier(o.SQL[0]) != "guarded" || !guard.MatchString(o.SQL[0].SQL) {
				t.Errorf("%s: %v %s %v", program, o, exosql.Tier(o.SQL[0]), o.SQL)
			}
		}
	})
}

// TestAggregateOfTheOuterRow: what SQL would take for an aggregate of the outer query is refused; beside a
// column of the linked rows the row's own are right.
func TestAggregateOfTheOuterRow(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		for _, call := range []string{"sum(t => p.budget)", "max(t => p.id + 1)", "sum(t => p.tasks().count())", "countDistinct(t => p.lead().name)"} {
			if o := r.Run(t, "return await org.projects().select(p => ({ x: p.tasks()."+call+" }))"); o.Kind != fail.Invalid || !strings.Contains(o.Message, "has to use a column of its own row") {
				t.Errorf("%s: %v", call, o)
			}
		}
		if o := r.Run(t, "return await org.projects().orderBy(p => p.id).select(p => ({ x: p.tasks().sum(t => t.priority * p.id), y: p.tasks().max(t => t.comments().count() + p.id) }))"); o.JSON != `[{"x":909,"y":103},{"x":714,"y":102},{"x":null,"y":null}]` {
			t.Error(o)
		}
	})
}

// TestOneOfSeveral: a link that was declared to lead to one row at most and finds two makes no row of it, and
// gives the one with the least key.
func TestOneOfSeveral(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kit.NotesSQL(e, 200)...)})
		f := exosql.NewFacet(kit.Folders, "folder", kit.FolderID, kit.FolderOwner, kit.FolderName)
		n := exosql.NewFacet(kit.Memos, "note", kit.MemoID, kit.MemoOwner, kit.MemoText)
		f.Add(exosql.Via(exosql.One("note", kit.FolderOwner, kit.MemoOwner), n))
		r := tu.NewRunner(t, map[string]exo.Object{"folders": f.Of(exosql.Grant(db, kit.Folders, exosql.AllRows[kit.Folder](), exosql.ScopeShared(kit.Memos)))}, exo.Limits{})
		if o := r.Run(t, "return [(await folders.select(f => ({ n: f.note().id }))).length, await folders.where(f => f.note().id >= 10).count(), await folders.where(f => f.note().text !== null).count(), await folders.where(f => f.owner === 3).select(f => ({ id: f.note().id })).distinct()]"); o.JSON != `[40,0,40,[{"id":3}]]` {
			t.Error(o)
		}
	})
}

// TestWithheldLinks: what a policy keeps from an object is not reached by a callback: neither a link, nor what would be
// asked of it, nor a column of the row that it leads to where it may not be asked whether that is there.
func TestWithheldLinks(t *testing.T) {
	acme := tu.Tenant(tu.Open(t), tu.Acme)
	r := tu.NewRunner(t, map[string]exo.Object{
		"all":   acme["tasks"],
		"tasks": policy.Only(acme["tasks"], "select", "execute", "where", "assignee", "exists", "comments", "count"),
		"bare":  policy.Only(acme["tasks"], "select", "execute", "where", "assignee"),
	}, exo.Limits{})
	for call, withheld := range map[string]bool{
		"t.assignee().name": false, "t.comments().count()": false, "t.comments().where(c => c.id > 0).exists()": false,
		"t.project().name": true, "t.assignee().org().name": true, "t.comments().max(c => c.id)": true, "t.comments().some(c => c.id > 0)": true, "t.comments().author().count()": true, "t.comments().limit(1).count()": true,
	} {
		if o := r.Run(t, "return await tasks.select(t => ({ x: "+call+" }))"); (o.Kind == fail.Denied) != withheld || o.Kind != 0 && !withheld {
			t.Errorf("%s: %s", call, o)
		}
		if o := r.Run(t, "return await all.select(t => ({ x: "+call+" }))"); o.Kind != 0 {
			t.Errorf("the twin, %s: %s", call, o)
		}
	}
	if o := r.Run(t, "return await bare.select(t => ({ x: t.assignee().name }))"); o.Kind != fail.Denied {
		t.Error(o)
	}
	cut, revoke := policy.Revocable(acme["tasks"])
	r = tu.NewRunner(t, map[string]exo.Object{"tasks": cut}, exo.Limits{})
	const asks = "return await tasks.select(t => ({ x: t.assignee().name, n: t.comments().count() }))"
	if o := r.Run(t, asks); o.Kind != 0 {
		t.Error(o)
	}
	revoke()
	if o := r.Run(t, asks); o.Kind != fail.Revoked {
		t.Error(o)
	}
}

// TestLinkBounds: how often a query may ask of links is bounded, whatever is nested in what.
func TestLinkBounds(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		sum := func(n int, x string) string { return strings.TrimSuffix(strings.Repeat(x+" + ", n), " + ") }
		deep := "t.id > 0"
		for i := range 14 {
			v := fmt.Sprintf("x%d", i)
			deep = fmt.Sprintf("t.project().tasks().some(%s => %s)", v, strings.ReplaceAll(deep, "t.", v+"."))
		}
		for program, kind := range map[string]fail.Kind{
			"tasks.where(t => " + sum(60, "t.comments().count()") + " > 0).count()": 0,
			"tasks.where(t => " + sum(61, "t.comments().count()") + " > 0).count()": fail.Limit,
			"tasks.where(t => " + deep + ").count()":                                fail.Limit,
		} {
			if o := r.Run(t, "return await "+program); o.Kind != kind || kind != 0 && !strings.Contains(o.Message, "too many links") && !strings.Contains(o.Message, "too large") {
				t.Errorf("%.80s: %v", program, o)
			}
		}
	})
}
