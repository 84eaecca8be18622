package checks_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestIndexRemedies: each index that a report asks for can be made: of the types whose text is not immutable, and of foreign tables, it asks for
// none. Where a scope and a link need the same one, it is asked for once.
func TestIndexRemedies(t *testing.T) {
	e := tu.Postgres
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	types := map[string]string{"addr": "addr", "mood": "mood", "mooddomain": "mood_domain", "nums": "numrange", "ints": "int4range", "many": "nummultirange", "money": "money", "clock": "time", "zoned": "timetz", "ch": "char(3)", "name": "name",
		"ip": "inet", "net": "cidr", "mac": "macaddr", "mac8": "macaddr8", "xml": "xml", "pt": "point", "bx": "box", "pth": "path", "seg": "lseg", "ln": "line", "circ": "circle", "poly": "polygon",
		"vec": "tsvector", "tsq": "tsquery", "jp": "jsonpath", "lsn": "pg_lsn", "bits": "bit(3)", "varbits": "varbit", "cls": "regclass", "o": "oid", "short": "short"}
	var columns, names []string
	for name, of := range types {
		columns, names = append(columns, name+" "+of), append(names, name)
	}
	url := e.URL(t)
	db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec("CREATE TYPE addr AS (street text)", "CREATE TYPE mood AS ENUM ('sad')", "CREATE DOMAIN mood_domain AS mood", "CREATE DOMAIN short AS varchar(9)",
		"CREATE TABLE orgs (id int PRIMARY KEY)", "CREATE TABLE items (id int PRIMARY KEY, org_id int NOT NULL REFERENCES orgs (id), "+strings.Join(columns, ", ")+")",
		"CREATE EXTENSION IF NOT EXISTS file_fdw SCHEMA public", "DO $$ BEGIN EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER file_fdw', current_schema() || '_ix'); EXECUTE format('CREATE FOREIGN TABLE lines (n int, org_id int) SERVER %I OPTIONS (program ''true'', format ''csv'')', current_schema() || '_ix'); END $$")})
	live, err := db.Catalog(t.Context())
	check(err)
	tables := dynamic.New(live)
	orgs, items := kit.Get(tables.Table("orgs")), kit.Get(tables.Table("items"))
	link := kit.Get(orgs.Link(dynamic.LinkSpec{Name: "items", Columns: []string{"id"}, To: items, References: []string{"org_id"}}))
	item := kit.Get(items.Facet("item", append(names, "id", "org_id")...))
	org := kit.Get(orgs.Facet("org", "id"))
	check(org.Add(link, item))
	objects := []exo.Object{kit.Get(org.Grant(db, dynamic.AllRows())), kit.Get(item.Grant(db, dynamic.Eq("org_id", 1)))}
	line := kit.Get(kit.Get(tables.Table("lines")).Facet("line", "n", "org_id"))
	objects = append(objects, kit.Get(line.Grant(db, dynamic.Eq("org_id", 1))))
	made := 0
	for _, o := range objects {
		paths, err := exosql.AccessPaths(t.Context(), o)
		check(err)
		for _, p := range paths {
			if p.Fix.SQL() == "" {
				continue
			}
			tx, err := e.SQLDB(t, url).BeginTx(t.Context(), nil)
			check(err)
			if _, err := tx.ExecContext(t.Context(), p.Fix.SQL()); err != nil {
				t.Errorf("%s: %v", p, err)
			}
			check(tx.Rollback())
			made++
		}
	}
	if made < 10 {
		t.Errorf("%d indexes are asked for", made)
	}
	findings, err := exosql.Findings(t.Context(), db, exosql.Granted(objects[0]), exosql.Granted(objects[1]), exosql.Granted(objects[2]))
	check(err)
	asked := 0
	for _, f := range findings {
		if f.Kind == exosql.NoIndex {
			asked++
			if !strings.Contains(f.Fix, "items_by_org_id") {
				t.Error(f)
			}
		}
	}
	if asked != 1 {
		t.Errorf("an index is asked for %d times: %v", asked, findings)
	}
}
