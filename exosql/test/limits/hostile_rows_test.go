package limits_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type wide struct {
	ID   int64
	Text string
	Made string
}

var (
	wides    = exosql.NewTable[wide]("wides")
	wideID   = exosql.NewKey(wides, "id", func(w *wide) *int64 { return &w.ID })
	wideText = exosql.NewColumn(wides, "text", func(w *wide) *string { return &w.Text })
	wideMade = exosql.NewColumn(wides, "made", func(w *wide) *string { return &w.Made })
)

// TestWideRows: a generated column that makes 80 MB of nothing, read, sorted or counted,
// is an error of Kind Limit, before it is made, and Check names the function that makes
// it, which no authorizer refuses. The twin, a connection without the limit, makes it.
func TestWideRows(t *testing.T) {
	const size = 80_000_000
	url := tu.SQLite.URL(t)
	db := tu.SQLite.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.SQLite.Exec(
		fmt.Sprintf("CREATE TABLE wides (id INTEGER PRIMARY KEY, text TEXT NOT NULL, made TEXT NOT NULL GENERATED ALWAYS AS (CAST(zeroblob(%d * id) AS TEXT)) VIRTUAL)", size),
		"INSERT INTO wides (id, text) VALUES (1, 'x')")})
	all := exosql.Grant(db, wides, wideID.Eq(1))
	limited := func(what string, err error) {
		t.Helper()
		if e, ok := errors.AsType[*fail.Error](err); !ok || e.Kind != fail.Limit {
			t.Errorf("%s: %v, want Kind Limit", what, err)
		}
	}
	rows, err := all.All(t.Context())
	limited(fmt.Sprintf("%d rows", len(rows)), err)
	rows, err = all.OrderBy(wideMade.Asc()).All(t.Context())
	limited(fmt.Sprintf("%d sorted rows", len(rows)), err)

	var refused *exosql.CheckError
	if err := exosql.Check(t.Context(), db, all); !errors.As(err, &refused) || len(refused.Findings) != 1 || refused.Findings[0].Kind != exosql.UnlistedFunction || !strings.Contains(refused.Findings[0].Problem, "zeroblob") {
		t.Errorf("Check: %v", err)
	}

	facet := exosql.NewFacet(wides, "wide", wideID, wideText, wideMade)
	r := tu.NewRunner(t, map[string]exo.Object{"wides": facet.Of(all)}, exo.Limits{})
	for _, program := range []string{"return await wides", "return await wides.select(w => ({ m: w.made })).distinct().count()", "return await wides.where(w => w.made.eq('x')).count()"} {
		if o := r.Run(t, program); o.Kind != fail.Limit {
			t.Errorf("%s: %s", program, o)
		}
	}
	if o := r.Run(t, "return await wides.select(w => ({ t: w.text }))"); o.JSON != `[{"t":"x"}]` {
		t.Errorf("the row without it: %s", o)
	}

	twin, err := sql.Open("sqlite", url[len("sqlite:"):])
	if err != nil {
		t.Fatal(err)
	}
	defer twin.Close()
	var n int
	if err := twin.QueryRowContext(context.Background(), "SELECT length(CAST(made AS BLOB)) FROM wides").Scan(&n); err != nil || n != size {
		t.Errorf("without the limit: %d bytes, %v", n, err)
	}
}

// TestAfford: a cell that the budget has no room for is refused before the host copies it.
func TestAfford(t *testing.T) {
	const size = 24 << 20
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(
		"CREATE TABLE wides (id INTEGER PRIMARY KEY, text TEXT NOT NULL, made TEXT NOT NULL)",
		fmt.Sprintf("INSERT INTO wides VALUES (1, CAST(zeroblob(%d) AS TEXT), 'x')", size))})
	facet := exosql.NewFacet(wides, "wide", wideID, wideText, wideMade)
	r := tu.NewRunner(t, map[string]exo.Object{"wides": facet.Of(exosql.Grant(db, wides, wideID.Eq(1)))}, exo.Limits{Bytes: 1 << 20})
	if o := r.Run(t, "return await wides.count()"); o.JSON != "1" { // what a first run needs is not counted
		t.Fatal(o)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := r.Run(t, "return await wides.select(w => ({ t: w.text }))")
	runtime.ReadMemStats(&after)
	if o.Kind != fail.Limit {
		t.Errorf("got %s", o)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > size/2 {
		t.Errorf("the host took %d MB for a cell of %d MB that it refuses", n>>20, size>>20)
	}
}
