package exosql_test

import (
	"testing"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type retyped struct{ ID, N int64 }

// TestPooledWriteRetyped: a write of a column whose type has changed runs once. In a shared session it has run when the new type is noticed, so the unit
// begins again.
func TestPooledWriteRetyped(t *testing.T) {
	t.Setenv("EXO_POOLER", "")
	e := tu.Postgres
	url := e.URL(t)
	admin := e.SQLDB(t, url)
	if _, err := admin.Exec("CREATE TABLE things (id serial PRIMARY KEY, n int NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	things := exosql.NewTable[retyped]("things")
	_ = exosql.NewKey(things, "id", func(p *retyped) *int64 { return &p.ID })
	n := exosql.NewColumn(things, "n", func(p *retyped) *int64 { return &p.N })
	for _, at := range []string{url, tu.Pooled(t, url, 2)} {
		rows := exosql.Grant(e.OpenURL(t, at, &exosql.OpenOptions{Conns: 1}), things, exosql.AllRows[retyped]())
		if _, err := admin.Exec("TRUNCATE things"); err != nil {
			t.Fatal(err)
		}
		want := 0
		for i, to := range []string{"int", "bigint", "int", "bigint"} {
			if _, err := admin.Exec("ALTER TABLE things ALTER id TYPE " + to); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 || i == 1 {
				if _, err := rows.Insert(t.Context(), n.Set(int64(i))); err != nil {
					t.Errorf("%s: %v", to, err)
				}
				want++
			}
			if i > 1 {
				if _, err := rows.InsertMany(t.Context(), []exosql.Assignment[retyped]{n.Set(1)}, []exosql.Assignment[retyped]{n.Set(2)}); err != nil {
					t.Errorf("%s, several: %v", to, err)
				}
				want += 2
			}
			var count int
			if err := admin.QueryRow("SELECT count(*) FROM things").Scan(&count); err != nil || count != want {
				t.Errorf("%s: %v %d rows, want %d", to, err, count, want)
			}
		}
	}
}

// TestPooledStuckSettings: a setting of another client that can't be changed any more, or that would end the statements that change the others, stops
// no unit.
func TestPooledStuckSettings(t *testing.T) {
	pooled, _, pool, _ := pooledJobs(t, 1)
	n := newNeighbour(t, pool)
	for _, sets := range []string{"SET temp_buffers = '16MB'; CREATE TEMP TABLE cache (x int); INSERT INTO cache VALUES (1)", "SET statement_timeout = 1"} {
		n.must(sets)
		for range 5 {
			if err := exosql.RunRawWrite(t.Context(), pooled, exosql.RawWrite{Text: "UPDATE jobs SET points = points + 1 WHERE id = 1", Table: "jobs", Update: []string{"points"}, Reads: "id"}); err != nil {
				t.Errorf("after %s: %v", sets, err)
			}
		}
		n.must("DISCARD ALL")
	}
}
