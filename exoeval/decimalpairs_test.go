package exoeval_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/testutil"
)

type amount struct {
	ID, Big int64
	D, E    exosql.Decimal
	F       float64
	Name    string
}

// amounts are rows of decimals beside a whole number beyond 2^53, a float and a text.
func amounts(t *testing.T, e testutil.Engine) *testutil.Runner {
	t.Helper()
	rows := exosql.NewTable[amount]("amounts")
	id := exosql.NewKey(rows, "id", func(r *amount) *int64 { return &r.ID })
	whole, f := exosql.NewColumn(rows, "big", func(r *amount) *int64 { return &r.Big }), exosql.NewColumn(rows, "f", func(r *amount) *float64 { return &r.F })
	d, one, name := exosql.NewColumn(rows, "d", func(r *amount) *exosql.Decimal { return &r.D }), exosql.NewColumn(rows, "e", func(r *amount) *exosql.Decimal { return &r.E }), exosql.NewColumn(rows, "name", func(r *amount) *string { return &r.Name })
	facet := exosql.NewFacet(rows, "amount", id).Add(whole, d, one, f, name).AllowUpdate(whole, d, one, f, name)
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE amounts(id {int} PRIMARY KEY, big {int} NOT NULL, d {decimal} NOT NULL, e {decimal} NOT NULL, f {float} NOT NULL, name TEXT NOT NULL)",
		"INSERT INTO amounts VALUES (1, 9007199254740993, '12.50', '0.1', 2.5, '12.5')", "INSERT INTO amounts VALUES (2, 7, '0', '0.2', 0.5, 'abc')",
		"INSERT INTO amounts VALUES (3, -9007199254740993, '-3', '12345678901234567890.125', 2.5, '7')")})
	return testutil.NewRunner(t, map[string]exo.Object{"amounts": facet.Of(exosql.Grant(db, rows, exosql.AllRows[amount]()))}, exo.Limits{})
}

// others are what a Decimal meets in the tests of pairs.
var others = []string{"0", "5", "-3", "2.5", "12.5", "1e21", "0.1", "'12.5'", "'12.50'", "''", "' 3 '", "'abc'", "null", "undefined", "true", "false", "NaN", "-Infinity",
	"new Date(5)", "[]", "[7]", "({})", "({ valueOf: () => 7 })", "new Number(4)"}

var pairOperators = []string{"+", "-", "*", "/", "%", "**", "<", "<=", ">", ">=", "===", "!==", "==", "!="}

// bitOperators calculate with the lowest 32 bits.
var bitOperators = []string{"|", "&", "^", "<<", ">>", ">>>"}

// builtins are what JavaScript has for numbers.
var builtins = []string{"Math.max(d, 3)", "Math.min(3, d)", "Math.max(d, null, '4')", "Math.max(d, undefined)", "Math.abs(d)", "Math.round(d)", "Math.floor(d)", "Math.ceil(d)", "Math.trunc(d)", "Math.sign(d)",
	"Math.sqrt(d)", "Math.round(d * 100) / 100", "Number(d)", "parseFloat(d)", "parseInt(d)", "String(d)", "`${d}`", "'' + d", "JSON.stringify(d)", "JSON.stringify({ d: [d] })", "d.toFixed(2)", "d.toString()", "d.toString(2)",
	"d.toPrecision(3)", "d.valueOf()", "isNaN(d)", "isFinite(d)", "Number.isInteger(d)", "Number.isSafeInteger(d)", "Number.isFinite(d)", "Number.isNaN(d)", "Boolean(d)", "!d", "d ? 1 : 2", "d || 7", "d && 7", "d ?? 7", "typeof d",
	"typeof -d", "[d].includes(d)", "[n].includes(d)", "[d].includes(n)", "[d].indexOf(n)", "[d, d].lastIndexOf(n)", "[n].indexOf(d)", "new Set([d, n, -d, -n]).size", "new Set([n]).has(d)", "new Set([d]).has(n)", "new Map([[d, 1]]).get(n)",
	"new Map([[n, 1]]).get(d)", "new Map([[d, 1]]).set(n, 2).size", "new Set([d]).delete(n)", "Object.is(d, n)", "Object.is(n, d)", "({ 12.5: 1, 0: 2 })[d]", "[3, 1, 2][d]", "[d, 3, 20, -1].sort((a, b) => a - b).join()", "[20, d, 3].sort().join()",
	"[d, n].map((x) => x + 1).join()", "[d, d].reduce((a, b) => a + b)", "[d, null].filter(Boolean).length", "Object.entries({ d }).join()", "new Date(d).getTime()", "new Date(2020, d).getTime()", "'x'.repeat(Math.abs(d))",
	"'abcdef'.slice(d)", "d | 0", "~d", "d << 1", "+d", "-d", "d + d", "d * d - d", "(() => { let x = d; x++; return x })()", "(() => { let x = d; x += 1; x *= 2; return x })()", "(() => { const o = { x: 1 }; o.x += d; o['x'] -= 1; return o.x })()",
	"(() => { switch (d) { case n: return 'same' } return 'other' })()", "(() => { switch (n) { case d: return 'same' } return 'other' })()", "d === n ? 'same' : 'other'", "d instanceof Number", "Array.isArray(d)", "Object.keys(Object(d)).length",
	"[d].join() + [[d]]", "d > 1 && d < 100", "Math.hypot(d, 1)", "encodeURIComponent(d)", "d % 2 === 0"}

// outcomes are what expressions give: texts with their types, or the name of an error.
func outcomes(exprs []string) string {
	var b strings.Builder
	b.WriteString("const show = (f) => { try { const x = f(); return typeof x + ' ' + x } catch (e) { return e.name } }; return [")
	for _, e := range exprs {
		fmt.Fprintf(&b, "show(() => %s),\n", e)
	}
	return b.String() + "]"
}

func listOf(t *testing.T, s string) (out []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		t.Fatalf("%v: %.300s", err, s)
	}
	return out
}

// asNumbers are outcomes in the engine alone, where d is a number.
func asNumbers(t *testing.T, n string, exprs []string) []string {
	t.Helper()
	v, err := goja.New().RunString("'use strict'; JSON.stringify((() => { const d = " + n + ", n = " + n + ";" + outcomes(exprs) + "})())")
	if err != nil {
		t.Fatal(err)
	}
	return listOf(t, v.String())
}

// near reports whether two outcomes are one number, but for what a double loses.
func near(a, b string) bool {
	x, err := strconv.ParseFloat(strings.TrimPrefix(a, "number "), 64)
	y, err2 := strconv.ParseFloat(strings.TrimPrefix(b, "number "), 64)
	return err == nil && err2 == nil && (x == y || math.Abs(x-y) <= 1e-13*math.Abs(x))
}

// A Decimal is to every operator and built-in what the number would be, on either side, where 15 digits hold it.
func TestDecimalPairs(t *testing.T) {
	var exprs []string
	for _, op := range append(bitOperators, pairOperators...) {
		for _, o := range others {
			a, b := fmt.Sprintf("d %s %s", op, o), fmt.Sprintf("%s %s d", o, op)
			if op == "**" && strings.HasPrefix(o, "-") { // no syntax
				b = "(" + o + ") ** d"
			}
			exprs = append(exprs, a, b)
		}
		exprs = append(exprs, fmt.Sprintf("d %s n", op), fmt.Sprintf("n %s d", op), fmt.Sprintf("d %s d", op))
	}
	operators := len(exprs)
	exprs = append(exprs, builtins...)
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := amounts(t, e)
		for id, n := range map[int]string{1: "12.5", 2: "0", 3: "-3"} {
			engine := asNumbers(t, n, exprs)
			o := r.Run(t, fmt.Sprintf("const { d } = await amounts.where({ id: %d }).first(), n = %s;", id, n)+outcomes(exprs))
			if o.Message != "" {
				t.Fatal(o)
			}
			for i, got := range listOf(t, o.JSON) {
				want, x := engine[i], exprs[i]
				text := strings.Contains(x, "'")
				switch {
				case got == want || near(got, want) && i < operators:
				case text && (strings.Contains(x, "==")) && strings.HasPrefix(got, "boolean"): // a text that is the number equals it
					d, _ := strconv.ParseFloat(n, 64)
					var of float64
					part := strings.Split(x, "'")[1]
					of, err := strconv.ParseFloat(part, 64)
					if same := err == nil && of == d; got != fmt.Sprint("boolean ", same == !strings.Contains(x, "!")) && want != got {
						t.Errorf("%s of %s: %s", x, n, got)
					}
				case strings.Contains(x, "0.1"): // doubles don't hold it: TestDecimalPairsExactly
				case strings.Contains(x, "[] ==") || strings.Contains(x, "= []") || strings.Contains(x, "[] !="): // the empty text is no decimal
				case (strings.Contains(x, "'abc'") || strings.Contains(x, "''")) && strings.ContainsAny(x, "<>") && got == "TypeError":
				case strings.Contains(x, "''") && strings.Contains(x, "!="):
				default:
					t.Errorf("%s of %s: %s; of a number %s", x, n, got, want)
				}
			}
		}
	})
}

// What the engine alone doesn't have, and what is wrong beside a Decimal.
func TestDecimalBuiltins(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := amounts(t, e)
		for program, want := range map[string]string{
			"[a.d.toLocaleString('en-US'), new Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR' }).format(c.e), c.e.toLocaleString()]": `["12.5","€12,345,678,901,234,567,890.13","12,345,678,901,234,567,890.125"]`,
			"[structuredClone({ d: a.d }).d + 1, Object.groupBy(rows, (r) => r.d)[12.5].length, Map.groupBy(rows, (r) => r.d).get(0).length]":         `["13.5",1,1]`,
			"[JSON.stringify(a), JSON.stringify([c.e, c.big])]": `["{\"id\":1,\"big\":\"9007199254740993\",\"d\":12.5,\"e\":0.1,\"f\":2.5,\"name\":\"12.5\"}","[\"12345678901234567890.125\",\"-9007199254740993\"]"]`,
			"[a.big + 1, a.big > 9007199254740992, a.big - b.big, a.big === '9007199254740993', -a.big === c.big, typeof a.big, typeof b.big]": `["9007199254740994",true,"9007199254740986",true,true,"number","number"]`,
			"[typeof a.name, a.name + 1, a.name === '12.5', b.big + 1, a.f + 1]":                                                               `["string","12.51",true,8,3.5]`, // a text stays one, whatever it is
			"rows.reduce((n, r) => n + r.d, 0) / rows.length":                                                                                  `"3.16666666666666666666"`,
			"rows.toSorted((x, y) => y.e - x.e).map((r) => r.id)":                                                                              "[3,2,1]",
			"[a.e + b.e, a.e + 0.2, 0.1 + b.e === 0.3, Math.max(...rows.map((r) => r.e)), rows.map((r) => r.d > 1)]":                           `["0.3","0.3",true,"12345678901234567890.125",[true,false,false]]`,
			"rows.filter((r) => r.d).length":                                                                                                   "2",
			"amounts.where((x) => x.d === a.d && x.e < b.e && x.f < a.d).count()":                                                              "1",
			"amounts.where({ big: a.big }).select((x) => ({ x: x.d + a.e }))":                                                                  `[{"x":"12.6"}]`,
			"amounts.limit(b.e * 10).select((x) => ({ id: x.id }))":                                                                            `[{"id":1},{"id":2}]`,
			"(await amounts.sum((x) => x.big)) + (await amounts.sum((x) => x.e))":                                                              `"12345678901234567897.425"`,
			"(await amounts.mean((x) => x.d)) * 3":                                                                                             `"9.49999999999999999998"`, // a mean has 20 places
			"new Promise((done) => done(a.d)).then((x) => x + 1)":                                                                              `"13.5"`,
			"(() => { let n = 0; for (const r of rows) n += r.e; return n })()":                                                                `"12345678901234567890.425"`,
			"(() => { const t = {}; for (const r of rows) (t[r.f] ??= { n: 0 }).n += r.d; return t })()":                                       `{"2.5":{"n":"9.5"},"0.5":{"n":"0"}}`,
			"(() => { const t = {}; for (const r of rows) t[r.f] = (t[r.f] || 0) + r.d; return t })()":                                         `{"2.5":"9.5","0.5":"0"}`,
			"1e-19 / (a.d * 0 + 3)":   `"0.000000000000000000033333333333333333"`,
			"a.d / 0":                 "null",
			"a.d.split('.')":          "error: a Decimal is a number and has no `split`: for its text write String(a).split",
			"a.d < 'abc'":             "error: `<` compares a Decimal with 'abc', which is no number; to compare texts write String(a) < b",
			"a.d.x = 1":               "error: ",
			"new WeakMap([[a.d, 1]])": "error: ",
			"a.d + 9007199254740993":  "error: '9007199254740993'",
		} {
			o := r.Run(t, "const rows = await amounts.orderBy((x) => x.id), [a, b, c] = rows; return "+program)
			if why, fails := strings.CutPrefix(want, "error: "); fails && !strings.Contains(o.Message, why) || fails && o.Message == "" || !fails && o.JSON != want {
				t.Errorf("%s: %s, want %s", program, o, want)
			}
		}
	})
}

// within reports whether a quotient is cut behind 20 places, or 17 digits.
func within(got, want *big.Rat) bool {
	off := new(big.Rat).Sub(got, want)
	digits := new(big.Rat).Quo(off, want)
	return off.Abs(off).Cmp(big.NewRat(1, 1e18)) <= 0 && digits.Abs(digits).Cmp(big.NewRat(1, 1e16)) <= 0
}

// Where doubles lose digits a Decimal does not: all pairs of long numbers, as math/big has them.
func TestDecimalPairsExactly(t *testing.T) {
	numbers := map[string]string{"a.d": "12.5", "a.e": "0.1", "b.e": "0.2", "c.e": "12345678901234567890.125", "a.big": "9007199254740993", "c.big": "-9007199254740993", "0.1": "0.1", "3": "3", "-2.5": "-2.5", "sum": "18014398509481986"}
	var exprs, wants []string
	quotients := map[string]*big.Rat{}
	for x, xs := range numbers {
		for y, ys := range numbers {
			p, _ := new(big.Rat).SetString(xs)
			q, _ := new(big.Rat).SetString(ys)
			if !strings.ContainsAny(x+y, "abcs") {
				continue
			}
			show := func(r *big.Rat) string {
				s := r.FloatString(60)
				return "number " + strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
			}
			quotient := new(big.Rat).Quo(p, q)
			quotients[fmt.Sprintf("%s / (%s)", x, y)] = quotient
			whole := new(big.Rat).SetInt(new(big.Int).Quo(quotient.Num(), quotient.Denom()))
			for op, want := range map[string]string{"+": show(new(big.Rat).Add(p, q)), "-": show(new(big.Rat).Sub(p, q)), "*": show(new(big.Rat).Mul(p, q)), "/": "",
				"%": show(new(big.Rat).Sub(p, whole.Mul(whole, q))), "<": fmt.Sprint("boolean ", p.Cmp(q) < 0), ">=": fmt.Sprint("boolean ", p.Cmp(q) >= 0), "===": fmt.Sprint("boolean ", p.Cmp(q) == 0), "!=": fmt.Sprint("boolean ", p.Cmp(q) != 0)} {
				exprs, wants = append(exprs, fmt.Sprintf("%s %s (%s)", x, op, y)), append(wants, want)
			}
		}
	}
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		o := amounts(t, e).Run(t, "const [a, b, c] = await amounts.orderBy((x) => x.id); const sum = a.big + a.big;"+outcomes(exprs))
		for i, got := range listOf(t, o.JSON) {
			if strings.Contains(exprs[i], " / ") { // 20 places as columns have, or the digits of a number
				if of, ok := new(big.Rat).SetString(strings.TrimPrefix(got, "number ")); !ok || !within(of, quotients[exprs[i]]) {
					t.Errorf("%s: %s", exprs[i], got)
				}
				continue
			}
			if got != wants[i] {
				t.Errorf("%s: %s, want %s", exprs[i], got, wants[i])
			}
		}
	})
}

// TestDecimalForms: the same calculation in other forms of JavaScript, and beside what no column holds.
func TestDecimalForms(t *testing.T) {
	const money = "class M { constructor(v) { this.v = v } valueOf() { return this.v } } "
	exprs := map[string]string{
		// Where a member is assigned, and objects that are numbers.
		"(() => { class P { #x = D; add(v) { this.#x += v; return this.#x } } return new P().add(E) })()":                                                                "number 0.3",
		"(() => { class P { #x = D; add(v) { return this.#x -= v } } return new P().add(E) })()":                                                                         "number -0.1",
		"(() => { class A { get t() { return D } set t(v) { this.is = v } } class B extends A { add(x) { super.t += x; return this.is } } return new B().add(E) })()":    "number 0.3",
		"(() => { class A { get t() { return D } set t(v) { this.is = v } } class B extends A { add(x) { super['t'] += x; return this.is } } return new B().add(E) })()": "number 0.3",
		"(() => { " + money + "return new M(D) + new M(E) })()":                                                                                                          "number 0.3",
		"(() => { " + money + "return new M(big) > new M(big - 0.001) })()":                                                                                              "boolean true",
		"(() => { " + money + "return new M(D) == D })()":                                                                                                                "boolean true",
		"(() => { " + money + "return -new M(big) })()":                                                                                                                  "number -12345678901234567890.125",
		"(() => { " + money + "return D == new M(D) })()":                                                                                                                "boolean true",
		"(() => { let n = 0; const o = { valueOf() { n++; return 5 } }; const v = D + o; return n + ':' + v })()":                                                        "string 1:5.1",
		"(() => { let n = 0; const o = { [Symbol.toPrimitive](hint) { n++; return hint } }; return D + o + n })()":                                                       "string 0.1default1",
		"D + { toString: () => '!' }":                                                                                "string 0.1!",
		"D * { valueOf: () => ({}), toString: () => '3' }":                                                           "number 0.3",
		"Decimal(7) == { valueOf: () => 7, toString: () => '8' }":                                                    "boolean true",
		"Decimal(8) == { valueOf: () => 7, toString: () => '8' }":                                                    "boolean false",
		"(() => { try { return D + { valueOf: () => ({}), toString: () => ({}) } } catch (e) { return e.name } })()": "string TypeError",
		// Equal in one way, equal in all.
		"new Set([0.1 + 0.2]).has(Decimal('0.30000000000000004'))":                                    "boolean true",
		"new Map([[0.1 + 0.2, 1]]).get(Decimal('0.30000000000000004'))":                               "number 1",
		"(() => { switch (0.1 + 0.2) { case Decimal('0.30000000000000004'): return 1 } return 0 })()": "number 1",
		"(() => { switch (Decimal('0.30000000000000004')) { case 0.1 + 0.2: return 1 } return 0 })()": "number 1",
		// Beyond what numbers hold.
		"T < Infinity": "boolean true", "-T > -Infinity": "boolean true", "T > NaN": "boolean false", "T - Infinity": "number -Infinity", "U * Infinity": "number Infinity", "Infinity * -U": "number -Infinity",
		"D % Infinity": "number 0.1", "Math.min(D, Infinity)": "number 0.1", "Math.max(D, -Infinity)": "number 0.1", "Math.max(D, Infinity)": "number Infinity", "Math.min(D, -Infinity, 3)": "number -Infinity", "Math.max(D, NaN)": "number NaN",
		"(() => { try { return Decimal(2) ** 4000 } catch (e) { return e.name } })()": "string RangeError",
		"0 ** -Decimal(1)": "number Infinity",
		// Digits.
		"big.toPrecision(22)": "string 12345678901234567890.13", "Decimal('1.005').toPrecision(3)": "string 1.01", "Decimal('9.996').toPrecision(3)": "string 10.0", "Decimal('-0.000123456').toPrecision(2)": "string -0.00012",
		"Decimal('0.00000012').toPrecision(2)": "string 1.2e-7", "Decimal(123456).toPrecision(2)": "string 1.2e+5", "Decimal(5).toPrecision(1)": "string 5", "Decimal(0).toPrecision(3)": "string 0.00",
		"T.toExponential()": "string 1e+400", "big.toExponential(3)": "string 1.235e+19", "Decimal('0.5').toExponential()": "string 5e-1", "Decimal(0).toExponential(1)": "string 0.0e+0",
		"(() => { try { return D.toPrecision(0) } catch (e) { return e.name } })()": "string RangeError",
	}
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := amounts(t, e)
		for _, named := range []bool{true, false} { // an expression of a program that does not name Decimal is compiled twice
			names, start := slices.Sorted(maps.Keys(exprs)), "const T = Decimal('1e400'), U = Decimal('1e-400');"
			if !named {
				names, start = slices.DeleteFunc(names, func(x string) bool { return strings.ContainsAny(x, "TU") || strings.Contains(x, "Decimal") }), ""
			}
			o := r.Run(t, start+"const [a, b, c] = await amounts.orderBy((x) => x.id); const D = a.e, E = b.e, big = c.e;"+outcomes(names))
			if o.Message != "" {
				t.Fatal(o)
			}
			for i, got := range listOf(t, o.JSON) {
				if got != exprs[names[i]] {
					t.Errorf("%s: %s, want %s", names[i], got, exprs[names[i]])
				}
			}
		}
	})
}

// TestDecimalGiven: what is given of a Decimal is a number, as if the program had written it; and all its digits where a number has not.
func TestDecimalGiven(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := amounts(t, e)
		for _, x := range []struct{ program, want string }{
			{"amounts.where({ f: a.d - 10 }).count()", "2"},
			{"amounts.where({ f: { gt: a.d - 10.5 }, id: { in: [b.e * 5, 7] } }).count()", "1"},
			{"amounts.where((x) => [a.d - 10].includes(x.f)).count()", "2"},
			{"amounts.where((x) => x.d === a.d && x.big === a.big).count()", "1"},
			{"amounts.where({ e: c.e }).count()", "1"},
			{"amounts.where({ name: a.d }).count()", "must be text"},
			{"amounts.where((x) => x.name === a.d).count()", "text"},
			{"amounts.where({ id: 2 }).update({ name: a.d })", "must be text"},
			{"amounts.where({ id: 2 }).update({ big: a.d * 2, f: a.d, d: c.e, e: a.e + 0.2 })", "1"},
			{"amounts.where({ id: 2 }).execute()", `[{"id":2,"big":25,"d":"12345678901234567890.125","e":"0.3","f":12.5,"name":"abc"}]`},
		} {
			if o := r.Run(t, "const [a, b, c] = await amounts.orderBy((x) => x.id); return await "+x.program); o.JSON != x.want && (o.Message == "" || !strings.Contains(o.Message, x.want)) {
				t.Errorf("%s: %s, want %s", x.program, o, x.want)
			}
		}
	})
}
