package values_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Conditions over null, held against the evaluator of nulloracle_test.go.

// TestNullsInNegations: conditions of every form, negated at random, keep the rows that the evaluator keeps, wherever a condition stands.
func TestNullsInNegations(t *testing.T) {
	rows := nullRows()
	keeps := func(c nullCond, rows []nullRow) (ids []float64) {
		for _, r := range rows {
			if c.of(r) == true {
				ids = append(ids, r["id"].(float64))
			}
		}
		return ids
	}
	show := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	list := func(ids []float64) string { return show(append([]float64{}, ids...)) }
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(strings.Split(nullSQL(e, rows), "; ")...)})
		r := tu.NewRunner(t, nullGrants(db, 1), exo.Limits{})
		g := &nullGen{rand.New(rand.NewPCG(1, 40)), nullRowColumns, true}
		wrong, asked := 0, 0
		type question struct{ js, want string }
		var batch []question
		flush := func() {
			if len(batch) == 0 {
				return
			}
			var parts []string
			for _, q := range batch {
				parts = append(parts, "await "+q.js)
			}
			o := r.Run(t, "return ["+strings.Join(parts, ",\n")+"]")
			var got []json.RawMessage
			if err := json.Unmarshal([]byte(o.JSON), &got); err != nil || len(got) != len(batch) {
				t.Fatalf("%s\nof %s", o, strings.Join(parts, "\n"))
			}
			for i, q := range batch {
				if asked++; string(got[i]) != q.want && wrong < 20 {
					wrong++
					t.Errorf("%s\n got %s\nwant %s", q.js, got[i], q.want)
				}
			}
			batch = nil
		}
		ask := func(js, want string) {
			if batch = append(batch, question{js, want}); len(batch) == 10 {
				flush()
			}
		}
		for range 450 { // where, and what is shown
			c := g.cond(3)
			if c.js == "t.crate" {
				continue // a link alone is an error
			}
			ask("items.where(t => "+c.js+").orderBy(t => t.id).select(t => t.id)", list(keeps(c, rows)))
			var shown []truth
			for _, row := range rows {
				shown = append(shown, c.of(row))
			}
			ask("items.orderBy(t => t.id).select(t => ("+c.js+"))", show(shown))
		}
		flush()
		within := func(crate any) (out []nullRow) {
			for _, row := range rows {
				if row["crateId"] == crate {
					out = append(out, row)
				}
			}
			return out
		}
		g.subquery = false
		for range 100 { // the conditions of some, every and none, and of a join and a left join
			c := g.cond(3)
			var some, every, none []float64
			var joined, left []string
			for _, id := range []float64{1, 2, 3, 4} {
				of := within(id)
				kept := keeps(c, of)
				if len(kept) > 0 {
					some = append(some, id)
				} else {
					none = append(none, id)
				}
				if len(kept) == len(of) {
					every = append(every, id)
				}
				for _, i := range kept {
					joined = append(joined, fmt.Sprintf("[%v,%v]", id, i))
					left = append(left, fmt.Sprintf("[%v,%v]", id, i))
				}
				if len(kept) == 0 {
					left = append(left, fmt.Sprintf("[%v,null]", id))
				}
			}
			for what, ids := range map[string][]float64{"some": some, "every": every, "none": none} {
				ask("crates.where(c => c.items()."+what+"(t => "+c.js+")).orderBy(c => c.id).select(c => c.id)", list(ids))
			}
			on := regexp.MustCompile(`\bt\.`).ReplaceAllString(c.js, "item.")
			ask("crates.join(items, ({ crate, item }) => crate.id === item.crateId && ("+on+")).orderBy(({ crate, item }) => [crate.id, item.id]).select(({ crate, item }) => ({ a: crate.id, b: item.id })).execute().then(l => l.map(x => [x.a, x.b]))",
				"["+strings.Join(joined, ",")+"]")
			ask("crates.leftJoin(({ crate }) => crate.items().where(t => "+c.js+")).orderBy(({ crate, item }) => [crate.id, item.id]).select(({ crate, item }) => ({ a: crate.id, b: item.id })).execute().then(l => l.map(x => [x.a, x.b]))",
				"["+strings.Join(left, ",")+"]")
		}
		for range 100 { // the where of aggregates and of windows
			c := g.cond(3)
			ask("items.groupBy(t => t.bt).select(g => ({ k: g.bt, n: g.where(t => "+c.js+").count() })).orderBy(g => g.bt).execute().then(l => l.map(x => x.n))", func() string {
				n := []int{0, 0}
				for _, row := range rows {
					if c.of(row) == true {
						n[map[any]int{true: 1, false: 0}[row["bt"]]]++
					}
				}
				return show(n)
			}())
			running := func() (n []int) {
				for i := range rows {
					n = append(n, len(keeps(c, rows[:i+1])))
				}
				return n
			}()
			ask("items.orderBy(t => t.id).partitionBy().select(({ window }) => window.where(t => "+c.js+").runningCount())", show(running))
		}
		// Conditions on groups.
		groups := map[any]nullRow{}
		for _, row := range rows {
			k := row["s"]
			if groups[k] == nil {
				groups[k] = nullRow{"s": k, "count": 0.0, "n": nil}
			}
			groups[k]["count"] = groups[k]["count"].(float64) + 1
			if row["m"] != nil && (groups[k]["n"] == nil || less(groups[k]["n"], row["m"])) {
				groups[k]["n"] = row["m"]
			}
		}
		g.columns = func(kind string) []string {
			return map[string][]string{"int": {"t.n", "t.count"}, "text": {"t.s"}}[kind]
		}
		for range 100 {
			c := g.cond(3)
			n := 0
			for _, row := range groups {
				if c.of(row) == true {
					n++
				}
			}
			js := strings.NewReplacer("t.n", "t.max(x => x.m)", "t.count", "t.count()").Replace(c.js)
			ask("items.groupBy(t => t.s).where(t => "+js+").select(t => t.count()).execute().then(l => l.length)", fmt.Sprint(n))
		}
		flush()
		if asked < 1500 {
			t.Errorf("only %d", asked)
		}
	})
}

// TestNullsOfWords: words of SQL have three values, of a list as of a query; the negation of JavaScript's makes two of them.
func TestNullsOfWords(t *testing.T) {
	rows := []nullRow{{"id": 1.0, "nn": 1.0, "n": 1.0, "st": "a", "s": "a", "bt": true, "b": true}, {"id": 2.0, "nn": 2.0, "n": 2.0, "st": "b", "s": "b", "bt": true, "b": false}, {"id": 3.0, "nn": 3.0, "st": "", "bt": false}}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(strings.Split(nullSQL(e, rows), "; ")...)})
		r := tu.NewRunner(t, nullGrants(db, 1), exo.Limits{})
		const ones = "items.where(x => x.nn === 1).select(x => x.n)"
		for cond, want := range map[string]string{
			"t.n.notIn([1])":                "[false,true,null]",
			"t.n.notIn(" + ones + ")":       "[false,true,null]",
			"t.n.in([1])":                   "[true,false,null]",
			"t.n.in(" + ones + ")":          "[true,false,null]",
			"t.n.notIn([1]).not()":          "[true,false,null]",
			"t.n.notIn(" + ones + ").not()": "[true,false,null]",
			"t.n.in(" + ones + ").not()":    "[false,true,null]",
			"!t.n.in([1])":                  "[false,true,true]",
			"!t.n.in(" + ones + ")":         "[false,true,true]",
			"!t.n.notIn([1])":               "[true,false,true]",
			"!t.n.notIn(" + ones + ")":      "[true,false,true]",
			"![1].includes(t.n)":            "[false,true,true]",
			"![1, null].includes(t.n)":      "[false,true,false]",
			"[null].includes(t.n)":          "[false,false,true]",
			"t.n.lt(2)":                     "[true,false,null]",
			"t.n < 2":                       "[true,false,false]",
			"(t.n < 2) === false":           "[false,true,true]",
			"(t.n < 2) ?? true":             "[true,false,false]",
			"t.n.lt(2).not()":               "[false,true,null]",
			"(t.n < 2).not()":               "[false,true,true]",
			"!t.n.lt(2)":                    "[false,true,true]",
			"!!(t.n < 2)":                   "[true,false,false]",
			"!!t.n.lt(2)":                   "[true,false,false]",
			"!t.n.in([t.m, 5])":             "[true,true,true]",
			"!t.b":                          "[false,true,true]",
			"t.b.not()":                     "[false,true,null]",
			"!t.s.like('a%')":               "[false,true,true]",
			"!(t.s.length > 0)":             "[false,false,true]",
			"!(t.s + 'x' > 'ax')":           "[true,false,true]",
		} {
			if o := r.Run(t, "return await items.orderBy(t => t.id).select(t => "+cond+")"); o.JSON != want {
				t.Errorf("%s\n got %s\nwant %s", cond, o, want)
			}
			// A condition and its negation have each row once.
			if o := r.Run(t, "return await items.where(t => "+cond+").count() + await items.where(t => !("+cond+")).count()"); o.JSON != "3" {
				t.Errorf("%s and its negation: %s", cond, o)
			}
		}
		for filter, want := range map[string]string{
			"{ n: { not: 1 } }": "[2,3]", "{ n: { not: [1] } }": "[2,3]", "{ n: { not: null } }": "[1,2]", "{ NOT: { n: 1 } }": "[2,3]", "{ n: { not: { gt: 1 } } }": "[1,3]",
			"{ n: { ne: 1 } }": "[2]", "{ n: { notIn: [1] } }": "[2]", "{ not: { n: 1, s: 'a' } }": "[2,3]", "{ not: [{ n: 1 }, { s: 'b' }] }": "[3]", "{ b: { not: true } }": "[2,3]", "{ crate: null }": "[1,2,3]",
		} {
			if o := r.Run(t, "return await items.where("+filter+").orderBy(t => t.id).select(t => t.id)"); o.JSON != want {
				t.Errorf("%s\n got %s\nwant %s", filter, o, want)
			}
		}
		// A text of a row that is too long to be looked for is not contained and not missing: what is not known stays so.
		if o := r.Run(t, "return [await items.where(t => !t.s.includes(t.st)).count(), await items.where(t => !t.s.includes('x'.repeat(3) + t.st)).count(), await items.where(t => !t.s.includes('x'.repeat(300) + t.st)).count()]"); o.JSON != "[1,3,0]" {
			t.Error(o)
		}
	})
}

// TestNullMessages: a message of another client that has the operators of JavaScript means what a program means by them.
func TestNullMessages(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(strings.Split(nullSQL(e, nullRows()), "; ")...)})
		gate, err := exo.NewGate(exo.Config{Grants: nullGrants(db, 1)})
		if err != nil {
			t.Fatal(err)
		}
		count := func(names ...string) string {
			s, err := gate.Begin(t.Context(), exo.Run{}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Finish(t.Context(), value.Null(), nil)
			c := s.Checker()
			must := func(n *message.Node, err error) *message.Node {
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			items := must(c.MakeRef(1))
			param := must(c.MakeParam(items, "where", 0, nil))
			cond := must(c.MakeField(must(c.MakeField(param, "item")), "n"))
			cond = must(c.MakeCall(cond, names[0], []*message.Node{must(c.MakeLit(value.Int(2)))}))
			for _, name := range names[1:] {
				cond = must(c.MakeCall(cond, name, nil))
			}
			call := must(c.MakeCall(must(c.MakeCall(items, "where", []*message.Node{must(c.MakeLambda(param, cond))})), "count", nil))
			if err := s.Submit(exo.Call{ID: 1, Expr: call.Expr()}); err != nil {
				t.Fatal(err)
			}
			r, _, err := s.Next(t.Context())
			if err != nil || r.Err != nil {
				t.Fatal(err, r.Err)
			}
			return r.Value.String()
		}
		under, over, missing := 0, 0, 0
		for _, row := range nullRows() {
			switch n := row["n"]; {
			case n == nil:
				missing++
			case less(n, 2.0):
				under++
			default:
				over++
			}
		}
		for want, of := range map[int][][]string{
			under:          {{"lt"}, {"<"}, {"<", "!", "!"}, {"<", "not", "not"}, {"lt", "!", "not"}},
			over:           {{"lt", "not"}, {"ge"}, {"ge", "!", "!"}},
			over + missing: {{"<", "!"}, {"<", "not"}, {"lt", "!"}},
		} {
			for _, names := range of {
				if got := count(names...); got != fmt.Sprint(want) {
					t.Errorf("%v: %s rows, want %d", names, got, want)
				}
			}
		}
	})
}

// TestNullPlans: an index serves the negation of a comparison on a column that may be null, and where nothing can be null the
// statement is the plain one.
func TestNullPlans(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		hand := e.SQLDB(t, url)
		hand.SetMaxOpenConns(1)
		for _, s := range append(strings.Split(nullSQL(e, nil), "; ")[:3], "INSERT INTO items (id, org, nn, n, st, bt, b) WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 6000) "+
			"SELECT i, i % 20, i, CASE WHEN i % 3000 < 2 THEN NULL ELSE i % 3000 END, '', TRUE, CASE WHEN i % 3000 < 2 THEN NULL ELSE TRUE END FROM s", "CREATE INDEX items_n ON items (org, n)", "ANALYZE") {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			if strings.HasPrefix(s, "CREATE TABLE items") && e == tu.SQLite { // no guards: the columns are clean
				s = strings.TrimSuffix(s, ")") + ", CHECK (typeof(n) IN ('integer', 'null')), CHECK (typeof(nn) = 'integer'), CHECK (b IN (0, 1)), CHECK (bt IN (0, 1)))"
			}
			if _, err := hand.Exec(s); err != nil {
				t.Fatal(s, err)
			}
		}
		r := tu.NewRunner(t, nullGrants(e.OpenURL(t, url, nil), 1), exo.Limits{})
		for cond, want := range map[string]string{
			"!(t.n > 5)":             `("t0"."n" <= ?) OR ("t0"."n" IS NULL)`,
			"!(t.n >= 5)":            `("t0"."n" < ?) OR ("t0"."n" IS NULL)`,
			"!t.b":                   `(NOT "t0"."b") OR ("t0"."b" IS NULL)`,
			"!(t.nn > 5)":            `AND (NOT ("t0"."nn" > ?))`,
			"!t.bt":                  `AND (NOT "t0"."bt")`,
			"!(t.n === 5)":           `AND (NOT ("t0"."n" ` + e.Pick("IS", "IS NOT DISTINCT FROM") + ` ?))`,
			"t.n > 5":                `AND ("t0"."n" > ?)`,
			"!(t.n > 5 || t.nn < 3)": `AND (("t0"."n" <= ?) OR ("t0"."n" IS NULL)) AND (NOT ("t0"."nn" < ?))`,
		} {
			o := r.Run(t, "return await items.where(t => "+cond+").select(t => t.st)")
			if len(o.SQL) != 1 || !strings.Contains(regexp.MustCompile(`\$\d`).ReplaceAllString(o.SQL[0].SQL, "?"), want) {
				t.Errorf("%s: %s\n%v\nwant %s", cond, o, o.SQL, want)
				continue
			}
			if !strings.HasPrefix(cond, "!(t.n >") || strings.Contains(cond, "||") {
				continue
			}
			if got := nullPlan(t, e, hand, o.SQL[0].SQL); regexp.MustCompile(`items_n \(org=\? AND n<\?\)[\s\S]*items_n \(org=\? AND n=\?\)|Index Cond: \(\(org = \$1\) AND \(n <=? \$2\)\)[\s\S]*Index Cond: \(\(org = \$1\) AND \(n IS NULL\)\)`).FindString(got) == "" {
				t.Errorf("no index serves %s:\n%s\n%s", cond, o.SQL[0].SQL, got)
			}
		}
	})
}

// nullPlan is what the engine says of a statement as it plans it for programs.
func nullPlan(t *testing.T, e tu.Engine, hand *sql.DB, statement string) (out string) {
	t.Helper()
	if e.Name == "postgres" {
		return kit.Explained(t, hand, statement, []value.Value{value.Int(1), value.Int(5)}, "EXPLAIN")
	}
	rows, err := hand.Query("EXPLAIN QUERY PLAN "+statement, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var a, b, c any
		var line string
		if err := rows.Scan(&a, &b, &c, &line); err != nil {
			t.Fatal(err)
		}
		out += line + "\n"
	}
	return out
}

// TestNullWrites: an update where a condition does not hold changes rows without a value, and ifUnchanged takes null for null.
func TestNullWrites(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		rows := []nullRow{{"id": 1.0, "nn": 1.0, "n": 9.0, "st": "a", "bt": true}, {"id": 2.0, "nn": 2.0, "st": "b", "bt": true}, {"id": 3.0, "nn": 3.0, "n": 1.0, "st": "", "bt": false}}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(strings.Split(nullSQL(e, rows), "; ")...)})
		item := exosql.NewFacet(nullItems, "item", nullID, nullNN, nullN, nullS).AllowUpdate(nullNN)
		r := tu.NewRunner(t, map[string]exo.Object{"items": item.Of(exosql.Grant(db, nullItems, nullOrg.Eq(1)))}, exo.Limits{})
		const read = "; return [n, ...(await items.orderBy(t => t.id).select(t => t.nn))]"
		for _, c := range [][2]string{
			{"const n = await items.where(t => !(t.n > 5)).update({ nn: 7 })", "[2,1,7,7]"},
			{"const n = await items.where(t => t.n.gt(5).not()).update({ nn: 8 })", "[1,1,7,8]"},
			{"const n = await items.ifUnchanged({ id: 2, n: null }).update({ nn: 9 })", "[1,1,9,8]"},
			{"const n = await items.where({ n: { not: 9 } }).update(t => ({ nn: t.nn + 1 }))", "[2,1,10,9]"},
		} {
			if o := r.Run(t, c[0]+read); o.JSON != c[1] {
				t.Errorf("%s\n got %s\nwant %s", c[0], o, c[1])
			}
		}
	})
}

// TestNullTimes: SQLite may hold what is no time in a column that is never NULL. Its row is in one of a condition and its negation.
func TestNullTimes(t *testing.T) {
	type visit struct {
		ID int64
		At time.Time
	}
	visits := exosql.NewTable[visit]("visits")
	id := exosql.NewKey(visits, "id", func(v *visit) *int64 { return &v.ID })
	at := exosql.NewColumn(visits, "at", func(v *visit) *time.Time { return &v.At })
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE visits (id INTEGER PRIMARY KEY, at TEXT NOT NULL)", "INSERT INTO visits VALUES (1, '2024-01-01 10:00:00'), (2, 'soon'), (3, '2026-01-01T00:00:00Z')")})
	r := tu.NewRunner(t, map[string]exo.Object{"visits": exosql.NewFacet(visits, "visit", id, at).Of(exosql.Grant(db, visits, exosql.AllRows[visit]()))}, exo.Limits{})
	for cond, want := range map[string]string{"t.at > '2025-01-01'": "[3]", "!(t.at > '2025-01-01')": "[1,2]", "!(t.at <= '2025-01-01')": "[2,3]"} {
		if o := r.Run(t, "return await visits.where(t => "+cond+").orderBy(t => t.id).select(t => t.id)"); o.JSON != want {
			t.Errorf("%s: %s, want %s", cond, o, want)
		}
	}
}
