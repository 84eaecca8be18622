package exosql_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	"github.com/exoagent/exoagent/exosql/internal/search"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type letter struct {
	ID, Owner int64
	Subject   string
	Body      *string
}

var (
	letters       = exosql.NewTable[letter]("letters")
	letterID      = exosql.NewKey(letters, "id", func(l *letter) *int64 { return &l.ID })
	letterOwner   = exosql.NewColumn(letters, "owner", func(l *letter) *int64 { return &l.Owner })
	letterSubject = exosql.NewColumn(letters, "subject", func(l *letter) *string { return &l.Subject })
	letterBody    = exosql.NewNullable(letters, "body", func(l *letter) **string { return &l.Body })
	letterText    = exosql.NewSearch(letters, letterSubject, letterBody)
	letterFacet   = exosql.NewFacet(letters, "letter", letterID, letterSubject, letterBody, letterText)
)

// openLetters fills the table with letters of owner 1, and one of owner 2 that has all words.
func openLetters(t *testing.T, e tu.Engine, of [][2]any) *exosql.DB {
	return e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		if _, err := db.ExecContext(ctx, e.SQL("CREATE TABLE letters (id {int} PRIMARY KEY, owner {int} NOT NULL, subject TEXT NOT NULL, body TEXT)")); err != nil {
			return err
		}
		for i, l := range append(of, [2]any{"payment failed refund a b ab CANARY", "payment failed refund a b CANARY"}) {
			owner := 1
			if i == len(of) {
				owner = 2
			}
			if _, err := db.ExecContext(ctx, e.Pick("INSERT INTO letters VALUES (?, ?, ?, ?)", "INSERT INTO letters VALUES ($1, $2, $3, $4)"), i+1, owner, l[0], l[1]); err != nil {
				return err
			}
		}
		return nil
	}})
}

var fewLetters = [][2]any{
	{"Payment failed", "The payment of order 42 has FAILED. A refund follows."},
	{"Re: refund", "payment, payment, payment: failed"},
	{"Hello", nil},
	{"payments", "failed"},
	{"order", "Payment failed"},
	{"", "a payment that has failed, failed and failed"},
}

// TestTextSearch: a search finds and sorts alike on both engines, in whatever place it stands, or is refused with what would be right.
func TestTextSearch(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := openLetters(t, e, fewLetters)
		r := tu.NewRunner(t, map[string]exo.Object{"letters": letterFacet.Of(exosql.Grant(db, letters, letterOwner.Eq(1)))}, exo.Limits{})
		for _, x := range textSearches {
			o := r.Run(t, "return await "+x.program)
			if result := strings.ContainsAny(x.want[:1], "{[0123456789"); result && (o.Kind != 0 || o.JSON != x.want) || !result && (o.Kind != fail.Invalid && o.Kind != fail.Denied && o.Kind != fail.Syntax || !strings.Contains(o.Message, x.want)) {
				t.Errorf("%s\n%s\nwant %s", x.program, o, x.want)
			}
			if len(o.SQL) > 1 {
				t.Errorf("%s: %d statements", x.program, len(o.SQL))
			}
		}
	})
}

var textSearches = []struct{ program, want string }{
	// The rank: 1 has both words once in the subject and once in the body, 2 four in the body, 5 two there, 6 four.
	{"letters.search('payment failed').select(l => l.id)", "[1,6,2,5]"},
	{"letters.search('payment failed').select(l => ({ id: l.id, rank: l.rank() }))", `[{"id":1,"rank":10},{"id":6,"rank":4},{"id":2,"rank":4},{"id":5,"rank":2}]`},
	{"letters.search('payment failed').select(l => ({ id: l.id, rank: l.rank('failed') })).where(l => l.rank > 1)", "call it, letter.rank(…)"},
	{"letters.search('payment failed').select(l => ({ id: l.id, r: l.rank('failed') })).where(l => l.r > 1)", `[{"id":1,"r":5},{"id":6,"r":3}]`},
	{"letters.search('payment failed').limit(2).select(l => l.id)", "[1,6]"},
	{"letters.search('payment failed').offset(1).limit(2).select(l => l.id)", "[6,2]"},
	{"letters.search('payment failed').first().then(l => l.id)", "1"},
	{"letters.search('payment failed').count()", "4"},
	{"letters.search('payment failed').max(l => l.id)", "6"},
	{"letters.search('payment failed').sum(l => l.rank())", "20"},
	{"letters.search('payment*').count()", "5"},
	{"letters.search('-payment').select(l => l.id)", "[4,3]"},
	{"letters.search('payment OR hello').orderBy(l => l.id).select(l => l.id)", "[1,2,3,5,6]"},
	{`letters.search('"payment failed"').select(l => l.id)`, "[1,5,2]"},
	{"letters.search('order payment').select(l => l.id)", "[1,5]"}, // words in two texts, and the subject counts for more
	{"letters.orderBy(l => l.id).search('payment failed').select(l => l.id)", "[1,2,5,6]"},
	{"letters.search('payment failed').orderBy(l => l.id.desc()).select(l => l.id)", "[6,5,2,1]"},
	{"letters.search('payment failed').orderBy(l => l.rank()).select(l => l.id)", "[5,6,2,1]"},
	{"letters.search('payment failed').limit(2).orderBy(l => l.id.desc()).select(l => l.id)", "[6,1]"},
	{"letters.orderBy(l => l.id).limit(2).search('payment').select(l => l.id)", "[1,2]"},
	{"letters.search('payment').where(l => l.id > 1).search('refund').select(l => l.id)", "[2]"},
	{"letters.search('payment').search('failed').select(l => l.id)", "[1,2,6,5]"},
	{"letters.where(l => l.matches('payment failed') && l.id < 3).orderBy(l => l.id).select(l => l.id)", "[1,2]"},
	{"letters.where(l => !l.matches('payment')).orderBy(l => l.id).select(l => l.id)", "[3,4]"},
	{"letters.where(l => l.matches('refund') || l.id === 3).orderBy(l => l.id).select(l => l.id)", "[1,2,3]"},
	{"letters.orderBy(l => [l.rank('payment').desc(), l.id]).limit(3).select(l => l.id)", "[1,2,5]"},
	{"letters.select(l => ({ hit: l.matches('payment') ? 'yes' : 'no' })).distinct().count()", "2"},
	{"letters.groupBy(l => l.matches('payment')).select(g => ({ m: g.key, n: g.count() }))", `[{"m":false,"n":2},{"m":true,"n":4}]`},
	{"letters.groupBy(l => l.id > 3).select(g => ({ k: g.key, n: g.where(l => l.matches('payment')).count(), s: g.sum(l => l.rank('payment')) }))", `[{"k":false,"n":2,"s":8},{"k":true,"n":2,"s":2}]`},
	{"letters.search('payment failed').groupBy(l => l.rank()).select(g => ({ r: g.key, ids: g.collect(l => l.id) }))", `[{"r":2,"ids":[5]},{"r":4,"ids":[6,2]},{"r":10,"ids":[1]}]`},
	{"letters.search('payment failed').countBy(l => l.body.includes('order'))", `[{"key":false,"count":3},{"key":true,"count":1}]`},
	{"letters.search('payment failed').distinctBy(l => l.rank()).select(l => l.id)", "[1,6,5]"},
	{"letters.search('payment failed').partitionBy().select(({ letter, window }) => ({ id: letter.id, n: window.rowNumber() }))", `[{"id":1,"n":1},{"id":6,"n":2},{"id":2,"n":3},{"id":5,"n":4}]`},
	{"letters.search('payment failed').select(l => ({ i: l.id })).union(letters.search('hello').select(l => ({ i: l.id }))).orderBy(r => r.i)", `[{"i":1},{"i":2},{"i":3},{"i":5},{"i":6}]`},
	{"letters.where(l => l.id.in(letters.search('payment failed').limit(2).select(x => x.id))).orderBy(l => l.id).select(l => l.id)", "[1,6]"},
	{"letters.where(l => letters.search('payment').some(x => x.id === l.id + 1)).orderBy(l => l.id).select(l => l.id)", "[1,4,5]"},
	{"letters.where(l => l.rank('payment') > letters.avg(x => x.rank('payment'))).select(l => l.id)", "[1,2]"},
	{"letters.search('payment failed').distinct().count()", "4"},
	{"letters.search('payment').as('x').where(({ x }) => x.id < 3).select(({ x }) => x.id)", "[1,2]"},
	{"letters.search('payment').join(letters.as('o'), ({ letter, o }) => letter.id === o.id + 1).where(({ o }) => o.matches('payment')).select(({ letter, o }) => [letter.id][0])", "[2,6]"},
	{"letters.leftJoin(letters.search('payment').as('o'), ({ letter, o }) => letter.id === o.id).where(({ o }) => o.id === null).orderBy(({ letter }) => letter.id).select(({ letter }) => letter.id)", "[3,4]"},
	{"letters.search(['payment'][0]).count()", "4"}, {"letters['search']('payment').count()", "4"},
	{"letters.where(function (l) { return l.matches('payment') }).count()", "4"}, {"(() => { const f = ({ letter }) => letter.matches('payment'); return letters.where(f).count() })()", "4"},
	{"letters.where(({ letter: { id }, letter }) => letter.matches('payment') && id < 3).count()", "2"},
	{"letters.where({ id: 1 }).search('payment').count()", "1"}, {"letters.search('payment').findMany({ take: 1 }).then(x => x.length)", "1"},

	// Bad queries.
	{"letters.search('')", "there is no word"}, {"letters.search('?!')", "there is no word"}, {"letters.search('\"payment')", "not closed"}, {"letters.search('a '.repeat(40))", "more than 32 words"},
	{"letters.search('a'.repeat(2000))", "longer than 1000 bytes"}, {"letters.search()", "needs the words"}, {"letters.search(null)", "the words must be text"}, {"letters.search(42)", "the words must be text"},
	{"letters.search('a', 'b')", "takes at most 1 argument"}, {"letters.search(l => l.subject)", "a function can't be passed here"}, {"letters.search('title:x')", "does not choose a column"}, {"letters.where(l => l.matches('%a%'))", "whole words"},
	{"letters.where(l => l.matches(l.subject))", "only a value of the program"}, {"letters.where(l => l.matches())", "needs the words"}, {"letters.where(l => l.rank() > 1)", "the text to search for is missing: write .rank('words')"},
	{"letters.where(l => l.rank('a'))", "must be a condition"}, {"letters.search(undefined)", "the value is undefined"},
	{"letters.select(l => l.rank)", "rank"}, {"letters.where(l => l.matches)", "matches"},

	// What other habits write.
	{"letters.where(l => l.subject.search('payment'))", "search"}, {"letters.where(l => l.subject.match('payment'))", "matches"}, {"letters.where(l => l.body.matches('payment'))", "row.matches('…')"},
	{"letters.where(l => l.search('payment')).count()", "4"}, {"letters.where(l => l.match('payment')).count()", "4"},
	{"letters.fullTextSearch('payment').count()", "4"}, {"letters.textSearch('payment').count()", "4"}, {"letters.fts('payment').count()", "4"}, {"letters.match('payment').count()", "4"}, {"letters.matching('payment').count()", "4"},
	{"letters.textSearch('body', 'payment')", "takes at most 1 argument"}, {"letters.contains('payment')", ".search('words')"}, {"letters.matches('payment')", ".search('words')"},
	{"letters.where(l => to_tsvector(l.body) === 'x')", "query.search('words')"}, {"letters.where(l => plainto_tsquery('x'))", "query.search('words')"}, {"letters.orderBy(l => ts_rank(l.body, 'x'))", "row.rank('words')"},
	{"letters.select(l => ({ id: l.id })).search('payment')", "before"}, {"letters.as('x').search('payment')", "matches"}, {"letters.join(letters.as('o'), ({ letter, o }) => letter.id === o.id).search('payment')", "matches"},
	{"letters.groupBy(l => l.subject).search('payment')", "before"}, {"letters.where(l => l.score('payment') > 1)", "rank('words')"}, {"letters.where(l => l.body.ilike('%PAYMENT%')).count()", "4"},
	{"letters.where({ body: { search: 'payment' } })", "matches"}, {"letters.search({ body: 'payment' })", "the words must be text"}, {"letters.where({ search: 'payment' })", "search"},
	{"letters.search('payment').orderByRank()", "rank"},
}

// TestSearchOfLinks: searches of linked rows, within their scope.
func TestSearchOfLinks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		for program, want := range map[string]string{
			"tasks.search('acme').count()": "5",
			"tasks.search('open').count()": "3", // an enum is searched, too
			"tasks.search('bolt').count()": "0",
			"tasks.search('draw OR build').comments().search('acme').orderBy(c => c.id).select(c => c.id)":                                                   "[5001,5002,5003,5090]",
			"tasks.where(t => t.comments().search('nice').exists()).select(t => t.id)":                                                                       "[1001]",
			"tasks.where(t => t.comments().some(c => c.matches('agreed'))).select(t => t.id)":                                                                "[1001]",
			"tasks.where(t => t.assignee().search('bob').exists()).orderBy(t => t.id).select(t => t.id)":                                                     "[1002,1004]",
			"tasks.orderBy(t => t.id).limit(2).select(t => ({ c: t.comments().search('acme -nice').limit(1).select(c => c.id) }))":                           `[{"c":[5002]},{"c":[5090]}]`,
			"tasks.select(t => ({ id: t.id, c: t.comments().search('acme').first().body })).where(t => t.c !== null).count()":                                "2",
			"tasks.orderBy(t => t.comments().max(c => c.rank('started'))).orderBy(t => t.id).first().then(t => t.id)":                                        "1003",
			"tasks.join(({ task }) => task.comments().search('acme')).where(({ task, comment }) => task.matches('draw') && comment.matches('nice')).count()": "1",
			"tasks.leftJoin(({ task }) => task.comments().search('nice')).orderBy(({ task }) => task.id).select(({ task, comment }) => comment.id)":          "[5001,null,null,null,null]",
			"tasks.leftJoin(({ task }) => task.assignee()).where(({ member }) => member.matches('-zzz')).count()":                                            "5",
			"tasks.leftJoin(({ task }) => task.assignee()).select(({ task, member }) => ({ r: member.rank('ann') })).count()":                                "5",
			"top.search('acme').select(t => t.id)":                              "[1004,1002]",
			"org.projects().tasks().search('acme').limit(2).comments().count()": "0",
			"tasks.where(t => t.project().matches('x'))":                        "no member",
			"tasks.where(t => t.assignee().matches('bob'))":                     "search",
		} {
			if o := r.Run(t, "return await "+program); o.JSON != want && (o.Kind == 0 || !strings.Contains(o.Message, want)) {
				t.Errorf("%s\n%v\nwant %s", program, o, want)
			}
		}
	})
}

// TestSearchRandom: both engines find and rank what package search does, of texts and queries that nobody thought of.
func TestSearchRandom(t *testing.T) {
	tu.NotRaced(t)
	words := []string{"a", "b", "ab", "abc", "AB", "Σ", "ς", "ΑΣ", "İ", "é", "e\u0301", "ß", "ẞ", "Ǆ", "1", "42", "日", "हि"}
	between := []string{" ", ", ", "-", "\n", " . ", "_", "😀", "\u00a0", "'", "\\", "%", "\u2028", "\u200b", "\t\"", "?", "$1", "??"}
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		s := between[r.IntN(len(between))]
		for range r.IntN(7) {
			s += words[r.IntN(len(words))] + between[r.IntN(len(between))]
		}
		return s
	}
	var of [][2]any
	for range 60 {
		l := [2]any{text(), text()}
		if r.IntN(5) == 0 {
			l[1] = nil
		}
		of = append(of, l)
	}
	of = append(of, [2]any{strings.Repeat("a ", search.MaxText), "b"}, [2]any{strings.Repeat("日", search.MaxText-1) + " ab", nil}, [2]any{"a \uE000 b", "c"},
		[2]any{strings.Repeat("-", search.MaxText) + " a b ab abc 1 42", nil}, [2]any{words[0], strings.Repeat("-", search.MaxText-len(words[0])-1) + " " + words[0] + words[0]}) // behind the bound there is nothing
	var queries []string
	for len(queries) < 150 {
		var parts []string
		for range 1 + r.IntN(4) {
			w := words[r.IntN(len(words))]
			switch r.IntN(9) {
			case 0:
				w = "-" + w
			case 1, 2:
				w += "*"
			case 3:
				w = `"` + w + " " + words[r.IntN(len(words))] + `"`
			case 4:
				w = `"` + w + " " + words[r.IntN(len(words))] + `*"`
			case 5:
				w += " OR " + words[r.IntN(len(words))]
			case 6:
				w += "-" + words[r.IntN(len(words))]
			}
			parts = append(parts, w)
		}
		if _, err := search.Parse(strings.Join(parts, " ")); err == nil {
			queries = append(queries, strings.Join(parts, " "))
		}
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := openLetters(t, e, of)
		run := tu.NewRunner(t, map[string]exo.Object{"letters": letterFacet.Of(exosql.Grant(db, letters, letterOwner.Eq(1)))}, exo.Limits{})
		found := 0
		for _, s := range queries {
			q, _ := search.Parse(s)
			type hit struct{ ID, Rank int64 }
			want := []hit{}
			for i, l := range of {
				body, _ := l[1].(string)
				if q.Matches(l[0].(string), body) {
					want = append(want, hit{int64(i + 1), q.Rank(l[0].(string), body)})
				}
			}
			slices.SortFunc(want, func(a, b hit) int { // equal ranks come by the key, in their direction
				if a.Rank != b.Rank {
					return int(b.Rank - a.Rank)
				}
				return int(b.ID - a.ID)
			})
			found += len(want)
			js, _ := json.Marshal(s)
			o := run.Run(t, fmt.Sprintf("return await letters.search(%s).select(l => ({ ID: l.id, Rank: l.rank() }))", js))
			if w, _ := json.Marshal(want); o.JSON != string(w) {
				t.Errorf("%s\n%v\nwant %s", s, o, w)
			}
		}
		if found < 500 {
			t.Errorf("%d rows found", found)
		}
	})
}

// TestFold: each character has one lower case on PostgreSQL and here.
func TestFold(t *testing.T) {
	tu.NotRaced(t)
	e := tu.Postgres
	url := e.URL(t)
	db := e.SQLDB(t, url)
	rows, err := db.Query(`SELECT c, replace((lower(chr(c) COLLATE "und-x-icu") COLLATE "C"), U&'\03C2', U&'\03C3') FROM generate_series(1, 1114111) AS c WHERE c NOT BETWEEN 55296 AND 57343`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var c rune
		var folded string
		if err := rows.Scan(&c, &folded); err != nil {
			t.Fatal(err)
		}
		if n++; folded != search.Fold(string(c)) {
			t.Errorf("%U: %q, and here %q", c, folded, search.Fold(string(c)))
		}
	}
	if rows.Err() != nil || n < 1_000_000 {
		t.Error(n, rows.Err())
	}
}

// TestSearchFence: no row out of scope is cut into words, nor ranked.
func TestSearchFence(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, sprung := trap(t, e)
		for _, program := range []string{
			"tasks.search('x')", "tasks.search('acme')", "tasks.search('-x')",
			"tasks.where(t => t.id === 2001).search('x')", "tasks.search('x').where(t => t.id === 2001)",
			"tasks.where(t => (t.id === 2001 && t.matches('x')) || t.id === 2)",
			"tasks.where(t => t.id === 2001 && t.matches('x'))",
			"tasks.orderBy(t => t.rank('x')).limit(2)", "tasks.select(t => ({ r: t.rank('x'), m: t.matches('y') }))",
			"tasks.select(t => ({ r: t.rank('x') })).distinct()",
			"tasks.assignee().search('x')", "tasks.comments().search('x').task().search('y')",
			"tasks.join(({ task }) => task.assignee().search('x'))", "tasks.leftJoin(({ task }) => task.assignee().search('x'))", "tasks.leftJoin(({ task }) => task.comments().author().search('x'))",
			"tasks.leftJoin(({ task }) => task.comments().search('x').orderBy(c => c.rank('y')))",
			"tasks.leftJoin(({ task }) => task.assignee(), ({ task, member }) => member.matches('x') || task.matches('y') || member.id === 21)",
			"tasks.join(({ task }) => task.comments().search('x').limit(1))",
			"tasks.search('acme').limit(2).search('x').comments().search('x')",
			"tasks.where(t => t.comments().search('x').exists() || t.assignee().search('x').count() > 0)",
			"tasks.where(t => t.comments().some(c => c.matches('x') || c.id === 6001))",
			"tasks.select(t => ({ c: t.comments().search('x').limit(2), f: t.comments().search('x').first() }))",
			"tasks.select(t => ({ c: t.comments().max(c => c.rank('x')), f: t.comments().search('x').first().body }))",
			"tasks.where(t => t.id.in(tasks.search('x').select(y => y.id)))", "top.search('x')", "org.projects().tasks().search('x')",
			"tasks.groupBy(t => t.rank('x')).select(g => ({ k: g.key, n: g.where(t => t.matches('x')).count() }))",
			"tasks.search('acme').groupBy(t => t.status).select(g => ({ l: g.collect(t => t.title) }))",
			"tasks.search('acme').partitionBy().select(({ task, window }) => ({ n: window.rowNumber() }))",
			"tasks.search('acme').distinctBy(t => t.status)",
			"tasks.select(t => ({ a: t.title })).union(tasks.search('x').select(t => ({ a: t.title }))).where(r => r.a === 'x')",
		} {
			for _, call := range []string{".execute()", ".count()", ".first()", ".limit(1).execute()"} {
				if o := r.Run(t, "return await "+program+call); sprung(o) || o.Kind != 0 {
					t.Errorf("%s%s\n%v\n%v", program, call, o, o.SQL)
				}
			}
		}
	})
}

// TestTypedSearch: a host searches by the same words, and finds and sorts as a program does.
func TestTypedSearch(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r, ctx := exosql.Grant(openLetters(t, e, fewLetters), letters, letterOwner.Eq(1)), t.Context()
		for want, q := range map[string]exosql.Relation[letter]{
			"[1 6 2 5]": r.Search(letterText, "payment failed"), "[1 6]": r.Search(letterText, "payment failed").Limit(2), "[6 5 2 1]": r.Search(letterText, "payment failed").OrderBy(letterID.Desc()),
			"[1 2 5 6]": r.OrderBy(letterID.Asc()).Search(letterText, "payment failed"), "[1 2]": r.OrderBy(letterID.Asc()).Limit(2).Search(letterText, "payment"), "[2]": r.Search(letterText, "payment").Where(letterID.Eq(2)).Search(letterText, "failed"), "[]": r.Search(letterText, "canary"),
		} {
			rows, err := q.All(ctx)
			ids := []int64{}
			for _, l := range rows {
				ids = append(ids, l.ID)
			}
			if n, err2 := q.Count(ctx); err != nil || err2 != nil || fmt.Sprint(ids) != want || int(n) != len(rows) {
				t.Errorf("%v, %d, %v, %v; want %s", ids, n, err, err2, want)
			}
		}
		for says, q := range map[string]exosql.Relation[letter]{"not closed": r.Search(letterText, `"x`), "zero Search": r.Search(exosql.Search[letter]{}, "x"), "no word": r.Search(letterText, "!")} {
			if _, err := q.All(ctx); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %s", err, says)
			}
		}
		if _, err := letterFacet.Of(r.Search(letterText, "x")).Describe(); err == nil || !strings.Contains(err.Error(), "let programs search") {
			t.Errorf("a relation that was searched is handed out: %v", err)
		}
	})
}

// TestSearchesAreBounded: one row's texts are not searched without end.
func TestSearchesAreBounded(t *testing.T) {
	db := openLetters(t, tu.SQLite, fewLetters)
	r := tu.NewRunner(t, map[string]exo.Object{"letters": letterFacet.Of(exosql.Grant(db, letters, letterOwner.Eq(1)))}, exo.Limits{})
	for times, want := range map[int]fail.Kind{20: 0, 75: fail.Limit} {
		if o := r.Run(t, fmt.Sprintf("return await letters.where(l => { let c = l.id === 1; for (let i = 0; i < %d; i++) c = c.or(l.matches('a' + i)); return c }).count()", times)); o.Kind != want {
			t.Errorf("%d times: %v", times, o)
		}
	}
}

// TestTypedSearchFence: nor does a host's own search try a row out of scope, of whoever its text is.
func TestTypedSearchFence(t *testing.T) {
	seen := false
	exosql.TrapSQLite(func(text string) { seen = seen || strings.Contains(text, "CANARY") })
	t.Cleanup(func() { exosql.TrapSQLite(func(string) {}) })
	all := exosql.Grant(openLetters(t, tu.SQLite, fewLetters), letters, exosql.AllRows[letter]())
	if _, err := all.Search(letterText, "payment").All(t.Context()); err != nil || !seen {
		t.Fatal("the trap does not spring", err)
	}
	for _, owner := range []exosql.Predicate[letter]{letterOwner.Eq(1), exosql.Or(letterOwner.Eq(1), letterOwner.Eq(5)), exosql.Not(letterOwner.Ge(2))} {
		seen = false
		r := exosql.Grant(openLetters(t, tu.SQLite, fewLetters), letters, owner)
		for _, q := range []exosql.Relation[letter]{r.Search(letterText, "payment"), r.Where(letterID.Le(7)).Search(letterText, "payment").Limit(3), r.Where(letterID.Eq(7)).Search(letterText, "a")} {
			if _, err := q.All(t.Context()); err != nil || seen {
				t.Errorf("%v, %v", seen, err)
			}
		}
	}
}

// TestSearchOfHidden: a search that would tell what a facet does not show can't be handed out, nor one whose words a member hides.
func TestSearchOfHidden(t *testing.T) {
	db := tu.SQLite.Open(t)
	describe := func(f *exosql.Facet[letter]) error {
		_, err := f.Of(exosql.Grant(db, letters, letterOwner.Eq(1))).Describe()
		return err
	}
	if err := describe(exosql.NewFacet(letters, "letter", letterText, letterBody, letterSubject)); err != nil {
		t.Error(err)
	}
	if err := describe(exosql.NewFacet(letters, "letter", letterID, letterSubject, letterText)); err == nil || !strings.Contains(err.Error(), "search column body, which the facet does not show") {
		t.Errorf("a hidden column is searched: %v", err)
	}
	self := exosql.Many("search", letterID, letterOwner)
	f := exosql.NewFacet(letters, "letter", letterID, letterSubject, letterBody, letterText)
	f.Add(exosql.Via(self, f))
	if err := describe(f); err == nil || !strings.Contains(err.Error(), `a link named "search"`) {
		t.Errorf("a link is called search: %v", err)
	}
	for says, wrong := range map[string]func(){
		"can't have 0 columns": func() { exosql.NewSearch(letters) }, "it is not a text": func() { exosql.NewSearch[letter](letters, letterID) }, "twice": func() { exosql.NewSearch[letter](letters, letterBody, letterBody) },
		"zero column": func() { exosql.NewSearch[letter](letters, nil) }, "two searches": func() { exosql.NewFacet(letters, "letter", letterText, letterText) }, "Search is zero": func() { exosql.NewFacet(letters, "letter", exosql.Search[letter]{}) },
	} {
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), says) {
					t.Errorf("%v, want %s", p, says)
				}
			}()
			wrong()
		}()
	}
}

// TestSearchLabels: whoever searches carries the labels of all columns that are searched.
func TestSearchLabels(t *testing.T) {
	table := exosql.NewTable[letter]("letters")
	id := exosql.NewKey(table, "id", func(l *letter) *int64 { return &l.ID })
	subject := exosql.NewColumn(table, "subject", func(l *letter) *string { return &l.Subject })
	body := exosql.NewNullable(table, "body", func(l *letter) **string { return &l.Body }).WithLabel("private")
	f := exosql.NewFacet(table, "letter", id, subject, body, exosql.NewSearch(table, subject, body))
	o := f.Of(exosql.Grant(openLetters(t, tu.SQLite, fewLetters), table, exosql.AllRows[letter]()))
	for program, private := range map[string]bool{
		"letters.select(l => l.id)": false, "letters.search('payment').select(l => l.id)": true, "letters.search('payment').count()": true, "letters.where(l => l.matches('payment')).count()": true,
		"letters.orderBy(l => l.rank('payment')).select(l => l.id)": true, "letters.select(l => l.rank('payment'))": true, "letters.where(l => letters.search('payment').some(x => x.id === l.id)).count()": true,
	} {
		for _, admits := range []bool{false, true} {
			c := exo.Config{Grants: map[string]exo.Object{"letters": o}}
			if admits {
				c.Admits = value.NewLabel("private")
			}
			g, err := exo.NewGate(c)
			if err != nil {
				t.Fatal(err)
			}
			if res := tu.InProcess(g).Run(t.Context(), exoeval.Job{Program: "return await " + program}); (res.Err == nil) != (admits || !private) {
				t.Errorf("%s, admitted %v: %v", program, admits, res.Err)
			}
		}
	}
}

// TestSearchTakenAway: a policy that keeps a few methods of queries keeps no search unless it names it.
func TestSearchTakenAway(t *testing.T) {
	o := letterFacet.Of(exosql.Grant(openLetters(t, tu.SQLite, fewLetters), letters, letterOwner.Eq(1)))
	for _, methods := range [][]string{{"count"}, {"count", "search"}} {
		r := tu.NewRunner(t, map[string]exo.Object{"letters": policy.Only(o, methods...)}, exo.Limits{})
		if out := r.Run(t, "return await letters.count()"); out.JSON != "6" {
			t.Error(out)
		}
		if out := r.Run(t, "return await letters.search('payment').count()"); (out.Kind == 0) != (len(methods) > 1) {
			t.Errorf("with %v: %v", methods, out)
		}
	}
}

// TestSearchInjection: no text is more than words.
func TestSearchInjection(t *testing.T) {
	texts := kit.Payloads(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var of [][2]any
		for _, s := range texts {
			of = append(of, [2]any{s, s})
		}
		db := openLetters(t, e, of)
		r := tu.NewRunner(t, map[string]exo.Object{"letters": letterFacet.Of(exosql.Grant(db, letters, letterOwner.Eq(1)))}, exo.Limits{})
		found, refused := 0, 0
		for i, s := range texts {
			js, _ := json.Marshal(s)
			for _, text := range []string{string(js), `'"' + ` + string(js) + `.replaceAll('"', ' ').replaceAll('*', ' ') + '"'`} {
				o := r.Run(t, fmt.Sprintf("const q = await letters.search(%s).select(l => l.id); return q.includes(%d)", text, i+1))
				switch {
				case o.Kind == 0 && o.JSON == "true":
					found++
				case o.Kind == fail.Invalid:
					refused++
				case o.Kind != 0 || strings.HasPrefix(text, "'"):
					t.Errorf("%.200s: %v", text, o)
				}
				if strings.Contains(o.JSON+o.Message, "CANARY") && !strings.Contains(s, "CANARY") {
					t.Errorf("%.200s: %v", text, o)
				}
			}
		}
		if found < 60 {
			t.Errorf("%d found, %d refused", found, refused)
		}
	})
}
