package exoeval_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/testutil"
)

type sums struct {
	ID        int64
	Zero, One exosql.Decimal
}

// inSums has one row, of decimals.
func inSums(t *testing.T, e testutil.Engine) *testutil.Runner {
	t.Helper()
	rows := exosql.NewTable[sums]("sums")
	id := exosql.NewKey(rows, "id", func(r *sums) *int64 { return &r.ID })
	zero := exosql.NewColumn(rows, "zero", func(r *sums) *exosql.Decimal { return &r.Zero })
	one := exosql.NewColumn(rows, "one", func(r *sums) *exosql.Decimal { return &r.One })
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE sums(id {int} PRIMARY KEY, zero {decimal} NOT NULL, one {decimal} NOT NULL)", "INSERT INTO sums VALUES (1, '0', '1')")})
	facet := exosql.NewFacet(rows, "sum", id).Add(zero, one)
	return testutil.NewRunner(t, map[string]exo.Object{"sums": facet.Of(exosql.Grant(db, rows, exosql.AllRows[sums]()))}, exo.Limits{})
}

// decimalText draws a decimal as a program writes it.
func decimalText(t *rapid.T, name string) string {
	return rapid.StringMatching(`-?([0-9]{1,3}|[0-9]{1,40})(\.([0-9]{1,3}|[0-9]{1,30}|0{1,20}[1-9]))?(e-?[0-9])?`).Draw(t, name)
}

// TestDecimalAsDatabases: what a program calculates is what a column gives, on both
// engines, and what math/big gives.
func TestDecimalAsDatabases(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := inSums(t, e)
		rapid.Check(t, func(rt *rapid.T) {
			a, b := decimalText(rt, "a"), decimalText(rt, "b")
			if rapid.IntRange(0, 9).Draw(rt, "half") == 0 {
				a += "5" // or of an exponent
			}
			places := rapid.IntRange(0, 25).Draw(rt, "places")
			x, ok := new(big.Rat).SetString(a)
			y, ok2 := new(big.Rat).SetString(b)
			if _, bounded := scalar.Canonical(value.TypeDecimal, a); !ok || !ok2 || !bounded {
				rt.Skip(a, b)
			}
			divide := func(x, by string) string { return "null" }
			want := map[string]*big.Rat{"plus": new(big.Rat).Add(x, y), "minus": new(big.Rat).Sub(x, y), "times": new(big.Rat).Mul(x, y), "neg": new(big.Rat).Neg(x), "abs": new(big.Rat).Abs(x), "round": rounded(x, places)}
			if y.Sign() != 0 {
				divide = func(x, by string) string { return fmt.Sprintf(by, x) }
				want["div"] = truncated(new(big.Rat).Quo(x, y), 20)
			}
			o := r.Run(t, fmt.Sprintf(`
				const a = Decimal(%q), b = new Decimal(%q);
				const row = await sums.select((t) => ({ plus: t.zero + a + b, minus: a - (t.zero + b), times: (t.zero + a) * b, div: %s, round: (t.zero + a).round(%d), neg: -(t.zero + a), abs: Math.abs(t.zero + a),
					lt: t.zero + a < b, gt: a > t.zero + b, eq: t.zero + a === b })).first();
				return [{ plus: a.plus(b), minus: a.minus(b), times: a.times(b), div: %s, round: a.round(%d), neg: a.neg(), abs: a.abs(), lt: a.lt(b), gt: a.gt(b), eq: a.eq(b) }, row, a.cmp(b)]`,
				a, b, divide("(t.zero + a) / b", "%s"), places, divide("a.div(b)", "%s"), places))
			var got []json.RawMessage
			var program, column map[string]any
			if err := json.Unmarshal([]byte(o.JSON), &got); err != nil || json.Unmarshal(got[0], &program) != nil || json.Unmarshal(got[1], &column) != nil {
				rt.Fatalf("%s, %s: %v: %s", a, b, err, o)
			}
			for name, v := range program {
				if fmt.Sprint(v) != fmt.Sprint(column[name]) {
					rt.Errorf("%s %s %s %d: the program has %v, the column %v", a, name, b, places, v, column[name])
				}
				w := want[name]
				if w == nil {
					continue
				}
				if n, ok := new(big.Rat).SetString(fmt.Sprint(v)); !ok || n.Cmp(w) != 0 {
					rt.Errorf("%s %s %s %d: %v, want %v", a, name, b, places, v, w)
				}
				if c, _ := scalar.Canonical(value.TypeDecimal, fmt.Sprint(v)); c != v {
					rt.Errorf("%s %s %s: %v is written %v", a, name, b, v, c)
				}
			}
			if c := fmt.Sprint(x.Cmp(y)); string(got[2]) != c {
				rt.Errorf("%s cmp %s: %s, want %s", a, b, got[2], c)
			}
		})
	})
}

// truncated is r to so many places, towards zero.
func truncated(r *big.Rat, places int) *big.Rat {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	n := new(big.Int).Mul(r.Num(), unit)
	return new(big.Rat).SetFrac(n.Quo(n, r.Denom()), unit)
}

// rounded is r to so many places, halves away from zero.
func rounded(r *big.Rat, places int) *big.Rat {
	half := new(big.Rat).SetFrac(big.NewInt(5*int64(r.Sign())), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places+1)), nil))
	return truncated(half.Add(half, r), places)
}

// A Decimal is a value where values go: to columns, results, JSON, texts, the console.
func TestDecimal(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := inSums(t, e)
		for program, want := range map[string]string{
			"return [Decimal('0.10').plus(0.2), Decimal('1.50'), new Decimal(Decimal('+007')), Decimal(1e21), Decimal(-0), Decimal(0.1)]": `["0.3","1.5","7","1000000000000000000000","0","0.1"]`,
			"return JSON.stringify({ a: [Decimal('1.50')] })":                                                                                   `"{\"a\":[1.5]}"`,
			"return [`${Decimal('1.50')}`, String(Decimal(2)), Decimal(1).toString(), Number(`${Decimal('2.50')}`)]":                            `["1.5","2","1",2.5]`,
			"return [Decimal('2.345').toFixed(2), Decimal(2).toFixed(2), Decimal('0.05').toFixed(), Decimal('-0.05').toFixed(1)]":               `["2.35","2.00","0","-0.1"]`,
			"return [Decimal('2.5').round(), Decimal('-2.5').round(), Decimal('-2.45').round(1), Decimal('99.99').round(1)]":                    `["3","-3","-2.5","100"]`,
			"return Decimal('-12345678901234567890.125').toLocaleString('en-US', { style: 'currency', currency: 'USD' })":                       `"-$12,345,678,901,234,567,890.13"`,
			"return [new Intl.NumberFormat('en-US').format(Decimal('1234.5')), Decimal(0).toLocaleString(), Decimal('0.001').toLocaleString()]": `["1,234.5","0","0.001"]`,
			"return ['3', '20'].map((s) => Decimal(s)).sort((a, b) => a.cmp(b))":                                                                `["3","20"]`,
			"const d = Decimal(1); return [d === d, Decimal(1) === Decimal(1), Decimal(1).eq('1.0'), d instanceof Decimal, typeof d]":           `[true,true,true,true,"number"]`,
			"return structuredClone({ a: Decimal('1.50') }).a.plus(1)":                                                                          `"2.5"`,
			"return [Decimal('2.50').toNumber(), Number(Decimal('0.1'))]":                                                                       "[2.5,0.1]",
			"return await Decimal(2)":                                                                                               `"2"`,
			"return sums.where((t) => t.one < Decimal('1.50')).count()":                                                             "1",
			"return sums.where((t) => Decimal('1.50') < t.one).count()":                                                             "0",
			"return sums.where((t) => t.one.in([Decimal('1.0'), Decimal(7)])).count()":                                              "1",
			"return sums.where({ one: Decimal('1.0') }).count()":                                                                    "1",
			"const one = Decimal(1); return sums.where((t) => one.eq('1.0') && t.one === one).count()":                              "1",
			"return sums.select((t) => ({ x: t.one + Decimal('0.5'), y: t.one.round(1), z: `${t.one} EUR` }))":                      `[{"x":"1.5","y":"1","z":"1 EUR"}]`,
			"return (await sums).reduce((s, r) => s.plus(r.one).plus('0.25'), Decimal(0))":                                          `"1.25"`,
			"return sums.select((t) => ({ x: t.one > 0 ? Decimal('1.50') : Decimal(0) }))":                                          `[{"x":1.5}]`,
			"class P { #x = Decimal('0.1'); add(v) { this.#x += v; return this.#x } } return new P().add(Decimal('0.2'))":           `"0.3"`,
			"const [r] = await sums; class P { #x = r.one; add(v) { this.#x += v / 3; return this.#x } } return new P().add(r.one)": `"1.33333333333333333333"`,
			"return ['1' + '0'.repeat(5000), '1.0'].map((s) => [s].includes(Decimal(1)))":                                           "[false,true]",
			"return sums.select((t) => ({ x: t.one + ' EUR' }))":                                                                    `[{"x":"1 EUR"}]`,
		} {
			if o := r.Run(t, program); o.JSON != want {
				t.Errorf("%s: %s, want %s", program, o, want)
			}
		}
		if o := r.Run(t, "console.log(Decimal('1.50'), [Decimal(1)])"); strings.TrimSpace(o.Console) != `1.5 ["1"]` {
			t.Error(o)
		}
	})
}

// What is none is an error that says what would be right.
func TestDecimalErrors(t *testing.T) {
	r := inSums(t, testutil.SQLite)
	for program, want := range map[string]string{
		"Decimal('1,5')":                                  "not '1,5'",
		"Decimal('1e999999999')":                          "not '1e999999999'",
		"Decimal('')":                                     "a text like '12.50'",
		"Decimal(' 1')":                                   "not ' 1'",
		"Decimal(NaN)":                                    "not NaN",
		"Decimal(1 / 0)":                                  "not Infinity",
		"Decimal(null)":                                   "not null; for a value that may be missing write value ?? 0",
		"Decimal()":                                       "not undefined",
		"Decimal(true)":                                   "not 'true'",
		"Decimal([1])":                                    "not an object",
		"Decimal(1).plus({})":                             "plus takes a Decimal, a number or a text",
		"Decimal(1).eq(null)":                             "eq takes",
		"Decimal(1).div('0.0')":                           "divided by zero",
		"Decimal(1).round(-1)":                            "from 0 to 1000",
		"Decimal(1).toFixed(0.5)":                         "whole number",
		"Decimal('9'.repeat(1000)).plus(1)":               "more than 1000 digits",
		"Decimal('1e-600').times('1e-600')":               "more than 1000 digits",
		"Decimal('1e999').div('1e-999')":                  "more than 1000 digits",
		"Decimal(1).add(1)":                               "write a + b",
		"Decimal(1).pluss(1)":                             "did you mean `plus`?",
		"Decimal(1).dividend":                             "it has plus, minus",
		"sums.where((t) => Decimal(t.one).gt(1))":         "can't calculate with sum.one",
		"sums.where((t) => Decimal(1).plus(t.one))":       "in a callback write t.column * Decimal('1.5')",
		"sums.select((t) => ({ x: t.one + '1.50' }))":     "to add write Decimal('1.5'), to join write a template",
		"sums.select((t) => ({ x: '1.50' + t.one }))":     "`+` would join the text '1.5' to",
		"sums.select((t) => ({ x: t.one * 2 + '1.50' }))": "would join the text '1.5'",
		"(await sums).sum()":                              "write rows.reduce((n, r) => n + r.x, 0)",
	} {
		if o := r.Run(t, "return "+program); !strings.Contains(o.Message, want) {
			t.Errorf("%s: %s, want %s", program, o, want)
		}
	}
}
