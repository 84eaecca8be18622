package main

import (
	"crypto/rand"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/cmd/exo/testdata/access"
	core "github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var updateRLS = flag.Bool("update-rls", false, "write testdata/rls.sql anew")

// TestGenRLS: what exo gen rls prints is that of testdata/rls.sql. A fresh role that it is run for changes and reads what is granted,
// and the database refuses it everything else, also what no builder of ours would write. When less is granted, the
// next script takes the rest back.
func TestGenRLS(t *testing.T) {
	tu.NotQuick(t)
	url := tu.Postgres.URL(t)
	role := "exo_role_" + strings.ToLower(rand.Text()[:12])
	admin := tu.Admin(t, tu.Server(t))
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role); err != nil {
			t.Error(err)
		}
	})
	conf, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	conf.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if !strings.Contains(n.Message, "does not exist, skipping") {
			notices = append(notices, n.Severity+": "+n.Message)
		}
	}
	owner, err := pgx.ConnectConfig(t.Context(), conf)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	must := func(text string) {
		t.Helper()
		if _, err := owner.PgConn().Exec(t.Context(), text).ReadAll(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	const rows = "INSERT INTO customers VALUES (1, 'ann'), (2, 'bob'); INSERT INTO orders (customer_id, note) VALUES (1, 'a'), (1, 'b'), (2, 'c')"
	must("CREATE TABLE customers (id bigint PRIMARY KEY, name text NOT NULL); CREATE TABLE orders (id bigserial PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customers, note text); " + rows)
	script := func(function string) string {
		t.Helper()
		r := exo(t, "", "gen", "rls", "-db", url, "-role", role, "-user", "1", "-func", function, "./testdata/access")
		if r.code != cli.ExitDone || r.err != "" {
			t.Fatal(r)
		}
		return r.out
	}
	desk := script("Desk")
	var schema string
	if err := owner.QueryRow(t.Context(), "SELECT current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	golden := strings.NewReplacer(role, "agent", schema, "public").Replace(desk)
	if *updateRLS {
		if err := os.WriteFile("testdata/rls.sql", []byte(golden), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile("testdata/rls.sql"); err != nil || golden != string(want) {
		t.Errorf("%v\ngot  %s\nwant %s", err, golden, want)
	}
	must(desk)
	must(desk) // it can be run again
	if len(notices) > 0 {
		t.Errorf("it says %q", notices)
	}

	as := tu.AsUser(t, url, role)
	raw, err := sql.Open("pgx", as)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	ask := func(statement string) string { // for customer 1
		t.Helper()
		tx, err := raw.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := tx.Exec("SELECT set_config('exo.customers.id', '1', true), set_config('exo.orders.customer_id', '1', true)"); err != nil {
			t.Fatal(err)
		}
		r, err := tx.Exec(statement)
		if err != nil {
			return "!" + strings.TrimPrefix(err.Error(), "ERROR: ")
		}
		n, _ := r.RowsAffected()
		return fmt.Sprint(n)
	}
	says := func(cases [][2]string) {
		t.Helper()
		for _, c := range cases {
			if got := ask(c[0]); got != c[1] && !(c[1][0] == '!' && strings.HasPrefix(got, c[1])) {
				t.Errorf("%s: %s, want %s", c[0], got, c[1])
			}
		}
	}
	const refused, forbidden = "!new row violates row-level security policy", "!permission denied"
	says([][2]string{
		{"SELECT * FROM orders", "2"},
		{"SELECT id, name FROM customers", "1"},
		{"UPDATE orders SET note = 'x'", "2"},
		{"UPDATE orders SET customer_id = 2", forbidden},
		{"DELETE FROM orders", "2"},
		{"DELETE FROM customers", forbidden},
		{"INSERT INTO orders (customer_id, note) VALUES (1, 'x')", "1"},
		{"INSERT INTO orders (customer_id, note) VALUES (2, 'x')", refused},
		{"INSERT INTO customers VALUES (3, 'x')", forbidden},
	})
	db := tu.Postgres.OpenURL(t, as, &exosql.OpenOptions{RowSecurity: true})
	run := func(objects map[string]core.Object, program, want string) {
		t.Helper()
		if out := tu.NewRunner(t, objects, core.Limits{}).Run(t, program); out.JSON != want {
			t.Errorf("%s: %s, want %s", program, out, want)
		}
	}
	run(access.Desk(db, 2), `const o = await me.orders().insert({ note: "new" }); return [o.note, await me.orders().where({ note: "c" }).update({ note: "d" }), await me.orders().where({ note: "d" }).delete(), await me.orders().select(o => o.note)]`, `["new",1,1,["new"]]`)
	run(access.Desk(db, 1), `return [await me.orders().select(o => o.note), await me.select(c => c.name)]`, `[["a","b"],["ann"]]`)

	must("CREATE POLICY mine ON customers TO PUBLIC USING (true)") // somebody else's stays
	clerk := script("Clerk")
	must(clerk)
	if want := fmt.Sprintf("NOTICE: the role %s may do nothing with customers any more", role); len(notices) != 1 || notices[0] != want {
		t.Errorf("it says %q, want %q", notices, want)
	}
	says([][2]string{
		{"SELECT id FROM customers", forbidden},
		{"SELECT id, note FROM orders", "2"},
		{"UPDATE orders SET note = 'x'", "2"},
		{"DELETE FROM orders", forbidden},
		{"INSERT INTO orders (customer_id, note) VALUES (1, 'x')", "1"},
	})
	var left string
	if err := owner.QueryRow(t.Context(), "SELECT string_agg(policyname, ',') FROM pg_policies WHERE schemaname = $1 AND tablename = 'customers'", schema).Scan(&left); err != nil || left != "mine" {
		t.Errorf("the policies of customers are %q, %v", left, err)
	}
	notices = nil
	must(clerk)
	if len(notices) > 0 {
		t.Errorf("again it says %q", notices)
	}
}

// TestGenRLSRefuses: what can't be written is an error, and what is attenuated is written.
func TestGenRLSRefuses(t *testing.T) {
	tu.NotQuick(t)
	url, _ := database(t, shop)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"-db " + url + " ./testdata/access", cli.ExitUsage, "-role is missing"},
		{"-role agent ./testdata/access", cli.ExitUsage, "-db is missing"},
		{"-role agent -db " + url, cli.ExitUsage, "want one package"},
		{"-role agent -db " + url + " -func a.b ./testdata/access", cli.ExitUsage, "want the name of a function"},
		{"-role agent -user 1 -db " + url + " ./testdata/access", cli.ExitCannot, "has no function Grants"},
		{"-role agent -user 1 -func Mine -db " + url + " ./testdata/access", cli.ExitCannot, "SQLite has no policies"},
	} {
		r := exo(t, "", append([]string{"gen", "rls"}, strings.Fields(c.args)...)...)
		if r.code != c.code || r.out != "" || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: %v, want %q", c.args, r, c.says)
		}
	}
	pg := tu.Postgres.URL(t)
	tu.Postgres.OpenURL(t, pg, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TABLE customers (id bigint PRIMARY KEY, name text NOT NULL)", "CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customers, note text)")})
	r := exo(t, "", "gen", "rls", "-db", pg, "-role", "agent", "-user", "1", "-func", "Mine", "./testdata/access")
	if r.code != cli.ExitDone || r.err != "" || !strings.Contains(r.out, `GRANT SELECT ("id", "name")`) {
		t.Errorf("with one that is attenuated: %v", r)
	}
	if r := exo(t, "", "gen", "rls", "-db", pg, "-role", "Agent", "-user", "1", "-func", "Mine", "./testdata/access"); r.code != cli.ExitCannot || !strings.Contains(r.err, "small letters") {
		t.Errorf("a name that is none: %v", r)
	}
}
