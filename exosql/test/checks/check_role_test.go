package checks_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// granting is a facet of accounts and entries as a role of its own would serve it: one
// column of each, and those of scope, link and keys.
func granting(db *exosql.DB) (ckDeclarations, exo.Object) {
	d := ckDeclare()
	entry := exosql.NewFacet(d.entries, "entry", d.entryID)
	return d, exosql.NewFacet(d.accounts, "account", d.name, exosql.Via(d.link, entry)).Of(exosql.Grant(db, d.accounts, d.tenant.Eq(1), exosql.ScopeVia(d.link)))
}

// TestCheckRights: a role that may read too little, exactly enough, and too much. Each
// Fix is run, and the last one's role answers programs.
func TestCheckRights(t *testing.T) {
	tu.NotRaced(t)
	url := tu.WithParam(t, tu.Postgres.URL(t), "timezone", "UTC")
	schema := tu.Param(t, url, "search_path")
	url = tu.WithParam(t, url, "search_path", schema+",public")
	kit.Change(t, url, ckAccounts, ckEntries, ckIndexes, `INSERT INTO accounts VALUES (1, 1, 'a', 'a', NULL), (2, 2, 'b', 'b', NULL)`, `INSERT INTO entries VALUES (10, 1), (11, 1), (20, 2)`)
	role := kit.NewRole(t)
	as := tu.AsUser(t, url, role)
	found := func(as string) (out []exosql.Finding) {
		t.Helper()
		db := tu.Postgres.OpenURL(t, as, nil)
		_, o := granting(db)
		out, err := exosql.Findings(t.Context(), db, exosql.Granted(o))
		if err != nil {
			t.Fatal(err)
		}
		if refused := slices.ContainsFunc(out, func(f exosql.Finding) bool { return !f.Warning }); (exosql.Check(t.Context(), db, exosql.Granted(o)) != nil) != refused {
			t.Errorf("Check does not agree with %v", out)
		}
		return out
	}
	run := func(as string) tu.Outcome {
		db := tu.Postgres.OpenURL(t, as, nil)
		_, o := granting(db)
		return tu.NewRunner(t, map[string]exo.Object{"accounts": o}, exo.Limits{}).Run(t, `return [await accounts.select(({ account }) => ({ n: account.name })), await accounts.entries().select(({ entry }) => ({ id: entry.id })), await accounts.entries().count()]`)
	}
	want := func(got []exosql.Finding, kind exosql.FindingKind, warning bool, parts ...string) {
		t.Helper()
		if len(got) != len(parts) {
			t.Errorf("found %v, want %q", got, parts)
			return
		}
		for i, f := range got {
			if f.Kind != kind || f.Warning != warning || !strings.Contains(f.String(), parts[i]) {
				t.Errorf("found %v, want %s %q", f, kind, parts[i])
			}
		}
	}
	fix := func(got []exosql.Finding) {
		t.Helper()
		for _, f := range got {
			kit.Change(t, url, f.Fix)
		}
	}

	unusable := found(as)
	want(unusable, exosql.NotReadable, false, "accounts: this table is in the schema "+schema+", which the role "+role+" may not use", "entries: this table is in the schema")
	fix(unusable)
	unreadable := found(as)
	want(unreadable, exosql.NotReadable, false, "accounts: the role "+role+" may not read this table: each query of it fails. Right would be: GRANT SELECT (id, tenant, name) ON "+schema+".accounts TO "+role, "entries: the role "+role+" may not read this table: each query of it fails. Right would be: GRANT SELECT (id, account_id) ON "+schema+".entries TO "+role)
	if o := run(as); o.JSON != "" {
		t.Errorf("the twin: a role without rights was answered %s", o)
	}
	kit.Change(t, url, "GRANT SELECT (id, name, kind) ON accounts TO "+role, "GRANT SELECT ON entries TO "+role)
	part := found(as)
	want(part, exosql.NotReadable, false, "accounts: the role "+role+" may not read (tenant): each query that names one of these columns fails. Right would be: GRANT SELECT (tenant) ON "+schema+".accounts TO "+role)
	fix(part)
	want(found(as), "", false)
	if o := run(as); o.JSON != `[[{"n":"a"}],[{"id":10},{"id":11}],2]` {
		t.Errorf("with the rights that Check asks for: %s", o)
	}

	// A relation reads whole rows, and what is only declared is not refused.
	db := tu.Postgres.OpenURL(t, as, nil)
	d, _ := granting(db)
	for warning, what := range map[bool]exosql.Declared{false: exosql.Grant(db, d.accounts, d.tenant.Eq(1)), true: d.accounts} {
		got, err := exosql.Findings(t.Context(), db, what)
		if err != nil {
			t.Fatal(err)
		}
		want(got, exosql.NotReadable, warning, "may not read (seen)")
	}

	for right, says := range map[string]string{"UPDATE (kind)": "UPDATE", "INSERT": "INSERT", "DELETE, TRUNCATE": "DELETE, TRUNCATE"} {
		kit.Change(t, url, "GRANT "+right+" ON accounts TO "+role)
		want(found(as), exosql.RoleRights, true, "the role "+role+" may write to tables that are only read: accounts ("+says+")")
		written := tu.Postgres.OpenURL(t, as, nil)
		w, o := granting(written)
		got, err := exosql.Findings(t.Context(), written, exosql.Granted(o), exosql.Written(w.accounts))
		if err != nil || slices.ContainsFunc(got, func(f exosql.Finding) bool { return f.Kind == exosql.RoleRights }) {
			t.Errorf("of a table that is written: %v, %v", got, err)
		}
		kit.Change(t, url, "REVOKE "+right+" ON accounts FROM "+role)
	}

	// What a superuser is told to do instead is enough, and no more.
	told := found(url)
	want(told, exosql.RoleRights, true, "the role postgres is a superuser")
	_, statements, ok := strings.Cut(told[0].Fix, ": CREATE ROLE exo LOGIN NOSUPERUSER NOBYPASSRLS; ")
	if !ok {
		t.Fatal(told)
	}
	own := kit.NewRole(t)
	kit.Change(t, url, strings.ReplaceAll(statements, " TO exo", " TO "+own))
	want(found(tu.AsUser(t, url, own)), "", false)
	if o := run(tu.AsUser(t, url, own)); o.JSON != `[[{"n":"a"}],[{"id":10},{"id":11}],2]` {
		t.Errorf("with a role of its own: %s", o)
	}
	if err := exosql.Check(t.Context(), tu.Postgres.OpenURL(t, tu.AsUser(t, tu.WithParam(t, url, "search_path", schema), kit.NewRole(t)), nil), d.accounts); err == nil || !strings.Contains(err.Error(), "GRANT USAGE") {
		t.Errorf("with no schema that the role may use: %v", err)
	}
}

// TestCheckPath: somebody who may create on the search path makes an = for an enum, and
// a scope lets in what it should not. Check refuses the path, and what it says ends it.
func TestCheckPath(t *testing.T) {
	type item struct {
		ID  int64
		Who string
	}
	for _, fixed := range []bool{false, true} {
		t.Run(fmt.Sprintf("fixed %t", fixed), func(t *testing.T) {
			url := tu.Postgres.URL(t)
			schema, attacker := tu.Param(t, url, "search_path"), kit.NewRole(t)
			kit.Change(t, url, `CREATE TYPE who AS ENUM ('ann', 'bob'); CREATE TABLE items (id {int} PRIMARY KEY, who who NOT NULL); CREATE INDEX items_who ON items (who); INSERT INTO items VALUES (1, 'ann'), (2, 'bob')`,
				"GRANT USAGE, CREATE ON SCHEMA "+schema+" TO PUBLIC")
			items := exosql.NewTable[item]("items")
			exosql.NewKey(items, "id", func(x *item) *int64 { return &x.ID })
			who := exosql.NewColumn(items, "who", func(x *item) *string { return &x.Who }).OneOf("ann", "bob")
			check := func() []exosql.Finding {
				t.Helper()
				db := tu.Postgres.OpenURL(t, url, nil)
				found, err := exosql.Findings(t.Context(), db, exosql.Grant(db, items, who.Eq("ann")))
				if err != nil {
					t.Fatal(err)
				}
				found, _ = withoutSuperuser(found)
				return found
			}
			found := check()
			if len(found) != 1 || found[0].Kind != exosql.SearchPath || found[0].Table != "" || found[0].Warning || !strings.HasPrefix(found[0].String(), "everybody may create objects in the schema "+schema) {
				t.Fatalf("found %v", found)
			}
			if fixed {
				kit.Change(t, url, found[0].Fix)
				if found := check(); len(found) != 0 {
					t.Errorf("after %v", found)
				}
			}
			evil, err := sql.Open("pgx", tu.AsUser(t, url, attacker))
			if err != nil {
				t.Fatal(err)
			}
			defer evil.Close()
			_, err = evil.ExecContext(context.Background(), `CREATE FUNCTION yes(who, who) RETURNS boolean LANGUAGE sql AS 'SELECT true'; CREATE OPERATOR = (LEFTARG = who, RIGHTARG = who, FUNCTION = yes)`)
			if (err != nil) != fixed {
				t.Fatalf("an operator for the enum: %v", err)
			}
			db := tu.Postgres.OpenURL(t, url, nil)
			n, err := exosql.Grant(db, items, who.Eq("ann")).Count(t.Context())
			if err != nil || (n == 1) != fixed {
				t.Errorf("%d rows of ann, %v", n, err)
			}
			if !fixed {
				return
			}
			kit.Change(t, url, "GRANT CREATE ON SCHEMA "+schema+" TO "+attacker)
			if found := check(); len(found) != 1 || found[0].Kind != exosql.SearchPath || !found[0].Warning || !strings.Contains(found[0].Problem, "the role "+attacker+" may create") {
				t.Errorf("a role by its name: %v", found)
			}
		})
	}
}

// TestCheckPartitionTwin: why a policy on a partition is refused: a query of the whole
// table passes it by.
func TestCheckPartitionTwin(t *testing.T) {
	url, role := tu.Postgres.URL(t), kit.NewRole(t)
	kit.Change(t, url, ckAccounts+` PARTITION BY HASH (id)`, `CREATE TABLE part PARTITION OF accounts FOR VALUES WITH (MODULUS 1, REMAINDER 0)`, ckEntries, ckIndexes,
		`INSERT INTO accounts VALUES (1, 1, 'a', 'a', NULL)`, `CREATE POLICY p ON part USING (false)`, `ALTER TABLE part ENABLE ROW LEVEL SECURITY`,
		fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s; GRANT SELECT ON accounts, part, entries TO %[2]s", tu.Param(t, url, "search_path"), role))
	db := tu.Postgres.OpenURL(t, tu.AsUser(t, url, role), nil)
	d := ckDeclare()
	rel := exosql.Grant(db, d.accounts, d.tenant.Eq(1))
	if n, err := rel.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("a query of the whole: %d rows, %v", n, err)
	}
	found, err := exosql.Findings(t.Context(), db, rel)
	if err != nil || len(found) != 1 || found[0].Kind != exosql.RowSecurity || found[0].Warning || !strings.Contains(found[0].Problem, "(part)") {
		t.Errorf("found %v, %v", found, err)
	}
	kit.Change(t, url, "ALTER TABLE accounts ENABLE ROW LEVEL SECURITY", "CREATE POLICY p ON accounts USING (false)")
	if n, err := rel.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("with a policy of its own: %d rows, %v", n, err)
	}
	if found, err := exosql.Findings(t.Context(), db, rel); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
}

type ckTyped struct {
	ID int64
	K  [12]string
}

// ckTypes are columns of text in the database's words.
const ckTypes = `CREATE TYPE who AS ENUM ('a', 'b'); CREATE TYPE other AS ENUM ('a', 'b'); CREATE DOMAIN dwho AS who; CREATE DOMAIN dtext AS text;
	CREATE TABLE typed (id {int} PRIMARY KEY, who who NOT NULL, other other NOT NULL, dwho dwho NOT NULL, dtext dtext NOT NULL, text text NOT NULL, varchar varchar(9) NOT NULL, char char(5) NOT NULL,
		citext public.citext NOT NULL, name name NOT NULL, c text COLLATE "C" NOT NULL, posix text COLLATE "POSIX" NOT NULL, inet inet NOT NULL);
	INSERT INTO typed VALUES (1, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', '::1')`

// TestCheckPairs: of all pairs of types that a text can have, with OneOf and without,
// Check refuses those whose queries fail, and no others.
func TestCheckPairs(t *testing.T) {
	url := tu.Postgres.URL(t)
	kit.Change(t, url, "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public")
	url = tu.WithParam(t, url, "search_path", tu.Param(t, url, "search_path")+",public")
	db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(ckTypes)})
	for _, oneOf := range []bool{false, true} {
		table := exosql.NewTable[ckTyped]("typed")
		id := exosql.NewKey(table, "id", func(x *ckTyped) *int64 { return &x.ID })
		k := func(i int) func(*ckTyped) *string { return func(x *ckTyped) *string { return &x.K[i] } }
		names := []string{"who", "other", "dwho", "dtext", "text", "varchar", "char", "citext", "name", "c", "posix", "inet"}
		cols := []*exosql.Column[ckTyped, string]{exosql.NewColumn(table, "who", k(0)), exosql.NewColumn(table, "other", k(1)), exosql.NewColumn(table, "dwho", k(2)), exosql.NewColumn(table, "dtext", k(3)),
			exosql.NewColumn(table, "text", k(4)), exosql.NewColumn(table, "varchar", k(5)), exosql.NewColumn(table, "char", k(6)), exosql.NewColumn(table, "citext", k(7)),
			exosql.NewColumn(table, "name", k(8)), exosql.NewColumn(table, "c", k(9)), exosql.NewColumn(table, "posix", k(10)), exosql.NewColumn(table, "inet", k(11))}
		if oneOf {
			for i := range cols {
				cols[i] = cols[i].OneOf("a", "b")
			}
		}
		var links []exosql.Declared
		fails := map[string]bool{}
		for i, from := range cols {
			for j, to := range cols {
				l := exosql.Many("l", from, to)
				links = append(links, l)
				if _, err := exosql.Follow(exosql.Grant(db, table, id.Eq(1)), l).Count(t.Context()); err != nil {
					fails[names[i]+" "+names[j]] = true
				}
			}
		}
		found, err := exosql.Findings(t.Context(), db, links...)
		if err != nil {
			t.Fatal(err)
		}
		refused := map[string]bool{}
		for _, f := range found {
			if _, from, ok := strings.Cut(f.Problem, "compares this column with typed."); ok && strings.Contains(from, ", which fails: ") {
				from, _, _ = strings.Cut(from, ",")
				refused[from+" "+f.Column] = true
				if f.Kind != exosql.TypeMismatch || f.Warning || f.Fix == "" {
					t.Errorf("%v", f)
				}
			}
		}
		if n := len(fails); n == 0 || n > 120 {
			t.Errorf("OneOf %t: %d pairs fail", oneOf, n)
		}
		for _, from := range names {
			for _, to := range names {
				if p := from + " " + to; fails[p] != refused[p] {
					t.Errorf("OneOf %t: %s: a query fails: %t, Check refuses: %t", oneOf, p, fails[p], refused[p])
				}
			}
		}
	}
}
