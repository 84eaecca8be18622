package scope_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type haRow struct{ ID, Org, N int64 }

// TestHostAsked: what the database's own contents make fail is no internal error: the host reads the reason and the way out, and a program
// that its host is asked, the same for each reason but for a value. The twin is a table beside it, which goes on being read.
func TestHostAsked(t *testing.T) {
	const ask, value = "the call can't be done: its host has to change something in the database first; ask the host, who has the reason", "the database can't calculate this for one of its values"
	const function = "CREATE FUNCTION org() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT current_setting( 'app.org' )::bigint $$"
	raises := func(how string) string {
		return "CREATE FUNCTION f(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN " + how + "; RETURN n; END $$; CREATE VIEW seen AS SELECT f(id) AS id, org FROM plain"
	}
	for name, c := range map[string]struct{ ddl, reads, why string }{
		"setting":               {"CREATE VIEW seen AS SELECT id, org FROM plain WHERE org = current_setting('app.org')::bigint", ask, "write current_setting('app.org', true) there, or ALTER ROLE CURRENT_USER SET app.org = ''"},
		"policy":                {"CREATE TABLE seen (id bigint PRIMARY KEY, org bigint NOT NULL); INSERT INTO seen VALUES (1, 1); ALTER TABLE seen ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON seen USING (org = current_setting('app.org')::bigint)", ask, "write current_setting('app.org', true) there"},
		"through a view":        {"CREATE VIEW inner_seen AS SELECT id, org FROM plain WHERE org = current_setting('app.org')::bigint; CREATE VIEW seen AS SELECT id, org FROM inner_seen", ask, "write current_setting('app.org', true) there"},
		"a function's setting":  {function + "; CREATE VIEW seen AS SELECT id, org FROM plain WHERE org = org()", ask, "write current_setting('app.org', true) there"},
		"a policy's function":   {function + "; CREATE TABLE seen (id bigint PRIMARY KEY, org bigint NOT NULL); INSERT INTO seen VALUES (1, 1); ALTER TABLE seen ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON seen USING (org = org())", ask, "write current_setting('app.org', true) there"},
		"endless policy":        {"CREATE TABLE seen (id bigint PRIMARY KEY, org bigint NOT NULL); INSERT INTO seen VALUES (1, 1); ALTER TABLE seen ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON seen USING (org IN (SELECT s.org FROM seen AS s))", ask, "a policy of the table reads the table itself"},
		"wrapper":               {"CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nothing FOREIGN DATA WRAPPER nothing; CREATE FOREIGN TABLE seen (id bigint NOT NULL, org bigint NOT NULL) SERVER nothing", ask, "has no HANDLER"},
		"wrapper behind a view": {"CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nothing FOREIGN DATA WRAPPER nothing; CREATE FOREIGN TABLE away (id bigint NOT NULL, org bigint NOT NULL) SERVER nothing; CREATE VIEW seen AS SELECT * FROM away", ask, "has no HANDLER"},
		"not populated":         {"CREATE MATERIALIZED VIEW seen AS SELECT id, org FROM plain WITH NO DATA", ask, "has not been populated"},
		"division":              {"CREATE VIEW seen AS SELECT id, org, 1 / (id - 1) AS n FROM plain", value, "can't be calculated for some row"},
		"cast":                  {"CREATE VIEW seen AS SELECT ('x' || id)::bigint AS id, org FROM plain", value, "can't be calculated for some row"},
		"raised":                {raises("RAISE EXCEPTION 'no'"), ask, "the database itself"},
		"a lost table":          {raises("PERFORM 1 FROM gone"), ask, "the database itself"},
		"bad statement":         {raises("EXECUTE 'SELEC'"), ask, "the database itself"},
		"a function writes":     {raises("INSERT INTO plain VALUES (7, 7)"), ask, "the database itself"},
		"routine":               {raises("RAISE SQLSTATE '38001'"), ask, "the database itself"},
	} {
		t.Run(name, func(t *testing.T) {
			server := tu.Postgres.URL(t)
			if strings.HasPrefix(name, "wrapper") { // which no schema holds
				server = kit.OwnDatabase(t)
			}
			role := kit.NewRole(t)
			if schema := tu.Param(t, server, "search_path"); schema != "" {
				kit.Change(t, server, "GRANT USAGE ON SCHEMA "+schema+" TO "+role)
			}
			kit.Change(t, server, "CREATE TABLE plain (id bigint PRIMARY KEY, org bigint NOT NULL)", "INSERT INTO plain VALUES (1, 1)", c.ddl, "GRANT SELECT ON plain, seen TO "+role)
			t.Cleanup(func() { kit.Change(t, server, "DROP OWNED BY "+role) })
			db := tu.Postgres.OpenURL(t, tu.AsUser(t, server, role), nil)
			grants := codemode.Grants{}
			var seen exo.Object
			for _, table := range []string{"plain", "seen"} {
				of := exosql.NewTable[haRow]("plain")
				f := exosql.NewFacet(of, "plainRow")
				if table == "seen" {
					of = exosql.NewTable[haRow]("seen")
					f = exosql.NewFacet(of, "seenRow")
				}
				id := exosql.NewKey(of, "id", func(e *haRow) *int64 { return &e.ID })
				org := exosql.NewColumn(of, "org", func(e *haRow) *int64 { return &e.Org })
				members := []exosql.Member[haRow]{id, org}
				if name == "division" && table == "seen" {
					members = append(members, exosql.NewColumn(of, "n", func(e *haRow) *int64 { return &e.N }))
				}
				seen = f.Add(members...).Of(exosql.Grant(db, of, org.Eq(1)))
				grants[table] = seen
			}
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), "try { await seen.execute() } catch (e) { return [await plain.count(), e.message] }")
			if !strings.HasPrefix(string(r.JSON), "[1,") || !strings.Contains(string(r.JSON), c.reads) {
				t.Errorf("the program reads %s %v, want %s", r.JSON, r.Err, c.reads)
			}
			if r = tool.Run(t.Context(), "return seen.execute()"); fail.KindOf(r.Err) != fail.Denied || !strings.Contains(r.Err.Error(), c.why) || !strings.Contains(r.Err.Error(), "SQLSTATE") {
				t.Errorf("the host reads %v, want %s", r.Err, c.why)
			}
			found, err := exosql.Findings(t.Context(), db, exosql.Granted(seen))
			if err != nil {
				t.Fatal(err)
			}
			inspect := map[string]string{"setting": "seen: the view reads the setting app.org", "through a view": "seen: the view reads the setting app.org", "policy": "seen: the policy own reads the setting app.org",
				"a function's setting": "seen: the view calls org, which reads the setting app.org", "a policy's function": "seen: the policy own calls org, which reads the setting app.org",
				"wrapper": "the wrapper nothing has no HANDLER", "wrapper behind a view": "the wrapper nothing has no HANDLER"}[name]
			all := (&exosql.CheckError{Findings: found}).Error()
			if !strings.Contains(all, inspect) || inspect == "" && strings.Contains(all, "app.org") {
				t.Errorf("Findings: %s", all)
			}
			fix := "ALTER ROLE " + role + " SET app.org = ''"
			if !strings.Contains(inspect, "app.org") {
				return
			}
			if !strings.Contains(all, fix) {
				t.Errorf("Findings names no way out: %s", all)
			}
			kit.Change(t, server, fix) // to the letter
			again := tu.Postgres.OpenURL(t, tu.AsUser(t, server, role), nil)
			if found, err = exosql.Findings(t.Context(), again, exosql.Granted(seen)); err != nil || strings.Contains((&exosql.CheckError{Findings: found}).Error(), "app.org") {
				t.Errorf("Findings, with the setting: %v %v", found, err)
			}
		})
	}
}
