package values_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type undeclaredRow struct {
	ID, N int64
	T     string
}

// TestUndeclaredNullKeepsRows: a NULL that the declaration denies loses no row, in pages of whatever order and in negations, as if it were declared.
func TestUndeclaredNullKeepsRows(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, indexed := range []bool{false, true} {
			setup := []string{"CREATE TABLE rows_of (id {int} PRIMARY KEY, n {int}, t TEXT)", "INSERT INTO rows_of VALUES (1, 7, 't3'), (2, 4, 't6'), (3, NULL, NULL), (4, 8, 't2'), (5, 5, 't5'), (6, NULL, NULL), (7, 9, 't1'), (8, 6, 't4'), (9, NULL, NULL)"}
			if indexed {
				setup = append(setup, "CREATE INDEX rows_n ON rows_of (n, id)")
			}
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup...)})
			rows := exosql.NewTable[undeclaredRow]("rows_of")
			id := exosql.NewKey(rows, "id", func(r *undeclaredRow) *int64 { return &r.ID })
			n := exosql.NewColumn(rows, "n", func(r *undeclaredRow) *int64 { return &r.N })
			text := exosql.NewColumn(rows, "t", func(r *undeclaredRow) *string { return &r.T })
			tool, err := codemode.New(codemode.Grants{"rows": exosql.NewFacet(rows, "row", id, n, text).Of(exosql.Grant(db, rows, exosql.AllRows[undeclaredRow]()))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			ids := func(program string) (out []int64) {
				t.Helper()
				r := tool.Run(t.Context(), program)
				if r.Err != nil || json.Unmarshal(r.JSON, &out) != nil {
					t.Fatalf("%s: %s %v", program, r.JSON, r.Err)
				}
				return out
			}
			for _, by := range []string{"r => r.n", "r => r.n.desc()", "r => r.t", "r => r.t.desc()", "r => [r.t.desc(), r.n]", "r => [r.n, r.t.desc()]", "r => [r.n.desc(), r.id.desc()]"} {
				for _, shown := range []string{"", ".select(r => ({ id: r.id }))"} {
					query := "rows.orderBy(" + by + ")" + shown
					got := ids("let out = [], next, n = 0; do { const p = await " + query + ".page(2, next); out.push(...p.rows.map(r => r.id)); next = p.next } while (next && n++ < 20); return out")
					if want := ids("return (await " + query + ").map(r => r.id)"); len(got) != 9 || len(want) != 9 || slices.Compare(slices.Sorted(slices.Values(got)), []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}) != 0 {
						t.Errorf("indexed %v: the pages of %s have %v, and all rows are %v", indexed, query, got, want)
					}
				}
			}
			for where, want := range map[string]string{"r.n !== 7": "1 not", "!(r.n > 5)": "2 3 5 6 9", "r.n === null": "3 6 9", "!['t1', 't2'].includes(r.t)": "4 7 not", "r.t !== 't1' && r.n !== 4": "2 7 not"} {
				got, all := ids("return (await rows.where(r => "+where+").orderBy(r => r.id)).map(r => r.id)"), []string{}
				for i := range int64(9) {
					if not := strings.HasSuffix(want, " not"); slices.Contains(strings.Fields(want), fmt.Sprint(i+1)) != not {
						all = append(all, fmt.Sprint(i+1))
					}
				}
				if s := strings.Trim(fmt.Sprint(got), "[]"); s != strings.Join(all, " ") {
					t.Errorf("indexed %v: where %s gives %s, want %v", indexed, where, s, all)
				}
			}
		}
	})
}
