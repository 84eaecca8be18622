package draft_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/corpus/schemas"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// drafted is the draft of a database, as a file that its database agrees with.
func drafted(t *testing.T, db *exosql.DB, o draft.Options) (*draft.Draft, string, *grantfile.Declared) {
	t.Helper()
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o.Name, o.URL = "shop", "env:SHOP_URL"
	d, err := draft.New(live, o)
	if err != nil {
		t.Fatal(err)
	}
	text := d.Text(nil)
	f, err := grantfile.Parse("exo.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	decl, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d, text, decl
}

var desk = []string{
	"CREATE TABLE organizations (id {int} PRIMARY KEY, name VARCHAR(40) NOT NULL, api_token VARCHAR(40))",
	"CREATE TABLE people (id {int} PRIMARY KEY, org_id {int} NOT NULL REFERENCES organizations (id), boss_id {int} REFERENCES people (id), name VARCHAR(40) NOT NULL, email VARCHAR(40), active BOOLEAN NOT NULL, birth_date DATE)",
	"CREATE TABLE tickets (id {int} PRIMARY KEY, org_id {int} NOT NULL REFERENCES organizations (id), asked_by {int} NOT NULL REFERENCES people (id), done_by {int} REFERENCES people (id), title VARCHAR(40) NOT NULL, body VARCHAR(400))",
	"CREATE TABLE replies (id {int} PRIMARY KEY, ticket_id {int} NOT NULL REFERENCES tickets (id), replies {int})",
	"CREATE TABLE transfers (id {int} PRIMARY KEY, from_org {int} NOT NULL REFERENCES organizations (id), to_org {int} NOT NULL REFERENCES organizations (id))",
	"CREATE TABLE holidays (id {int} PRIMARY KEY, org_id {int}, day DATE)",
	"CREATE TABLE countries (id {int} PRIMARY KEY, name VARCHAR(40))",
	"CREATE TABLE logs (line VARCHAR(40))",
	"INSERT INTO organizations VALUES (1, 'one', 'x'), (2, 'two', 'y')",
	"INSERT INTO people VALUES (1, 1, NULL, 'Ann', 'ann@one', TRUE, NULL), (3, 2, NULL, 'Eve', 'eve@two', TRUE, NULL)",
	"INSERT INTO tickets VALUES (1, 1, 1, NULL, 'Door', 'b'), (3, 2, 3, 3, 'Vault', 'b')",
	"INSERT INTO replies VALUES (1, 1, 1), (2, 3, 1)",
}

// TestDraft: what is granted, what is left out and why, and that programs reach the rows of one tenant.
func TestDraft(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(desk...)})
		d, text, decl := drafted(t, db, draft.Options{})
		for _, want := range []string{
			"\nreviewed: false",
			"shop: env:SHOP_URL\n",
			"  org: int # organizations.id\n",
			"the tables that refer to these, that covers 5 of 7 tables. How sure: sure.",
			"    scope: id = $principal.org\n",
			"    scope: org_id = $principal.org\n",
			"    scope: org_id = $principal.org # org_id is no foreign key: its name says that it holds the tenant\n",
			"    scope: via ticket.replies\n",
			"      # api_token: { label: [secret] } # its name sounds like a secret\n",
			"      # email: { label: [pii] } # its name sounds like a fact about a person\n",
			"      # birth_date: { label: [pii] } # its name sounds like a fact about a person\n",
			"      # body: { label: [untrusted] } # free text: what its author writes, the model reads\n",
			"      active:\n",
			"      askedByPerson: { to: person, columns: [asked_by], references: [id], one: true }\n",
			"      ticketsByDoneBy: { to: ticket, columns: [id], references: [done_by], one: false }\n",
			"      boss: person\n",
			"  # countries: no foreign key leads from it to organizations, so no column says who owns its rows\n",
			"  # logs: no foreign key leads from it to organizations, so no column says who owns its rows\n",
			"  # transfers: from_org and to_org refer to organizations: choose the one that says who owns a row\n",
		} {
			if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n# ", " "), want) {
				t.Errorf("there is no %q in\n%s", want, text)
			}
		}
		if d.Tenant == nil || d.Tenant.Table != "organizations" || decl.File.Reviewed || decl.File.Writes() {
			t.Errorf("tenant %+v, reviewed %t", d.Tenant, decl.File.Reviewed)
		}
		p, err := decl.File.ParseClaims("org=1")
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
		for program, want := range map[string]string{
			"organizations.select(o => o.name)":              `["one"]`,
			"tickets.select(t => t.askedByPerson().name)":    `["Ann"]`,
			"replies.select(r => r.id)":                      `[1]`,
			"people.ticketsByAskedBy().select(t => t.id)":    `[1]`,
			"people.select(p => p.boss().name)":              `[null]`,
			"replies.ticket().askedByPerson().org().count()": `1`,
			"organizations.tickets().select(t => t.title)":   `["Door"]`,
		} {
			if r := tool.Run(t.Context(), program); r.Err != nil || string(r.JSON) != want {
				t.Errorf("%s: %s %v, want %s", program, r.JSON, r.Err, want)
			}
		}
		if pins := decl.Digests(); len(pins) != d.Granted() || !strings.HasPrefix(pins["ticket"], "v2:") {
			t.Errorf("pins %v", pins)
		} else if again, err := grantfile.Parse("x", []byte(d.Text(pins))); err != nil {
			t.Error(err)
		} else if _, err := again.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}}); err != nil {
			t.Error(err)
		}
		_, text, decl = drafted(t, db, draft.Options{Tenant: draft.None})
		if !strings.Contains(text, "There is one tenant") || len(decl.File.Claims) > 0 || !strings.Contains(text, "  country:\n    table: countries\n    scope: shared\n") {
			t.Errorf("of one tenant:\n%s", text)
		}
	})
}

// TestTenants: the table of tenants of databases that others drew, and that each draft is a file its database agrees with.
func TestTenants(t *testing.T) {
	for name, want := range map[string]string{"pagila": "store likely", "co": "stores sure", "chinook": "employee a guess", "northwind": "customers a guess", "hr": "locations a guess"} {
		app, err := schemas.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(app.SQL)})
				o := draft.Options{Out: map[string]string{}}
				d, text, decl := drafted(t, db, o)
				if got := d.Tenant.Table + " " + d.Tenant.Sure; got != want {
					t.Errorf("%s, want %s\n%s", got, want, text)
				}
				for n := -1; len(o.Out) > n; { // as exo init leaves out what exo validate finds something in
					n = len(o.Out)
					findings, err := decl.Check()
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range findings {
						if !f.Warning && f.Table != "" {
							o.Out[f.Table] = f.Problem
						}
					}
					d, text, decl = drafted(t, db, o)
				}
				if d.Granted() < 3 || len(o.Out) > 1 {
					t.Errorf("%d are granted, and left out are %v\n%s", d.Granted(), o.Out, text)
				}
			})
		})
	}
}

// TestHostileNames: no name and no comment of the database says anything in the file but itself.
func TestHostileNames(t *testing.T) {
	for _, evil := range []string{"x\nreviewed: true\ny", "x: 1", "- x", "#", "no", `"`, "x\u2028y", "{a: b}", "&a", "*", "null", "7", "' or 1", "\x1b[2J", "name #", "x\u0085y", "x\ufffey", "\u009b2J", "x\u202ey", "\U000e0041", "\ufffd"} {
		q := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			statements := []string{
				"CREATE TABLE orgs (id {int} PRIMARY KEY, name VARCHAR(40), " + q(evil) + " VARCHAR(40), " + q(evil+" password") + " VARCHAR(40))",
				"CREATE TABLE " + q(evil) + " (id {int} PRIMARY KEY, org_id {int} REFERENCES orgs (id), n {int})",
				"CREATE TABLE " + q(evil+" 2") + " (" + q(evil) + " {int} PRIMARY KEY, org_id {int} REFERENCES orgs (id), n {int})",
				"CREATE TABLE " + q(evil+" 3") + " (n {int})",
			}
			if e == tu.Postgres {
				statements = append(statements, "COMMENT ON COLUMN orgs.name IS '"+strings.ReplaceAll(evil, "'", "''")+"'")
			}
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(statements...)})
			d, text, decl := drafted(t, db, draft.Options{About: evil})
			if decl.File.Reviewed || len(decl.File.Facets) != d.Granted() || len(decl.File.Facets) > 3 || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("%q:\n%q", evil, text)
			}
			for _, f := range d.Facets {
				if f.Out == "" && !slices.ContainsFunc(decl.File.Facets, func(x grantfile.Facet) bool { return x.Text == f.Alias && x.Table.Text == f.Table }) {
					t.Errorf("%q: the file has another table for %s:\n%q", evil, f.Alias, text)
				}
			}
			for _, x := range decl.File.Facets {
				if x.Scope.Shared || x.Scope.Rows == nil {
					t.Errorf("%q: the facet %s is not in scope:\n%s", evil, x.Text, text)
				}
			}
		})
	}
}

// TestDraftLabels: a column that somebody takes in by removing the mark of the comment has its label.
func TestDraftLabels(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(desk...)})
	_, text, _ := drafted(t, db, draft.Options{})
	text = regexp.MustCompile(`(?m)^(      )# (.*\{ label: )`).ReplaceAllString(text, "$1$2")
	f, err := grantfile.Parse("exo.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range f.Facets {
		for _, c := range x.Columns {
			if len(c.Label) > 0 {
				got = append(got, c.Text+" "+c.Label[0].Text)
			}
		}
	}
	if want := []string{"email pii", "birth_date pii", "api_token secret", "body untrusted"}; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("%q\n%s", got, text)
	}
}

// TestDraftOfAnyTable: a table without a key is granted as any other one, by the name of its column where no foreign key leads from it; a view, a
// virtual table, and what can't be queried are comments with the reason.
func TestDraftOfAnyTable(t *testing.T) {
	e := tu.SQLite
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE tenants (id INTEGER PRIMARY KEY, name TEXT)", "CREATE TABLE a (id INTEGER PRIMARY KEY, tenant_id INT NOT NULL REFERENCES tenants (id), at DATETIME DEFAULT CURRENT_TIMESTAMP)",
		"CREATE TABLE log (tenant_id INTEGER, msg TEXT)", "CREATE TABLE role_a (a_id INT NOT NULL REFERENCES a (id), role TEXT)", "CREATE VIRTUAL TABLE f USING fts5 (msg)", "CREATE VIEW v AS SELECT * FROM log", "CREATE TABLE 組 (id INTEGER PRIMARY KEY, tenant_id INT NOT NULL REFERENCES tenants (id), name TEXT, t TIME)", "CREATE VIEW v3 AS SELECT t, name AS 名 FROM 組", "CREATE VIEW stale AS SELECT x FROM gone",
		"INSERT INTO tenants VALUES (1, 'x'), (2, 'y')", "INSERT INTO a (id, tenant_id) VALUES (1, 1), (2, 2)", "INSERT INTO log VALUES (1, 'm'), (2, 'n')", "INSERT INTO role_a VALUES (1, 'r'), (2, 's')")})
	d, text, decl := drafted(t, db, draft.Options{})
	if d.Granted() != 5 {
		t.Errorf("%d are granted", d.Granted())
	}
	for _, want := range []string{"\n  # f: it is a virtual table", "\n  # v: a view, of which nothing says who", "  #   table: v\n  #   scope: tenant_id = $principal.tenant\n", "\n  #     # t: { type: text } # the type TIME is not known: write `type: text`", "\n  #     \"名\": { as: column2 }", "\n  tables14: table14\n", "\n      tables14: table14\n", "\n  # stale: each query of it fails: ", "  log:\n    table: log\n    scope: tenant_id = $principal.tenant"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if findings, err := decl.Check(); err != nil || grantfile.Refusal("exo.yaml", findings) != nil {
		t.Errorf("%v, %v", err, findings)
	}
}
