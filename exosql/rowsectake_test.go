package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestPoliciesTakeBack: what a role was given, on tables, columns and sequences, and is granted no more, the next script takes back.
func TestPoliciesTakeBack(t *testing.T) {
	url, name := tu.Postgres.URL(t), kit.NewRole(t)
	owner := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(strings.ReplaceAll(kit.JobsDDL, "{serial}", "bigserial PRIMARY KEY"), kit.JobsRows, "CREATE TABLE beside (id int)", "GRANT SELECT (id), DELETE ON beside TO "+name, "GRANT UPDATE (org_id) ON people TO "+name)})
	g := kit.JobsGrants(owner, 1)
	script, err := exosql.Policies(t.Context(), name, g["org"], g["jobs"])
	if err != nil {
		t.Fatal(err)
	}
	kit.Change(t, url, script)
	const rights = `SELECT coalesce(string_agg(c.relname || '.' || p.p, ' ' ORDER BY c.relname, p.p), '') FROM pg_class AS c, unnest(ARRAY['SELECT','INSERT','UPDATE','DELETE']) AS p (p)
		WHERE c.relnamespace = current_schema()::regnamespace AND CASE WHEN c.relkind = 'S' THEN p.p = 'SELECT' AND has_sequence_privilege('{role}', c.oid, 'USAGE') WHEN c.relkind <> 'r' THEN false
		WHEN p.p = 'DELETE' THEN has_table_privilege('{role}', c.oid, p.p) ELSE has_any_column_privilege('{role}', c.oid, p.p) END`
	look := func() string { return kit.LookAtJobs(t, tu.Postgres, url, strings.ReplaceAll(rights, "{role}", name)) }
	if got, want := look(), "jobs.INSERT jobs.SELECT jobs.UPDATE jobs.DELETE jobs_id_seq.SELECT notes.DELETE notes.INSERT notes.SELECT notes.UPDATE notes_id_seq.SELECT orgs.SELECT people.SELECT"; !sameWords(got, want) {
		t.Errorf("the role has %s, want %s", got, want)
	}
	people := exosql.NewTable[kit.JobsPerson]("people")
	id := exosql.NewKey(people, "id", func(p *kit.JobsPerson) *int64 { return &p.ID })
	org := exosql.NewColumn(people, "org_id", func(p *kit.JobsPerson) *int64 { return &p.Org })
	if script, err = exosql.Policies(t.Context(), name, exosql.NewFacet(people, "person", id).Of(exosql.Grant(owner, people, org.Eq(1)))); err != nil {
		t.Fatal(err)
	}
	kit.Change(t, url, script)
	if got := look(); got != "people.SELECT" {
		t.Errorf("then the role has %s", got)
	}
	if got := kit.LookAtJobs(t, tu.Postgres, url, "SELECT count(*) FROM pg_policies WHERE schemaname = current_schema() AND tablename <> 'people'"); got != "0" {
		t.Errorf("%s policies are left", got)
	}
}

func sameWords(a, b string) bool {
	x, y := map[string]bool{}, map[string]bool{}
	for _, w := range strings.Fields(a) {
		x[w] = true
	}
	for _, w := range strings.Fields(b) {
		y[w] = true
	}
	for w := range x {
		if !y[w] {
			return false
		}
	}
	return len(x) == len(y)
}
