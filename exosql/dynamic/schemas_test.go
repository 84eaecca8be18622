package dynamic_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestTwoSchemas: of two tables with one name in two schemas each has one spelling, and statements name its schema: where the first is gone,
// its declaration doesn't come to mean the second, whose rows the host has given to nobody by that.
func TestTwoSchemas(t *testing.T) {
	server := tu.Server(t)
	admin := tu.Admin(t, server)
	id := strings.ToLower(rand.Text()[:10])
	a, b := "exo_y_"+id, "exo_z_"+id
	run := func(text string) {
		t.Helper()
		if _, err := admin.Exec(strings.NewReplacer("$a", a, "$b", b).Replace(text)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { run("DROP SCHEMA IF EXISTS $a CASCADE; DROP SCHEMA IF EXISTS $b CASCADE") })
	run(`CREATE SCHEMA $a; CREATE SCHEMA $b; CREATE TABLE $a.lists (id int PRIMARY KEY, name text); CREATE TABLE $b.lists (id int PRIMARY KEY, name text);
		CREATE TABLE $b.alone (id int PRIMARY KEY, name text); INSERT INTO $a.lists VALUES (1, 'of a'); INSERT INTO $b.lists VALUES (1, 'of b'); INSERT INTO $b.alone VALUES (1, 'alone')`)
	db := tu.Postgres.OpenURL(t, tu.WithParam(t, server, "search_path", a+","+b), &exosql.OpenOptions{Setup: func(context.Context, *sql.DB) error { return nil }})
	declarations := dynamic.New(get(db.Catalog(t.Context()))(t))
	grants := map[string]exo.Object{}
	for name, table := range map[string]string{"first": "lists", "second": b + ".lists", "alone": "alone"} {
		grants[name] = get(get(get(declarations.Table(table))(t).Facet(name, "id", "name"))(t).Grant(db, dynamic.AllRows()))(t)
	}
	for _, table := range []string{a + ".lists", b + ".alone"} {
		if _, err := dynamic.New(get(db.Catalog(t.Context()))(t)).Table(table); err == nil || !strings.Contains(err.Error(), "use that name") {
			t.Errorf("%s: %v", table, err)
		}
	}
	r := tu.NewRunner(t, grants, exo.Limits{})
	for program, want := range map[string]string{"return await first.select(x => x.name)": `["of a"]`, "return await second.select(x => x.name)": `["of b"]`, "return await alone.select(x => x.name)": `["alone"]`} {
		if o := r.Run(t, program); o.JSON != want {
			t.Errorf("%s: %s, want %s", program, o, want)
		}
	}
	run("DROP TABLE $a.lists")
	if o := r.Run(t, "return await first.select(x => x.name).limit(3)"); strings.Contains(o.Visible(), "of b") || o.Message == "" {
		t.Errorf("the first table is gone: %s", o)
	}
}
