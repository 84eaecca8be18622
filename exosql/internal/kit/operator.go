package kit

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type Thing struct {
	ID   int64
	N    *int32
	Big  int64
	F    *float64
	D    *exosql.Decimal
	S    *string
	B    *bool
	At   *time.Time
	Day  *exosql.Date
	Iv   *exosql.Interval
	U    *[16]byte
	Raw  *[]byte
	J    *exosql.JSON
	Tags *[]*string
	Nums *[]int64
	Ds   *[]exosql.Decimal
}

var (
	Things    = exosql.NewTable[Thing]("things")
	ThingID   = exosql.NewKey(Things, "id", func(t *Thing) *int64 { return &t.ID })
	ThingN    = exosql.NewNullable(Things, "n", func(t *Thing) **int32 { return &t.N })
	ThingBig  = exosql.NewColumn(Things, "big", func(t *Thing) *int64 { return &t.Big })
	ThingF    = exosql.NewNullable(Things, "f", func(t *Thing) **float64 { return &t.F })
	ThingD    = exosql.NewNullable(Things, "d", func(t *Thing) **exosql.Decimal { return &t.D })
	ThingS    = exosql.NewNullable(Things, "s", func(t *Thing) **string { return &t.S })
	ThingB    = exosql.NewNullable(Things, "b", func(t *Thing) **bool { return &t.B })
	ThingAt   = exosql.NewNullable(Things, "at", func(t *Thing) **time.Time { return &t.At })
	ThingDay  = exosql.NewNullable(Things, "day", func(t *Thing) **exosql.Date { return &t.Day })
	ThingIv   = exosql.NewNullable(Things, "iv", func(t *Thing) **exosql.Interval { return &t.Iv })
	ThingU    = exosql.NewNullable(Things, "u", func(t *Thing) **[16]byte { return &t.U })
	ThingRaw  = exosql.NewNullable(Things, "raw", func(t *Thing) **[]byte { return &t.Raw })
	ThingJ    = exosql.NewNullable(Things, "j", func(t *Thing) **exosql.JSON { return &t.J })
	ThingTags = exosql.NewNullable(Things, "tags", func(t *Thing) **[]*string { return &t.Tags })
	ThingNums = exosql.NewNullable(Things, "nums", func(t *Thing) **[]int64 { return &t.Nums })
	thingDs   = exosql.NewNullable(Things, "ds", func(t *Thing) **[]exosql.Decimal { return &t.Ds })
)

const thingsDDL = `CREATE TABLE things (id {int} PRIMARY KEY, n {int}, big {int}, f {float}, d {decimal}, s TEXT, b BOOLEAN, at {time}, day {date}, iv {interval},
	u {uuid}, raw {bytes}, j {json}, tags {texts}, nums {ints}, ds {decimals});
INSERT INTO things VALUES
(1, 7, 9007199254740993, 2.5, '12.50', 'Hello World', true, '2024-02-29T23:59:59.999Z', '2024-02-29', 'P1Y2M3DT4H5M6.789S', '123e4567-e89b-12d3-a456-426614174000', {raw}, '{"a":[1,2.5,null,true],"b":"x"}', {tags}, {nums}, {ds}),
(2, -7, 9223372036854775807, -2.5, '-0.005', 'ÉLODIE straße', false, '1999-12-31T00:00:00.000Z', '1999-12-31', 'P30D', '00000000-0000-0000-0000-000000000001', {empty}, '[]', {none}, {none}, {none}),
(3, 0, -9223372036854775808, 0.1, '100', '  a%b_c\ ', true, '2026-01-02T03:04:05.678Z', '2026-01-02', 'P1M', 'ffffffff-ffff-ffff-ffff-ffffffffffff', {raw}, '"text"', {nullTag}, {nums}, NULL),
(4, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`

func OpenThings(t testing.TB, e tu.Engine) *exosql.DB {
	t.Helper()
	return e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ThingsSQL(e))})
}

func ThingsSQL(e tu.Engine) string {
	return strings.NewReplacer(
		"{raw}", e.Pick("x'00ff10'", `'\x00ff10'`), "{empty}", e.Pick("x''", `'\x'`),
		"{tags}", e.Pick(`'["red","blue"]'`, `'{red,blue}'`), "{none}", e.Pick("'[]'", "'{}'"), "{nullTag}", e.Pick(`'[null,"red"]'`, `'{NULL,red}'`), "{ds}", e.Pick(`'["10.10",3]'`, "'{10.10,3}'"), "{nums}", e.Pick("'[1,2,3]'", "'{1,2,3}'"),
	).Replace(e.SQL(thingsDDL))
}

func ThingFacet() *exosql.Facet[Thing] {
	return exosql.NewFacet(Things, "thing", ThingID, ThingN, ThingBig, ThingF, ThingD, ThingS, ThingB, ThingAt, ThingDay, ThingIv, ThingU, ThingRaw, ThingJ, ThingTags, ThingNums, thingDs)
}

// Expressions has for each expression its values in the four rows, in the order of their ids.
var Expressions = []struct{ Expr, Want string }{
	// values of columns, unchanged
	{"t.n", `[7,-7,0,null]`},
	{"t.big", `["9007199254740993","9223372036854775807","-9223372036854775808",1]`},
	{"t.f", `[2.5,-2.5,0.1,null]`},
	{"t.d", `["12.5","-0.005","100",null]`},
	{"t.b", `[true,false,true,null]`},
	{"t.at", `["2024-02-29T23:59:59.999Z","1999-12-31T00:00:00.000Z","2026-01-02T03:04:05.678Z",null]`},
	{"t.day", `["2024-02-29","1999-12-31","2026-01-02",null]`},
	{"t.iv", `["P1Y2M3DT4H5M6.789S","P30D","P1M",null]`},
	{"t.u", `["123e4567-e89b-12d3-a456-426614174000","00000000-0000-0000-0000-000000000001","ffffffff-ffff-ffff-ffff-ffffffffffff",null]`},
	{"t.raw", `["AP8Q","","AP8Q",null]`},
	{"t.j", `[{"a":[1,2.5,null,true],"b":"x"},[],"text",null]`},
	{"t.tags", `[["red","blue"],[],[null,"red"],null]`},
	{"t.nums", `[[1,2,3],[],[1,2,3],null]`},

	// comparisons
	{"t.n.eq(7)", `[true,false,false,null]`},
	{"t.n.ne(7)", `[false,true,true,null]`},
	{"t.n.is(null)", `[false,false,false,true]`},
	{"t.n.isNot(7)", `[false,true,true,true]`},
	{"t.n.eq(null)", `[false,false,false,true]`},
	{"t.n.lt(0.5)", `[false,true,true,null]`},
	{"t.n.between(-7, 0)", `[false,true,true,null]`},
	{"t.n.in([7, 0])", `[true,false,true,null]`},
	{"t.n.in([7, 0.5])", `[true,false,false,null]`},
	{"t.n.in([])", `[false,false,false,false]`},
	{"t.n.notIn([7])", `[false,true,true,null]`},
	{"t.n.notIn([])", `[true,true,true,false]`},
	{"t.n.isNull()", `[false,false,false,true]`},
	{"t.big.eq('9007199254740993')", `[true,false,false,false]`},
	{"t.big.gt(9007199254740992)", `[true,true,false,false]`},
	{"t.f.eq(2.5)", `[true,false,false,null]`},
	{"t.f.ge(0)", `[true,false,true,null]`},
	{"t.f.in([1, 0.1])", `[false,false,true,null]`},
	{"t.f.lt(t.n)", `[true,false,false,null]`},
	{"t.n.lt(t.f)", `[false,true,true,null]`},
	{"t.n.lt(t.d)", `[true,true,true,null]`},
	{"t.d.eq('12.50')", `[true,false,false,null]`},
	{"t.d.eq(12.5)", `[true,false,false,null]`},
	{"t.d.lt(100)", `[true,true,false,null]`},
	{"t.d.in(['12.500', 100])", `[true,false,true,null]`},
	{"t.d.between(-1, '12.5')", `[true,true,false,null]`},
	{"t.s.gt('Z')", `[false,true,false,null]`},
	{"t.s.between(' ', 'I')", `[true,false,true,null]`},
	{"t.at.lt(new Date('2024-02-29T23:59:59.999Z'))", `[false,true,false,null]`},
	{"t.at.eq('2024-02-29T23:59:59.999Z')", `[true,false,false,null]`},
	{"t.at.between('2024-01-01', '2024-12-31')", `[true,false,false,null]`},
	{"t.day.eq('2024-02-29')", `[true,false,false,null]`},
	{"t.day.ge(new Date('2024-02-29'))", `[true,false,true,null]`},
	{"t.day.in(['1999-12-31', '2026-01-02'])", `[false,true,true,null]`},
	{"t.iv.eq('P1M')", `[false,true,true,null]`},
	{"t.iv.gt('P31D')", `[true,false,false,null]`},
	{"t.u.eq('123E4567-E89B-12D3-A456-426614174000')", `[true,false,false,null]`},
	{"t.u.in(['00000000-0000-0000-0000-000000000001'])", `[false,true,false,null]`},
	{"t.raw.eq('AP8Q')", `[true,false,true,null]`},
	{"t.raw.ne('')", `[true,false,true,null]`},
	{"t.b.eq(true)", `[true,false,true,null]`},
	{"t.j.isNotNull()", `[true,true,true,false]`},
	{"t.tags.has('red')", `[true,false,true,null]`},
	{"t.tags.has('blue')", `[true,false,null,null]`},
	{"t.nums.has(2)", `[true,false,true,null]`},
	{"t.ds", `[["10.1","3"],[],null,null]`},
	{"t.ds.has('10.1')", `[true,false,null,null]`},
	{"t.ds.includes(10.1)", `[true,false,false,false]`},
	{"t.ds.includes('3.0')", `[true,false,false,false]`},
	{"t.nums.length", `[3,0,3,null]`},

	// conditions
	{"t.b.and(t.n.gt(0))", `[true,false,false,null]`},
	{"t.b.or(t.n.isNull())", `[true,false,true,true]`},
	{"t.b.not()", `[false,true,false,null]`},
	{"t.b.case('yes', 'no')", `["yes","no","yes","no"]`},
	{"t.b.case(t.n, 0.5)", `[7,0.5,0,0.5]`},
	{"t.b.case(t.d, 1)", `["12.5","1","100","1"]`},
	{"t.b.case(null, t.s)", `[null,"ÉLODIE straße",null,null]`},
	{"t.b.case(t.n, t.f)", `[7,-2.5,0,null]`},
	{"t.b.case(t.at, t.at).isNull()", `[false,false,false,true]`},
	{"t.n.coalesce(-1)", `[7,-7,0,-1]`},
	{"t.n.coalesce(t.f).coalesce(0.5)", `[7,-7,0,0.5]`},
	{"t.d.coalesce(0)", `["12.5","-0.005","100","0"]`},
	{"t.s.coalesce('none')", `["Hello World","ÉLODIE straße","  a%b_c\\ ","none"]`},
	{"t.at.coalesce('2000-01-01')", `["2024-02-29T23:59:59.999Z","1999-12-31T00:00:00.000Z","2026-01-02T03:04:05.678Z","2000-01-01T00:00:00.000Z"]`},
	{"t.day.coalesce('2000-01-01')", `["2024-02-29","1999-12-31","2026-01-02","2000-01-01"]`},
	{"t.u.coalesce('00000000-0000-0000-0000-000000000009').eq('00000000-0000-0000-0000-000000000009')", `[false,false,false,true]`},
	{"t.iv.coalesce('PT1S')", `["P1Y2M3DT4H5M6.789S","P30D","P1M","PT1S"]`},
	{"t.raw.coalesce('AA==')", `["AP8Q","","AP8Q","AA=="]`},
	{"t.n.nullIf(0)", `[7,-7,null,null]`},
	{"t.d.nullIf('100.0')", `["12.5","-0.005",null,null]`},
	{"t.s.nullIf('Hello World')", `[null,"ÉLODIE straße","  a%b_c\\ ",null]`},
	{"t.iv.nullIf('P30D')", `["P1Y2M3DT4H5M6.789S",null,null,null]`},

	// texts
	{"t.s.lower()", `["hello world","élodie straße","  a%b_c\\ ",null]`},
	{"t.s.toUpperCase()", `["HELLO WORLD","ÉLODIE STRASSE","  A%B_C\\ ",null]`},
	{"t.s.trim()", `["Hello World","ÉLODIE straße","a%b_c\\",null]`},
	{"t.s.length", `[11,13,9,null]`},
	{"t.s.includes('o W')", `[true,false,false,false]`},
	{"t.s.includes('')", `[true,true,true,false]`},
	{"t.s.startsWith('ÉL')", `[false,true,false,false]`},
	{"t.s.startsWith('%')", `[false,false,false,false]`},
	{"t.s.endsWith('\\\\ ')", `[false,false,true,false]`},
	{"t.s.endsWith(t.s)", `[true,true,true,false]`},
	{"t.s.like('%o_W%')", `[true,false,false,null]`},
	{"t.s.like('%a\\\\%b\\\\_c%')", `[false,false,true,null]`},
	{"t.s.like('hello%')", `[false,false,false,null]`},
	{"t.s.ilike('hello%')", `[true,false,false,null]`},
	{"t.s.ilike('élodie%')", `[false,true,false,null]`},
	{"t.s.notLike('H%')", `[false,true,true,null]`},
	{"t.s.notIlike('h%')", `[false,true,true,null]`},
	{"t.s.substring(0, 5)", `["Hello","ÉLODI","  a%b",null]`},
	{"t.s.slice(6)", `["World"," straße","c\\ ",null]`},
	{"t.s.slice(5, 2)", `["","","",null]`},
	{"t.s.substring(5, 2)", `["llo","ODI","a%b",null]`},
	{"t.s.substring(2, 5)", `["llo","ODI","a%b",null]`},
	{"t.s.substring(2)", `["llo World","ODIE straße","a%b_c\\ ",null]`},
	{"t.s.substr(6, 2)", `["Wo"," s","c\\",null]`},
	{"t.s.substr(6)", `["World"," straße","c\\ ",null]`},
	{"t.s.substr(2147483647, 99999999999)", `["","","",null]`},
	{"t.s.slice(0, 99999999999)", `["Hello World","ÉLODIE straße","  a%b_c\\ ",null]`},
	{"t.s.concat('-', t.n.toText(), '!')", `["Hello World-7!","ÉLODIE straße--7!","  a%b_c\\ -0!",null]`},
	{"t.s.prepend('> ')", `["> Hello World","> ÉLODIE straße",">   a%b_c\\ ",null]`},
	{"t.s.lower().gt('i')", `[false,true,false,null]`},
	{"t.s.lower().in(['hello world'])", `[true,false,false,null]`},

	// numbers
	{"t.n.add(1)", `[8,-6,1,null]`},
	{"t.n['+'](0.5)", `[7.5,-6.5,0.5,null]`},
	{"t.big.add(1)", `["9007199254740994","9223372036854775808","-9223372036854775807",2]`},
	{"t.big.mul(t.big).sub(t.big.mul(t.big))", `[0,0,0,0]`},
	{"t.big.mul(10)", `["90071992547409930","92233720368547758070","-92233720368547758080",10]`},
	{"t.f.add(0.2)", `[2.7,-2.3,0.3,null]`},
	{"t.f.mul(1e300).mul(1e300)", `["25` + zeros(599) + `","-25` + zeros(599) + `","1` + zeros(599) + `",null]`}, // the result exceeds a float
	{"t.f.mul(1e-300).mul(1e-300)", `[0,0,0,null]`},
	{"t.d.mul('1e999').mul('1e9')", `["125` + zeros(1007) + `","-5` + zeros(1005) + `","1` + zeros(1010) + `",null]`},
	{"t.nums.length.ceil()", `[3,0,3,null]`},
	{"t.n.nullIf(0.1).floor().add(1)", `[8,-6,1,null]`},
	{"t.n.coalesce(0.5).floor()", `[7,-7,0,0]`},
	{"t.d.mul(3)", `["37.5","-0.015","300",null]`},
	{"t.d.add(t.f)", `["15","-2.505","100.1",null]`},
	{"t.n.sub(10)", `[-3,-17,-10,null]`},
	{"t.n.rsub(10)", `[3,17,10,null]`},
	{"t.n.div(2)", `[3.5,-3.5,0,null]`},
	{"t.n.div(0)", `[null,null,null,null]`},
	{"t.n.rdiv(14)", `[2,-2,null,null]`},
	{"t.d.div(3)", `["4.16666666666666666666","-0.00166666666666666666","33.33333333333333333333",null]`},
	{"t.n.mod(4)", `[3,-3,0,null]`},
	{"t.n.mod(0)", `[null,null,null,null]`},
	{"t.n.rmod(10)", `[3,3,null,null]`},
	{"t.f.mod(1)", `[0.5,-0.5,0.1,null]`},
	{"t.n.neg()", `[-7,7,0,null]`},
	{"t.n.abs()", `[7,7,0,null]`},
	{"t.f.round()", `[3,-3,0,null]`},
	{"t.f.roundUp()", `[3,-2,0,null]`},
	{"t.d.round(2)", `["12.5","-0.01","100",null]`},
	{"t.d.round(99999)", `["12.5","-0.005","100",null]`},
	{"t.f.floor()", `[2,-3,0,null]`},
	{"t.f.ceil()", `[3,-2,1,null]`},
	{"t.n.add(1).eq(8)", `[true,false,false,null]`},
	{"t.big.add(1).gt(t.big)", `[true,true,true,true]`},
	{"t.n.add(1).in([8, 1])", `[true,false,true,null]`},
	{"t.n.add(t.f).lt(t.d)", `[true,true,true,null]`},
	{"t.n.mul(2).between(-14, 0)", `[false,true,true,null]`},
	{"t.n.toText()", `["7","-7","0",null]`},
	{"t.f.toText()", `["2.5","-2.5","0.1",null]`},
	{"t.d.toText()", `["12.5","-0.005","100",null]`},
	{"t.b.toText()", `["true","false","true",null]`},
	{"t.at.toText()", `["2024-02-29T23:59:59.999Z","1999-12-31T00:00:00.000Z","2026-01-02T03:04:05.678Z",null]`},
	{"t.day.toText()", `["2024-02-29","1999-12-31","2026-01-02",null]`},
	{"t.u.toText().length", `[36,36,36,null]`},

	// times
	{"t.at.year()", `[2024,1999,2026,null]`},
	{"t.at.getFullYear()", `[2024,1999,2026,null]`},
	{"t.at.month()", `[2,12,1,null]`},
	{"t.at.getMonth()", `[1,11,0,null]`},
	{"t.at.getDate()", `[29,31,2,null]`},
	{"t.at.getDay()", `[4,5,5,null]`},
	{"t.at.hour()", `[23,0,3,null]`},
	{"t.at.minute()", `[59,0,4,null]`},
	{"t.at.second()", `[59,0,5,null]`},
	{"t.at.getTime()", `[1709251199999,946598400000,1767323045678,null]`},
	{"t.at.year().eq(2024)", `[true,false,false,null]`},
	{"t.at.getMonth().add(1)", `[2,12,1,null]`},
	{"t.day.year()", `[2024,1999,2026,null]`},
	{"t.day.weekday()", `[4,5,5,null]`},
	{"t.at.quarter()", `[1,4,1,null]`},
	{"t.day.quarter()", `[1,4,1,null]`},
	{"t.at.week()", `[9,52,1,null]`},
	{"t.at.isoYear()", `[2024,1999,2026,null]`},
	{"t.day.plus(-2, 'day').isoWeekYear()", `[2024,1999,2026,null]`}, // the last of these days is 2025-12-31
	{"t.day.isoWeek()", `[9,52,1,null]`},
	{"t.at.truncate('day')", `["2024-02-29","1999-12-31","2026-01-02",null]`},
	{"t.at.truncate('week')", `["2024-02-26","1999-12-27","2025-12-29",null]`},
	{"t.at.truncate('month')", `["2024-02-01","1999-12-01","2026-01-01",null]`},
	{"t.at.truncate('quarter')", `["2024-01-01","1999-10-01","2026-01-01",null]`},
	{"t.at.startOf('year')", `["2024-01-01","1999-01-01","2026-01-01",null]`},
	{"t.day.truncate('day')", `["2024-02-29","1999-12-31","2026-01-02",null]`},
	{"t.day.truncate('week')", `["2024-02-26","1999-12-27","2025-12-29",null]`},
	{"t.day.truncate('month')", `["2024-02-01","1999-12-01","2026-01-01",null]`},
	{"t.day.truncate('quarter')", `["2024-01-01","1999-10-01","2026-01-01",null]`},
	{"t.day.truncate('year')", `["2024-01-01","1999-01-01","2026-01-01",null]`},
	{"t.at.truncate('month').truncate('year').truncate('week')", `["2024-01-01","1998-12-28","2025-12-29",null]`},
	{"t.at.coalesce('2000-02-02').truncate('month')", `["2024-02-01","1999-12-01","2026-01-01","2000-02-01"]`},
	{"t.at.truncate('month').eq('2024-02-01')", `[true,false,false,null]`},
	{"t.at.truncate('day') === t.day", `[true,true,true,true]`},
	{"t.at.truncate('month').in(['2024-02-01', '2026-01-01'])", `[true,false,true,null]`},
	{"t.at.truncate('quarter').month()", `[1,10,1,null]`},
	{"t.day.daysSince('2024-01-01')", `[59,-8767,732,null]`},
	{"t.at.daysSince('2024-01-01T23:00:00Z')", `[59,-8767,732,null]`},
	{"t.at.truncate('day').daysSince(t.day.truncate('month'))", `[28,30,1,null]`},
	{"t.at.plus(1, 'day')", `["2024-03-01","2000-01-01","2026-01-03",null]`},
	{"t.day.plus(-1, 'day')", `["2024-02-28","1999-12-30","2026-01-01",null]`},
	{"t.day.plus(2, 'week')", `["2024-03-14","2000-01-14","2026-01-16",null]`},
	{"t.day.plus(2, 'month')", `["2024-04-29","2000-02-29","2026-03-02",null]`},
	{"t.at.plus(14, 'month')", `["2025-04-29","2001-02-28","2027-03-02",null]`},
	{"t.day.plus(-1, 'quarter')", `["2023-11-29","1999-09-30","2025-10-02",null]`},
	{"t.day.plus(1, 'year')", `["2025-02-28","2000-12-31","2027-01-02",null]`},
	{"t.day.plus(0, 'year')", `["2024-02-29","1999-12-31","2026-01-02",null]`},
	{"t.day.plus(t.n, 'day')", `["2024-03-07","1999-12-24","2026-01-02",null]`},
	{"t.day.plus(t.n * 2 - 1, 'week')", `["2024-05-30","1999-09-17","2025-12-26",null]`},
	{"t.day.plus(t.n, 'month').plus(1, 'day').daysSince(t.day)", `[214,-213,1,null]`},
	{"t.day.plus(t.n > 0 ? t.n - 7 : 1, 'day')", `["2024-02-29","2000-01-01","2026-01-03",null]`},
	{"t.day.plus(8000, 'year')", `[null,"9999-12-31",null,null]`},
	{"t.day.plus(-2024, 'year')", `[null,null,"0002-01-02",null]`},
	{"t.day.plus(9007199254740991, 'year')", `[null,null,null,null]`},
	{"t.day.plus(-4000000, 'quarter')", `[null,null,null,null]`},
	{"t.day.plus(4000000, 'week')", `[null,null,null,null]`},
	{"t.at.plus(1, 'month') > '2024-01-31'", `[true,false,true,false]`},
	{"t.at - new Date('2024-02-29')", `[86399999,-762566400000,58158245678,null]`},
	{"new Date('2024-02-29') - t.at", `[-86399999,762566400000,-58158245678,null]`},
	{"(t.at - t.at) / 1000", `[0,0,0,null]`},
	{"t.at.sub('2024-02-29')", `[86399999,-762566400000,58158245678,null]`},
	{"t.at - t.at > 0", `[false,false,false,false]`},

	// the same operators in JavaScript's syntax
	{"t.n + 1", `[8,-6,1,null]`},
	{"(t.n - 1) * 2", `[12,-16,-2,null]`},
	{"t.n / 2", `[3.5,-3.5,0,null]`},
	{"t.n % 4 === 3", `[true,false,false,false]`},
	{"t.b && t.n > 0", `[true,false,false,false]`},
	{"!(t.n >= 0)", `[false,true,false,true]`},
	{"t.s.toLowerCase().includes('world')", `[true,false,false,false]`},
	{"t.at.getFullYear() === 2024 || t.n == null", `[true,false,false,true]`},
	{"Math.round(t.f)", `[3,-2,0,null]`},
	{"Math.abs(t.n) + Math.floor(t.f) * Math.ceil(t.f)", `[13,13,0,null]`},
	{"-t.n", `[-7,7,0,null]`},
	{"10 - t.n", `[3,17,10,null]`},
	{"14 / t.n", `[2,-2,null,null]`},
	{"10 % t.n", `[3,3,null,null]`},
	{"2 * t.f", `[5,-5,0.2,null]`},
	{"t.b ? 'yes' : 'no'", `["yes","no","yes","no"]`},
	{"t.n > 0 ? t.n : -t.n", `[7,7,0,null]`},
	{"t.n ?? -1", `[7,-7,0,-1]`},
	{"t.s?.length ?? 0", `[11,13,9,0]`},
	{"`${t.s}: ${t.n}`", `["Hello World: 7","ÉLODIE straße: -7","  a%b_c\\ : 0",null]`},
	{"`<${t.n}>`", `["<7>","<-7>","<0>",null]`},
	{"`at ${t.at}`", `["at 2024-02-29T23:59:59.999Z","at 1999-12-31T00:00:00.000Z","at 2026-01-02T03:04:05.678Z",null]`},
	{"'x' + t.s", `["xHello World","xÉLODIE straße","x  a%b_c\\ ",null]`},
	{"String(t.d)", `["12.5","-0.005","100",null]`},
	{"[7, 0].includes(t.n)", `[true,false,true,false]`},
	{"new Set([7]).has(t.n)", `[true,false,false,false]`},
	{"t.tags.includes('red')", `[true,false,true,false]`},
	{"t.s.slice(0, 2).toUpperCase() === 'HE'", `[true,false,false,false]`},
	{"(t.b ? t.n : t.f) >= 0 && t.s != null", `[true,false,true,false]`},
	{"t.s + '!'", `["Hello World!","ÉLODIE straße!","  a%b_c\\ !",null]`},
}

func zeros(n int) string { return strings.Repeat("0", n) }
