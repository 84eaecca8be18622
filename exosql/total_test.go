package exosql_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// An operator that fails for the values of some row shows that there is such a
// row: engines look at rows in whatever order they like, those out of scope
// included. So each is tried over a table whose other rows hold the worst that its
// columns admit.

type owner struct{ ID, Tenant int64 }

var (
	owners      = exosql.NewTable[owner]("owners")
	ownerID     = exosql.NewKey(owners, "id", func(o *owner) *int64 { return &o.ID })
	ownerTenant = exosql.NewColumn(owners, "tenant", func(o *owner) *int64 { return &o.Tenant })
	ownerThings = exosql.Many("things", ownerID, kit.ThingID)
)

// openWorst has the rows of openThings in scope, and if asked the worst out of scope.
// Without an index the scope is a join of whole tables, so that the engine looks
// at the rows of all owners.
func openWorst(t *testing.T, e tu.Engine, more bool) *exosql.DB {
	fill := func(ctx context.Context, db *sql.DB) error {
		ddl := strings.Replace(kit.ThingsSQL(e), "PRIMARY KEY", "NOT NULL", 1)
		if e.Name == tu.SQLite.Name {
			// What the declared types would refuse or change is stored as it is.
			for _, typ := range []string{"INTEGER", "REAL", "TEXT", "BLOB", "BOOLEAN"} {
				ddl = strings.ReplaceAll(ddl, " "+typ, "")
			}
		}
		if err := e.Exec(ddl, "CREATE TABLE owners (id {int} NOT NULL, tenant {int} NOT NULL)", "INSERT INTO owners VALUES (1, 1), (2, 1), (3, 1), (4, 1), (100, 2)")(ctx, db); err != nil || !more {
			return err
		}
		id := 100
		for _, c := range []string{"n", "big", "f", "d", "s", "at", "day", "iv", "raw", "j", "tags", "nums"} {
			values := kit.Worst[e.Name][c]
			if e.Name == tu.SQLite.Name {
				values = kit.Worst[e.Name][""]
			}
			for _, v := range values {
				id++
				if _, err := db.ExecContext(ctx, fmt.Sprintf("INSERT INTO things (id, %s) VALUES (%d, %s)", c, id, v)); err != nil {
					return fmt.Errorf("%s %.40s: %w", c, v, err)
				}
			}
		}
		// And all of a kind in one row, for what takes two columns.
		for i := range 8 {
			at := func(c string) string {
				values := kit.Worst[e.Name][c]
				if e.Name == tu.SQLite.Name {
					values = kit.Worst[e.Name][""]
				}
				return values[i%len(values)]
			}
			id++
			if _, err := db.ExecContext(ctx, fmt.Sprintf("INSERT INTO things (id, n, big, f, d, s) VALUES (%d, %s, %s, %s, %s, %s)", id, at("n"), at("big"), at("f"), at("d"), at("s"))); err != nil {
				return err
			}
		}
		return nil
	}
	return e.OpenWith(t, &exosql.OpenOptions{Setup: fill})
}

// more are expressions that grow what they are given.
func moreExpressions() []string {
	var out []string
	chain := func(x, op string, n int) string { return x + strings.Repeat(op, n) }
	for _, x := range []string{"t.big", "t.f", "t.d", "t.n"} {
		large, small := "1e308", "1e-308"
		if x == "t.d" {
			large, small = "'1e999'", "'1e-999'"
		}
		out = append(out, chain(x, ".mul("+x+")", 7), chain(x, ".div("+small+")", 6), chain(x, ".mul("+large+")", 6), x+".div("+x+").div("+x+")", x+".rdiv(1).rdiv(1)",
			x+".add(0.5).round(1000)", x+".mod("+small+")", x+".rmod("+large+")", x+".neg().abs().floor().ceil().roundUp()", x+".sub("+x+").mul("+x+")", x+".coalesce("+x+").mul("+x+")", x+".toText().length",
			x+".nullIf(0).div(3)", x+".isNull().case("+x+", 1).mul("+x+")", x+".add(1).in([1, 0.5])", x+".is("+x+".neg())", x+".mul(2).between(-1, "+large+")")
	}
	// A number that is one of several, of different kinds, in whatever order.
	for _, pick := range []string{"t.d.coalesce(t.n)", "t.n.coalesce(t.d)", "t.n.isNull().case(t.d, t.n)", "t.b.isNull().case(t.f, t.d)", "t.d.nullIf(t.n)", "t.d.coalesce(t.n).coalesce(t.f)", "t.d.nullIf(t.f).coalesce(t.big)"} {
		out = append(out, pick+".mul("+pick+")", chain(pick, ".mul("+pick+")", 3), pick+".add(1e300).mul(1e300)", pick+".div(t.d)", pick+".round(3).toText().length")
	}
	out = append(out, "t.tags.length.mul(t.tags.length).mul(2147483647).mul(2147483647)", "t.nums.length.floor().div(2)", "t.day.day().mul(t.day.year()).div(3)", "t.s.length.mul(t.s.length).mul(2147483647)")
	out = append(out, "t.d.eq(t.f)", "t.d.lt(t.n)", "t.f.lt(t.n)", "t.f.is(t.big)", "t.d.in([t.f, t.n])", "t.f.eq(9007199254740991)", "t.n.lt(1e300)", "t.big.lt('9007199254740993')",
		"t.s.concat(t.s, t.s).upper().lower().trim().length", "t.s.upper().like('%A%_')", "t.s.ilike('%\\u0130%')", "t.s.substring(1073741824, 1073741825)", "t.s.substring(2147483647)", "t.s.substring(5, 1)",
		"t.s.slice(0, 3).concat(t.n.toText(), t.d.toText(), t.f.toText(), t.b.toText(), t.at.toText(), t.day.toText(), t.u.toText())", "t.s.endsWith(t.s)", "t.s.includes(t.s.upper())", "t.s.startsWith(t.s.trim())",
		"t.s.like('\\\\%')", "t.s.like('"+strings.Repeat("%", 900)+"')", "t.s.lower().eq(t.s.upper())", "t.s.between('', t.s)", "t.s.in([t.s, t.s.lower()])",
		"t.at.getTime().mul(t.big)", "t.at.toText()", "t.at.second().add(t.at.hour()).add(t.at.minute())", "t.at.eq(t.at)", "t.at.le(new Date(253402300799999))", "t.at.ge(new Date(-62135596800000))", "t.at.is(new Date(253402300799999))", "t.at.in([new Date(0), new Date(253402300799999)])", "t.at.coalesce(new Date(0)).year()",
		"t.day.toText()", "t.day.weekday().add(t.day.month()).add(t.day.getMonth()).add(t.day.day())", "t.day.eq(t.day)", "t.day.between('0001-01-01', '9999-12-31')",
		"t.at - t.at", "t.at.daysSince(t.at)", "t.day.daysSince(t.day).mul(t.big)", "t.at.coalesce(t.at).truncate('week')", "t.day.nullIf('2000-01-01').truncate('quarter').daysSince(t.day)", "t.at.truncate('day').eq(t.day)", "t.day.coalesce('0001-01-01').week()", "t.day.coalesce('9999-12-31').isoYear()",
		"t.day.plus(t.n, 'day')", "t.at.plus(t.n, 'week')", "t.day.plus(t.n, 'month')", "t.at.plus(t.n, 'year')", "t.day.plus(t.n.mul(1000000), 'quarter')", "t.at.coalesce(t.at).plus(t.at.year(), 'year')",
		"t.iv.eq(t.iv)", "t.iv.gt('P1M')", "t.iv.coalesce('P178956970Y7M').lt(t.iv)", "t.iv.nullIf(t.iv)", "t.tags.has('')", "t.nums.has(9007199254740991)", "t.tags.length.add(t.nums.length)", "t.raw.eq(t.raw)", "t.u.is(t.u)")
	return out
}

func TestOperatorsAreTotal(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		runner := func(db *exosql.DB) *tu.Runner {
			mine := exosql.Follow(exosql.Grant(db, owners, ownerTenant.Eq(1)), ownerThings)
			return tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(mine)}, exo.Limits{})
		}
		clean, db := openWorst(t, e, false), openWorst(t, e, true)
		want, got := runner(clean), runner(db)
		// With all rows in scope no fence keeps an operator from the worst of them.
		all := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
		exprs := moreExpressions()
		for _, x := range kit.Expressions {
			exprs = append(exprs, x.Expr)
		}
		if w, g := want.Run(t, "return await things.where(t => t.d"+strings.Repeat(".mul(t.d)", 8)+".isNull()).count()"), got.Run(t, "return await things.where(t => t.d"+strings.Repeat(".mul(t.d)", 8)+".isNull()).count()"); w.Kind != fail.Limit || g.Message != w.Message {
			t.Errorf("what has too many digits for the engine: %s, %s", w, g)
		}
		if e.Name == tu.Postgres.Name { // on SQLite no operator that there is fails
			partial := "SELECT count(*) > 0 FROM things t JOIN owners o ON o.id = t.id WHERE o.tenant = 1 AND -t.big <> 7"
			if _, err := exosql.AskOne(t.Context(), db, partial, value.TypeBool, ""); err == nil || !strings.Contains(err.Error(), "out of range") {
				t.Errorf("the twin: this engine looks at the rows in scope only: %v", err)
			}
		}
		share := tu.OneIn(t, 2)
		for _, x := range exprs {
			if !share.Next() {
				continue
			}
			if o := all.Run(t, "return await things.where(t => ("+x+").isNull()).count()"); o.Kind != 0 {
				t.Errorf("%.200s\nof the worst rows: %.300s\n%v", x, o, failure(o))
			}
			for _, cond := range []string{"(" + x + ").isNull()", x} {
				program := "return (await things.where(t => " + cond + ").select(t => ({ id: t.id })).orderBy(t => t.id)).map(t => t.id)"
				w := want.Run(t, program)
				if w.Kind == fail.Invalid && cond == x {
					continue // it is no condition
				}
				if g := got.Run(t, program); w.Result.Err != nil || g.JSON != w.JSON {
					t.Errorf("%.200s\nwith rows out of scope: %.300s\nwithout: %.300s\n%v", cond, g, w, failure(g))
				}
			}
		}
	})
}

// A text that grows would be more than the engine can hold, in rows out of scope.
func TestTextsDoNotGrowWithoutBound(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		fill := e.Exec(strings.Replace(kit.ThingsSQL(e), "PRIMARY KEY", "NOT NULL", 1), "CREATE TABLE owners (id {int} NOT NULL, tenant {int} NOT NULL)", "INSERT INTO owners VALUES (1, 1), (2, 1), (3, 1), (4, 1), (100, 2)",
			"INSERT INTO things (id, s) VALUES (100, "+e.Pick("printf('%.*c', 20000000, 'a')", "repeat('\u0390', 10000000)")+")")
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: fill})
		got := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Follow(exosql.Grant(db, owners, ownerTenant.Eq(1)), ownerThings))}, exo.Limits{})
		long := strings.Repeat("t.s, ", 7) + "t.s"
		for _, x := range []string{"t.s" + strings.Repeat(".concat("+long+")", 3) + ".length", "t.s.concat(" + long + ").upper().length"} {
			if o := got.Run(t, "return await things.where(t => "+x+".gt(0)).count()"); o.JSON != "3" {
				t.Errorf("%s: %s %v", x, o, failure(o))
			}
		}
		grown := "(t.s + t.s)" + strings.Repeat(".concat("+strings.Repeat("t.s.upper(), ", 7)+"t.s)", 3)
		if o := got.Run(t, "return await things.where(t => "+grown+".length.gt(0)).count()"); o.Kind != fail.Limit {
			t.Errorf("a text of any length: %s", o)
		}
		// What bounds an operand repeats it, but not again and again.
		for _, x := range []string{"t.s" + strings.Repeat(".upper().coalesce(t.s)", 40) + ".length", "t.d" + strings.Repeat(".add(1).coalesce(t.d)", 40) + ".floor()", "t.s" + strings.Repeat(".coalesce(t.s).nullIf('').trim()", 40) + ".upper().length"} {
			if o := got.Run(t, "return await things.where(t => "+x+".isNotNull()).count()"); o.JSON != "3" && o.Kind != fail.Limit {
				t.Errorf("%s: %s %v", x, o, failure(o))
			}
		}
	})
}

func failure(o tu.Outcome) (out []error) {
	for _, e := range o.Events {
		if e.Err != nil {
			out = append(out, e.Err)
		}
	}
	return out
}

type spoken struct {
	ID   int64
	A, B string
}

// Columns may have whatever collations; PostgreSQL can't choose between two, and
// says so when it looks at a row.
func TestCollationsOfTwoColumns(t *testing.T) {
	e := tu.Postgres
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(`CREATE TABLE spoken (id {int} PRIMARY KEY, a text COLLATE "de-x-icu" NOT NULL, b text COLLATE "fr-x-icu" NOT NULL)`, "INSERT INTO spoken VALUES (1, 'x', 'x'), (2, 'x', 'y')")})
	table := exosql.NewTable[spoken]("spoken")
	id := exosql.NewKey(table, "id", func(s *spoken) *int64 { return &s.ID })
	a := exosql.NewColumn(table, "a", func(s *spoken) *string { return &s.A })
	b := exosql.NewColumn(table, "b", func(s *spoken) *string { return &s.B })
	r := tu.NewRunner(t, map[string]exo.Object{"all": exosql.NewFacet(table, "s", id, a, b).Of(exosql.Grant(db, table, exosql.AllRows[spoken]()))}, exo.Limits{})
	for cond, want := range map[string]string{
		"s.a.eq(s.b)": "1", "s.a.ne(s.b)": "1", "s.a.is(s.b)": "1", "s.a.isNot(s.b)": "1", "s.a.in([s.b, 'x'])": "2", "s.a.notIn([s.b])": "1", "s.a.lt(s.b)": "1", "s.a.between(s.b, s.b)": "1",
		"s.a.nullIf(s.b).isNull()": "1", "s.a.coalesce(s.b).eq(s.b)": "1", "s.a.includes(s.b)": "1", "s.a.concat(s.b).eq('xy')": "1", "s.id.eq(1).case(s.a, s.b).eq(s.a)": "1", "s.a.eq(s.b.lower())": "1", "s.a.lower().eq(s.b)": "1",
	} {
		if o := r.Run(t, "return await all.where(s => "+cond+").count()"); o.JSON != want {
			t.Errorf("%s: %s, want %s %v", cond, o, want, failure(o))
		}
	}
	if o := r.Run(t, "return await all.join(all.as('o'), ({ s, o }) => s.a.eq(o.b)).count()"); o.JSON != "2" {
		t.Error(o)
	}
}
