package number

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// A sum, and a least and greatest number, are those of the exact numbers, whatever forms they have.
func TestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum Sum
		least, greatest := Extreme{}, Extreme{Greatest: true}
		want := new(big.Rat)
		var low, high *big.Rat
		for range rapid.IntRange(0, 6).Draw(t, "numbers") {
			var x any
			switch rapid.IntRange(0, 4).Draw(t, "form") {
			case 0:
				x = rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 40}).Draw(t, "whole")
			case 1:
				x = rapid.Int64().Draw(t, "any whole")
			case 2:
				x = rapid.SampledFrom([]float64{0.1, -0.5, 1e300, 5e-324, math.Copysign(0, -1)}).Draw(t, "float")
			case 3:
				x = rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?`).Draw(t, "decimal")
			case 4:
				x = rapid.SampledFrom([]any{nil, "", "x", math.NaN(), []byte("1")}).Draw(t, "none")
			}
			sum.Add(x)
			least.Add(x)
			greatest.Add(x)
			d, ok := Read(x)
			if !ok {
				continue
			}
			r, _ := new(big.Rat).SetString(d.text())
			want.Add(want, r)
			if low == nil || r.Cmp(low) < 0 {
				low = r
			}
			if high == nil || r.Cmp(high) > 0 {
				high = r
			}
		}
		same := func(what string, got any, want *big.Rat) {
			if got == nil || want == nil {
				if got != nil || want != nil {
					t.Fatalf("%s is %v, want %v", what, got, want)
				}
				return
			}
			d, ok := Read(got)
			if r, _ := new(big.Rat).SetString(d.text()); !ok || r.Cmp(want) != 0 {
				t.Fatalf("%s is %v, want %v", what, got, want)
			}
		}
		if low == nil {
			want = nil
		}
		same("the sum", sum.Value(), want)
		same("the least", least.Value(), low)
		same("the greatest", greatest.Value(), high)
	})
}

// The halves of whole numbers, as SQLite sums them, give their sum.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, upper, lower := new(big.Int), uint64(0), uint64(0)
		for _, x := range rapid.SliceOfN(rapid.Int64(), 1, 20).Draw(t, "numbers") {
			want.Add(want, big.NewInt(x))
			sum, carry := bits.Add64(lower, uint64(x), 0)
			lower, upper = sum, upper+uint64(x>>63)+carry
		}
		switch got := Whole(int64(upper), lower).(type) {
		case int64:
			if want.String() != strconv.FormatInt(got, 10) {
				t.Fatal(got, want)
			}
		case string:
			if want.String() != got {
				t.Fatal(got, want)
			}
		}
	})
}

// Of numbers of which the oldest leave, the sum, the mean, the least and the greatest are those of the ones that are left.
func TestMoving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum Sum
		least, greatest := Moving{}, Moving{Greatest: true}
		n := rapid.IntRange(1, 5).Draw(t, "rows")
		var in []any
		for range rapid.IntRange(0, 20).Draw(t, "numbers") {
			x := rapid.OneOf(rapid.SampledFrom([]any{int64(0), int64(1), int64(-1), int64(math.MaxInt64), int64(math.MinInt64), 0.1, -0.5, 1e300, 5e-324, nil, "", "x", math.NaN(), []byte("1"), "0.10", "-0.3", "999999999999999999", "123456789012345678901234567890.5"}),
				rapid.Map(rapid.Int64(), func(i int64) any { return i }), rapid.Map(rapid.Int64Range(-30, 30), func(i int64) any { return strconv.FormatInt(i, 10) + ".5" })).Draw(t, "x")
			sum.Add(x)
			least.Add(x)
			greatest.Add(x)
			if in = append(in, x); len(in) > n {
				sum.Remove(in[0])
				least.Remove(in[0])
				greatest.Remove(in[0])
				in = in[1:]
			}
			var want Sum
			low, high := Extreme{}, Extreme{Greatest: true}
			for _, x := range in {
				want.Add(x)
				low.Add(x)
				high.Add(x)
			}
			for what, v := range map[string][2]any{"sum": {sum.Value(), want.Value()}, "mean": {sum.Mean(), want.Mean()}, "least": {least.Value(), low.Value()}, "greatest": {greatest.Value(), high.Value()}} {
				if v[0] != v[1] {
					t.Fatalf("the %s of %v is %v, want %v", what, in, v[0], v[1])
				}
			}
			if len(least.in) > n {
				t.Fatalf("%d numbers are held of %d", len(least.in), n)
			}
		}
	})
}
