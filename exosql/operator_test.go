package exosql_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type thing struct {
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
	things    = exosql.NewTable[thing]("things")
	thingID   = exosql.NewKey(things, "id", func(t *thing) *int64 { return &t.ID })
	thingN    = exosql.NewNullable(things, "n", func(t *thing) **int32 { return &t.N })
	thingBig  = exosql.NewColumn(things, "big", func(t *thing) *int64 { return &t.Big })
	thingF    = exosql.NewNullable(things, "f", func(t *thing) **float64 { return &t.F })
	thingD    = exosql.NewNullable(things, "d", func(t *thing) **exosql.Decimal { return &t.D })
	thingS    = exosql.NewNullable(things, "s", func(t *thing) **string { return &t.S })
	thingB    = exosql.NewNullable(things, "b", func(t *thing) **bool { return &t.B })
	thingAt   = exosql.NewNullable(things, "at", func(t *thing) **time.Time { return &t.At })
	thingDay  = exosql.NewNullable(things, "day", func(t *thing) **exosql.Date { return &t.Day })
	thingIv   = exosql.NewNullable(things, "iv", func(t *thing) **exosql.Interval { return &t.Iv })
	thingU    = exosql.NewNullable(things, "u", func(t *thing) **[16]byte { return &t.U })
	thingRaw  = exosql.NewNullable(things, "raw", func(t *thing) **[]byte { return &t.Raw })
	thingJ    = exosql.NewNullable(things, "j", func(t *thing) **exosql.JSON { return &t.J })
	thingTags = exosql.NewNullable(things, "tags", func(t *thing) **[]*string { return &t.Tags })
	thingNums = exosql.NewNullable(things, "nums", func(t *thing) **[]int64 { return &t.Nums })
	thingDs   = exosql.NewNullable(things, "ds", func(t *thing) **[]exosql.Decimal { return &t.Ds })
)

const thingsDDL = `CREATE TABLE things (id {int} PRIMARY KEY, n {int}, big {int}, f {float}, d {decimal}, s TEXT, b BOOLEAN, at {time}, day {date}, iv {interval},
	u {uuid}, raw {bytes}, j {json}, tags {texts}, nums {ints}, ds {decimals});
INSERT INTO things VALUES
(1, 7, 9007199254740993, 2.5, '12.50', 'Hello World', true, '2024-02-29T23:59:59.999Z', '2024-02-29', 'P1Y2M3DT4H5M6.789S', '123e4567-e89b-12d3-a456-426614174000', {raw}, '{"a":[1,2.5,null,true],"b":"x"}', {tags}, {nums}, {ds}),
(2, -7, 9223372036854775807, -2.5, '-0.005', 'ÉLODIE straße', false, '1999-12-31T00:00:00.000Z', '1999-12-31', 'P30D', '00000000-0000-0000-0000-000000000001', {empty}, '[]', {none}, {none}, {none}),
(3, 0, -9223372036854775808, 0.1, '100', '  a%b_c\ ', true, '2026-01-02T03:04:05.678Z', '2026-01-02', 'P1M', 'ffffffff-ffff-ffff-ffff-ffffffffffff', {raw}, '"text"', {nullTag}, {nums}, NULL),
(4, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`

func openThings(t testing.TB, e tu.Engine) *exosql.DB {
	t.Helper()
	return e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(thingsSQL(e))})
}

func thingsSQL(e tu.Engine) string {
	return strings.NewReplacer(
		"{raw}", e.Pick("x'00ff10'", `'\x00ff10'`), "{empty}", e.Pick("x''", `'\x'`),
		"{tags}", e.Pick(`'["red","blue"]'`, `'{red,blue}'`), "{none}", e.Pick("'[]'", "'{}'"), "{nullTag}", e.Pick(`'[null,"red"]'`, `'{NULL,red}'`), "{ds}", e.Pick(`'["10.10",3]'`, "'{10.10,3}'"), "{nums}", e.Pick("'[1,2,3]'", "'{1,2,3}'"),
	).Replace(e.SQL(thingsDDL))
}

func thingFacet() *exosql.Facet[thing] {
	return exosql.NewFacet(things, "thing", thingID, thingN, thingBig, thingF, thingD, thingS, thingB, thingAt, thingDay, thingIv, thingU, thingRaw, thingJ, thingTags, thingNums, thingDs)
}

// Each expression, selected over the four rows in the order of their ids.
var expressions = []struct{ expr, want string }{
	// values, as they are
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
	{"t.f.mul(1e300).mul(1e300)", `["25` + zeros(599) + `","-25` + zeros(599) + `","1` + zeros(599) + `",null]`}, // no float
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
	{"t.day.plus(-2, 'day').isoWeekYear()", `[2024,1999,2026,null]`}, // the last is 2025-12-31
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

	// the same in JavaScript's words
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

func TestExpressions(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := openThings(t, e)
		r := tu.NewRunner(t, map[string]exo.Object{"things": thingFacet().Of(exosql.Grant(db, things, exosql.AllRows[thing]()))}, exo.Limits{})
		for _, c := range expressions {
			o := r.Run(t, "return (await things.orderBy(t => t.id).select(t => ({ x: "+c.expr+" })).execute()).map(r => r.x)")
			if o.JSON != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.expr, o, c.want)
			}
			if !strings.HasPrefix(c.want, "[true") && !strings.HasPrefix(c.want, "[false") && !strings.HasPrefix(c.want, "[null,null") {
				continue
			}
			// As a condition it keeps the rows for which it holds.
			if o := r.Run(t, "return (await things.where(t => "+c.expr+").orderBy(t => t.id).execute()).map(r => r.id)"); strings.HasPrefix(c.want, "[true") || strings.HasPrefix(c.want, "[false") {
				if want := trueIDs(c.want); o.JSON != want {
					t.Errorf("where %s\n got %s\nwant %s", c.expr, o, want)
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
		db := openThings(t, e)
		r := tu.NewRunner(t, map[string]exo.Object{"things": thingFacet().Of(exosql.Grant(db, things, exosql.AllRows[thing]()))}, exo.Limits{})
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
		all := exosql.Grant(openThings(t, e), things, exosql.AllRows[thing]())
		at := time.Date(2024, 2, 29, 23, 59, 59, 999e6, time.UTC)
		for name, c := range map[string]struct {
			p    exosql.Predicate[thing]
			want string
		}{
			"not in":          {thingN.NotIn(7), "[2 3]"},
			"not in none":     {thingN.NotIn(), "[1 2 3]"},
			"between":         {thingF.Between(-3, 0.1), "[2 3]"},
			"like":            {exosql.Like(thingS, `%\_%`), "[3]"},
			"ilike":           {exosql.ILike(thingS, "élodie%"), "[2]"},
			"includes":        {exosql.Includes(thingS, "%"), "[3]"},
			"starts with":     {exosql.StartsWith(thingS, "Hello"), "[1]"},
			"ends with":       {exosql.EndsWith(thingS, `\ `), "[3]"},
			"not like":        {exosql.Not(exosql.Like(thingS, "H%")), "[2 3]"},
			"has":             {exosql.Has(thingTags, ptr("red")), "[1 3]"},
			"has number":      {exosql.Has(thingNums, 3), "[1 3]"},
			"decimal":         {thingD.Eq("12.5"), "[1]"},
			"decimal in":      {thingD.In("100.00", "7"), "[3]"},
			"decimal between": {thingD.Between("-1", "12.5"), "[1 2]"},
			"date":            {thingDay.Eq(exosql.Date{Year: 2024, Month: 2, Day: 29}), "[1]"},
			"date from":       {thingDay.Ge(exosql.DateOf(at)), "[1 3]"},
			"interval":        {thingIv.Eq(exosql.Interval{Days: 30}), "[2 3]"},
			"interval over":   {thingIv.Gt(exosql.Interval{Months: 1}), "[1]"},
			"uuid":            {thingU.Eq([16]byte{15: 1}), "[2]"},
			"bytes":           {thingRaw.Eq([]byte{0, 255, 16}), "[1 3]"},
			"no bytes":        {thingRaw.Eq(nil), "[2]"},
			"time":            {thingAt.Between(at, at), "[1]"},
			"json is null":    {thingJ.IsNull(), "[4]"},
			"big":             {thingBig.In(9007199254740993, 9223372036854775807), "[1 2]"},
		} {
			rows, err := all.Where(c.p).OrderBy(thingID.Asc()).All(t.Context())
			var ids []int64
			for _, r := range rows {
				ids = append(ids, r.ID)
			}
			if got := fmt.Sprint(ids); err != nil || got != c.want {
				t.Errorf("%s: %s, want %s (%v)", name, got, c.want, err)
			}
		}
		for name, p := range map[string]exosql.Predicate[thing]{
			"json":        thingJ.Eq(exosql.JSON("[]")),
			"array":       thingTags.Eq([]*string{ptr("red")}),
			"no decimal":  thingD.Eq("12,5"),
			"no date":     thingDay.Eq(exosql.Date{Year: 2023, Month: 2, Day: 29}),
			"a decimal":   exosql.Like(thingD, "1%"),
			"bad pattern": exosql.Like(thingS, `a\`),
		} {
			if _, err := all.Where(p).All(t.Context()); fail.KindOf(err) != fail.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, order := range map[string]exosql.Order[thing]{"json": thingJ.Asc(), "array": thingTags.Desc()} {
			if _, err := all.OrderBy(order).All(t.Context()); fail.KindOf(err) != fail.Invalid {
				t.Errorf("sorted by %s: %v", name, err)
			}
		}
		first, _, err := all.OrderBy(thingID.Asc()).First(t.Context())
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
	db := openThings(t, tu.SQLite)
	r := tu.NewRunner(t, map[string]exo.Object{"things": thingFacet().Of(exosql.Grant(db, things, exosql.AllRows[thing]()))}, exo.Limits{})
	for expr, want := range map[string]string{
		"t.n.eq(NaN)":                      "NaN is no number that a database can hold",
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
		"t.s.like(t.s)":                    "the pattern must be text; got thing.s, which is text or null; only a value of the program can stand here, no column",
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
