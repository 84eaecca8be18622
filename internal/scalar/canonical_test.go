package scalar_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ typ, in, want string }{
		{value.TypeDecimal, "12.50", "12.5"}, {value.TypeDecimal, "-0.00", "0"}, {value.TypeDecimal, "+007", "7"}, {value.TypeDecimal, ".5", "0.5"},
		{value.TypeDecimal, "1e3", "1000"}, {value.TypeDecimal, "1.25E-3", "0.00125"}, {value.TypeDecimal, "-12e-1", "-1.2"}, {value.TypeDecimal, "0e999", "0"},
		{value.TypeDecimal, "123456789012345678901234567890.000000001", "123456789012345678901234567890.000000001"},
		{value.TypeDate, "2024-02-29", "2024-02-29"},
		{value.TypeInterval, "P14M", "P1Y2M"}, {value.TypeInterval, "P2W1D", "P15D"}, {value.TypeInterval, "PT90M", "PT1H30M"}, {value.TypeInterval, "PT-0.5S", "PT-0.5S"},
		{value.TypeInterval, "P1Y-1MT1.250S", "P11MT1.25S"}, {value.TypeInterval, "PT0S", "PT0S"}, {value.TypeInterval, "P-3DT-61S", "P-3DT-1M-1S"},
		{value.TypeUUID, "123E4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"},
		{value.TypeBytes, "AP8=", "AP8="}, {value.TypeBytes, "", ""},
	} {
		if got, ok := scalar.Canonical(c.typ, c.in); !ok || got != c.want {
			t.Errorf("%s %q: got %q %t, want %q", c.typ, c.in, got, ok, c.want)
		}
	}
	for _, c := range [][2]string{
		{value.TypeDecimal, ""}, {value.TypeDecimal, "-"}, {value.TypeDecimal, "1."}, {value.TypeDecimal, "1e"}, {value.TypeDecimal, "1e1001"}, {value.TypeDecimal, "0x10"}, {value.TypeDecimal, "1_000"},
		{value.TypeDecimal, "NaN"}, {value.TypeDecimal, "Infinity"}, {value.TypeDecimal, " 1"}, {value.TypeDecimal, "--1"}, {value.TypeDecimal, "1e-1e1"}, {value.TypeDecimal, "٣"},
		{value.TypeDate, "2023-02-29"}, {value.TypeDate, "0000-01-01"}, {value.TypeDate, "2024-1-1"}, {value.TypeDate, "2024-01-01T00:00:00Z"},
		{value.TypeInterval, "P"}, {value.TypeInterval, "PT"}, {value.TypeInterval, "P1"}, {value.TypeInterval, "P1H"}, {value.TypeInterval, "P1D1Y"}, {value.TypeInterval, "P1D1D"},
		{value.TypeInterval, "P1.5D"}, {value.TypeInterval, "PT1.1234567S"}, {value.TypeInterval, "P9999999999M"}, {value.TypeInterval, "PT9999999999999999999H"}, {value.TypeInterval, "1 day"},
		{value.TypeUUID, "123e4567e89b12d3a456426614174000"}, {value.TypeUUID, "123e4567-e89b-12d3-a456-42661417400g"}, {value.TypeUUID, "{23e4567-e89b-12d3-a456-42661417400}"},
		{value.TypeBytes, "AP8"}, {value.TypeBytes, "AP9="}, {value.TypeBytes, "a b="}, {value.TypeText, "x"}, {"", "x"},
	} {
		if got, ok := scalar.Canonical(c[0], c[1]); ok {
			t.Errorf("%s %q was taken as %q", c[0], c[1], got)
		}
	}
}

// What is canonical says what was read, and says it in one way.
func FuzzCanonical(f *testing.F) {
	types := []string{value.TypeDecimal, value.TypeDate, value.TypeInterval, value.TypeUUID, value.TypeBytes}
	for i, s := range []string{"-012.50e2", "2024-02-29", "P1Y2M3W4DT5H6M7.5S", "123E4567-e89b-12d3-a456-426614174000", "AP8="} {
		f.Add(uint8(i), s)
	}
	f.Fuzz(func(t *testing.T, which uint8, s string) {
		typ := types[int(which)%len(types)]
		one, ok := scalar.Canonical(typ, s)
		if !ok {
			return
		}
		if two, ok := scalar.Canonical(typ, one); !ok || two != one {
			t.Fatalf("%s %q: %q, and then %q %t", typ, s, one, two, ok)
		}
		if typ == value.TypeDecimal {
			a, okA := new(big.Rat).SetString(s)
			b, okB := new(big.Rat).SetString(one)
			if !okA || !okB || a.Cmp(b) != 0 {
				t.Fatalf("%q became %q", s, one)
			}
		}
	})
}

func TestIntervalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := scalar.Interval{
			Months: rapid.Int32().Draw(t, "months"), Days: rapid.Int32().Draw(t, "days"),
			Micros: rapid.Int64Range(-1<<62, 1<<62).Draw(t, "micros"),
		}
		if got, ok := scalar.ParseInterval(i.String()); !ok || got != i {
			t.Fatalf("%+v is %s, which is %+v %t", i, i, got, ok)
		}
	})
}
