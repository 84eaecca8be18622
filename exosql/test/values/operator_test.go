package values_test

import (
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

func TestExpressions(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := kit.OpenThings(t, e)
		r := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
		for _, c := range kit.Expressions {
			o := r.Run(t, "return (await things.orderBy(t => t.id).select(t => ({ x: "+c.Expr+" })).execute()).map(r => r.x)")
			if o.JSON != c.Want {
				t.Errorf("%s\n got %s\nwant %s", c.Expr, o, c.Want)
			}
			if !strings.HasPrefix(c.Want, "[true") && !strings.HasPrefix(c.Want, "[false") && !strings.HasPrefix(c.Want, "[null,null") {
				continue
			}
			// As a condition it keeps the rows for which it holds.
			if o := r.Run(t, "return (await things.where(t => "+c.Expr+").orderBy(t => t.id).execute()).map(r => r.id)"); strings.HasPrefix(c.Want, "[true") || strings.HasPrefix(c.Want, "[false") {
				if want := trueIDs(c.Want); o.JSON != want {
					t.Errorf("where %s\n got %s\nwant %s", c.Expr, o, want)
				}
			}
		}
	})
}

// trueIDs are the ids of the rows for which a condition is true.
func trueIDs(list string) string {
	var ids []string
	for i, x := range strings.Split(strings.Trim(list, "[]"), ",") {
		if x == "true" {
			ids = append(ids, string(rune('1'+i)))
		}
	}
	return "[" + strings.Join(ids, ",") + "]"
}

// Everything that can be selected can be sorted by, in the same order on both engines.
func TestSorting(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := kit.OpenThings(t, e)
		r := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
		for expr, want := range map[string]string{
			"t.n": "[4,2,3,1]", "t.n.desc()": "[1,3,2,4]", "t.d": "[4,2,1,3]", "t.d.desc()": "[3,1,2,4]", "t.s": "[4,3,1,2]", "t.s.lower()": "[4,3,1,2]",
			"t.iv": "[4,2,3,1]", "t.day": "[4,2,1,3]", "t.u": "[4,2,1,3]", "t.n.mul(-1)": "[4,1,3,2]", "t.n.add(t.d)": "[4,2,1,3]", "t.raw.desc()": "[1,3,2,4]",
			"t.s.length": "[4,3,1,2]", "t.b.case(t.n, t.f)": "[4,2,3,1]", "t.at.month()": "[4,3,1,2]", "t.n.in([])": "[1,2,3,4]", "[t.b.desc(), t.d.desc()]": "[3,1,2,4]",
			"t.big.mul(10).desc()": "[2,1,4,3]", "t.n.toText()": "[4,2,3,1]",
		} {
			if o := r.Run(t, "return (await things.orderBy(t => "+expr+").orderBy(t => t.id).execute()).map(r => r.id)"); o.JSON != want {
				t.Errorf("%s: got %s, want %s", expr, o, want)
			}
		}
	})
}

func ptr[T any](v T) *T { return &v }

// The typed API has the same operators.
func TestTypedOperators(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		all := exosql.Grant(kit.OpenThings(t, e), kit.Things, exosql.AllRows[kit.Thing]())
		at := time.Date(2024, 2, 29, 23, 59, 59, 999e6, time.UTC)
		for name, c := range map[string]struct {
			p    exosql.Predicate[kit.Thing]
			want string
		}{
			"not in":          {kit.ThingN.NotIn(7), "[2 3]"},
			"not in none":     {kit.ThingN.NotIn(), "[1 2 3]"},
			"between":         {kit.ThingF.Between(-3, 0.1), "[2 3]"},
			"like":            {exosql.Like(kit.ThingS, `%\_%`), "[3]"},
			"ilike":           {exosql.ILike(kit.ThingS, "élodie%"), "[2]"},
			"includes":        {exosql.Includes(kit.ThingS, "%"), "[3]"},
			"starts with":     {exosql.StartsWith(kit.ThingS, "Hello"), "[1]"},
			"ends with":       {exosql.EndsWith(kit.ThingS, `\ `), "[3]"},
			"not like":        {exosql.Not(exosql.Like(kit.ThingS, "H%")), "[2 3]"},
			"has":             {exosql.Has(kit.ThingTags, ptr("red")), "[1 3]"},
			"has number":      {exosql.Has(kit.ThingNums, 3), "[1 3]"},
			"decimal":         {kit.ThingD.Eq("12.5"), "[1]"},
			"decimal in":      {kit.ThingD.In("100.00", "7"), "[3]"},
			"decimal between": {kit.ThingD.Between("-1", "12.5"), "[1 2]"},
			"date":            {kit.ThingDay.Eq(exosql.Date{Year: 2024, Month: 2, Day: 29}), "[1]"},
			"date from":       {kit.ThingDay.Ge(exosql.DateOf(at)), "[1 3]"},
			"interval":        {kit.ThingIv.Eq(exosql.Interval{Days: 30}), "[2 3]"},
			"interval over":   {kit.ThingIv.Gt(exosql.Interval{Months: 1}), "[1]"},
			"uuid":            {kit.ThingU.Eq([16]byte{15: 1}), "[2]"},
			"bytes":           {kit.ThingRaw.Eq([]byte{0, 255, 16}), "[1 3]"},
			"no bytes":        {kit.ThingRaw.Eq(nil), "[2]"},
			"time":            {kit.ThingAt.Between(at, at), "[1]"},
			"json is null":    {kit.ThingJ.IsNull(), "[4]"},
			"big":             {kit.ThingBig.In(9007199254740993, 9223372036854775807), "[1 2]"},
		} {
			rows, err := all.Where(c.p).OrderBy(kit.ThingID.Asc()).All(t.Context())
			var ids []int64
			for _, r := range rows {
				ids = append(ids, r.ID)
			}
			if got := fmt.Sprint(ids); err != nil || got != c.want {
				t.Errorf("%s: %s, want %s (%v)", name, got, c.want, err)
			}
		}
		for name, p := range map[string]exosql.Predicate[kit.Thing]{
			"json":        kit.ThingJ.Eq(exosql.JSON("[]")),
			"array":       kit.ThingTags.Eq([]*string{ptr("red")}),
			"no decimal":  kit.ThingD.Eq("12,5"),
			"no date":     kit.ThingDay.Eq(exosql.Date{Year: 2023, Month: 2, Day: 29}),
			"a decimal":   exosql.Like(kit.ThingD, "1%"),
			"bad pattern": exosql.Like(kit.ThingS, `a\`),
		} {
			if _, err := all.Where(p).All(t.Context()); fail.KindOf(err) != fail.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, order := range map[string]exosql.Order[kit.Thing]{"json": kit.ThingJ.Asc(), "array": kit.ThingTags.Desc()} {
			if _, err := all.OrderBy(order).All(t.Context()); fail.KindOf(err) != fail.Invalid {
				t.Errorf("sorted by %s: %v", name, err)
			}
		}
		first, _, err := all.OrderBy(kit.ThingID.Asc()).First(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintln(*first.N, first.Big, *first.F, *first.D, *first.B, first.At.Equal(at), *first.Day, *first.Iv, first.U[0], *first.Raw, string(*first.J), *(*first.Tags)[1], *first.Nums)
		if want := `7 9007199254740993 2.5 12.5 true true 2024-02-29 P1Y2M3DT4H5M6.789S 18 [0 255 16] {"a":[1,2.5,null,true],"b":"x"} blue [1 2 3]`; got != want+"\n" {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	})
}

// A field that is too small for its column is the host's error, not another value.
func TestFieldsTooSmall(t *testing.T) {
	type small struct {
		ID int64
		N  int8
		F  float32
		S  []string
	}
	table := exosql.NewTable[small]("smalls")
	id := exosql.NewKey(table, "id", func(s *small) *int64 { return &s.ID })
	exosql.NewColumn(table, "n", func(s *small) *int8 { return &s.N })
	exosql.NewColumn(table, "f", func(s *small) *float32 { return &s.F })
	exosql.NewColumn(table, "s", func(s *small) *[]string { return &s.S })
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ok, null := e.Pick(`'["a"]'`, "'{a}'"), e.Pick("'[null]'", "'{NULL}'")
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE smalls (id {int} PRIMARY KEY, n {int}, f {float}, s {texts}); INSERT INTO smalls VALUES (1, 127, 0.5, " + ok + "), (2, 128, 0, " + ok + "), (3, 0, 1e300, " + ok + "), (4, 0, 0, " + null + ")")})
		all := exosql.Grant(db, table, exosql.AllRows[small]())
		if row, _, err := all.Where(id.Eq(1)).First(t.Context()); err != nil || row.N != 127 || row.F != 0.5 || len(row.S) != 1 {
			t.Error(row, err)
		}
		for i := int64(2); i <= 4; i++ {
			_, err := all.Where(id.Eq(i)).All(t.Context())
			_, _, first := all.Where(id.Eq(i)).First(t.Context())
			if fail.KindOf(err) != fail.Internal || fail.KindOf(first) != fail.Internal {
				t.Errorf("row %d: %v, %v", i, err, first)
			}
		}
	})
}

// What no column of the type can hold is refused by name, before any query.
func TestRefusedValues(t *testing.T) {
	db := kit.OpenThings(t, tu.SQLite)
	r := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
	for expr, want := range map[string]string{
		"t.n.eq(NaN)":                      "NaN is no number that a database can store",
		"t.n.add(1 / 0)":                   "Infinity is no number",
		"t.s.eq('\\ud800')":                "half a character",
		"t.s.concat('\\0')":                "NUL",
		"t.at.lt(new Date(8e15))":          "the year of the date must be 1 to 9999",
		"t.at.lt(new Date('x'))":           "the date is not valid",
		"t.at.eq('soon')":                  "a date",
		"t.n.eq(undefined)":                "undefined",
		"t.n.eq('x')":                      "thing.n.eq: the value must be a number",
		"t.n.eq('9007199254740993000000')": "must be a number",
		"t.d.eq('12,5')":                   "a decimal number (a number, or text like '12.50') or null; got the text \"12,5\"",
		"t.d.add('1e2000')":                "a decimal number",
		"t.day.eq('2023-02-29')":           "a day (text like '2024-01-31', or a Date)",
		"t.iv.eq('1 day')":                 "a length of time (text like 'P1DT2H30M')",
		"t.u.eq('123')":                    "a UUID",
		"t.raw.eq('AP8')":                  "bytes (base64 text)",
		"t.b.eq('true')":                   "true or false",
		"t.s.eq(7)":                        "must be text",
		"t.s.like('a\\\\')":                "ends with a single \\",
		"t.s.like('%'.repeat(1001))":       "longer than 1000 bytes",
		"t.s.like(t.s)":                    "the pattern must be text; got thing.s, which is text or null; only a value of the program is allowed here, not a column",
		"t.s.substring(-1)":                "the start must not be negative",
		"t.s.substring(t.n)":               "must be a whole number; got",
		"t.n.round(0.5)":                   "must be a whole number",
		"t.n.in([1, null])":                "`[1]` must be a number",
		"t.n.in([1, '2'])":                 "`[1]` must be a number",
		"t.tags.has(7)":                    "must be text",
		"t.tags.eq(['red'])":               "no member `eq`",
		"t.n.coalesce('x')":                "must be a number",
		"t.s.coalesce(7)":                  "must be text",
		"t.b.case(1, 'x')":                 "mixes a whole number and text",
		"t.b.case(null, null)":             "has only nulls",
		"t.b.case(t.tags, t.tags)":         "can't be used with a list",
		"t.b.case({}, 1)":                  "",
		"t.n.lt(null)":                     "must be a number; got null",
		"t.iv.add('P1D')":                  "no member `add`",
	} {
		o := r.Run(t, "return await things.where(t => "+expr+".isNull()).execute()")
		if o.Kind != fail.Invalid && o.Kind != fail.Denied || !strings.Contains(o.Message, want) || !strings.Contains(o.String(), "1:") {
			t.Errorf("%s\n got %s\nwant %q", expr, o, want)
		}
	}
}
