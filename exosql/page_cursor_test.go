package exosql_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// notValid is all that is said of a cursor that is refused.
const notValid = "the cursor is no longer valid, or belongs to another query"

// pager runs programs for principals.
type pager struct{ gate *exo.Gate }

func newPager(t testing.TB, grants map[string]exo.Object) pager {
	g, err := exo.NewGate(exo.Config{Grants: grants})
	if err != nil {
		t.Fatal(err)
	}
	return pager{g}
}

func (p pager) run(t testing.TB, principal exo.Principal, program string) (string, error) {
	res := tu.InProcess(p.gate).Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{Principal: principal}})
	if res.Err != nil {
		return "", res.Err
	}
	text, err := res.Value.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

// cursor is the cursor behind the first rows of a query, as a text in a program.
func (p pager) cursor(t testing.TB, principal exo.Principal, q string) string {
	t.Helper()
	text, err := p.run(t, principal, "return (await "+q+".page(3)).next")
	if err != nil || text == "null" {
		t.Fatalf("%s: %s, %v", q, text, err)
	}
	return text
}

// TestCursorIsOfItsQuery: a cursor goes on in another program of its principal, and is good for no other query, constant, principal
// or grant; all of these read the same, as what was never a cursor does.
func TestCursorIsOfItsQuery(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kit.NotesSQL(e, 200)...)})
		mine, theirs := newPager(t, kit.NotesOf(db, 1, false)), newPager(t, kit.NotesOf(db, 3, false))
		const q = "notes.where(n => n.due > 100).orderBy(n => n.code)"
		c := mine.cursor(t, "ann", q)
		all, err := mine.run(t, "ann", "return (await "+q+".limit(6).select(n => n.id).execute()).slice(3)")
		if err != nil {
			t.Fatal(err)
		}
		again := newPager(t, kit.NotesOf(db, 1, false)) // another tool for the same grant
		for name, p := range map[string]pager{"the same tool": mine, "another tool": again} {
			for _, form := range []string{".page(3, " + c + ")", ".page(3.0, " + c + ")"} {
				if got, err := p.run(t, "ann", "return (await "+q+form+").rows.map(n => n.id)"); err != nil || got != all {
					t.Errorf("%s: %s, %v; want %s", name, got, err, all)
				}
			}
		}
		if got, err := mine.run(t, "ann", "return (await "+q+".page(1, "+c+")).rows.map(n => n.id)"); err != nil || !strings.HasPrefix(all, strings.TrimSuffix(got, "]")) {
			t.Errorf("a page of another size: %s, %v", got, err)
		}
		refused := func(name string, p pager, principal exo.Principal, q, c string) {
			t.Helper()
			got, err := p.run(t, principal, "return await "+q+".page(3, "+c+")")
			if fail.KindOf(err) != fail.Invalid || !strings.Contains(fail.GuestText(err), notValid) {
				t.Errorf("%s: %s, %v", name, got, err)
			}
		}
		refused("another principal", mine, "bob", q, c)
		refused("no principal", mine, "", q, c)
		refused("another scope", theirs, "ann", q, c)
		for name, other := range map[string]string{
			"another constant": "notes.where(n => n.due > 101).orderBy(n => n.code)", "another condition": "notes.where(n => n.due >= 100).orderBy(n => n.code)", "another order": "notes.where(n => n.due > 100).orderBy(n => n.text)",
			"another direction": "notes.where(n => n.due > 100).orderBy(n => n.code.desc())", "no condition": "notes.orderBy(n => n.code)", "another table": "folders", "names of what is shown": q + ".select(n => ({ id: n.id }))",
			"other names": q + ".select(n => ({ i: n.id }))", "a limit": q + ".limit(100)", "a link": "folders.notes().where(n => n.due > 100).orderBy(n => n.code)", "more of it": q + ".where(n => n.due > 100)",
		} {
			refused(name, mine, "ann", other, c)
		}
		refused("two cursors of two shown names", mine, "ann", q+".select(n => ({ i: n.id }))", mine.cursor(t, "ann", q+".select(n => ({ id: n.id }))"))
		for _, forged := range []string{"''", "'x'", "' '", "'null'", "'" + strings.Repeat("A", 208) + "'", c + ".slice(1)", c + " + '='", c + ".toLowerCase()", "(" + c + "[0] === 'A' ? 'B' : 'A') + " + c + ".slice(1)", c + ".slice(0, -3) + '___'", c + " + 'A'", "JSON.stringify({ id: 3 })"} {
			refused(forged, mine, "ann", q, forged)
		}
		for _, other := range []struct{ program, want string }{
			{q + ".page(0)", "at least 1; got 0"}, {q + ".page(-1)", "negative"}, {q + ".page()", "needs the number of rows"}, {q + ".page(3, 5)", "the cursor must be"},
			{q + ".page({ size: 3 })", ".page(50, next)"}, {q + ".page({ take: 3, after: 'x' })", ".page(50, next)"}, {q + ".page('x')", "must be"}, {q + ".page(1.5)", "must be"}, {q + ".page(3, " + c + ", 1)", "at most 2"},
			{q + ".paginate(3)", ".page(50)"}, {q + ".cursor('x')", ".page(50)"}, {q + ".after('x').limit(3)", ".page(50)"}, {"folders.select(f => f.notes().page(3))", "callback"},
			{"notes.select(n => n.id).unionAll(notes.select(n => n.id)).page(3)", ".union("}, {"notes.findMany({ take: 3, cursor: { id: 7 } })", "cursor"}, {"notes.findMany({ take: 3, skip: 1, after: 'x' })", "after"},
		} {
			if got, err := mine.run(t, "ann", "return await "+other.program); err == nil || !strings.Contains(fail.GuestText(err), other.want) {
				t.Errorf("%s: %s, %v; want %q", other.program, got, err, other.want)
			}
		}
	})
}

// TestCursorKey: a cursor is good where the database was opened with the same key, and in one process alone without.
func TestCursorKey(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		open := func(key []byte) pager {
			return newPager(t, kit.NotesOf(e.OpenWith(t, &exosql.OpenOptions{CursorKey: key, Setup: e.Exec(kit.NotesSQL(e, 200)...)}), 1, false))
		}
		a, same, b, random := open(bytes.Repeat([]byte{1}, 32)), open(bytes.Repeat([]byte{1}, 32)), open(bytes.Repeat([]byte{2}, 32)), open(nil)
		c, r := a.cursor(t, "ann", "notes"), random.cursor(t, "ann", "notes")
		if got, err := same.run(t, "ann", "return (await notes.page(3, "+c+")).rows.length"); got != "3" {
			t.Errorf("the same key: %s, %v", got, err)
		}
		for _, x := range []struct {
			p pager
			c string
		}{{b, c}, {random, c}, {a, r}, {open(nil), r}} {
			if got, err := x.p.run(t, "ann", "return await notes.page(3, "+x.c+")"); err == nil || !strings.Contains(fail.GuestText(err), notValid) {
				t.Errorf("another key: %s, %v", got, err)
			}
		}
	})
	for _, key := range [][]byte{{}, make([]byte, 31)} {
		if _, err := exosql.OpenSQLite(t.Context(), ":memory:", &exosql.OpenOptions{CursorKey: key}); fail.KindOf(err) != fail.Invalid {
			t.Errorf("a key of %d bytes: %v", len(key), err)
		}
	}
}

// TestPagesOfChangingRows: rows that come and go between two pages move no other row, and none is read twice.
func TestPagesOfChangingRows(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(append(kit.NotesSQL(e, 40), "DELETE FROM notes", "INSERT INTO notes SELECT id, 1, 1, 't', 'c', id / 3 FROM folders")...)})
		hand := e.SQLDB(t, url)
		p := newPager(t, kit.NotesOf(db, 1, false))
		const q = "notes.orderBy(n => n.due.desc()).select(n => n.id)"
		all, err := p.run(t, "", "return await "+q+".limit(100).execute()")
		if err != nil {
			t.Fatal(err)
		}
		var want, got []int
		if err := json.Unmarshal([]byte(all), &want); err != nil || len(want) != 40 {
			t.Fatal(all)
		}
		next := "null"
		for i := 0; ; i++ {
			text, err := p.run(t, "", "return await "+q+".page(7, "+next+")")
			if err != nil {
				t.Fatal(err)
			}
			var page struct {
				Rows []int
				Next *string
			}
			if err := json.Unmarshal([]byte(text), &page); err != nil {
				t.Fatal(text)
			}
			got = append(got, page.Rows...)
			if page.Next == nil {
				break
			}
			next = "'" + *page.Next + "'"
			// Before the cursor, at it, and in the place of the row that it names: all behind it.
			last := page.Rows[len(page.Rows)-1]
			for _, change := range []string{"DELETE FROM notes WHERE id = " + text2(last), "DELETE FROM notes WHERE id = " + text2(page.Rows[0]), "INSERT INTO notes VALUES (" + text2(1000+i) + ", 1, 1, 't', 'c', 900)", "INSERT INTO notes VALUES (" + text2(2000+i) + ", 1, 1, 't', 'c', " + text2(last/3) + ")"} {
				if _, err := hand.Exec(change); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func text2(n int) string { b, _ := json.Marshal(n); return string(b) }

// TestHiddenOrder: the order of a host is by a column that the program does not see, whose values a cursor holds and does not show: it is
// as long whatever they are, up to what one holds.
func TestHiddenOrder(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		long := e.Pick("hex(zeroblob(%d))", "repeat('00', %d)")
		sql := kit.NotesSQL(e, 20)
		sql = append(sql, "DELETE FROM notes")
		for id, code := range map[string]string{"1": "''", "2": "'SECRET'", "3": strings.Replace(long, "%d", "20", 1), "4": strings.Replace(long, "%d", "3000", 1), "5": strings.Replace(long, "%d", "4000", 1)} {
			sql = append(sql, "INSERT INTO notes VALUES ("+id+", 1, 1, 't', "+code+", 1)")
		}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(sql...)})
		f := exosql.NewFacet(kit.Memos, "note", kit.MemoID)
		p := newPager(t, map[string]exo.Object{"notes": f.Of(exosql.Grant(db, kit.Memos, kit.MemoOwner.Eq(1)).OrderBy(kit.MemoCode.Desc()))})
		got, err := p.run(t, "ann", "const two = await notes.page(4), a = await notes.page(3, (await notes.page(2)).next).catch(e => e.message); return [two.rows.map(n => n.id), a]")
		if fail.KindOf(err) != fail.Limit || !strings.Contains(fail.GuestText(err), "too many for a cursor") {
			t.Errorf("a value that no cursor holds: %s, %v", got, err)
		}
		p = newPager(t, map[string]exo.Object{"notes": f.Of(exosql.Grant(db, kit.Memos, exosql.And(kit.MemoOwner.Eq(1), kit.MemoID.Le(3))).OrderBy(kit.MemoCode.Desc()))})
		got, err = p.run(t, "ann", "const a = await notes.page(1), b = await notes.page(1, a.next), c = await notes.page(1, b.next); return [[a, b, c].map(p => p.rows[0].id), a.next.length - b.next.length, c.next, a.next.includes('SECRET')]")
		if err != nil || got != `[[2,3,1],0,null,false]` {
			t.Errorf("%s, %v", got, err)
		}
	})
}

// TestPagesOfLabels: a page carries the labels of its query: of what it is sorted by, too.
func TestPagesOfLabels(t *testing.T) {
	tasks := exosql.NewTable[tu.Task]("tasks")
	id := exosql.NewKey(tasks, "id", func(t *tu.Task) *int64 { return &t.ID })
	title := exosql.NewColumn(tasks, "title", func(t *tu.Task) *string { return &t.Title }).WithLabel("private")
	o := exosql.NewFacet(tasks, "task", id, title).Of(exosql.Grant(tu.Open(t), tasks, exosql.AllRows[tu.Task]()))
	p := newPager(t, map[string]exo.Object{"tasks": o})
	for program, withheld := range map[string]bool{"(await tasks.page(2)).next": false, "(await tasks.page(2)).rows[0]": false, "(await tasks.select(t => t.id).page(2)).next": false, "(await tasks.orderBy(t => t.title).select(t => t.id).page(2)).next": true} {
		if got, err := p.run(t, "ann", "return "+program); (fail.KindOf(err) == fail.Denied) != withheld || !withheld && err != nil {
			t.Errorf("%s: %s, %v", program, got, err)
		}
	}
}

// TestTypedPages: the pages of a relation, for a host that shows them.
func TestTypedPages(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kit.NotesSQL(e, 300)...)})
		all := exosql.Grant(db, kit.Memos, kit.MemoOwner.Eq(1))
		for name, r := range map[string]exosql.Relation[kit.Memo]{
			"by key": all, "by due": all.OrderBy(kit.MemoDue.Desc()), "by code and due": all.OrderBy(kit.MemoCode.Asc(), kit.MemoDue.Desc()), "of some": all.Where(kit.MemoCode.Ge("c3")).OrderBy(kit.MemoDue.Asc()),
			"limited": all.OrderBy(kit.MemoCode.Asc()).Limit(10).OrderBy(kit.MemoDue.Desc()), "of a link": exosql.Follow(exosql.Grant(db, kit.Folders, kit.FolderOwner.Eq(1), exosql.ScopeRows(kit.Memos, kit.MemoOwner.Eq(1))), kit.FolderNotes).OrderBy(kit.MemoText.Asc()),
		} {
			want, err := r.Limit(1000).All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []kit.Memo
			for after := ""; ; {
				rows, next, err := r.Page(t.Context(), 7, after)
				if err != nil || len(rows) > 7 || next != "" && len(rows) < 7 {
					t.Fatalf("%s: %d rows, %q, %v", name, len(rows), next, err)
				}
				got = append(got, rows...)
				if after = next; next == "" {
					break
				}
			}
			if a, b := jsonOf(t, got), jsonOf(t, want); a != b {
				t.Errorf("%s:\n%s\nwant\n%s", name, a, b)
			}
		}
		_, next, err := all.OrderBy(kit.MemoCode.Asc()).Page(t.Context(), 3, "")
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]exosql.Relation[kit.Memo]{"another owner": exosql.Grant(db, kit.Memos, kit.MemoOwner.Eq(2)).OrderBy(kit.MemoCode.Asc()), "another order": all.OrderBy(kit.MemoText.Asc()), "a condition": all.Where(kit.MemoDue.Ge(1)).OrderBy(kit.MemoCode.Asc())} {
			if rows, _, err := r.Page(t.Context(), 3, next); !errors.Is(err, exosql.ErrCursor) {
				t.Errorf("%s: %v, %v", name, rows, err)
			}
		}
		guest := newPager(t, kit.NotesOf(db, 1, false))
		if got, err := guest.run(t, "", "return await notes.orderBy(n => n.code).page(3, '"+next+"')"); err == nil || !strings.Contains(fail.GuestText(err), notValid) {
			t.Errorf("a cursor of the host in a program: %s, %v", got, err)
		}
		for _, size := range []int64{0, -1} {
			if _, _, err := all.Page(t.Context(), size, ""); fail.KindOf(err) != fail.Invalid {
				t.Errorf("%d rows: %v", size, err)
			}
		}
		if _, _, err := (exosql.Relation[kit.Memo]{}).Page(t.Context(), 3, ""); err == nil {
			t.Error("a zero Relation has a page")
		}
	})
}

func jsonOf(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPageTraps: no condition of a program is tried on a row out of scope on the way to a later page.
func TestPageTraps(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, indexes := range notesIndexSets {
			t.Run(name, func(t *testing.T) {
				db, _, sprung := trapDB(t, e, indexes...)
				r, bare := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{Calls: 10000}), tu.NewRunner(t, kit.NotesOf(db, 1, true), exo.Limits{Calls: 10000})
				for _, q := range []string{"notes.where(n => n.text.includes('9')).orderBy(n => n.text)", "notes.orderBy(n => [n.text.desc(), n.code])", "notes.where(n => n.due > 300).orderBy(n => n.text.length)", "folders.notes().orderBy(n => n.text.slice(0, 7))", "notes.orderBy(n => n.folder().name)"} {
					program := kit.InPages + "return await inPages(" + q + ".select(n => n.id), 20)"
					o, want := r.Run(t, program), bare.Run(t, program)
					if sprung(o) || o.Kind != 0 || o.JSON != want.JSON || o.JSON == "[]" {
						t.Errorf("%s: %v, want %v", q, o, want)
					}
				}
			})
		}
	})
}

// TestPageReads: how much a later page reads depends on no value of others, and on no row of its own before it where an index serves.
func TestPageReads(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		reads := map[string][]int{}
		for _, others := range []string{"UPDATE notes SET due = 500, code = 'c3', text = '9' WHERE owner <> 1", "UPDATE notes SET due = 5000 + id, code = 'zz', text = 'z' WHERE owner <> 1"} {
			url := e.URL(t)
			db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(append(kit.NotesSQL(e, 4000, append(slices.Clip(notesIndexes), "CREATE INDEX notes_owner_code ON notes (owner, code, id)", "CREATE INDEX notes_owner_id ON notes (owner, id)", "UPDATE notes SET due = 0 WHERE due IS NULL")...), others)...)})
			hand := e.SQLDB(t, url)
			for _, fenced := range []bool{false, true} {
				r := tu.NewRunner(t, kit.NotesOf(db, 1, fenced), exo.Limits{})
				for _, q := range []string{"notes", "notes.orderBy(n => n.code)", "notes.orderBy(n => n.code.desc())", "notes.orderBy(n => [n.text, n.due])", "notes.orderBy(n => n.due.desc())", "notes.orderBy(n => n.due)"} {
					for _, skip := range []string{"5", "350"} {
						at := "const { next } = await " + q + ".page(" + skip + "); "
						o := r.Run(t, at+"await "+q+".page(5, next)")
						if o.Kind != 0 || len(o.SQL) != 2 {
							t.Fatalf("%s: %v", q, o)
						}
						key := q + " " + skip
						if fenced {
							key += " fenced"
						}
						if e.Name == tu.Postgres.Name {
							reads[key] = append(reads[key], rowsRead(t, hand, o.SQL[1].SQL, o.SQL[1].Args))
							continue
						}
						steps := func(program string) int {
							exosql.SQLiteSteps(t.Context(), db)
							r.Run(t, program)
							return exosql.SQLiteSteps(t.Context(), db)
						}
						first := steps(at)
						reads[key] = append(reads[key], steps(at+"await "+q+".page(5, next)")-first)
					}
				}
			}
		}
		for q, n := range reads {
			if n[0] != n[1] {
				t.Errorf("%s: reads %v rows or steps", q, n)
			}
		}
		if e.Name == tu.Postgres.Name { // of so few rows it reads all, and sorts them; BenchmarkPages has more
			return
		}
		for _, q := range []string{"notes", "notes.orderBy(n => n.due)"} {
			if near, far := reads[q+" 5"][0], reads[q+" 350"][0]; far > near+near/5+2 {
				t.Errorf("%s: behind 5 rows %d are read or steps made, behind 350 %d", q, near, far)
			}
		}
	})
}
