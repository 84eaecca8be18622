package scope_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type note struct {
	ID, Owner int64
	Title     string
	Made      *time.Time
}

var (
	notes     = exosql.NewTable[note]("notes")
	noteID    = exosql.NewKey(notes, "id", func(n *note) *int64 { return &n.ID })
	noteOwner = exosql.NewColumn(notes, "owner", func(n *note) *int64 { return &n.Owner })
	noteTitle = exosql.NewColumn(notes, "title", func(n *note) *string { return &n.Title })
	noteMade  = exosql.NewNullable(notes, "made", func(n *note) **time.Time { return &n.Made })
)

// Each payload is the title of one row of owner 1; owner 2 has the canary.
func openNotes(t *testing.T, e tu.Engine, texts []string) *exosql.DB {
	return e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		if _, err := db.ExecContext(ctx, e.SQL("CREATE TABLE notes (id {int} PRIMARY KEY, owner {int} NOT NULL, title TEXT NOT NULL, made {time})")+e.Pick("", " WITH (autovacuum_enabled = off)")); err != nil {
			return err
		}
		for i, s := range texts {
			if _, err := db.ExecContext(ctx, e.Pick("INSERT INTO notes VALUES (?, 1, ?, NULL)", "INSERT INTO notes VALUES ($1, 1, $2, NULL)"), i+1, s); err != nil {
				return err
			}
		}
		// Its statistics are made here, and by nobody else: with others the plan would change in between.
		_, err := db.ExecContext(ctx, "INSERT INTO notes VALUES (9999, 2, 'CANARY', NULL); ANALYZE")
		return err
	}})
}

// What a program says with a text in every place where it may have one. %s is the
// text as a literal of JavaScript, and the answer is the ids of the rows that have it, or
// the text itself.
var (
	findsItself = []string{
		"t => t.title.eq(%s)", "t => t.title === %s", "t => t.title == %s", "t => t.title.in([%s])", "t => t.title.in(['zz', %s])", "({ title: %s })", "({ title: [%s, 'zz'] })",
		"t => t.title.is(%s)", "t => t.title.between(%[1]s, %[1]s)", "t => t.title >= %[1]s && t.title <= %[1]s", "t => t.title.coalesce('zz').eq(%s)",
		"t => t.title.nullIf(%s).isNull()", "t => t.self().title === %s", "t => t.selves().some(x => x.title === %s)", "t => !t.selves().every(x => x.title !== %s)",
		"t => t.selves().orderBy(x => x.title.eq(%s)).first().title === %[1]s", "t => t.selves().where(x => x.title === %s).first() !== null",
		"t => t.selves().where({ title: %s }).count() === 1", "t => t.selves().max(x => x.title.eq(%s) ? 'a' : 'b') === 'a'", "t => t.title.concat('x').eq(%s + 'x')", "t => t.title.eq('').case('zz', t.title).eq(%s)",
		"t => t.id.in(notes.where(x => x.title === %s).select(x => x.id))", "t => t.title.in(notes.where({ title: %s }).select(x => ({ t: x.title })).union(notes.where(x => x.title.eq(%[1]s)).select(x => ({ t: x.title }))))",
		"t => t.id.notIn(notes.where(x => x.title !== %s).select(x => x.id))", "t => t.title === notes.where(x => x.title === %s).max(x => x.title)", "t => notes.some(x => x.id === t.id && x.title === %s)",
		"t => t.title.notIn([%s]).not()", "t => t.title.ne(%s).not()", "t => t.title.includes(%[1]s) && t.title.length === [...%[1]s].length",
		"t => t.title.startsWith(%[1]s) && t.title.endsWith(%[1]s) && t.title.length === [...%[1]s].length",
		"t => t.title.like(%s.slice(0, 499).replace(/[\\\\%%_]/g, '\\\\$&') + '%%') && t.title.eq(%[1]s)",
	}
	// The same in groups, windows, sets, pages and rows within rows: each answers with the ids in an array.
	findsAmong = []string{
		"notes.groupBy(t => ({ k: t.title === %s, id: t.id })).where(g => g.k).select(g => g.max(t => t.id))",
		"notes.groupBy(t => t.id).where(g => g.where(t => t.title === %s).count() > 0).select(g => g.id)",
		"notes.groupBy(t => t.title).where(g => g.title === %s).select(g => g.min(t => t.id))",
		"notes.groupBy(t => t.id).select(g => ({ id: g.id, x: g.max(t => t.title) })).groupBy(r => ({ id: r.id, x: r.x })).where(g => g.x === %s).select(g => g.id)",
		"notes.distinctBy(t => ({ a: t.title.eq(%s), id: t.id })).where(t => t.title === %[1]s).select(t => t.id)",
		"notes.orderBy(t => t.title.eq(%s)).partitionBy(t => t.title.eq(%[1]s)).where(({ window }) => window.first(t => t.title) === %[1]s && window.count() === 1).select(({ note }) => note.id)",
		"notes.orderBy(t => t.id).partitionBy(t => t.id).where(({ window }) => window.where(t => t.title === %s).count() === 1 && window.where({ title: %[1]s }).movingMax(t => t.title.eq(%[1]s) ? 'a' : 'b', 2) === 'a').select(({ note }) => note.id)",
		"notes.orderBy(t => t.id).partitionBy().where(({ window }) => window.lag(t => t.title.eq(%s) ? 'a' : 'b', 0) === 'a').select(({ note }) => note.id)",
		"notes.select(t => ({ id: t.id, x: t.title })).intersect(notes.where(t => t.title === %s).select(t => ({ id: t.id, x: t.title }))).select(r => r.id)",
		"notes.select(t => t.id).except(notes.where(t => t.title !== %s).select(t => t.id))",
		"notes.where(t => t.title === %s).orderBy(t => t.title.eq(%[1]s)).select(t => t.id).page(5).then(p => p.rows)",
		"notes.where(t => t.title === %s).select(t => ({ x: t.selves().where(s => s.title === %[1]s).select(s => s.id) })).execute().then(r => r[0].x)",
	}
	// A cursor is none that a program makes up, and what is searched for is a bound value.
	asCursor  = []string{"notes.page(5, %s)", "notes.orderBy(t => t.title).page(5, %s)", "notes.groupBy(t => t.title).page(5, %s)"}
	asSearch  = []string{"notes.search(%s).select(t => t.id)", "notes.where(t => t.matches(%s)).select(t => t.id)", "notes.orderBy(t => t.rank(%s).desc()).select(t => t.id)", "notes.where(t => t.selves().search(%s).exists()).select(t => t.id)"}
	comesBack = []string{
		"notes.where(t => t.id.eq(1)).select(t => ({ x: %s })).unionAll(notes.where(t => t.id.eq(1)).select(t => ({ x: %[1]s }))).where(r => r.x === %[1]s).first().then(r => r.x)",
		"notes.where(t => t.id.eq(1)).select(t => ({ x: %s })).execute().then(r => r[0].x)",
		"notes.where(t => t.id.eq(1)).select(t => ({ x: t.id.eq(1).case(%s, 'zz') })).execute().then(r => r[0].x)",
		"notes.where(t => t.id.eq(1)).select(t => ({ x: t.title.nullIf(t.title).coalesce(%s) })).execute().then(r => r[0].x)",
		"notes.where(t => t.id.eq(1)).select(t => ({ x: t.title.substring(0, 0).concat(%s) })).execute().then(r => r[0].x)",
		"notes.where(t => t.title.eq(%s)).select(t => ({ x: t.title })).first().then(r => r.x)",
	}
	// Names: refused, or a name of the result and nothing else.
	asName = []string{
		"notes.where(t => t.id.eq(1)).select(t => ({ [%s]: t.id })).execute().then(r => Object.keys(r[0])[0])",
		"notes.as(%[1]s).where(t => t[%[1]s].id.eq(1)).execute().then(() => %[1]s)",
		"notes.where(t => t[%s].eq(1)).execute()",
		"notes.where({ [%s]: 1 }).execute()",
		"notes[%s]()",
		"notes.select(t => ({ x: t.self()[%s] })).execute()",
		"notes.select(t => ({ x: t.selves()[%s]() })).execute()",
		"notes.orderBy(t => t.title[%s]()).execute()",
		"notes.where(t => t.title[%s]('x')).execute()",
		"notes.select(t => ({ [%s]: t.id })).union(notes.select(t => ({ [%[1]s]: t.id }))).orderBy(r => r[%[1]s]).execute().then(r => Object.keys(r[0])[0])",
		"notes.where(t => t.id.in(notes.select(x => ({ [%s]: x.id })))).execute().then(() => %[1]s)",
		"notes.select(t => t.id)[%s](notes.select(t => t.id)).execute()",
	}
	// Words of a closed list: no other one gets to a statement, whatever it holds.
	asUnit = []string{
		"notes.select(t => ({ x: t.made.truncate(%s) })).execute()",
		"notes.where(t => t.made.truncate(%s).eq('2024-01-01')).count()",
		"notes.orderBy(t => t.made.truncate(%s)).execute()",
		"notes.groupBy(t => ({ k: t.made.startOf(%s) })).execute()",
		"notes.max(t => t.made.truncate(%s))",
	}
)

func TestInjection(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		texts := kit.Payloads(t)
		db := openNotes(t, e, texts)
		f := exosql.NewFacet(notes, "note", noteID, noteTitle, noteMade)
		f.Add(exosql.NewSearch(notes, noteTitle))
		f.Add(exosql.Via(exosql.One("self", noteID, noteID), f), exosql.Via(exosql.Many("selves", noteID, noteID), f))
		r := tu.NewRunner(t, map[string]exo.Object{"notes": f.Of(exosql.Grant(db, notes, noteOwner.Eq(1)))}, exo.Limits{})
		plain := map[string]string{} // the statement for a harmless text
		run := func(program, text string) tu.Outcome {
			literal, _ := json.Marshal(text)
			o := r.Run(t, "return await "+fmt.Sprintf(program, literal))
			if strings.Contains(o.Visible(), "CANARY") {
				t.Fatalf("%s with %q shows the canary: %s", program, text, o)
			}
			if o.Kind == fail.Internal {
				t.Errorf("%s with %.60q: %s", program, text, o)
			}
			return o
		}
		// The text of a statement does not depend on the texts of a program.
		same := func(program, text string, o tu.Outcome) {
			if _, ok := plain[program]; !ok {
				plain[program] = ""
				if p := run(program, "harmless"); len(p.SQL) > 0 {
					plain[program] = p.SQL[0].SQL
				}
			}
			for _, q := range o.SQL {
				if q.SQL != plain[program] {
					t.Errorf("%s with %.60q: the statement is\n%s\nand for a harmless text\n%s", program, text, q.SQL, plain[program])
				}
			}
		}
		share := tu.OneIn(t, 6)
		for i, text := range texts {
			for _, p := range findsItself {
				if !share.Next() {
					continue
				}
				program := "notes.where(" + p + ").execute().then(r => r.map(x => x.id))"
				o := run(program, text)
				if len(text) > 200 && strings.Contains(p, "includes") { // more than may be looked for
					if o.Kind != fail.Invalid {
						t.Errorf("%s with %.60q: %s", p, text, o)
					}
					continue
				}
				if o.JSON != fmt.Sprintf("[%d]", i+1) {
					t.Errorf("%s with %.60q: %s", p, text, o)
				}
				same(program, text, o)
			}
			for _, program := range findsAmong {
				if !share.Next() {
					continue
				}
				o := run(program, text)
				if o.JSON != fmt.Sprintf("[%d]", i+1) {
					t.Errorf("%s with %.60q: %s", program, text, o)
				}
				same(program, text, o)
			}
			for _, program := range asCursor {
				if o := run(program, text); o.Kind != fail.Invalid || len(o.SQL) > 0 {
					t.Errorf("%s with %.60q: %s", program, text, o)
				}
			}
			for _, program := range asSearch {
				if o := run(program, text); o.Kind != 0 && o.Kind != fail.Invalid || o.Kind == fail.Invalid && len(o.SQL) > 0 {
					t.Errorf("%s with %.60q: %s", program, text, o)
				}
			}
			for _, program := range comesBack {
				o := run(program, text)
				var back string
				if err := json.Unmarshal([]byte(o.JSON), &back); err != nil || back != text {
					t.Errorf("%s with %.60q: %s", program, text, o)
				}
				same(program, text, o)
			}
			for _, program := range asName {
				o := run(program, text)
				var back string
				if o.Kind == 0 && (json.Unmarshal([]byte(o.JSON), &back) != nil || back != text) {
					t.Errorf("%s with %.60q: %s", program, text, o)
				}
				same(program, text, o)
			}
			// The host's own values, typed.
			rows, err := exosql.Grant(db, notes, noteTitle.Eq(text)).All(t.Context())
			if err != nil || len(rows) != 1 || rows[0].ID != int64(i+1) {
				t.Errorf("granted by %.60q: %v %v", text, rows, err)
			}
		}
	})
}

// A unit is one of a closed list: whatever else a program names gets to no statement.
func TestUnits(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		f := exosql.NewFacet(notes, "note", noteID, noteMade)
		r := tu.NewRunner(t, map[string]exo.Object{"notes": f.Of(exosql.Grant(openNotes(t, e, nil), notes, noteOwner.Eq(2)))}, exo.Limits{})
		for _, text := range append(kit.Payloads(t), "hour", "Day", "day ", "minute") {
			literal, _ := json.Marshal(text)
			for _, program := range asUnit {
				if o := r.Run(t, "return await "+fmt.Sprintf(program, literal)); o.Kind != fail.Invalid || len(o.SQL) > 0 {
					t.Errorf("%s with %.60q: %s", program, text, o)
				}
			}
		}
		for _, program := range asUnit { // the twin
			if o := r.Run(t, "return await "+fmt.Sprintf(program, "'day'")); o.Kind != 0 || len(o.SQL) != 1 {
				t.Errorf("%s: %s", program, o)
			}
		}
	})
}
