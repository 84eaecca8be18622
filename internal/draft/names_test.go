package draft_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// programs runs programs on what a file grants, for a principal.
func programs(t *testing.T, decl *grantfile.Declared, claims string, want map[string]string) {
	t.Helper()
	p, err := decl.File.ParseClaims(claims)
	if err != nil {
		t.Fatal(err)
	}
	grants, err := decl.Grants(p)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range want {
		if r := tool.Run(t.Context(), program); r.Err != nil || string(r.JSON) != want {
			t.Errorf("%s: %s %v, want %s", program, r.JSON, r.Err, want)
		}
	}
}

func contains(t *testing.T, text string, want, not []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("there is no %q in\n%s", w, text)
		}
	}
	for _, n := range not {
		if strings.Contains(text, n) {
			t.Errorf("there is %q in\n%s", n, text)
		}
	}
}

// TestDraftWithoutKeys: a database without foreign keys, as many frameworks leave it, is drafted by the names of columns. A column whose table
// another column says is followed nowhere.
func TestDraftWithoutKeys(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(
			"CREATE TABLE accounts (id {int} PRIMARY KEY, name VARCHAR(40))",
			"CREATE TABLE projects (id {int} PRIMARY KEY, account_id {int} NOT NULL, name VARCHAR(40))",
			"CREATE TABLE tasks (id {int} PRIMARY KEY, project_id {int} NOT NULL, title VARCHAR(40))",
			"CREATE TABLE invoices (id {int} PRIMARY KEY, account_id {int} NOT NULL, total {int})",
			"CREATE TABLE taggings (id {int} PRIMARY KEY, task_id {int}, task_type VARCHAR(20))",
			"CREATE TABLE account_settings (id {int} PRIMARY KEY, theme VARCHAR(20))",
			"INSERT INTO accounts VALUES (1, 'one'), (2, 'two')", "INSERT INTO projects VALUES (1, 1, 'P1'), (2, 2, 'P2')", "INSERT INTO tasks VALUES (1, 1, 'T1'), (2, 2, 'T2')", "INSERT INTO invoices VALUES (1, 1, 5), (2, 2, 7)")})
		d, text, decl := drafted(t, db, draft.Options{})
		if d.Tenant == nil || d.Tenant.Table != "accounts" || d.Tenant.Sure == "sure" {
			t.Fatalf("tenant %+v", d.Tenant)
		}
		contains(t, text, []string{
			"    scope: account_id = $principal.account # account_id is no foreign key: its name says that it holds the tenant\n",
			"    scope: via project.tasks # project_id is no foreign key: its name says where it leads\n",
			"      project: { to: project, columns: [project_id], references: [id], one: true } # no foreign key\n",
			"  # taggings: no foreign key leads from it to accounts", "2 of these columns are no foreign keys", "-tenant none",
		}, nil)
		programs(t, decl, "account=1", map[string]string{"tasks.select(t => ({ t: t.title, p: t.project().name }))": `[{"t":"T1","p":"P1"}]`, "invoices.sum('total')": "5", "accounts.projects().tasks().count()": "1"})
	})
}

// TestTenantsByName: the tenant of tables without foreign keys, of columns with the prefix of their table, and of columns that lead to no
// table; and none where a table only shares its key with others.
func TestTenantsByName(t *testing.T) {
	for name, c := range map[string]struct {
		tables []string
		tenant string // "": none
		want   []string
	}{
		"no table of tenants": {[]string{"CREATE TABLE a (id {int} PRIMARY KEY, tenant_id {int} NOT NULL, n {int})", "CREATE TABLE b (id {int} PRIMARY KEY, tenant_id {int} NOT NULL, n {int})", "CREATE TABLE plans (id {int} PRIMARY KEY, n {int})"},
			"tenant_id likely", []string{"  tenant: int # tenant_id\n", "    scope: tenant_id = $principal.tenant # tenant_id is no foreign key", "  # plans: "}},
		"a shortened name": {[]string{"CREATE TABLE organizations (id {int} PRIMARY KEY, name VARCHAR(9))", "CREATE TABLE a (id {int} PRIMARY KEY, org_id {int} NOT NULL)", "CREATE TABLE b (id {int} PRIMARY KEY, org_id {int} NOT NULL)"},
			"organizations likely", []string{"  org: int # organizations.id\n", "    scope: id = $principal.org\n", "    scope: org_id = $principal.org #"}},
		"prefixes": {[]string{"CREATE TABLE tenant (tnt_id {int} PRIMARY KEY, tnt_name VARCHAR(9), tnt_plan VARCHAR(9))", "CREATE TABLE usr (usr_id {int} PRIMARY KEY, usr_tenant_id {int} NOT NULL, usr_name VARCHAR(9))", "CREATE TABLE ord (ord_id {int} PRIMARY KEY, ord_tenant_id {int} NOT NULL, ord_n {int})"},
			"tenant likely", []string{"  tenant: int # tenant.tnt_id\n", "    scope: usr_tenant_id = $principal.tenant #", "    scope: ord_tenant_id = $principal.tenant #", "      tenant: { to: tenant, columns: [usr_tenant_id]"}},
		"prefixes, one foreign key": {[]string{"CREATE TABLE tenant (id {int} PRIMARY KEY, name VARCHAR(9))", "CREATE TABLE a (id {int} PRIMARY KEY, tenant_id {int} NOT NULL REFERENCES tenant (id))", "CREATE TABLE usr (usr_id {int} PRIMARY KEY, usr_tenant_id {int} NOT NULL, usr_name VARCHAR(9))"},
			"tenant sure", []string{"    scope: usr_tenant_id = $principal.tenant #"}},
		"shared keys": {[]string{"CREATE TABLE client (id {int} PRIMARY KEY, n {int})", "CREATE TABLE car (id {int} PRIMARY KEY REFERENCES client (id), n {int})", "CREATE TABLE bus (id {int} PRIMARY KEY REFERENCES client (id), n {int})", "CREATE TABLE van (id {int} PRIMARY KEY, client_id {int} NOT NULL UNIQUE REFERENCES client (id))"},
			"", []string{"No table of tenants was found", "-tenant none"}},
		"a unique column of the name": {[]string{"CREATE TABLE tenants (id {int} PRIMARY KEY, n {int})", "CREATE TABLE a (id {int} PRIMARY KEY, tenant_id {int} NOT NULL REFERENCES tenants (id))", "CREATE TABLE registry (tenant_id {int} NOT NULL UNIQUE, host VARCHAR(9))"},
			"tenants likely", []string{"  # registry: no foreign key leads from it"}},
	} {
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(c.tables...)})
				live, err := db.Catalog(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				d, err := draft.New(live, draft.Options{Name: "shop", URL: "env:SHOP_URL"})
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if d.Tenant != nil {
					got = d.Tenant.Table + " " + d.Tenant.Sure
				}
				if got != c.tenant {
					t.Errorf("%q, want %q", got, c.tenant)
				}
				contains(t, d.Text(nil), c.want, nil)
				if got != "" {
					drafted(t, db, draft.Options{})
				}
			})
		})
	}
}

// TestNamedTenantColumn: a column that the person names says whose a row is, whatever it is called, in however many tables, and whatever else
// it leads to; without the name none of these is drafted.
func TestNamedTenantColumn(t *testing.T) {
	orders := "CREATE TABLE orders (id {int} PRIMARY KEY, %s, n {int}); "
	for name, c := range map[string]struct {
		ddl, tenant string
		want        []string
	}{
		"one table": {fmt.Sprintf(orders, "tenant_id {int} NOT NULL") + "CREATE TABLE items (id {int} PRIMARY KEY, order_id {int} NOT NULL REFERENCES orders (id)); CREATE TABLE plans (id {int} PRIMARY KEY, n {int})", "tenant_id",
			[]string{"  tenant: int # tenant_id\n", "    scope: tenant_id = $principal.tenant # tenant_id is no foreign key", "    scope: via order.items\n", "  # plans: it has no column tenant_id of the type int, and no foreign key leads"}},
		"of any name":  {fmt.Sprintf(orders, "acct VARCHAR(9) NOT NULL"), "acct", []string{"  acct: text # acct\n", "    scope: acct = $principal.acct #"}},
		"of two types": {fmt.Sprintf(orders, "tenant_id {int}") + "CREATE TABLE a (id {int} PRIMARY KEY, tenant_id {int}, n {int}); CREATE TABLE b (id {int} PRIMARY KEY, tenant_id VARCHAR(9), n {int})", "tenant_id", []string{"  tenant: int # tenant_id\n", "  # b: it has no column tenant_id of the type int"}},
		"a key":        {"CREATE TABLE settings (tenant_id {int} PRIMARY KEY, n {int})", "tenant_id", []string{"    scope: tenant_id = $principal.tenant #"}},
		"another key's": {"CREATE TABLE people (id {int} PRIMARY KEY, n {int}); " + fmt.Sprintf(orders, "owner_id {int} REFERENCES people (id)"), "owner_id",
			[]string{"  owner: int # owner_id\n", "    scope: owner_id = $principal.owner #", "  # people: it has no column owner_id of the type int"}},
		"with capitals": {fmt.Sprintf(orders, `"tenantID" {int} NOT NULL`), "tenantID", []string{"    scope: tenantID = $principal.tenant #"}},
	} {
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(c.ddl)})
				_, text, _ := drafted(t, db, draft.Options{Tenant: c.tenant})
				contains(t, text, c.want, nil)
			})
		})
	}
}

// TestNoTenants: the error for a table of tenants that there is not names what there is.
func TestNoTenants(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE a (id INTEGER PRIMARY KEY)")})
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = draft.New(live, draft.Options{Tenant: "nobody"}); err == nil || strings.Contains(err.Error(), "there are ") || !strings.Contains(err.Error(), "or none if every user") {
		t.Error(err)
	}
}

// TestLinksOfPairs: a link over a key of two columns is called as the column that tells it from the others, and so is the way back. A row's
// scope follows the way on which no row is missing.
func TestLinksOfPairs(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(
			"CREATE TABLE tenants (id {int} PRIMARY KEY, name VARCHAR(9))",
			"CREATE TABLE users (tenant_id {int} NOT NULL REFERENCES tenants (id), id {int} NOT NULL, name VARCHAR(9), PRIMARY KEY (tenant_id, id))",
			"CREATE TABLE comments (tenant_id {int} NOT NULL REFERENCES tenants (id), id {int} NOT NULL, author_id {int} NOT NULL, deleted_by_id {int}, parent_id {int}, PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, deleted_by_id) REFERENCES users (tenant_id, id), FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id), FOREIGN KEY (tenant_id, parent_id) REFERENCES comments (tenant_id, id))",
			// Here both columns of the pair are called otherwise than what they refer to.
			"CREATE TABLE votes (org_id {int} NOT NULL REFERENCES tenants (id), id {int} NOT NULL, voter_id {int} NOT NULL, PRIMARY KEY (org_id, id), FOREIGN KEY (org_id, voter_id) REFERENCES users (tenant_id, id))",
			"CREATE TABLE rooms (id {int} PRIMARY KEY, tenant_id {int} NOT NULL REFERENCES tenants (id))", "CREATE TABLE racks (id {int} PRIMARY KEY, room_id {int} NOT NULL REFERENCES rooms (id))",
			"CREATE TABLE boxes (id {int} PRIMARY KEY, opened_in {int} REFERENCES rooms (id), rack_id {int} NOT NULL REFERENCES racks (id))",
			"INSERT INTO tenants VALUES (1, 'one')", "INSERT INTO users VALUES (1, 1, 'Ann'), (1, 2, 'Bob')", "INSERT INTO comments VALUES (1, 1, 1, 2, NULL), (1, 2, 2, NULL, 1)")})
		_, text, decl := drafted(t, db, draft.Options{})
		contains(t, text, []string{"\n      author: {", "\n      deletedBy: {", "\n      parent: comment\n", "\n      commentsByAuthor: {", "\n      commentsByDeletedBy: {", "\n      commentsByParent: {", "\n      voter: user\n", "    scope: via rack.boxes\n"}, []string{"\n      user: {"})
		programs(t, decl, "tenant=1", map[string]string{"comments.where({ id: 1 }).select(c => ({ a: c.author().id, d: c.deletedBy().id }))": `[{"a":1,"d":2}]`, "comments.where(c => c.parent().exists()).count()": "1"})
	})
}

// TestOddNames: tables and columns of any name are granted, under a name that programs can write, and read.
func TestOddNames(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(
			"CREATE TABLE tenants (id {int} PRIMARY KEY, name VARCHAR(9))",
			`CREATE TABLE "order lines" (id {int} PRIMARY KEY, tenant_id {int} NOT NULL REFERENCES tenants (id), "unit price" {int}, "a?b" {int}, "größe" {int}, "2fa" {int}, "constructor" {int}, "order" {int}, "имя" {int}, "unitPrice" {int}, "per%cent" {int}, "q""q" {int})`,
			"INSERT INTO tenants VALUES (1, 'one'), (2, 'two')", `INSERT INTO "order lines" VALUES (1, 1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100), (2, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)`)})
		d, text, decl := drafted(t, db, draft.Options{})
		if d.Granted() != 2 {
			t.Errorf("%d are granted\n%s", d.Granted(), text)
		}
		contains(t, text, []string{`      "a?b": { as: aB }`, `      "unit price": { as: unitPriceValue }`, `      "2fa": { as: x2fa }`, `      "имя": { as: column9 }`, "    table: \"order lines\"\n"}, []string{"      # "})
		programs(t, decl, "tenant=1", map[string]string{
			"orderLines.select(o => ({ a: o.unitPriceValue, b: o.aB, c: o.größe, d: o.x2fa, e: o.constructorValue, f: o.order, g: o.column9, h: o.unitPrice, i: o.perCent, j: o.qQ }))": `[{"a":10,"b":20,"c":30,"d":40,"e":50,"f":60,"g":70,"h":80,"i":90,"j":100}]`,
			"orderLines.where(o => o.aB > 1 && o.x2fa === 40).orderBy('aB').count()":                                                                                                    "1",
		})
		made, _, err := decl.Pin([]byte(text))
		if err != nil || !strings.Contains(string(made), "    table: \"order lines\"\n    pin: v2:") {
			t.Errorf("%v\n%s", err, made)
		}
	})
}

// TestTwoSchemas: of two tables with one name in two schemas both are granted, the one that names find first by its name and the other one
// with its schema, whichever comes first; and each has its own rows, read and written.
func TestTwoSchemas(t *testing.T) {
	server := tu.Server(t)
	admin := tu.Admin(t, server)
	id := strings.ToLower(rand.Text()[:10])
	core, sales := "exo_c_"+id, "exo_s "+id
	run := func(text string) {
		t.Helper()
		if _, err := admin.Exec(strings.NewReplacer("$c", `"`+core+`"`, "$s", `"`+sales+`"`).Replace(text)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { run("DROP SCHEMA IF EXISTS $c CASCADE; DROP SCHEMA IF EXISTS $s CASCADE") })
	run(`CREATE SCHEMA $c; CREATE SCHEMA $s; CREATE TABLE $c.tenants (id int PRIMARY KEY, name text);
		CREATE TABLE $c.customer (id int PRIMARY KEY, tenant_id int NOT NULL REFERENCES $c.tenants (id), title text);
		CREATE TABLE $s.customer (id int PRIMARY KEY, tenant_id int NOT NULL REFERENCES $c.tenants (id), title text);
		CREATE TABLE $s.bill (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES $s.customer (id), n int);
		CREATE INDEX ON $c.customer (tenant_id); CREATE INDEX ON $s.customer (tenant_id); CREATE INDEX ON $s.bill (customer_id);
		INSERT INTO $c.tenants VALUES (1, 'one'), (2, 'two'); INSERT INTO $c.customer VALUES (1, 1, 'core 1'), (2, 2, 'core 2');
		INSERT INTO $s.customer VALUES (1, 1, 'sales 1'), (3, 2, 'sales 2'); INSERT INTO $s.bill VALUES (1, 1, 5), (2, 3, 7)`)
	for _, path := range [][]string{{core, sales}, {sales, core}} {
		open := func(path ...string) *exosql.DB {
			url := tu.WithParam(t, server, "search_path", `"`+strings.Join(path, `","`)+`"`)
			return tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: func(context.Context, *sql.DB) error { return nil }})
		}
		alone, _, _ := drafted(t, open(core), draft.Options{})
		if in := strings.Join(alone.Elsewhere(), ","); in != core+","+sales || strings.Contains(alone.Text(nil), "sales.customer:") {
			t.Errorf("of one schema: %q\n%s", in, alone.Text(nil))
		}
		db := open(path...)
		_, text, _ := drafted(t, db, draft.Options{})
		second := path[1] + ".customer"
		table := regexp.MustCompile(`(?m)^  (\w+):\n    table: "?` + regexp.QuoteMeta(second) + `"?\n`).FindStringSubmatch(text)
		if table == nil || !strings.Contains(text, "    table: customer\n") {
			t.Fatalf("%s is not granted:\n%s", second, text)
		}
		text = strings.ReplaceAll(text, "preset: read-only@1\n", "")
		text = strings.ReplaceAll(text, "      title:\n", "      title:\n    insert: [id, title]\n    update: [title]\n    delete: true\n    effects: [unique(id)]\n")
		f, err := grantfile.Parse("exo.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		decl, findings, err := f.DeclareAndCheck(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
		if err != nil || grantfile.Refusal("exo.yaml", findings) != nil {
			t.Fatalf("%v %v\n%s", err, findings, text)
		}
		grant := regexp.MustCompile(`(?m)^  (\w+): ` + table[1] + `$`).FindStringSubmatch(text)[1]
		mine := map[string]string{core: `["core 1"]`, sales: `["sales 1"]`}
		programs(t, decl, "tenant=1", map[string]string{
			"customers.select(c => c.title)":                              mine[path[0]],
			grant + ".select(c => c.title)":                               mine[path[1]],
			"bills.select(b => ({ n: b.n, t: b.customer().title }))":      `[{"n":5,"t":"sales 1"}]`,
			"bills.where(b => b.customer().title === 'sales 1').sum('n')": "5",
		})
		programs(t, decl, "tenant=1", map[string]string{"(async () => { await " + grant + ".insert({ id: 9, title: 'new' }); await " + grant + ".where({ id: 9 }).update({ title: 'newer' }); const n = await " + grant + ".where({ title: 'newer' }).count(); await " + grant + ".where({ id: 9 }).delete(); return n })()": "1"})
		for spelling, want := range map[string]string{path[0] + ".customer": "spells the table `customer`: write it the same way", "nowhere.customer": "has no table or view `nowhere.customer`: names are looked up in " + strings.Join(path, ", ") + ". If nowhere is a schema, write `schema: [" + strings.Join(path, ", ") + ", nowhere]` next to the database's `url`"} {
			other := strings.Replace(text, "    table: customer\n", "    table: "+fmt.Sprintf("%q", spelling)+"\n", 1)
			f, err := grantfile.Parse("exo.yaml", []byte(other))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", spelling, err, want)
			}
		}
	}
}

// TestWidthOfDraft: no line of a draft is wider than a reader can see, and the draft means the same.
func TestWidthOfDraft(t *testing.T) {
	long := func(s string) string { return strings.Repeat(s, 60/len(s)) }
	statements := []string{"CREATE TABLE tenants (id {int} PRIMARY KEY, name VARCHAR(9))"}
	for i := range 40 {
		statements = append(statements, fmt.Sprintf("CREATE TABLE %s%d (tenant_id {int} NOT NULL REFERENCES tenants (id), %s {int} NOT NULL, %s {int} NOT NULL, password_%s VARCHAR(9), PRIMARY KEY (tenant_id, %[3]s, %[4]s))", long("table_"), i, long("first_")[:50], long("second_")[:50], long("x")[:45]))
	}
	statements = append(statements, fmt.Sprintf("CREATE TABLE parts (tenant_id {int} NOT NULL, id {int} PRIMARY KEY, %s {int} NOT NULL, %s {int} NOT NULL, FOREIGN KEY (tenant_id, %[1]s, %[2]s) REFERENCES %s0 (tenant_id, %[1]s, %[2]s))", long("first_")[:50], long("second_")[:50], long("table_")))
	statements = append(statements, "CREATE TABLE racks (id {int} PRIMARY KEY, tenant_id {int} NOT NULL REFERENCES tenants (id))", // two ways to it make a long note
		fmt.Sprintf("CREATE TABLE boxes (id {int} PRIMARY KEY, %s {int} REFERENCES racks (id), %s {int} REFERENCES racks (id))", long("first_")[:50], long("second_")[:50]))
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(statements...)})
		d, _, decl := drafted(t, db, draft.Options{})
		text := d.Text(decl.Digests())
		for _, l := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(l) > 200 {
				t.Errorf("%d characters: %s", utf8.RuneCountInString(l), l)
			}
		}
		again, err := grantfile.Parse("exo.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if _, err := again.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}}); err != nil {
			t.Error(err)
		}
		contains(t, text, []string{"# Columns that are left out of the tables granted: its name sounds like a secret (40).\n", " and 36 more."}, nil)
	})
}
