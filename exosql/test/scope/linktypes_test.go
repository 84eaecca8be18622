package scope_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type (
	owner struct{ ID, Org int64 }
	owned struct{ ID, Owner int64 }
	named struct {
		ID  string
		Org int64
	}
	ofNamed struct {
		ID    int64
		Owner string
	}
)

// TestLinksOfUnlikeTypes: a link gives each row once, whatever SQLite types its two columns have and whoever wrote the values: to SQLite the number
// 1 equals the texts '1' and '1.0', which a key of type TEXT may have both. Rows and counts are those of IN by hand, or fewer where the link
// compares exactly.
func TestLinksOfUnlikeTypes(t *testing.T) {
	types := []string{"INTEGER", "INT", "REAL", "NUMERIC", "TEXT", "TEXT COLLATE NOCASE", "BLOB", "", "VARCHAR(10)", "DATE"}
	doubled := 0
	for _, key := range types {
		for _, reference := range types {
			url := tu.SQLite.URL(t)
			db := tu.SQLite.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.SQLite.Exec(
				"CREATE TABLE owners (id "+key+" PRIMARY KEY, org INTEGER)", "CREATE TABLE things (id INTEGER PRIMARY KEY, owner "+reference+")",
				"INSERT OR IGNORE INTO owners VALUES (1, 1), (2, 2), (NULL, 1)",
				map[bool]string{false: "INSERT OR IGNORE INTO owners VALUES ('1', 1), ('1.0', 1), ('a', 1), ('A', 1), (x'31', 1)", true: "SELECT 1"}[key == "INTEGER"],
				"INSERT INTO things VALUES (10, 1), (11, 2), (12, '1'), (13, '1.0'), (14, 'a'), (15, NULL), (16, x'31')")})
			hand := tu.SQLite.SQLDB(t, url)
			count := func(text string) (n int) {
				if err := hand.QueryRow(text).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			most := count("SELECT count(*) FROM things WHERE owner IN (SELECT id FROM owners WHERE org = 1)")
			if count("SELECT count(*) FROM things JOIN owners ON things.owner = owners.id WHERE org = 1") > most {
				doubled++
			}
			for _, text := range []bool{false, true} {
				r := tu.NewRunner(t, ownedObjects(db, text), exo.Limits{})
				for _, chain := range []string{"things", "owners.things()"} {
					o := r.Run(t, "const ids = (await "+chain+".orderBy(x => x.id)).map(x => x.id); const n = await "+chain+".count(); return [ids.length, new Set(ids).size, n]")
					var rows, different, n int
					if _, err := fmt.Sscanf(o.JSON, "[%d,%d,%d]", &rows, &different, &n); err != nil || rows != different || rows != n || rows > most || rows < 1 && key == reference {
						t.Errorf("key %q, reference %q, as texts %v: %s gives %s %v; by hand %d", key, reference, text, chain, o.JSON, o.Message, most)
					}
				}
			}
		}
	}
	if doubled < 10 {
		t.Errorf("a join doubles rows in %d cases: the test finds nothing", doubled)
	}
}

// ownedObjects grants the owners of one organization and their things. The keys are texts or numbers for programs.
func ownedObjects(db *exosql.DB, text bool) map[string]exo.Object {
	if text {
		o, x := exosql.NewTable[named]("owners"), exosql.NewTable[ofNamed]("things")
		link := exosql.Many("things", exosql.NewKey(o, "id", func(o *named) *string { return &o.ID }), exosql.NewColumn(x, "owner", func(x *ofNamed) *string { return &x.Owner }))
		facet := exosql.NewFacet(x, "thing", exosql.NewKey(x, "id", func(x *ofNamed) *int64 { return &x.ID }))
		org := exosql.NewColumn(o, "org", func(o *named) *int64 { return &o.Org })
		granted := exosql.Grant(db, o, org.Eq(1))
		return map[string]exo.Object{"things": facet.Of(exosql.Follow(granted, link)), "owners": exosql.NewFacet(o, "owner", org, exosql.Via(link, facet)).Of(granted)}
	}
	o, x := exosql.NewTable[owner]("owners"), exosql.NewTable[owned]("things")
	link := exosql.Many("things", exosql.NewKey(o, "id", func(o *owner) *int64 { return &o.ID }), exosql.NewColumn(x, "owner", func(x *owned) *int64 { return &x.Owner }))
	facet := exosql.NewFacet(x, "thing", exosql.NewKey(x, "id", func(x *owned) *int64 { return &x.ID }))
	org := exosql.NewColumn(o, "org", func(o *owner) *int64 { return &o.Org })
	granted := exosql.Grant(db, o, org.Eq(1))
	return map[string]exo.Object{"things": facet.Of(exosql.Follow(granted, link)), "owners": exosql.NewFacet(o, "owner", org, exosql.Via(link, facet)).Of(granted)}
}
