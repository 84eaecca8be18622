package exosql_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestCatalogues asks random questions of databases with random indexes: of every order,
// direction and collation, partial ones, of expressions, that begin with the scope and that do not.
// For each question it holds
//
//   - that no trap springs: nothing of a program is tried on a row out of scope;
//   - that the answer is that of a database without indexes, where everything is fenced;
//   - that as much is read as in a database that differs out of scope only;
//   - and that no more is read than for the statement that a person would write, times the
//     stated factor, if there is an index that begins with the scope and goes on with what is asked for.
//
// What is read are the steps of SQLite's machine, and the rows that PostgreSQL says it read. EXO_LONG asks for many
// more, of a random seed; EXO_SEED for those of one seed.
func TestCatalogues(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	catalogues, questions := 8, 30
	if tu.Long() {
		catalogues, questions = 60, 100
	}
	seed := int(tu.Seed(t, 1))
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var bare []*tu.Runner
		for _, s := range catalogueScopes {
			db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Conns: 1, Setup: e.Exec(catalogueSQL(e, 1, s, nil)...)})
			bare = append(bare, tu.NewRunner(t, kit.NotesIn(db, exosql.And(s.notes(), kit.MemoOwner.Ge(1)), exosql.And(s.folders(), kit.FolderOwner.Ge(1))), exo.Limits{}))
		}
		all := map[string]int{}
		for n := range catalogues {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				indexes := append([]index{}, fixedIndexes...)
				if n > 0 {
					indexes = rapid.SliceOfN(indexOf(e), 3, 9).Example(seed + n)
				}
				scope := catalogueScopes[n/2%len(catalogueScopes)]
				if len(scope.of) > 0 {
					indexes = append(indexes, compositeIndexes[n%2]...)
				}
				ran := catalogue(t, e, bare[n/2%len(catalogueScopes)], scope, indexes, n, seed, questions)
				for tier, k := range ran {
					all[tier] += k
				}
				if t.Failed() {
					for i, x := range indexes {
						t.Log(x.sql(e, i))
					}
				}
			})
		}
		t.Log(all)
		if all["replanned"]*30 > catalogues*questions {
			t.Errorf("%v: too few were read in the same way from both databases", all)
		}
		// All tiers occur, and statements that were compared with those by hand.
		for tier, least := range map[string]int{"open": 3, "guarded": 3, "fenced": 1, "compared": 2, "aggregated": 4} {
			if all[tier] < least*catalogues {
				t.Errorf("%v, want %s at least %d", all, tier, least*catalogues)
			}
		}
	})
}

const catalogueRows = 800

// catalogueScope is a scope that catalogues are asked in: of notes and folders with one of these
// owners, and of notes in one of these folders besides, if there are any.
type catalogueScope struct{ owners, of []int64 }

// One value, a list, a value of each of two columns, and a list of each.
var catalogueScopes = []catalogueScope{{owners: []int64{1}}, {owners: []int64{1, 3}}, {[]int64{1}, []int64{11}}, {[]int64{1, 3}, []int64{11, 21, 13}}}

// compositeIndexes begin with both columns of a scope, in either order.
var compositeIndexes = [][]index{
	{{table: "notes", columns: []string{"owner", "folder_id", "due"}}, {table: "notes", columns: []string{"folder_id", "owner", "code"}}},
	{{table: "notes", columns: []string{"folder_id", "owner", "due DESC"}}, {table: "notes", columns: []string{"folder_id", "code", "owner"}}},
}

func (s catalogueScope) notes() exosql.Predicate[kit.Memo] {
	switch {
	case len(s.of) == 0:
		return kit.MemoOwner.In(s.owners...)
	case len(s.of) == 1:
		return exosql.And(kit.MemoOwner.Eq(s.owners[0]), kit.MemoFolder.Eq(s.of[0]))
	}
	return exosql.And(kit.MemoOwner.In(s.owners...), kit.MemoFolder.In(s.of...))
}

func (s catalogueScope) folders() exosql.Predicate[kit.Folder] {
	return kit.FolderOwner.In(s.owners...)
}

// sql are the conditions on notes and on folders.
func (s catalogueScope) sql() (notes, folders string) {
	folders = "owner IN (" + listOf(s.owners) + ")"
	if notes = folders; len(s.of) > 0 {
		notes = "(" + folders + " AND folder_id IN (" + listOf(s.of) + "))"
	}
	return notes, folders
}

// catalogue asks one catalogue everything.
func catalogue(t *testing.T, e tu.Engine, bare *tu.Runner, scope catalogueScope, indexes []index, n, seed, questions int) map[string]int {
	var sqls []string
	for i, x := range indexes {
		sqls = append(sqls, x.sql(e, i))
	}
	var settings []string
	if n%2 == 1 { // tables are so small that PostgreSQL would read them as a whole
		settings = []string{"enable_seqscan"}
	}
	var runners []*tu.Runner
	var dbs []*exosql.DB
	var hands []*sql.DB
	var sprung []func(tu.Outcome) bool
	for variant := range 2 {
		db, hand, trap := trapped(t, e, settings, catalogueSQL(e, variant, scope, sqls))
		objects := kit.NotesOf(db, 1, false)
		if len(scope.owners) > 1 || len(scope.of) > 0 {
			objects = kit.NotesIn(db, scope.notes(), scope.folders())
		}
		runners, dbs, hands = append(runners, tu.NewRunner(t, objects, exo.Limits{})), append(dbs, db), append(hands, hand)
		sprung = append(sprung, trap)
	}
	run := func(i int, program string) (o tu.Outcome, reads int) {
		exosql.SQLiteSteps(t.Context(), dbs[i])
		o = runners[i].Run(t, program)
		if len(o.SQL) != 1 {
			return o, 0
		}
		if e.Name == tu.SQLite.Name {
			return o, exosql.SQLiteSteps(t.Context(), dbs[i])
		}
		return o, rowsRead(t, hands[i], o.SQL[0].SQL, o.SQL[0].Args)
	}
	own, _ := scope.sql()
	ran := map[string]int{}
	for k := range questions {
		q := rapid.Custom(question).Example(seed + 1000 + n*1000 + k)
		o, reads := run(0, q.program)
		other, readsToo := run(1, q.program)
		sprang := sprung[0](o)
		sprang = sprung[1](other) || sprang
		want := bare.Run(t, q.program)
		if o.Kind == fail.Invalid && want.Kind == fail.Invalid && !sprang {
			continue
		}
		if sprang || o.Kind != 0 || o.JSON != want.JSON || other.JSON != want.JSON || len(o.SQL) != 1 {
			t.Errorf("%s\ntrap sprung: %t\n%v\nwith other rows out of scope\n%v\nwithout indexes\n%v\n%v", q.program, sprang, o, other, want, o.SQL)
			continue
		}
		tier := exosql.Tier(o.SQL[0])
		ran[tier]++
		if q.aggregate {
			ran["aggregated"]++
		}
		if reads != readsToo && e.Name == tu.Postgres.Name && replanned(kit.Explained(t, hands[0], o.SQL[0].SQL, o.SQL[0].Args, "EXPLAIN (COSTS OFF)"), kit.Explained(t, hands[1], other.SQL[0].SQL, other.SQL[0].Args, "EXPLAIN (COSTS OFF)"), tier == "open" && exosql.Tier(other.SQL[0]) == "open" && len(scope.of) == 0) {
			ran["replanned"]++
		} else if reads != readsToo {
			t.Errorf("%s\nis %s and reads %d, and with other rows out of scope %d (%s)\n%s", q.program, tier, reads, readsToo, exosql.Tier(other.SQL[0]), o.SQL[0].SQL)
		}
		if q.hand == "" || !slices.ContainsFunc(indexes, func(x index) bool { return x.serves(scope, q.column) }) {
			continue
		}
		// A person's statement may try its conditions on the notes of the owner in other folders.
		if len(scope.of) > 0 && strings.Contains(q.hand, "{has}") {
			continue
		}
		// A person's statement may be served by an index that begins with the column and then has the scope. A program's
		// never is: rows out of scope would be searched for what it asks. So the two are not compared there.
		// Of two lists PostgreSQL prefers an index that begins with one of them, as few rows have both, and
		// a person's statement tries its conditions on the rest.
		if tier != "open" && e.Name == tu.Postgres.Name && len(scope.of) > 1 {
			continue
		}
		if tier != "open" && e.Name == tu.Postgres.Name && slices.ContainsFunc(indexes, func(x index) bool { return x.rivals(q.column) }) {
			continue
		}
		ran["compared"]++
		hand := strings.NewReplacer("owner = 1", own, "{has}", e.Pick("exo_includes", "strpos"), "{sum}", e.Pick("exo_whole(due)", "sum(due)"), "{last}", e.Pick("", " NULLS LAST"), "{first}", e.Pick("", " NULLS FIRST")).Replace(q.hand)
		byHand := 0
		if e.Name == tu.SQLite.Name {
			var err error
			if byHand, err = exosql.SQLiteStepsOf(t.Context(), dbs[0], hand, "notes", "id", "owner", "folder_id", "text", "code", "due"); err != nil {
				t.Fatal(err)
			}
		} else {
			byHand = rowsRead(t, hands[0], hand, nil)
		}
		if reads > byHand*handTimes/10+map[string]int{tu.SQLite.Name: handMoreSteps, tu.Postgres.Name: handMoreRows}[e.Name] {
			t.Errorf("%s\nis %s and reads %d, by hand %d\n%s\n%s", q.program, tier, reads, byHand, o.SQL[0].SQL, o.SQL[0].Fenced)
		}
	}
	return ran
}

// replanned reports whether two plans of nearly one cost differ. Which one is taken hangs on the statistics of
// everybody's rows. The two may search in other ways within the guards or behind the fence, and where so few rows are
// estimated that two indexes that begin with a scope of two columns cost the same. An open statement of one column's
// scope searches the same indexes by the same conditions, and may join what they give in another way.
func replanned(one, two string, sameSearches bool) bool {
	if one == two || !sameSearches {
		return one != two
	}
	searches := func(plan string) (lines []string) {
		for line := range strings.Lines(plan) {
			line = strings.Trim(line, " ->\n")
			if strings.Contains(line, "Scan") || strings.HasPrefix(line, "Index Cond: ") || strings.HasPrefix(line, "Filter: ") {
				lines = append(lines, line)
			}
		}
		slices.Sort(lines)
		return lines
	}
	return slices.Equal(searches(one), searches(two))
}

// A statement reads at most handTimes tenths of what that by hand reads, and so much more.
const (
	handTimes     = 11
	handMoreSteps = 150
	handMoreRows  = 5
)

// catalogueSQL makes the notes with indexes, and gives rows that the owners do not have one of two contents. All that a
// planner knows is the same for both: the number of rows and their sizes, the statistics, which are older,
// and the sizes of indexes.
func catalogueSQL(e tu.Engine, variant int, scope catalogueScope, indexes []string) []string {
	notes, folders := scope.sql()
	due := fmt.Sprintf("CASE WHEN (id / 10 + %[1]d) %% 4 = 0 THEN NULL ELSE (id * 31 + %[1]d * 500) %% 1000 END", variant)
	digits := fmt.Sprintf("(10 + (id * %d) %% 40)", 7+variant*6)
	if e.Name == tu.SQLite.Name {
		return append(kit.NotesSQL(e, catalogueRows, indexes...),
			"UPDATE notes SET due = "+due+", code = 'c' || "+digits+", text = 'BOLT ' || "+digits+" WHERE NOT "+notes,
			"UPDATE folders SET name = 'BOLT ' || "+digits+" WHERE NOT "+folders, "UPDATE notes SET due = NULL WHERE (id / 10) % 5 = 0 AND "+notes,
			"UPDATE notes SET text = replace(text, 'BOLT', 'fair') WHERE "+notes, "UPDATE folders SET name = replace(name, 'BOLT', 'fair') WHERE "+folders)
	}
	other := func(own, otherwise, column string) string {
		return "CASE WHEN " + own + " THEN " + column + " ELSE " + otherwise + " END"
	}
	// New tables: old rows would lie in them for as long as somebody's transaction may see them.
	return slices.Concat(kit.NotesSQL(e, catalogueRows), []string{
		"CREATE TEMP TABLE were AS SELECT * FROM notes", "TRUNCATE notes",
		"INSERT INTO notes SELECT id, owner, folder_id, " + other(notes, "'BOLT ' || "+digits, "replace(text, 'BOLT', 'fair')") + ", " + other(notes, "'c' || "+digits, "code") + ", " + other(notes, due, "CASE WHEN (id / 10) % 5 = 0 THEN NULL ELSE due END") + " FROM were ORDER BY id", "DROP TABLE were",
		"CREATE TEMP TABLE were AS SELECT * FROM folders", "TRUNCATE folders",
		"INSERT INTO folders SELECT id, owner, " + other(folders, "'BOLT ' || "+digits, "replace(name, 'BOLT', 'fair')") + " FROM were ORDER BY id", "DROP TABLE were",
		"ALTER TABLE notes SET (autovacuum_enabled = off)", "ALTER TABLE folders SET (autovacuum_enabled = off)",
	}, indexes)
}

func listOf(owners []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(owners), " ", ", "), "[]")
}

// index is an index of a random catalogue.
type index struct {
	table   string
	unique  bool
	columns []string // as they are written
	where   string
	tail    string
}

var fixedIndexes = func() (out []index) {
	for _, s := range notesIndexes {
		on, columns, _ := strings.Cut(strings.TrimSuffix(s, ")"), " (")
		out = append(out, index{table: on[strings.LastIndex(on, " ")+1:], columns: strings.Split(columns, ", ")})
	}
	return out
}()

func (x index) sql(e tu.Engine, i int) string {
	s := "CREATE "
	if x.unique {
		s += "UNIQUE "
	}
	return s + fmt.Sprintf("INDEX catalogue_%d ON %s (%s)%s%s%s", i, x.table, strings.Join(x.columns, ", "), x.tail,
		e.Pick("", " WITH (deduplicate_items = off)"), x.where) // an index of one size, whatever rows out of scope have
}

// serves reports whether the index begins with the scope and goes on with the column; "" is the scope alone.
func (x index) serves(scope catalogueScope, column string) bool {
	first := []string{"owner"}
	if len(scope.of) > 0 {
		first = append(first, "folder_id")
	}
	n := len(first)
	if x.table != "notes" || x.where != "" || len(x.columns) < n || slices.ContainsFunc(first, func(c string) bool { return !slices.Contains(x.columns[:n], c) }) {
		return false
	}
	return column == "" || len(x.columns) > n && x.columns[n] == column
}

// rivals reports whether the index begins with the column, and then has the scope.
func (x index) rivals(column string) bool {
	return x.table == "notes" && column != "" && len(x.columns) > 1 && strings.HasPrefix(x.columns[0], column) && slices.Contains(x.columns, "owner")
}

// indexOf draws an index of notes or folders.
func indexOf(e tu.Engine) *rapid.Generator[index] {
	return rapid.Custom(func(t *rapid.T) index {
		names := map[string][]string{"notes": {"folder_id", "text", "code", "due", "id"}, "folders": {"name", "id"}}
		wheres := map[string][]string{"notes": {"due IS NOT NULL", "owner = 1", "owner > 0", "code > 'c2'"}, "folders": {"owner = 1", "name > 'B'"}}
		exprs := map[string][]string{"notes": {"lower(text)", "(owner + 0)", "(due % 7)"}, "folders": {"lower(name)", "(owner % 3)"}}
		x := index{table: rapid.SampledFrom([]string{"notes", "notes", "notes", "folders"}).Draw(t, "table")}
		rest := rapid.Permutation(names[x.table]).Draw(t, "columns")
		switch rapid.IntRange(0, 3).Draw(t, "scope") {
		case 0, 1: // it begins with the scope
			rest = append([]string{"owner"}, rest...)
		case 2: // the scope stands behind
			rest = append(rest[:1:1], append([]string{"owner"}, rest[1:]...)...)
		}
		rest = rest[:rapid.IntRange(1, min(3, len(rest))).Draw(t, "width")]
		for i, c := range rest {
			text := c == "text" || c == "code" || c == "name"
			if i > 0 || c != "owner" {
				if k := rapid.IntRange(0, 9).Draw(t, "form"); k == 0 {
					c, text = rapid.SampledFrom(exprs[x.table]).Draw(t, "expression"), false
				} else if k < 3 && text {
					c += rapid.SampledFrom(strings.Split(e.Pick(" COLLATE NOCASE, COLLATE RTRIM", ` COLLATE "C", COLLATE "POSIX", text_pattern_ops`), ",")).Draw(t, "collation")
				}
			}
			c += rapid.SampledFrom([]string{"", "", " DESC"}).Draw(t, "direction")
			if e.Name == tu.Postgres.Name {
				c += rapid.SampledFrom([]string{"", "", " NULLS FIRST", " NULLS LAST"}).Draw(t, "nulls")
			}
			x.columns = append(x.columns, c)
		}
		if rapid.IntRange(0, 6).Draw(t, "partial") == 0 {
			x.where = " WHERE " + rapid.SampledFrom(wheres[x.table]).Draw(t, "where")
		}
		if e.Name == tu.Postgres.Name && rapid.IntRange(0, 5).Draw(t, "covering") == 0 {
			x.tail = " INCLUDE (" + names[x.table][0] + ")"
		}
		x.unique = slices.Contains(x.columns, "id") && rapid.Bool().Draw(t, "unique")
		return x
	})
}

// asked is a question: a program, and if a person would know how to ask it, the statement and the
// column that an index serves it by.
type asked struct {
	program, hand, column string
	aggregate             bool
}

// question draws one.
func question(t *rapid.T) asked {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0, 1:
		return plainQuestion(t)
	case 2, 3:
		return asked{program: randomGroups(t), aggregate: true}
	}
	return asked{program: randomProgram(t)}
}

// plainQuestion is what lists ask.
func plainQuestion(t *rapid.T) asked {
	const columns = "SELECT id, owner, folder_id, text, code, due FROM notes WHERE owner = 1"
	code, due, digit := rapid.IntRange(0, 49).Draw(t, "code"), rapid.IntRange(0, 999).Draw(t, "due"), rapid.IntRange(0, 9).Draw(t, "digit")
	shown := func(q asked) asked {
		q.program = "return (await " + q.program + ").map(x => JSON.stringify(x)).sort()"
		return q
	}
	switch rapid.IntRange(0, 11).Draw(t, "question") {
	case 0:
		return shown(asked{program: fmt.Sprintf("notes.where(n => n.code === 'c%d')", code), hand: fmt.Sprintf("%s AND code = 'c%d'", columns, code), column: "code"})
	case 1:
		return shown(asked{program: fmt.Sprintf("notes.where(n => n.due >= %d).orderBy(n => n.due).limit(5)", due), hand: fmt.Sprintf("%s AND due >= %d ORDER BY due, id LIMIT 5", columns, due), column: "due"})
	case 2:
		return shown(asked{program: "notes.orderBy(n => n.due.desc()).limit(5)", hand: columns + " ORDER BY due DESC{last}, id DESC LIMIT 5", column: "due"})
	case 3:
		return asked{program: "return await notes.where(n => n.due === null).count()", hand: "SELECT count(*) FROM notes WHERE owner = 1 AND due IS NULL", column: "due"}
	case 4:
		return shown(asked{program: fmt.Sprintf("notes.where(n => n.text.includes('%d'))", digit), hand: fmt.Sprintf("%s AND {has}(text, '%d') > 0", columns, digit)})
	case 5:
		return shown(asked{program: fmt.Sprintf("notes.where(n => n.folderId === 11 && n.due < %d)", due), hand: fmt.Sprintf("%s AND folder_id = 11 AND due < %d", columns, due), column: "folder_id"})
	case 6:
		return asked{program: "return await notes.count()", hand: "SELECT count(*) FROM notes WHERE owner = 1"}
	case 7:
		return asked{program: "return await notes.countBy(n => n.code)", hand: "SELECT code, count(*) FROM notes WHERE owner = 1 GROUP BY code ORDER BY code", column: "code", aggregate: true}
	case 8:
		return asked{program: "return await notes.groupBy(n => n.folderId).select(g => ({ id: g.folderId, n: g.count(), max: g.max(n => n.due) })).orderBy(g => g.count().desc()).limit(3)",
			hand: "SELECT folder_id, count(*), max(due) FROM notes WHERE owner = 1 GROUP BY folder_id ORDER BY count(*) DESC, folder_id DESC LIMIT 3", column: "folder_id", aggregate: true}
	case 9:
		return asked{program: fmt.Sprintf("return await notes.where(n => n.due >= %d).sum(n => n.due)", due), hand: fmt.Sprintf("SELECT {sum} FROM notes WHERE owner = 1 AND due >= %d", due), column: "due", aggregate: true}
	case 10:
		return asked{program: "return await notes.countDistinct(n => n.due)", hand: "SELECT count(DISTINCT due) FROM notes WHERE owner = 1", column: "due", aggregate: true}
	default:
		return asked{program: "return await notes.max(n => n.due)", hand: "SELECT max(due) FROM notes WHERE owner = 1", column: "due", aggregate: true}
	}
}

// randomProgram draws a program over notes and folders, joined or not.
func randomProgram(t *rapid.T) string {
	program, _, _ := randomQuery(t)
	if rapid.Bool().Draw(t, "rows") {
		return "return (await " + program + ".execute()).map(x => JSON.stringify(x)).sort()"
	}
	return "return await " + program + ".count()"
}

// randomGroups draws aggregates and groups of such a query.
func randomGroups(t *rapid.T) string {
	program, arg, cond := randomQuery(t)
	row := strings.FieldsFunc(arg, func(r rune) bool { return r < 'a' || r > 'z' })
	column := func(name string, numeric bool) string {
		n := rapid.SampledFrom(row).Draw(t, name)
		of := map[string][]string{"note": {"due", "id", "folderId", "text", "code"}, "folder": {"id", "owner", "name"}}[n]
		if numeric {
			of = of[:2]
		}
		return n + "." + rapid.SampledFrom(of).Draw(t, name)
	}
	aggregate := func(of string) string {
		f := rapid.SampledFrom([]string{"count", "sum", "avg", "median", "min", "max", "countDistinct", "collect"}).Draw(t, "aggregate")
		switch {
		case f == "count" && of != "":
			return of + ".count()"
		case f == "count" || f == "collect" && of == "":
			f = "max"
		}
		return of + "." + f + "(" + arg + " => " + column("value", f == "sum" || f == "avg" || f == "median") + ")"
	}
	if rapid.IntRange(0, 3).Draw(t, "whole") == 0 {
		return "return await " + program + aggregate("")
	}
	keys := rapid.SampledFrom([]string{"a: " + column("key", false), "a: " + column("key", true) + " % 7", "a: " + column("key", false) + ", b: " + column("second", false), "a: " + cond(1)}).Draw(t, "keys")
	program += ".groupBy(" + arg + " => ({ " + keys + " }))"
	for range rapid.IntRange(0, 3).Draw(t, "steps") {
		switch rapid.IntRange(0, 3).Draw(t, "step") {
		case 0:
			program += ".where(g => g.count() " + rapid.SampledFrom([]string{">", "<="}).Draw(t, "op") + fmt.Sprintf(" %d)", rapid.IntRange(0, 5).Draw(t, "many"))
		case 1:
			program += ".where(g => g.a " + rapid.SampledFrom([]string{"!== null", "=== null"}).Draw(t, "is") + ")"
		case 2:
			program += ".orderBy(g => g." + rapid.SampledFrom([]string{"count()", "a", "a.desc()", "max(" + arg + " => " + column("by", true) + ").desc()"}).Draw(t, "order") + ")"
		case 3:
			program += fmt.Sprintf(".limit(%d)", rapid.IntRange(1, 5).Draw(t, "limit"))
		}
	}
	return "return await " + program + ".select(g => ({ ...g, x: " + aggregate("g") + ", y: " + aggregate("g.where("+arg+" => "+cond(1)+")") + " }))"
}

// randomQuery draws a query, how its callbacks begin, and what draws conditions on its rows.
func randomQuery(t *rapid.T) (program, callback string, condition func(depth int) string) {
	row, other := "note", ""
	var cond func(depth int) string
	cond = func(depth int) string {
		n := row
		if other != "" && rapid.Bool().Draw(t, "other") {
			n = other
		}
		text := map[string]string{"note": "text", "folder": "name"}[n]
		switch k := rapid.IntRange(0, 10).Draw(t, "cond"); {
		case depth > 0 && k == 0:
			return "(" + cond(depth-1) + " && " + cond(depth-1) + ")"
		case depth > 0 && k == 1:
			return "(" + cond(depth-1) + " || " + cond(depth-1) + ")"
		case depth > 0 && k == 2:
			return "!(" + cond(depth-1) + ")"
		case k == 3:
			return fmt.Sprintf("%s.id === %d", n, rapid.IntRange(0, 40).Draw(t, "id"))
		case k == 4:
			return fmt.Sprintf("%s.owner === %d", n, rapid.IntRange(1, 3).Draw(t, "owner"))
		case k == 5 && n == "note":
			return fmt.Sprintf("note.due %s %d", rapid.SampledFrom([]string{">", "<=", "==="}).Draw(t, "op"), rapid.IntRange(0, 999).Draw(t, "due"))
		case k == 6 && n == "note":
			return fmt.Sprintf("note.code === 'c%d'", rapid.IntRange(0, 49).Draw(t, "code"))
		case k == 7 && n == "note":
			return "note.due === null"
		case k == 8 && other != "":
			return "folder.owner === note.owner"
		default:
			return fmt.Sprintf("%s.%s.%s('%d')", n, text, rapid.SampledFrom([]string{"includes", "startsWith"}).Draw(t, "f"), rapid.IntRange(0, 9).Draw(t, "digit"))
		}
	}
	arg := func() string {
		if other == "" {
			return "({ " + row + " })"
		}
		return "({ note, folder })"
	}
	program = "notes"
	if rapid.Bool().Draw(t, "begin") {
		program, row = "folders", "folder"
	}
	for range rapid.IntRange(1, 5).Draw(t, "steps") {
		switch rapid.IntRange(0, 7).Draw(t, "step") {
		case 0:
			if other == "" {
				link := map[string]string{"note": "folder", "folder": "notes"}[row]
				kind := rapid.SampledFrom([]string{"join", "leftJoin"}).Draw(t, "kind")
				program += fmt.Sprintf(".%s(({ %s }) => %s.%s())", kind, row, row, link)
				other = map[string]string{"note": "folder", "folder": "note"}[row]
			}
		case 1:
			if other == "" {
				program += "." + map[string]string{"note": "folder", "folder": "notes"}[row] + "()"
				row = map[string]string{"note": "folder", "folder": "note"}[row]
			}
		case 2:
			by := []string{"id", "owner", "text", "code", "due"}
			if row == "folder" {
				by = []string{"id", "owner", "name"}
			}
			program += fmt.Sprintf(".orderBy(%s => %s.%s%s)", arg(), row, rapid.SampledFrom(by).Draw(t, "by"), rapid.SampledFrom([]string{"", ".desc()"}).Draw(t, "way"))
		case 3:
			program += fmt.Sprintf(".limit(%d)", rapid.IntRange(1, 9).Draw(t, "limit"))
		default:
			program += ".where(" + arg() + " => " + cond(2) + ")"
		}
	}
	return program, arg(), cond
}

// rowsRead is how many rows of tables a statement reads, as PostgreSQL counts them where it plans as it
// does for programs. hand runs nothing else meanwhile.
func rowsRead(t *testing.T, hand *sql.DB, statement string, args []value.Value) int {
	t.Helper()
	var plans []any
	if err := json.Unmarshal([]byte(kit.Explained(t, hand, statement, args, "EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF)")), &plans); err != nil {
		t.Fatal(err)
	}
	n := 0.0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			if _, table := v["Relation Name"]; table {
				for _, what := range []string{"Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"} {
					if x, ok := v[what].(float64); ok {
						n += x * v["Actual Loops"].(float64)
					}
				}
			}
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(plans)
	return int(n)
}
