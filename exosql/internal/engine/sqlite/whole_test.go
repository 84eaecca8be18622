package sqlite

import (
	"database/sql"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"strings"
	"sync"
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

// What is no whole number is a misfit, and no part of a sum.
func TestWholeSumOfOthers(t *testing.T) {
	db := sql.OpenDB(connector{"file::memory:"})
	defer db.Close()
	for _, x := range []string{"1.5", "1.0", "'1'", "'x'", "x'31'"} {
		for rows, want := range map[string]any{"(1), (%s)": int64(1), "(%s), (1)": int64(1), "(%s)": nil, "(NULL), (%s), (NULL)": nil} {
			rows := fmt.Sprintf(rows, x)
			var sum any
			if err := db.QueryRow("SELECT exo_whole(column1) FROM (VALUES " + rows + ")").Scan(&sum); err != nil || sum != want {
				t.Errorf("%s: %v, %v", rows, sum, err)
			}
		}
	}
	var sum any
	if err := db.QueryRow("SELECT exo_whole(column1) FROM (VALUES (NULL), (7))").Scan(&sum); err != nil || sum != int64(7) {
		t.Error(sum, err)
	}
}

// TestWholeWindows: what a sum has at each row of a window is that of the rows up to it, begun anew in each partition, and without the
// rows that have left its frame.
func TestWholeWindows(t *testing.T) {
	db := sql.OpenDB(connector{"file::memory:"})
	db.SetMaxOpenConns(1)
	defer db.Close()
	const values = "(VALUES (1, 1, 9223372036854775807), (1, 2, 9223372036854775807), (1, 3, NULL), (1, 4, -9223372036854775807), (2, 1, NULL), (2, 2, -3), (2, 2, -3), (3, 1, NULL))"
	const upTo = "OVER (PARTITION BY column1 ORDER BY column2 "
	for query, want := range map[string]string{
		"SELECT exo_whole(column3) " + upTo + "ROWS UNBOUNDED PRECEDING) FROM " + values:                                                                 "9223372036854775807 18446744073709551614 18446744073709551614 9223372036854775807 NULL -3 -6 NULL",
		"SELECT exo_whole(column3) " + upTo + "RANGE UNBOUNDED PRECEDING) FROM " + values:                                                                "9223372036854775807 18446744073709551614 18446744073709551614 9223372036854775807 NULL -6 -6 NULL",
		"SELECT exo_whole(column3) " + upTo + "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM " + values:                                 "9223372036854775807 9223372036854775807 9223372036854775807 9223372036854775807 -6 -6 -6 NULL",
		"SELECT exo_whole(column3) FILTER (WHERE column3 > 0) " + upTo + "ROWS UNBOUNDED PRECEDING) FROM " + values:                                      "9223372036854775807 18446744073709551614 18446744073709551614 18446744073709551614 NULL NULL NULL NULL",
		"SELECT exo_whole(DISTINCT column3) FROM " + values + " GROUP BY column1":                                                                        "0 -3 NULL",
		"SELECT exo_whole(column3) FILTER (WHERE column3 < 0) FROM " + values + " GROUP BY column1":                                                      "-9223372036854775807 -6 NULL",
		"SELECT exo_whole(s) FROM (SELECT exo_whole(column3) AS s FROM " + values + " GROUP BY column1)":                                                 "9223372036854775801",
		"SELECT exo_whole(column3) + exo_whole(column2), exo_whole(column2) FROM " + values + " WHERE column1 = 2":                                       "-1",
		"SELECT (SELECT exo_whole(b.column2) FROM " + values + " AS b WHERE b.column1 = a.column1) FROM " + values + " AS a":                             "10 10 10 10 5 5 5 1",
		"SELECT exo_whole(column3) OVER (ORDER BY column1, column2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM " + values:                             "9223372036854775807 18446744073709551614 9223372036854775807 -9223372036854775807 -9223372036854775807 -3 -6 -3",
		"SELECT exo_whole(column3) OVER (ORDER BY column1, column2 ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM " + values:                     "9223372036854775801 -6 -9223372036854775813 -9223372036854775813 -6 -6 -3 NULL",
		"SELECT exo_whole(column3) OVER (ORDER BY column1, column2 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM " + values: "NULL 9223372036854775807 18446744073709551614 18446744073709551614 9223372036854775807 9223372036854775807 9223372036854775804 9223372036854775801",
	} {
		if got := cells(db, query); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

// cells is the first column of a query.
func cells(db *sql.DB, query string) string {
	rows, err := db.Query(query)
	if err != nil {
		return "error"
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	var out []string
	for rows.Next() {
		all, into := make([]sql.NullString, len(columns)), []any{}
		for i := range all {
			into = append(into, &all[i])
		}
		if rows.Scan(into...) != nil {
			return "error"
		}
		if s := all[0]; s.Valid {
			out = append(out, s.String)
		} else {
			out = append(out, "NULL")
		}
	}
	if rows.Err() != nil {
		return "error"
	}
	return strings.Join(out, " ")
}

// TestWholeAtOnce: connections that sum at once, on new stacks that grow meanwhile and after statements that ended early, have each its own sums.
func TestWholeAtOnce(t *testing.T) {
	const numbers = "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 3000) SELECT n FROM s)"
	var all sync.WaitGroup
	for i := range int64(8) {
		all.Go(func() {
			db := sql.OpenDB(connector{"file::memory:"})
			db.SetMaxOpenConns(1)
			defer db.Close()
			each := math.MaxInt64 - i
			want := new(big.Int).Mul(big.NewInt(each), big.NewInt(1000)).String()
			for range 10 {
				sums := make(chan string)
				for k := range 3 { // each waits for the connection
					go func() {
						sums <- deep(40*k, func() string {
							return cells(db, fmt.Sprintf("SELECT exo_whole(%d) FROM %s GROUP BY n %% 3", each, numbers))
						})
					}()
				}
				runtime.GC()
				for range 3 {
					if got := <-sums; got != want+" "+want+" "+want {
						t.Errorf("%s, want thrice %s", got, want)
					}
				}
				rows, err := db.Query("SELECT exo_whole(n) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) FROM " + numbers)
				if err != nil {
					t.Error(err)
					return
				}
				rows.Next() // and no further
				rows.Close()
			}
		})
	}
	all.Wait()
}

// deep calls f where the stack is n frames deep.
func deep(n int, f func() string) string {
	var frame [256]byte
	frame[n] = 1
	if n == 0 {
		return f()
	}
	s := deep(n-1, f)
	return s[:len(s)*int(frame[n])]
}

// A sum over rows of which the oldest leave is that of the ones that are left, and of none there is none.
func TestMovingWholeSum(t *testing.T) {
	db := sql.OpenDB(connector{"file::memory:"})
	db.SetMaxOpenConns(1)
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY, x)"); err != nil {
		t.Fatal(err)
	}
	number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, -1, 0, 1}))
	rapid.Check(t, func(t *rapid.T) {
		before, rows, all := rapid.IntRange(0, 4).Draw(t, "before"), []string{}, []*big.Int{}
		for i := range rapid.IntRange(1, 20).Draw(t, "numbers") {
			x := "NULL"
			var n *big.Int
			if rapid.IntRange(0, 3).Draw(t, "null") > 0 {
				n = big.NewInt(number.Draw(t, "number"))
				x = strings.ReplaceAll(n.String(), "-9223372036854775808", "(-9223372036854775807 - 1)")
			}
			rows, all = append(rows, fmt.Sprintf("(%d, %s)", i, x)), append(all, n)
		}
		if _, err := db.Exec("DELETE FROM t; INSERT INTO t VALUES " + strings.Join(rows, ", ")); err != nil {
			t.Fatal(err)
		}
		got, err := db.Query("SELECT exo_whole(x) OVER (ORDER BY id ROWS ? PRECEDING) FROM t ORDER BY id", before)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		for i := 0; got.Next(); i++ {
			var want *big.Int
			for _, n := range all[max(0, i-before) : i+1] {
				if n != nil && want == nil {
					want = new(big.Int)
				}
				if n != nil {
					want.Add(want, n)
				}
			}
			var sum sql.NullString
			if err := got.Scan(&sum); err != nil || (want == nil) == sum.Valid || want != nil && want.String() != sum.String {
				t.Fatalf("row %d of %v, %d before: %v, want %v %v", i, all, before, sum, want, err)
			}
		}
	})
}
