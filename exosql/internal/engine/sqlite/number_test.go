package sqlite

import (
	"bytes"
	"database/sql"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exosql/internal/number"
)

func drawNumber(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{0,2}[1-9])?`),
		rapid.StringMatching(`-?[1-9][0-9]{0,30}(\.[0-9]{0,25}[1-9])?`),
		rapid.StringMatching(`-?[1-9][0-9]{0,20}0{0,90}(\.0{0,90}[0-9]{0,20}[1-9])?`),
		rapid.SampledFrom([]string{"9223372036854775807", "-9223372036854775808", "9007199254740993", "0.5", "-0.5", "-2.5", "0.00000000000000000001", "-0.000000000000000000001", "99.995"}),
	).Draw(t, name)
}

func rat(t *rapid.T, x any) *big.Rat {
	r := new(big.Rat)
	switch x := x.(type) {
	case int64:
		return r.SetInt64(x)
	case string:
		if r, ok := r.SetString(x); ok {
			return r
		}
	}
	t.Fatalf("no number: %v", x)
	return nil
}

// The arithmetic on SQLite agrees with fractions of whole numbers.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sa, sb := drawNumber(t, "a"), drawNumber(t, "b")
		a, okA := number.Read(sa)
		b, okB := number.Read(sb)
		if !okA || !okB {
			t.Fatal(sa, sb)
		}
		ra, rb := rat(t, sa), rat(t, sb)
		want := func(name string, got any, want *big.Rat) {
			if rat(t, got).Cmp(want) != 0 {
				t.Errorf("%s(%s, %s) = %v, want %s", name, sa, sb, got, want.FloatString(30))
			}
		}
		want("add", number.Add(a, b), new(big.Rat).Add(ra, rb))
		want("sub", number.Sub(a, b), new(big.Rat).Sub(ra, rb))
		want("mul", number.Mul(a, b), new(big.Rat).Mul(ra, rb))
		want("neg", number.Neg(a), new(big.Rat).Neg(ra))
		want("abs", number.Abs(a), new(big.Rat).Abs(ra))
		want("floor", number.Floor(a), floorOf(ra))
		want("ceil", number.Ceil(a), new(big.Rat).Neg(floorOf(new(big.Rat).Neg(ra))))
		want("round up", number.RoundUp(a), floorOf(new(big.Rat).Add(ra, big.NewRat(1, 2))))
		if rb.Sign() != 0 {
			q := new(big.Rat).Quo(ra, rb)
			scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(number.MaxPlaces), nil))
			want("div", number.Div(a, b), new(big.Rat).Quo(cut(new(big.Rat).Mul(q, scale)), scale))
			want("mod", number.Mod(a, b), new(big.Rat).Sub(ra, new(big.Rat).Mul(cut(q), rb)))
		} else if number.Div(a, b) != nil || number.Mod(a, b) != nil {
			t.Error("a division by zero has a value")
		}
		n := rapid.Int64Range(0, 12).Draw(t, "places")
		places := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil))
		half := big.NewRat(int64(ra.Sign()), 2)
		want("round", number.Round(a, number.Decimal{Coef: big.NewInt(n), Exp: 0}), new(big.Rat).Quo(cut(new(big.Rat).Add(new(big.Rat).Mul(ra, places), half)), places))
		if got := bytes.Compare(number.Key(a).([]byte), number.Key(b).([]byte)); got != ra.Cmp(rb) {
			t.Errorf("the keys of %s and %s compare as %d", sa, sb, got)
		}
		if got := a.Cmp(b); got != ra.Cmp(rb) {
			t.Errorf("%s and %s compare as %d", sa, sb, got)
		}
		if got := number.Text(a); got != sa && sa != "-0" {
			t.Errorf("the text of %s is %s", sa, got)
		}
	})
}

func floorOf(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom()))
}

// cut drops what is behind the point.
func cut(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
}

// BenchmarkArithmetic is a sum, a product, a quotient and a key for each of 10,000 rows.
func BenchmarkArithmetic(b *testing.B) {
	db := sql.OpenDB(connector{"file::memory:"})
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE item (price TEXT, quantity INTEGER, weight REAL); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) " +
		"INSERT INTO item SELECT printf('%d.%02d', i * 7 % 997, i % 100), i % 12 + 1, i / 64.0 FROM n"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var n int
		if err := db.QueryRow("SELECT count(exo_key(exo_div(exo_add(exo_mul(price, quantity), weight), '1.19'))) FROM item").Scan(&n); err != nil || n != 10000 {
			b.Fatal(n, err)
		}
	}
}
