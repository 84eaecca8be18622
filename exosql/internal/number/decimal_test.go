package number

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func zeros(n int) string { return strings.Repeat("0", n) }

func nines(n int) string { return strings.Repeat("9", n) }

// What is no number, in whatever cell a row has it, is none here.
func TestNoDecimal(t *testing.T) {
	for _, s := range []string{"", "-", ".", "-.", "--1", "-+1", "+-1", "1-", "1.2.3", "1.-2", "1_0", " 1", "1 ", "0x1", "1e1001", "NaN", "inf", "\u0661", "1\x00",
		"-+" + nines(30), nines(30) + "_" + nines(3), nines(30) + ".+1", nines(2001) + "e1", nines(2*MaxNumeric + 1)} {
		if d, ok := Parse(s); ok {
			t.Errorf("Parse(%.40q) is %.40s", s, d.text())
		}
		if d, ok := Read(s); ok {
			t.Errorf("number(%.40q) is %.40s", s, d.text())
		}
	}
	for _, x := range []any{nil, true, []byte("1"), math.NaN(), math.Inf(1), math.Inf(-1)} {
		if d, ok := Read(x); ok {
			t.Errorf("number(%v) is %s", x, d.text())
		}
	}
}

// The last number that has a value, and the first that has none.
func TestDecimalLimits(t *testing.T) {
	of := func(x any) Decimal {
		d, ok := Read(x)
		if !ok {
			t.Fatalf("no number: %.40v", x)
		}
		return d
	}
	for name, c := range map[string]struct {
		got  any
		want any
	}{
		"64 bits":            {Add(of(int64(math.MaxInt64-1)), of(int64(1))), int64(math.MaxInt64)},
		"one more":           {Add(of(int64(math.MaxInt64)), of(int64(1))), "9223372036854775808"},
		"the least":          {Sub(of(int64(math.MinInt64+1)), of(int64(1))), int64(math.MinInt64)},
		"one less":           {Sub(of(int64(math.MinInt64)), of(int64(1))), "-9223372036854775809"},
		"its opposite":       {Neg(of(int64(math.MinInt64))), "9223372036854775808"},
		"18 zeros":           {Mul(of(int64(1e9)), of(int64(1e9))), int64(1e18)},
		"19 zeros":           {Mul(of(int64(1e10)), of(int64(1e9))), "1" + zeros(19)},
		"whole again":        {Add(of("0.5"), of("-1.5")), int64(-1)},
		"minus nothing":      {Mul(of("-0.5"), of(int64(0))), int64(0)},
		"digits":             {Add(of(nines(16000)), of(int64(0))), nines(16000)},
		"too many digits":    {Add(of(nines(16000)), of(int64(1))), nil},
		"a product":          {Mul(of("1"+zeros(7999)), of("1"+zeros(8000))), "1" + zeros(15999)},
		"too long a product": {Mul(of("1"+zeros(8000)), of("1"+zeros(8000))), nil},
		"places":             {Neg(of("0." + zeros(15999) + "1")), "-0." + zeros(15999) + "1"},
		"too many places":    {Neg(of("0." + zeros(16000) + "1")), nil},
		"places of nothing":  {Neg(of("0." + zeros(16001))), nil},
		"far apart":          {Add(of("1"+zeros(15990)), of("0."+zeros(15990)+"1")), nil},
		"nearly nothing":     {Div(of("0."+zeros(15999)+"1"), of(nines(16000))), int64(0)},
		"a long quotient":    {Div(of(nines(15990)), of("0."+zeros(15998)+"1")), nil},
		"a long remainder":   {Mod(of("1"+zeros(15999)), of("0."+zeros(15999)+"3")), "0." + zeros(15999) + "1"},
		"rounded to nothing": {Round(of("0."+zeros(15999)+"9"), of(int64(1000))), int64(0)},
		"rounded up":         {Round(of("-0."+nines(2000)), of(int64(1000))), int64(-1)},
		"at a half":          {Round(of("-2.5"), of(int64(0))), int64(-3)},
		"below a half":       {Round(of("2.4999"), of(int64(0))), int64(2)},
		"too many to keep":   {Round(of("2.5"), of(int64(1001))), nil},
		"no such place":      {Round(of("2.5"), of("0.5")), nil},
		"a place as text":    {Round(of("2.55"), of("1."+zeros(3000))), "2.6"},
		"up":                 {RoundUp(of("-2.5")), int64(-2)},
		"nearly alike":       {of("1").Cmp(of("1.023")), -1}, // of the sizes 0.301 and 0.01
		"and below":          {of("-1").Cmp(of("-1.023")), 1},
		"far below":          {of("-1").Cmp(of("-102.3")), 1},
		"a longer key":       {bytes.Compare(Key(of("12")).([]byte), Key(of("12.3")).([]byte)), -1},
		"of less":            {bytes.Compare(Key(of("-12")).([]byte), Key(of("-12.3")).([]byte)), 1},
		"a large floor":      {Floor(of("-" + nines(40) + ".1")), "-1" + zeros(40)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %.40v, want %.40v", name, c.got, c.want)
		}
	}
	for s, want := range map[string]bool{
		nines(1000): true, "1" + zeros(1000): false, "1" + zeros(999): true, "0." + zeros(999) + "1": true, "0." + zeros(1000) + "1": false,
		nines(1000) + "." + nines(1000) + zeros(500): true, "0." + zeros(1500): true, "1" + zeros(20000): false, "-1" + zeros(1000): false,
	} {
		if got := Bounded(of(s)); got != want {
			t.Errorf("%.20s with %d characters is bounded: %v", s, len(s), got)
		}
	}
}

// Numbers that are far apart are compared as they are, and zeros are not cut off one by one.
func TestDecimalCost(t *testing.T) {
	tiny, _ := Parse("0." + zeros(15999) + "1")
	one, _ := Parse("1")
	if n := testing.AllocsPerRun(10, func() {
		if one.Cmp(tiny) != 1 || tiny.Cmp(one) != -1 {
			t.Fatal("1e-16000 is not less than 1")
		}
	}); n != 0 {
		t.Errorf("a comparison makes %v numbers", n)
	}
	long, _ := Parse("7" + zeros(31000))
	if n := testing.AllocsPerRun(1, func() {
		if r := long.reduced(); r.Exp != 31000 || r.Coef.Int64() != 7 {
			t.Fatal("7e31000 has other digits")
		}
	}); n > 1000 {
		t.Errorf("31,000 zeros take %v numbers", n)
	}
}
