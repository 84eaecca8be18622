package values_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type (
	keeper struct{ ID, Org int64 }
	kept   struct {
		ID, Keeper                                             int64
		Mood, Name, Short, Fixed, Caseless, Code, Address, UID string
		Tags, Moods                                            []string
	}
)

// TestValuesByLinks: a condition on a column of any type means the same where a scope goes by a link, for which PostgreSQL plans with the tenant's
// value and must not know the program's, as where there is no such scope. All rows are in both.
func TestValuesByLinks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		pg := e.Name == tu.Postgres.Name
		pick := func(sqlite, postgres string) string { return e.Pick(sqlite, postgres) }
		fill := []string{
			"CREATE TABLE keepers (id " + pick("INTEGER", "bigint") + " PRIMARY KEY, org bigint NOT NULL)",
			"CREATE TABLE things (id " + pick("INTEGER", "bigint") + " PRIMARY KEY, keeper bigint NOT NULL, mood " + pick("TEXT", "mood") + ", name TEXT, short varchar(20), fixed " + pick("TEXT", "char(4)") +
				", caseless " + pick("TEXT COLLATE NOCASE", "public.citext") + ", code " + pick("TEXT", "code") + ", address " + pick("TEXT", "inet") + ", uid " + pick("TEXT", "uuid") + ", tags " + pick("TEXT", "text[]") + ", moods " + pick("TEXT", "mood[]") + ")",
			"INSERT INTO keepers VALUES (1, 1)",
		}
		if pg {
			fill = append([]string{"CREATE EXTENSION IF NOT EXISTS citext SCHEMA public", "CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad')", "CREATE DOMAIN code AS text"}, fill...)
			fill = append(fill, "INSERT INTO things VALUES (1, 1, 'ok', 'x', 'vx', 'ab', 'CaSe', 'k', '10.0.0.1', '00000000-0000-0000-0000-000000000001', '{a,b}', '{ok}'), (2, 1, 'sad', 'y', 'vy', 'b', 'other', 'l', '10.0.0.2', '00000000-0000-0000-0000-000000000002', '{}', '{sad}')")
		} else {
			fill = append(fill, `INSERT INTO things VALUES (1, 1, 'ok', 'x', 'vx', 'ab', 'CaSe', 'k', '10.0.0.1', '00000000-0000-0000-0000-000000000001', '["a","b"]', '["ok"]'), (2, 1, 'sad', 'y', 'vy', 'b', 'other', 'l', '10.0.0.2', '00000000-0000-0000-0000-000000000002', '[]', '["sad"]')`)
		}
		db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Setup: e.Exec(fill...)})
		k, x := exosql.NewTable[keeper]("keepers"), exosql.NewTable[kept]("things")
		id, org := exosql.NewKey(k, "id", func(k *keeper) *int64 { return &k.ID }), exosql.NewColumn(k, "org", func(k *keeper) *int64 { return &k.Org })
		columns := []exosql.Member[kept]{
			exosql.NewKey(x, "id", func(x *kept) *int64 { return &x.ID }), exosql.NewColumn(x, "mood", func(x *kept) *string { return &x.Mood }), exosql.NewColumn(x, "name", func(x *kept) *string { return &x.Name }),
			exosql.NewColumn(x, "short", func(x *kept) *string { return &x.Short }), exosql.NewColumn(x, "fixed", func(x *kept) *string { return &x.Fixed }), exosql.NewColumn(x, "caseless", func(x *kept) *string { return &x.Caseless }),
			exosql.NewColumn(x, "code", func(x *kept) *string { return &x.Code }), exosql.NewColumn(x, "address", func(x *kept) *string { return &x.Address }), exosql.NewColumn(x, "uid", func(x *kept) *string { return &x.UID }),
			exosql.NewColumn(x, "tags", func(x *kept) *[]string { return &x.Tags }), exosql.NewColumn(x, "moods", func(x *kept) *[]string { return &x.Moods }),
		}
		link := exosql.Many("things", id, exosql.NewColumn(x, "keeper", func(x *kept) *int64 { return &x.Keeper }))
		facet := exosql.NewFacet(x, "thing", columns...)
		r := tu.NewRunner(t, map[string]exo.Object{"linked": facet.Of(exosql.Follow(exosql.Grant(db, k, org.Eq(1)), link)), "all": facet.Of(exosql.Grant(db, x, exosql.AllRows[kept]()))}, exo.Limits{})
		found := 0
		for _, column := range []string{"mood", "name", "short", "fixed", "caseless", "code", "address", "uid"} {
			value := map[string]string{"mood": "ok", "name": "x", "short": "vx", "fixed": "ab", "caseless": "case", "code": "k", "address": "10.0.0.1", "uid": "00000000-0000-0000-0000-000000000001"}[column]
			for _, condition := range []string{"t.C === V", "t.C !== V", "t.C.in([V, V])", "![V].includes(t.C)", "t.C > V", "t.C.startsWith(V)", "t.C.like(V)", "t.C === V && t.id < 2", "(t.C ?? 'q') === V", "t.C.toUpperCase() === V", "[t.C, t.name].includes(V)"} {
				found += sameByLink(t, r, strings.NewReplacer("t.C", "t."+column, "V", "'"+value+"'").Replace(condition))
			}
		}
		for _, condition := range []string{"t.tags.includes('a')", "t.moods.includes('ok')", "t.tags.length > 1", "t.tags.includes(t.name)"} {
			found += sameByLink(t, r, condition)
		}
		if found < 25 {
			t.Errorf("%d conditions find rows: the test finds nothing", found)
		}
	})
}

// sameByLink compares a condition in both grants, and returns 1 if it finds rows.
func sameByLink(t *testing.T, r *tu.Runner, condition string) int {
	t.Helper()
	var seen [2]string
	for i, grant := range []string{"linked", "all"} {
		o := r.Run(t, "const q = "+grant+".where(t => "+condition+"); return [await q.count(), (await q.orderBy(t => t.id)).map(t => t.id)]")
		if seen[i] = o.JSON; o.Result.Err != nil {
			seen[i] = o.Kind.String() // the texts name the grants
		}
	}
	if seen[0] != seen[1] {
		t.Errorf("%s: by a link %s, without %s", condition, seen[0], seen[1])
	}
	if len(seen[0]) > 2 && seen[0][0] == '[' && seen[0][1] != '0' {
		return 1
	}
	return 0
}
