package number

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A median is that of the exact numbers, whatever forms they have.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Median
		var all []*big.Rat
		for range rapid.IntRange(0, 9).Draw(t, "numbers") {
			var x any
			switch rapid.IntRange(0, 4).Draw(t, "form") {
			case 0:
				x = rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 40}).Draw(t, "whole")
			case 1:
				x = rapid.Int64Range(-5, 5).Draw(t, "small")
			case 2:
				x = rapid.SampledFrom([]float64{0.1, -0.5, 0.01, -0.25, 1e300, 5e-324, 3e17, -3e17, math.Copysign(0, -1)}).Draw(t, "float")
			case 3:
				x = rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?`).Draw(t, "decimal")
			case 4:
				x = rapid.SampledFrom([]any{nil, "", "x", math.NaN(), []byte("1")}).Draw(t, "none")
			}
			m.Add(x)
			if d, ok := Read(x); ok {
				r, _ := new(big.Rat).SetString(d.text())
				all = append(all, r)
			}
		}
		got := m.Value()
		if len(all) == 0 {
			if got != nil {
				t.Fatal(got)
			}
			return
		}
		slices.SortFunc(all, (*big.Rat).Cmp)
		want := new(big.Rat).Add(all[(len(all)-1)/2], all[len(all)/2])
		want.Quo(want, big.NewRat(2, 1))
		d, ok := Read(got)
		if r, _ := new(big.Rat).SetString(d.text()); !ok || r.Cmp(want) != 0 {
			t.Fatalf("the median is %v, want %v of %v", got, want, all)
		}
	})
}

// What a median holds is bounded.
func TestMedianIsBounded(t *testing.T) {
	var m Median
	for i := range int64(maxMedian / 8) {
		m.Add(i)
	}
	if m.Full() || m.Value() == nil {
		t.Fatal("no value of as many as it holds")
	}
	if m.Add(int64(1)); !m.Full() || m.Value() != nil {
		t.Error("more than it holds has a value")
	}
	n := len(m.whole)
	if m.Add(int64(1)); len(m.whole) != n {
		t.Error("it goes on when it is full")
	}
	m = Median{}
	for range maxMedian / 16 {
		m.Add("0.5")
	}
	if m.Full() {
		t.Error("full of short ones")
	}
	for !m.Full() {
		m.Add("12345678901234567890123456789.5")
	}
	if len(m.long) > 2 {
		t.Error(len(m.long), "long ones")
	}
}

// A short number is what Read makes of the text, and a sum of two is theirs.
func TestShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() string {
			return rapid.OneOf(rapid.StringMatching(`-?[0-9]{0,19}(\.[0-9]{0,19})?`), rapid.SampledFrom([]string{"", "-", ".", "-.5", "5.", "--1", "1-", "1.2.3", "1e3", " 1", "+1", "999999999999999999", "-0.999999999999999999"})).Draw(t, "text")
		}
		x, y := draw(), draw()
		a, ok := shortOf(x)
		b, ok2 := shortOf(y)
		da, read := Read(x)
		if ok && (!read || a.decimal().Cmp(da) != 0) {
			t.Fatalf("%q is %v", x, a)
		}
		if !ok || !ok2 {
			return
		}
		db, _ := Read(y)
		if sum, ok := a.plus(b); ok {
			p, q, exp := align(da, db)
			if want := (Decimal{new(big.Int).Add(p, q), exp}); sum.decimal().Cmp(want) != 0 {
				t.Fatalf("%s + %s is %v, want %v", x, y, sum, want)
			}
		}
		if a.cmp(b) != da.Cmp(db) {
			t.Fatalf("%s and %s", x, y)
		}
	})
}

// What a column of decimals holds is a number, or no value, or contradicts it.
func TestCellOf(t *testing.T) {
	for x, want := range map[any]Cell{
		int64(1): Number, 1.5: Number, "12.50": Number, "-3": Number, "1e3": Number, "123456789012345678901234567890.5": Number,
		math.Inf(1): NoValue, math.NaN(): NoValue, "1" + strings.Repeat("0", 1000): NoValue, strings.Repeat("9", 40_000): NoValue,
		"": NoNumber, "x": NoNumber, "12,50": NoNumber, "NaN": NoNumber, strings.Repeat("x", 40_000): NoNumber,
	} {
		if got := CellOf(x); got != want {
			t.Errorf("%.40v is %v, want %v", x, got, want)
		}
	}
	if CellOf([]byte("1")) != NoNumber {
		t.Error("bytes are a number")
	}
}
