package number

import (
	"bytes"
	"math"
	"math/big"
	"testing"
)

// TestWholeBeside: a whole number of 64 bits compares with what stands for a number as it does with the number.
func TestWholeBeside(t *testing.T) {
	for _, text := range []string{"0", "2", "-2", "2.5", "-2.5", "-0.1", "0.00000000000000000001", "9007199254740993", "9007199254740993.5", "9223372036854775807", "9223372036854775807.5",
		"9223372036854775808", "-9223372036854775808", "-9223372036854775808.5", "-9223372036854775809", nines(30), "-" + nines(30) + ".5", nines(16_001)} {
		a, ok := Parse(text)
		if !ok {
			t.Fatal(text)
		}
		for _, n := range []int64{math.MinInt64, math.MinInt64 + 1, -3, -2, -1, 0, 1, 2, 3, 9007199254740992, 9007199254740993, 9007199254740994, math.MaxInt64 - 1, math.MaxInt64} {
			want := Decimal{big.NewInt(n), 0}.Cmp(a)
			below, above, same := against(n, NotAbove(a)), against(n, NotBelow(a)), against(n, AsWhole(a))
			if (below > 0) != (want > 0) || (above < 0) != (want < 0) || (same == 0) != (want == 0) {
				t.Errorf("%d beside %.40s: %d, but %d %d %d", n, text, want, below, above, same)
			}
		}
	}
}

// against compares as SQLite does.
func against(n int64, x any) int {
	if i, ok := x.(int64); ok {
		return Decimal{big.NewInt(n), 0}.Cmp(Decimal{big.NewInt(i), 0})
	}
	f, _, _ := big.ParseFloat("0", 10, 2000, 0)
	return f.SetInt64(n).Cmp(big.NewFloat(x.(float64)))
}

// TestKeyOf: the key of what SQLite holds is that of the number.
func TestKeyOf(t *testing.T) {
	for _, x := range []any{int64(0), int64(10), int64(-1200), int64(math.MinInt64), int64(math.MaxInt64), "0", "-0", "0.00", "1.50", "-1.50", "100", "00100.0", "999999999999999999", "0.000000000000000001", "1e3", 2.5, -1e20, nines(30)} {
		d, ok := Read(x)
		if !ok {
			t.Fatal(x)
		}
		if got, want := KeyOf(x).([]byte), Key(d).([]byte); !bytes.Equal(got, want) {
			t.Errorf("%v: %x, want %x", x, got, want)
		}
	}
	for _, x := range []any{nil, "", "x", "1.2.3", math.NaN(), math.Inf(1), []byte("1")} {
		if got := KeyOf(x); got != nil {
			t.Errorf("%v: %v", x, got)
		}
	}
}
