package sqlite

import (
	"database/sql"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A sum of whole numbers is theirs, however large, in each group by itself; of none there is none.
func TestWholeSum(t *testing.T) {
	db := sql.OpenDB(connector{"file::memory:"})
	db.SetMaxOpenConns(1)
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (g INTEGER, x)"); err != nil {
		t.Fatal(err)
	}
	number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, -1, 0, 1}))
	rapid.Check(t, func(t *rapid.T) {
		want, rows := map[int64]*big.Int{}, []string{"(9, NULL)"}
		for range rapid.IntRange(0, 30).Draw(t, "numbers") {
			g, x := rapid.Int64Range(0, 2).Draw(t, "group"), number.Draw(t, "number")
			if want[g] == nil {
				want[g] = new(big.Int)
			}
			want[g].Add(want[g], big.NewInt(x))
			rows = append(rows, fmt.Sprintf("(%d, %d), (%d, NULL)", g, x, g))
		}
		if _, err := db.Exec("DELETE FROM t; INSERT INTO t VALUES " + strings.ReplaceAll(strings.Join(rows, ", "), "-9223372036854775808", "(-9223372036854775807 - 1)")); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{"t GROUP BY g", "(SELECT * FROM t ORDER BY g DESC) GROUP BY g", "(SELECT * FROM t ORDER BY x) GROUP BY g"} {
			got, err := db.Query("SELECT g, exo_whole(x) FROM " + from)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for ; got.Next(); n++ {
				var g int64
				var sum sql.NullString
				if err := got.Scan(&g, &sum); err != nil {
					t.Fatal(err)
				}
				if w := want[g]; (w == nil) == sum.Valid || w != nil && w.String() != sum.String {
					t.Errorf("%s: group %d: %v, want %v", from, g, sum, w)
				}
			}
			if got.Close(); n != len(want)+1 || got.Err() != nil {
				t.Errorf("%d groups, %v", n, got.Err())
			}
		}
	})
}

// What is no whole number is an error and no part of a sum.
func TestWholeSumOfOthers(t *testing.T) {
	db := sql.OpenDB(connector{"file::memory:"})
	defer db.Close()
	for _, x := range []string{"1.5", "1.0", "'1'", "'x'", "x'31'"} {
		for _, rows := range []string{"(1), (%s)", "(%s), (1)", "(%s)", "(NULL), (%s), (NULL)"} {
			rows := fmt.Sprintf(rows, x)
			var sum any
			if err := db.QueryRow("SELECT exo_whole(column1) FROM (VALUES " + rows + ")").Scan(&sum); err == nil || !strings.Contains(err.Error(), errWhole.Error()) {
				t.Errorf("%s: %v, %v", rows, sum, err)
			}
		}
	}
	var sum any
	if err := db.QueryRow("SELECT exo_whole(column1) FROM (VALUES (NULL), (7))").Scan(&sum); err != nil || sum != int64(7) {
		t.Error(sum, err)
	}
}
