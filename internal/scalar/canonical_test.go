package scalar_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/scalar"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ typ, in, want string }{
		{exo.TypeDecimal, "12.50", "12.5"}, {exo.TypeDecimal, "-0.00", "0"}, {exo.TypeDecimal, "+007", "7"}, {exo.TypeDecimal, ".5", "0.5"},
		{exo.TypeDecimal, "1e3", "1000"}, {exo.TypeDecimal, "1.25E-3", "0.00125"}, {exo.TypeDecimal, "-12e-1", "-1.2"}, {exo.TypeDecimal, "0e999", "0"},
		{exo.TypeDecimal, "123456789012345678901234567890.000000001", "123456789012345678901234567890.000000001"},
		{exo.TypeDate, "2024-02-29", "2024-02-29"},
		{exo.TypeInterval, "P14M", "P1Y2M"}, {exo.TypeInterval, "P2W1D", "P15D"}, {exo.TypeInterval, "PT90M", "PT1H30M"}, {exo.TypeInterval, "PT-0.5S", "PT-0.5S"},
		{exo.TypeInterval, "P1Y-1MT1.250S", "P11MT1.25S"}, {exo.TypeInterval, "PT0S", "PT0S"}, {exo.TypeInterval, "P-3DT-61S", "P-3DT-1M-1S"},
		{exo.TypeUUID, "123E4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"},
		{exo.TypeBytes, "AP8=", "AP8="}, {exo.TypeBytes, "", ""},
	} {
		if got, ok := scalar.Canonical(c.typ, c.in); !ok || got != c.want {
			t.Errorf("%s %q: got %q %t, want %q", c.typ, c.in, got, ok, c.want)
		}
	}
	for _, c := range [][2]string{
		{exo.TypeDecimal, ""}, {exo.TypeDecimal, "-"}, {exo.TypeDecimal, "1."}, {exo.TypeDecimal, "1e"}, {exo.TypeDecimal, "1e1001"}, {exo.TypeDecimal, "0x10"}, {exo.TypeDecimal, "1_000"},
		{exo.TypeDecimal, "NaN"}, {exo.TypeDecimal, "Infinity"}, {exo.TypeDecimal, " 1"}, {exo.TypeDecimal, "--1"}, {exo.TypeDecimal, "1e-1e1"}, {exo.TypeDecimal, "٣"},
		{exo.TypeDate, "2023-02-29"}, {exo.TypeDate, "0000-01-01"}, {exo.TypeDate, "2024-1-1"}, {exo.TypeDate, "2024-01-01T00:00:00Z"},
		{exo.TypeInterval, "P"}, {exo.TypeInterval, "PT"}, {exo.TypeInterval, "P1"}, {exo.TypeInterval, "P1H"}, {exo.TypeInterval, "P1D1Y"}, {exo.TypeInterval, "P1D1D"},
		{exo.TypeInterval, "P1.5D"}, {exo.TypeInterval, "PT1.1234567S"}, {exo.TypeInterval, "P9999999999M"}, {exo.TypeInterval, "PT9999999999999999999H"}, {exo.TypeInterval, "1 day"},
		{exo.TypeUUID, "123e4567e89b12d3a456426614174000"}, {exo.TypeUUID, "123e4567-e89b-12d3-a456-42661417400g"}, {exo.TypeUUID, "{23e4567-e89b-12d3-a456-42661417400}"},
		{exo.TypeBytes, "AP8"}, {exo.TypeBytes, "AP9="}, {exo.TypeBytes, "a b="}, {exo.TypeText, "x"}, {"", "x"},
	} {
		if got, ok := scalar.Canonical(c[0], c[1]); ok {
			t.Errorf("%s %q was taken as %q", c[0], c[1], got)
		}
	}
}

// What is canonical says what was read, and says it in one way.
func FuzzCanonical(f *testing.F) {
	types := []string{exo.TypeDecimal, exo.TypeDate, exo.TypeInterval, exo.TypeUUID, exo.TypeBytes}
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
		if typ == exo.TypeDecimal {
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
