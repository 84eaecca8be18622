package checks_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// What the tests of Check declare: accounts of a tenant, and their entries.

type ckAccount struct {
	ID, Tenant int64
	Name, Kind string
	Seen       *time.Time
}

type ckDeclarations struct {
	accounts *exosql.Table[ckAccount]
	id       *exosql.Column[ckAccount, int64]
	tenant   *exosql.Column[ckAccount, int64]
	name     *exosql.Column[ckAccount, string]
	entries  *exosql.Table[kit.CheckedEntry]
	entryID  *exosql.Column[kit.CheckedEntry, int64]
	link     exosql.Link[ckAccount, kit.CheckedEntry]
}

func ckDeclare() ckDeclarations {
	var d ckDeclarations
	d.accounts = exosql.NewTable[ckAccount]("accounts")
	d.id = exosql.NewKey(d.accounts, "id", func(a *ckAccount) *int64 { return &a.ID })
	d.tenant = exosql.NewColumn(d.accounts, "tenant", func(a *ckAccount) *int64 { return &a.Tenant })
	d.name = exosql.NewColumn(d.accounts, "name", func(a *ckAccount) *string { return &a.Name })
	exosql.NewColumn(d.accounts, "kind", func(a *ckAccount) *string { return &a.Kind }).OneOf("a", "b")
	exosql.NewNullable(d.accounts, "seen", func(a *ckAccount) **time.Time { return &a.Seen })
	d.entries = exosql.NewTable[kit.CheckedEntry]("entries")
	d.entryID = exosql.NewKey(d.entries, "id", func(e *kit.CheckedEntry) *int64 { return &e.ID })
	d.link = exosql.Many("entries", d.id, exosql.NewColumn(d.entries, "account_id", func(e *kit.CheckedEntry) *int64 { return &e.Account }))
	return d
}

const (
	ckAccounts = `CREATE TABLE accounts (id {int} PRIMARY KEY, tenant {int} NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, seen {time})`
	ckEntries  = `CREATE TABLE entries (id {int} PRIMARY KEY, account_id {int} NOT NULL)`
	ckIndexes  = `CREATE INDEX accounts_by_tenant ON accounts (tenant); CREATE INDEX entries_by_account ON entries (account_id)`
)

var invoker = regexp.MustCompile(`WITH \(security_invoker[^)]*\) `)

// withoutSuperuser takes away the warning that there is on PostgreSQL, where the tests
// make their databases; it reports whether it was there.
func withoutSuperuser(found []exosql.Finding) ([]exosql.Finding, bool) {
	was := len(found)
	found = slices.DeleteFunc(slices.Clone(found), func(f exosql.Finding) bool {
		return f.Kind == exosql.RoleRights && f.Table == "" && f.Warning && strings.Contains(f.Problem, "the role postgres is a superuser")
	})
	return found, len(found) < was
}

// TestCheck: each difference is found, and nothing else is; and what the finding
// says would be right is right.
func TestCheck(t *testing.T) {
	tu.NotRaced(t)
	const both, sqlite, postgres = "sqlite postgres", "sqlite", "postgres"
	for name, c := range map[string]struct {
		on   string
		ddl  []string // instead of what is right
		want []string // kind table.column: a part of the text; ! before a warning
		fix  bool     // the Fix is a statement that mends it
		use  func(d ckDeclarations) []exosql.Declared
	}{
		"right":                 {on: both, ddl: []string{ckAccounts, ckEntries, ckIndexes}},
		"missing table":         {on: both, ddl: []string{ckAccounts, `CREATE INDEX i ON accounts (tenant)`}, want: []string{"missing table entries: there is no such table"}, fix: true},
		"another name":          {on: both, ddl: []string{ckAccounts, strings.Replace(ckEntries, "entries", "entrys", 1), `CREATE INDEX i ON accounts (tenant)`}, want: []string{`missing table entries: exosql.NewTable[…]("entrys")`}},
		"missing column":        {on: both, ddl: []string{strings.Replace(ckAccounts, "seen {time}", "z {int}", 1), ckEntries, ckIndexes}, want: []string{`missing column accounts.seen: there is no such column; if it was renamed ("z" has no declaration), use that name in the declaration, or run exo gen again`}, fix: true},
		"column misspelt":       {on: both, ddl: []string{strings.Replace(ckAccounts, "seen", "sen", 1), ckEntries, ckIndexes}, want: []string{`missing column accounts.seen: the name "sen" in the declaration`}},
		"type":                  {on: both, ddl: []string{strings.Replace(ckAccounts, "tenant {int}", "tenant TEXT", 1), ckEntries, ckIndexes}, want: []string{"type accounts.tenant: is declared int and is"}},
		"type of time":          {on: both, ddl: []string{strings.Replace(ckAccounts, "seen {time}", "seen {int}", 1), ckEntries, ckIndexes}, want: []string{"type accounts.seen: a field of type int64"}},
		"unknown type":          {on: postgres, ddl: []string{strings.Replace(ckAccounts, "seen {time}", "seen money", 1), ckEntries, ckIndexes}, want: []string{"type accounts.seen: is declared time and is money"}},
		"null":                  {on: both, ddl: []string{strings.Replace(ckAccounts, "name TEXT NOT NULL", "name TEXT", 1), ckEntries, ckIndexes}, want: []string{"null accounts.name: is declared as never NULL and may be"}},
		"null mended":           {on: postgres, ddl: []string{strings.Replace(ckAccounts, "name TEXT NOT NULL", "name TEXT", 1), ckEntries, ckIndexes}, want: []string{"null accounts.name: SET NOT NULL"}, fix: true},
		"never null":            {on: both, ddl: []string{strings.Replace(ckAccounts, "seen {time}", "seen {time} NOT NULL", 1), ckEntries, ckIndexes}, want: []string{"!null accounts.seen: is declared nullable and is never"}},
		"no key":                {on: both, ddl: []string{strings.Replace(ckAccounts, "PRIMARY KEY", "NOT NULL", 1), ckEntries, ckIndexes}, want: []string{"no key accounts: nothing makes (id) unique"}, fix: true},
		"unique will do":        {on: both, ddl: []string{strings.Replace(ckAccounts, "PRIMARY KEY", "NOT NULL UNIQUE", 1), ckEntries, ckIndexes}},
		"partial key":           {on: both, ddl: []string{strings.Replace(ckAccounts, "PRIMARY KEY", "NOT NULL", 1), ckEntries, ckIndexes, `CREATE UNIQUE INDEX u ON accounts (id) WHERE tenant = 1`}, want: []string{"no key accounts: nothing makes (id) unique"}},
		"key of more":           {on: both, ddl: []string{strings.Replace(ckAccounts, "{int} PRIMARY KEY", "{int} NOT NULL", 1), ckEntries, ckIndexes, `CREATE UNIQUE INDEX u ON accounts (id, tenant)`}, want: []string{"no key accounts: nothing makes (id) unique"}},
		"nullable key":          {on: both, ddl: []string{strings.Replace(ckAccounts, "PRIMARY KEY", "UNIQUE", 1), ckEntries, ckIndexes}, want: []string{"nullable key accounts.id: is part of the key and may be NULL"}},
		"link without index":    {on: both, ddl: []string{ckAccounts, ckEntries, `CREATE INDEX i ON accounts (tenant)`}, want: []string{"no index entries.account_id: the link accounts.entries looks rows up by (account_id)"}, fix: true},
		"scope without index":   {on: both, ddl: []string{ckAccounts, ckEntries, `CREATE INDEX i ON entries (account_id)`}, want: []string{"no index accounts.tenant: the scope is a condition on tenant"}, fix: true},
		"second in the index":   {on: both, ddl: []string{ckAccounts, ckEntries, `CREATE INDEX i ON accounts (name, tenant)`, `CREATE INDEX j ON entries (id, account_id)`}, want: []string{"no index accounts.tenant:", "no index entries.account_id:"}, fix: true},
		"first in the index":    {on: both, ddl: []string{ckAccounts, ckEntries, `CREATE INDEX i ON accounts (tenant DESC, name)`, `CREATE UNIQUE INDEX j ON entries (account_id, id)`}},
		"partial index":         {on: both, ddl: []string{ckAccounts, ckEntries, `CREATE INDEX i ON accounts (tenant) WHERE kind = 'a'`, `CREATE INDEX j ON entries (account_id) WHERE account_id IS NOT NULL`}, want: []string{"no index accounts.tenant:"}, fix: true},
		"index of expressions":  {on: both, ddl: []string{ckAccounts, ckEntries, `CREATE INDEX i ON accounts ((tenant + 0))`, `CREATE INDEX j ON entries (account_id)`}, want: []string{"no index accounts.tenant:"}, fix: true},
		"index for no equality": {on: postgres, ddl: []string{ckAccounts, ckEntries, `CREATE INDEX i ON accounts USING brin (tenant)`, `CREATE INDEX j ON entries USING hash (account_id)`}, want: []string{"no index accounts.tenant:"}, fix: true},
		"index not built":       {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'accounts_by_tenant'::regclass`}, want: []string{"no index accounts.tenant:"}},
		"index of another collation": {on: both, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE INDEX k ON accounts (name COLLATE {coll})`}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.ScopeRows(d.accounts, d.name.Eq("x"))}
		}, want: []string{"no index accounts.name:"}, fix: true},
		"loose, SQLite":      {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT", "name TEXT COLLATE NOCASE", 1), ckEntries, ckIndexes}, want: []string{"!loose accounts.name: has the collation NOCASE"}},
		"loose number":       {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT", "name STRING", 1), ckEntries, ckIndexes}, want: []string{"!loose accounts.name: SQLite compares STRING as numbers: 1000, 1e3 and 1000.0 are equal"}},
		"loose id":           {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT", "name UUID", 1), ckEntries, ckIndexes}, want: []string{"!loose accounts.name: or a field of type [16]byte"}},
		"loose unknown":      {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT", "name FOO", 1), ckEntries, ckIndexes}, want: []string{"!loose accounts.name: SQLite compares FOO as numbers"}},
		"any":                {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT", "name ANY", 1) + " STRICT", ckEntries, ckIndexes}, want: []string{}},
		"loose any":          {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT", "name ANY", 1), ckEntries, ckIndexes}, want: []string{"!loose accounts.name: SQLite compares ANY as numbers"}},
		"no type":            {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT", "name", 1), ckEntries, ckIndexes}},
		"loose":              {on: postgres, ddl: []string{`CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`, strings.Replace(ckAccounts, "name TEXT", "name TEXT COLLATE lax", 1), ckEntries, ckIndexes}, want: []string{"!loose accounts.name: is not deterministic"}, fix: true},
		"strict":             {on: postgres, ddl: []string{strings.Replace(ckAccounts, "name TEXT", `name varchar(9) COLLATE "C"`, 1), ckEntries, ckIndexes}},
		"loose OneOf":        {on: postgres, ddl: []string{strings.Replace(ckAccounts, "kind TEXT", "kind char(3)", 1), ckEntries, ckIndexes}, want: []string{"!loose accounts.kind: for which different texts are equal"}, fix: true},
		"enum":               {on: postgres, ddl: []string{`CREATE TYPE k AS ENUM ('b', 'a')`, strings.Replace(ckAccounts, "kind TEXT", "kind k", 1), ckEntries, ckIndexes}},
		"enum with less":     {on: postgres, ddl: []string{`CREATE TYPE k AS ENUM ('a')`, strings.Replace(ckAccounts, "kind TEXT", "kind k", 1), ckEntries, ckIndexes}, want: []string{`type accounts.kind: OneOf lists "b", which the enum`}},
		"enum with more":     {on: postgres, ddl: []string{`CREATE TYPE k AS ENUM ('a', 'b', 'c')`, strings.Replace(ckAccounts, "kind TEXT", "kind k", 1), ckEntries, ckIndexes}, want: []string{`!type accounts.kind: has "c", which OneOf does not list`}},
		"policy that is off": {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE POLICY p ON accounts USING (tenant = 1)`}, want: []string{"row security accounts: has a policy, but row-level security is not enabled"}},
		"superuser":          {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE POLICY p ON accounts USING (tenant = 1); ALTER TABLE accounts ENABLE ROW LEVEL SECURITY`}, want: []string{"!row security accounts: is a superuser, whom no policy binds"}},
		"a view":             {on: both, ddl: []string{strings.Replace(ckAccounts, "accounts", "t", 1), `CREATE VIEW accounts AS SELECT * FROM t`, ckEntries, `CREATE INDEX j ON entries (account_id)`}, want: []string{"!no key accounts: is a view"}},
		"a view, ungranted": {on: both, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE TABLE t (id {int} PRIMARY KEY, account_id {int} NOT NULL)`, `CREATE VIEW logs AS SELECT id FROM t`}, use: func(ckDeclarations) []exosql.Declared {
			logs := exosql.NewTable[kit.CheckedEntry]("logs")
			exosql.NewKey(logs, "id", func(e *kit.CheckedEntry) *int64 { return &e.ID })
			return []exosql.Declared{logs}
		}, want: []string{"!no key logs: is a view"}},
		"a loose view": {on: postgres, ddl: []string{`CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`, strings.NewReplacer("accounts", "t", "name TEXT", "name TEXT COLLATE lax").Replace(ckAccounts), `CREATE VIEW accounts AS SELECT * FROM t`, ckEntries, `CREATE INDEX j ON entries (account_id)`},
			want: []string{"!no key accounts: is a view", "!loose accounts.name: is not deterministic"}},
		"a view past policies": {on: postgres, ddl: []string{strings.Replace(ckAccounts, "accounts", "t", 1), `ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE VIEW v AS SELECT * FROM t; CREATE VIEW accounts WITH (security_invoker = true) AS SELECT * FROM v`, ckEntries, `CREATE INDEX j ON entries (account_id)`},
			want: []string{"!no key accounts: is a view", "row security accounts: reads t with the rights of its owner"}},
		"a view with policies": {on: postgres, ddl: []string{strings.Replace(ckAccounts, "accounts", "t", 1), `ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE VIEW v WITH (security_invoker) AS SELECT * FROM t; CREATE VIEW accounts WITH (security_invoker = on) AS SELECT * FROM v`, ckEntries, `CREATE INDEX j ON entries (account_id)`},
			want: []string{"!no key accounts: is a view"}},
		"a view that is kept": {on: postgres, ddl: []string{strings.Replace(ckAccounts, "accounts", "t", 1), `ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE MATERIALIZED VIEW accounts AS SELECT * FROM t`, ckEntries, `CREATE INDEX j ON entries (account_id)`},
			want: []string{"!no key accounts: is a view", "row security accounts: is a materialized view of t"}},
		"inherited":     {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE TABLE kid () INHERITS (accounts)`}, want: []string{"no key accounts: ALTER TABLE kid NO INHERIT accounts"}, fix: true},
		"not inherited": {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE TABLE kid () INHERITS (accounts); ALTER TABLE kid NO INHERIT accounts`}},
		"partitioned":   {on: postgres, ddl: []string{ckAccounts + ` PARTITION BY HASH (id)`, `CREATE TABLE part PARTITION OF accounts FOR VALUES WITH (MODULUS 1, REMAINDER 0)`, ckEntries, ckIndexes}},
		"policy on a partition": {on: postgres, ddl: []string{ckAccounts + ` PARTITION BY HASH (id)`, `CREATE TABLE part PARTITION OF accounts FOR VALUES WITH (MODULUS 1, REMAINDER 0) PARTITION BY HASH (id)`, `CREATE TABLE deep PARTITION OF part FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
			`CREATE POLICY p ON deep USING (tenant = 1); ALTER TABLE deep ENABLE ROW LEVEL SECURITY`, ckEntries, ckIndexes}, want: []string{"!row security accounts: inherit from it have (deep)"}},
		"policy on an heir": {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE TABLE kid () INHERITS (accounts); ALTER TABLE kid ENABLE ROW LEVEL SECURITY`}, want: []string{"no key accounts: other tables inherit", "!row security accounts: inherit from it have (kid)"}},
		"policy on the whole": {on: postgres, ddl: []string{strings.Replace(ckAccounts, "accounts", "whole", 1) + ` PARTITION BY HASH (id)`, `CREATE TABLE accounts PARTITION OF whole FOR VALUES WITH (MODULUS 1, REMAINDER 0)`, `ALTER TABLE whole ENABLE ROW LEVEL SECURITY`, ckEntries, ckIndexes},
			want: []string{"!row security accounts: part of or inherits from have (whole)"}},
		"policy on both": {on: postgres, ddl: []string{ckAccounts + ` PARTITION BY HASH (id)`, `CREATE TABLE part PARTITION OF accounts FOR VALUES WITH (MODULUS 1, REMAINDER 0); ALTER TABLE part ENABLE ROW LEVEL SECURITY; ALTER TABLE accounts ENABLE ROW LEVEL SECURITY`, ckEntries, ckIndexes},
			want: []string{"!row security accounts: is a superuser"}},
		"everybody may create": {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `DO $$ BEGIN EXECUTE 'GRANT CREATE ON SCHEMA ' || current_schema() || ' TO PUBLIC'; END $$`}, want: []string{"search path : everybody may create objects in the schema exo_test_"}},
		"check":                {on: both, ddl: []string{strings.Replace(ckAccounts, "kind TEXT NOT NULL", "kind TEXT NOT NULL CHECK (kind IN ('b', 'a'))", 1), ckEntries, ckIndexes}},
		"check with less":      {on: both, ddl: []string{strings.Replace(ckAccounts, "kind TEXT NOT NULL", "kind TEXT NOT NULL CHECK (kind IN ('a'))", 1), ckEntries, ckIndexes}, want: []string{`type accounts.kind: OneOf lists "b", which a CHECK of the database does not have: no row has such a value, and no write may give one`}},
		"check with more":      {on: both, ddl: []string{strings.Replace(ckAccounts, "kind TEXT NOT NULL", "kind TEXT NOT NULL CHECK (kind IN ('a', 'b', 'c'))", 1), ckEntries, ckIndexes}, want: []string{`!type accounts.kind: has "c", which OneOf does not list`}},
		"check of more":        {on: both, ddl: []string{strings.Replace(ckAccounts, "kind TEXT NOT NULL", "kind TEXT NOT NULL CHECK (kind IN ('a') OR tenant = 0)", 1), ckEntries, ckIndexes}},
		"check of a domain":    {on: postgres, ddl: []string{`CREATE DOMAIN dk AS text CHECK (VALUE IN ('a'))`, strings.Replace(ckAccounts, "kind TEXT", "kind dk", 1), ckEntries, ckIndexes}, want: []string{`type accounts.kind: OneOf lists "b", which a CHECK`}},
		"check of new rows":    {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `ALTER TABLE accounts ADD CHECK (kind IN ('a')) NOT VALID`}},
		"OneOf of a domain":    {on: postgres, ddl: []string{`CREATE TYPE k AS ENUM ('b', 'a'); CREATE DOMAIN dk AS k`, strings.Replace(ckAccounts, "kind TEXT", "kind dk", 1), ckEntries, ckIndexes}},
		"written, plain": {on: both, ddl: []string{ckAccounts, ckEntries, ckIndexes}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.entries)}
		}, want: []string{"postgres !spanning key entries: spans tenants"}},
		"cascade": {on: both, ddl: []string{ckAccounts, `CREATE TABLE entries (id {int} PRIMARY KEY, account_id {int} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE)`, ckIndexes}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.accounts)}
		}, want: []string{"hidden effect accounts: a write also changes the rows that refer to the written ones, by the foreign key entries(account_id) (ON DELETE CASCADE", "postgres !spanning key accounts: UNIQUE (tenant, id)"}},
		"cascade, known": {on: both, ddl: []string{ckAccounts, `CREATE TABLE entries (id {int} PRIMARY KEY, account_id {int} NOT NULL REFERENCES accounts (id) ON UPDATE SET NULL)`, ckIndexes}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.accounts, exosql.AllowCascade("entries", "account_id"))}
		}, want: []string{"postgres !spanning key accounts:"}},
		"cascade, not written": {on: both, ddl: []string{ckAccounts, `CREATE TABLE entries (id {int} PRIMARY KEY, account_id {int} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE)`, ckIndexes}},
		"virtual":              {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT NOT NULL", "x AS (upper(kind) || zeroblob(9)), name TEXT NOT NULL AS (x || PRINTF('%s', x))", 1), ckEntries, ckIndexes}, want: []string{"function accounts.name: calls printf, zeroblob, which SQLite runs without its access check"}},
		"virtual, plain":       {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT NOT NULL", "x AS (zeroblob(9)), name TEXT NOT NULL AS (upper(kind) || length(kind) || CAST(tenant AS DECIMAL(9, 2)))", 1), ckEntries, ckIndexes}},
		"stored":               {on: sqlite, ddl: []string{strings.Replace(ckAccounts, "name TEXT NOT NULL", "name TEXT NOT NULL AS (printf('%s', kind)) STORED", 1), ckEntries, ckIndexes}},
		"virtual, ungranted": {on: sqlite, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE TABLE logs (id {int} PRIMARY KEY, account_id {int} NOT NULL AS (instr(id, id)))`}, use: func(ckDeclarations) []exosql.Declared {
			logs := exosql.NewTable[kit.CheckedEntry]("logs")
			exosql.NewKey(logs, "id", func(e *kit.CheckedEntry) *int64 { return &e.ID })
			exosql.NewColumn(logs, "account_id", func(e *kit.CheckedEntry) *int64 { return &e.Account })
			return []exosql.Declared{logs}
		}, want: []string{"!function logs.account_id: calls instr"}},
		"no action": {on: both, ddl: []string{ckAccounts, `CREATE TABLE entries (id {int} PRIMARY KEY, account_id {int} NOT NULL REFERENCES accounts (id))`, ckIndexes}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.accounts)}
		}, want: []string{"postgres !spanning key accounts:"}},
		"cascade of a cascade": {on: both, ddl: []string{ckAccounts, `CREATE TABLE entries (id {int} PRIMARY KEY, account_id {int} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE)`, ckIndexes,
			`CREATE TABLE lines (id {int} PRIMARY KEY, entry {int} REFERENCES entries (id) ON DELETE SET NULL)`}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.accounts, exosql.AllowCascade("entries", "account_id"))}
		}, want: []string{"hidden effect accounts: the written ones through cascades, by the foreign key lines(entry)", "postgres !spanning key accounts:"}},
		"trigger, SQLite": {on: sqlite, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE TRIGGER spy AFTER INSERT ON accounts BEGIN DELETE FROM entries; END`}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.accounts)}
		}, want: []string{"hidden effect accounts: the trigger spy of accounts (AFTER INSERT)", "postgres !spanning key accounts:"}},
		"trigger": {on: postgres, ddl: []string{ckAccounts, ckEntries, ckIndexes, `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`, `CREATE TRIGGER spy AFTER INSERT OR DELETE ON accounts EXECUTE FUNCTION f()`,
			`CREATE TRIGGER off AFTER INSERT ON accounts EXECUTE FUNCTION f(); ALTER TABLE accounts DISABLE TRIGGER off`, `CREATE RULE r AS ON INSERT TO accounts DO ALSO NOTIFY x`}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.accounts)}
		}, want: []string{"hidden effect accounts: the trigger spy of accounts (AFTER INSERT or DELETE)", "hidden effect accounts: by the rule r of accounts", "postgres !spanning key accounts:"}},
		"unique that spans": {on: both, ddl: []string{strings.Replace(ckAccounts, "name TEXT NOT NULL", "name TEXT NOT NULL UNIQUE", 1), ckEntries, ckIndexes, `CREATE UNIQUE INDEX u ON accounts (kind, tenant)`}, use: func(d ckDeclarations) []exosql.Declared {
			return []exosql.Declared{exosql.Written(d.accounts)}
		}, want: []string{"postgres !spanning key accounts: the unique key (id) spans", "!spanning key accounts: UNIQUE (tenant, name)"}},
	} {
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				if !strings.Contains(c.on, e.Name) {
					return
				}
				ctx := context.Background()
				ddl := slices.Clone(c.ddl)
				if tu.PostgresMajor(t) < 15 { // its views always read with the rights of their owners
					for i := range ddl {
						ddl[i] = invoker.ReplaceAllString(ddl[i], "")
					}
					if name == "a view with policies" {
						c.want = []string{"!no key accounts: is a view", "row security accounts: reads t with the rights of its owner"}
					}
				}
				for i := range ddl {
					ddl[i] = strings.ReplaceAll(ddl[i], "{coll}", e.Pick("NOCASE", `"POSIX"`))
				}
				look := func(ddl []string) []exosql.Finding {
					t.Helper()
					db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
					d := ckDeclare()
					what := []exosql.Declared{exosql.Grant(db, d.accounts, d.tenant.Eq(1), exosql.ScopeVia(d.link))}
					if c.use != nil {
						what = append(what, c.use(d)...)
					}
					found, err := exosql.Findings(ctx, db, what...)
					if err != nil {
						t.Fatal(err)
					}
					refused := false
					for _, f := range found {
						refused = refused || !f.Warning
					}
					var ce *exosql.CheckError
					if err := exosql.Check(ctx, db, what...); errors.As(err, &ce) != refused {
						t.Errorf("Check: %v, with %v", err, found)
					} else if refused && len(ce.Findings) != len(found) {
						t.Errorf("Check reports %d findings, Findings %d", len(ce.Findings), len(found))
					}
					found, as := withoutSuperuser(found)
					for i := range found {
						found[i].Fix = tu.NoSchema(found[i].Fix) // the fix is run in another schema
					}
					if want := e.Name == postgres; as != want && !slices.ContainsFunc(found, func(f exosql.Finding) bool {
						return f.Kind == exosql.MissingTable || strings.Contains(f.Problem, "is a view")
					}) {
						t.Errorf("warned of a superuser: %t, want %t", as, want)
					}
					return found
				}
				found := look(ddl)
				left := append([]exosql.Finding(nil), found...)
				for _, w := range c.want {
					if rest, only := strings.CutPrefix(w, "postgres "); only && e.Name != postgres {
						continue // SQLite numbers the rows of an INTEGER PRIMARY KEY
					} else if only {
						w = rest
					}
					hit := false
					for i, f := range left {
						where, part, _ := strings.Cut(w, ": ")
						where, part = strings.TrimSuffix(where, ":"), strings.TrimSuffix(part, ":")
						is := string(f.Kind) + " " + f.Table
						if f.Column != "" {
							is += "." + f.Column
						}
						if f.Warning {
							is = "!" + is
						}
						if is == where && strings.Contains(f.String(), part) && f.Problem != "" && (f.Fix != "" || f.Warning) {
							left, hit = append(left[:i], left[i+1:]...), true
							break
						}
					}
					if !hit {
						t.Errorf("not found: %s\nfound %v", w, found)
					}
				}
				if len(left) > 0 {
					t.Errorf("found besides: %v", left)
				}
				if !c.fix {
					return
				}
				mended := slices.Clone(ddl)
				for _, f := range found {
					mended = append(mended, f.Fix)
				}
				again := look(mended)
				for _, f := range again {
					for _, g := range found {
						if f.Kind == g.Kind && f.Column == g.Column && f.Table == g.Table {
							t.Errorf("still there after %q: %v", g.Fix, f)
						}
					}
				}
			})
		})
	}
}

// TestCheckGrants: what is declared and not granted is not refused for being slow;
// what Check can't look at, it does not pass over.
func TestCheckGrants(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ctx := context.Background()
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ckAccounts, ckEntries)})
		warned := func(what ...exosql.Declared) (refused, warnings int) {
			t.Helper()
			found, err := exosql.Findings(ctx, db, what...)
			if err != nil {
				t.Fatal(err)
			}
			left, _ := withoutSuperuser(found)
			for _, f := range left {
				if f.Warning {
					warnings++
				} else {
					refused++
				}
			}
			if err := exosql.Check(ctx, db, what...); (err != nil) != (refused > 0) {
				t.Errorf("Check: %v", err)
			}
			return refused, warnings
		}
		d := ckDeclare()
		if r, w := warned(d.accounts, d.link); r != 0 || w != 1 {
			t.Errorf("declared: %d refused, %d warnings, want 0 and 1", r, w)
		}
		entry := exosql.NewFacet(d.entries, "entry", d.entryID)
		account := exosql.NewFacet(d.accounts, "account", d.id, exosql.Via(d.link, entry))
		if r, w := warned(account); r != 1 || w != 0 {
			t.Errorf("of a facet: %d refused, %d warnings, want 1 and 0", r, w)
		}
		account.Add(d.name) // Check has frozen nothing
		mine := exosql.Grant(db, d.accounts, exosql.And(d.name.Ne("x"), d.tenant.Eq(1)))
		if r, w := warned(mine); r != 1 || w != 0 {
			t.Errorf("of a relation: %d refused, %d warnings, want 1 and 0", r, w)
		}
		if r, w := warned(exosql.Granted(account.Of(mine))); r != 2 || w != 0 {
			t.Errorf("of an object: %d refused, %d warnings, want 2 and 0", r, w)
		}
		if r, w := warned(exosql.Follow(mine, d.link)); r != 2 || w != 0 {
			t.Errorf("of a followed relation: %d refused, %d warnings, want 2 and 0", r, w)
		}
		if r, w := warned(exosql.Grant(db, d.accounts, exosql.AllRows[ckAccount]())); r != 0 || w != 0 {
			t.Errorf("of all rows: %d refused, %d warnings, want none", r, w)
		}
		if r, w := warned(exosql.Grant(db, d.accounts, exosql.Or(d.id.Eq(1), d.tenant.Eq(1)))); r != 1 || w != 0 {
			t.Errorf("of an Or with one index: %d refused, %d warnings, want 1 and 0", r, w)
		}
		if r, w := warned(exosql.Grant(db, d.accounts, exosql.And(exosql.Or(d.id.Eq(1), d.name.Eq("x")), d.tenant.Eq(1)))); r != 1 || w != 0 {
			t.Errorf("of an Or within an And: %d refused, %d warnings, want 1 and 0", r, w)
		}
		if r, w := warned(exosql.Grant(db, d.accounts, exosql.And(d.tenant.Eq(1), d.id.Gt(1)))); r != 0 || w != 0 {
			t.Errorf("of an And with one index: %d refused, %d warnings, want none", r, w)
		}
		if r, w := warned(exosql.Grant(db, d.accounts, exosql.Not(d.tenant.Eq(1)))); r != 0 || w != 0 {
			t.Errorf("of a Not, which no index serves: %d refused, %d warnings, want none", r, w)
		}
		if r, w := warned(exosql.ScopeRows(d.accounts, d.tenant.In(1, 2)), exosql.ScopeShared(d.entries)); r != 1 || w != 0 {
			t.Errorf("of a scope: %d refused, %d warnings, want 1 and 0", r, w)
		}
		for name, what := range map[string][]exosql.Declared{
			"nothing":           nil,
			"nil":               {nil},
			"a nil table":       {(*exosql.Table[ckAccount])(nil)},
			"a zero table":      {&exosql.Table[ckAccount]{}},
			"a nil facet":       {(*exosql.Facet[ckAccount])(nil)},
			"a zero facet":      {&exosql.Facet[ckAccount]{}},
			"nil written":       {exosql.Written[ckAccount](nil)},
			"zero written":      {exosql.Written(&exosql.Table[ckAccount]{})},
			"nil granted":       {exosql.Granted(nil)},
			"a zero link":       {exosql.Link[ckAccount, kit.CheckedEntry]{}},
			"a zero scope":      {exosql.Scope{}},
			"a zero relation":   {exosql.Relation[ckAccount]{}},
			"a zero predicate":  {exosql.Grant(db, d.accounts, exosql.Predicate[ckAccount]{})},
			"a grant that ends": {exosql.Granted(exosql.NewFacet(d.entries, "e").Of(exosql.Grant(db, d.entries, d.entryID.Eq(1))))},
		} {
			found, err := exosql.Findings(ctx, db, what...)
			if err == nil {
				t.Errorf("%s: nothing was said, but %v", name, found)
			}
			if exosql.Check(ctx, db, what...) == nil {
				t.Errorf("%s: Check says nothing", name)
			}
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := exosql.Check(gone, db, d.accounts); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if exosql.Check(ctx, db, d.accounts) == nil || exosql.Check(ctx, nil, d.accounts) == nil {
			t.Error("a closed database was checked")
		}
	})
}

// TestCheckRoles: whom row-level security does not bind.
func TestCheckRoles(t *testing.T) {
	ctx := context.Background()
	server := tu.Server(t)
	admin := tu.Admin(t, server)
	role := "exo_check_" + strings.ToLower(rand.Text()[:12])
	if _, err := admin.Exec("CREATE ROLE " + role + " LOGIN PASSWORD 'x' BYPASSRLS"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role); err != nil {
			t.Error(err)
		}
	})
	url := tu.Postgres.URL(t)
	open := func(setup ...string) *exosql.DB {
		t.Helper()
		as := strings.Replace(url, "//", "//"+role+":x@", 1)
		if i, j := strings.Index(url, "//"), strings.Index(url, "@"); j > 0 {
			as = url[:i+2] + role + ":x" + url[j:]
		}
		tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(setup...)})
		return tu.Postgres.OpenURL(t, as, nil)
	}
	db := open(ckAccounts, ckEntries, ckIndexes, `ALTER TABLE accounts ENABLE ROW LEVEL SECURITY`,
		`DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO `+role+`'; END $$`, `GRANT SELECT ON accounts, entries TO `+role)
	want := func(part string, warning bool) {
		t.Helper()
		d := ckDeclare()
		found, err := exosql.Findings(ctx, db, exosql.Grant(db, d.accounts, d.tenant.Eq(1)))
		if err != nil {
			t.Fatal(err)
		}
		if part == "" {
			if _, as := withoutSuperuser(found); as || slices.ContainsFunc(found, func(f exosql.Finding) bool { return f.Kind != exosql.RoleRights }) {
				t.Errorf("found %v, want nothing", found)
			}
			return
		}
		found = slices.DeleteFunc(found, func(f exosql.Finding) bool { return f.Kind == exosql.RoleRights }) // of the owner; see TestCheckRights
		if len(found) != 1 || found[0].Kind != exosql.RowSecurity || !strings.Contains(found[0].String(), part) || found[0].Warning != warning {
			t.Errorf("found %v, want %q", found, part)
		}
	}
	change := func(statement string) {
		t.Helper()
		tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(statement)})
	}
	want("bypasses it", true)
	change("ALTER ROLE " + role + " NOBYPASSRLS")
	want("no policy: every query of it is empty", true)
	change("CREATE POLICY p ON accounts USING (tenant = 1)")
	want("", false)
	change("ALTER TABLE accounts OWNER TO " + role)
	want("owners are not bound", true)
	change("ALTER TABLE accounts FORCE ROW LEVEL SECURITY")
	want("", false)
	change("ALTER TABLE accounts DISABLE ROW LEVEL SECURITY")
	want("not enabled", false)
}

// TestCheckError: one error says it all, in lines that can be acted on.
func TestCheckError(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(`CREATE TABLE accounts (id {int} NOT NULL, tenant {int}, name TEXT NOT NULL, kind TEXT NOT NULL, seen {time} NOT NULL)`)})
		d := ckDeclare()
		err := exosql.Check(context.Background(), db, exosql.Grant(db, d.accounts, d.tenant.Eq(1)), d.link)
		mend := e.Pick("exosql.NewNullable with a pointer field", "ALTER TABLE accounts ALTER COLUMN tenant SET NOT NULL")
		key := e.Pick("CREATE UNIQUE INDEX accounts_key ON accounts (id)", "ALTER TABLE accounts ADD PRIMARY KEY (id)")
		warnings, role := e.Pick("warnings: 1", "warnings: 2"), ""
		missing, path := e.Pick(`CREATE TABLE entries (id INTEGER NOT NULL, account_id INTEGER NOT NULL, PRIMARY KEY (id))`, `CREATE TABLE entries (id bigint NOT NULL, account_id bigint NOT NULL, PRIMARY KEY (id))`), ""
		if s := fmt.Sprint(err); e.Name == "postgres" {
			i, j := strings.Index(s, " in the search path ("), strings.Index(s, "). Right would be: CREATE TABLE")
			if i < 0 || j < i {
				t.Fatal(s)
			}
			path = s[i : j+1]
			in := strings.TrimSuffix(strings.TrimPrefix(path, " in the search path ("), ")")
			role = "\n\twarning: the role postgres is a superuser: no right or policy restricts it, and even in a read-only transaction it can use files and programs of the server. Right would be: a URL with a role of its own: CREATE ROLE exo LOGIN NOSUPERUSER NOBYPASSRLS; GRANT USAGE ON SCHEMA " + in + " TO exo; GRANT SELECT (id, tenant, name, kind, seen) ON accounts TO exo"
		}
		want := `exosql: the database is not as declared (errors: 4, ` + warnings + `):
	accounts.tenant: is declared as never NULL and may be NULL in the database: programs read null there, and reading such a row in Go fails. Right would be: ` + mend + `
	warning: accounts.seen: is declared nullable and is never NULL in the database. Right would be: exosql.NewColumn
	accounts: nothing makes (id) unique: two rows can have the same key, so limits and pages have no single answer. Right would be: ` + key + `
	accounts.tenant: the scope is a condition on tenant, which has no index. Right would be: CREATE INDEX accounts_by_tenant ON accounts (tenant)
	entries: there is no such table` + path + `. Right would be: ` + missing + role
		if got := tu.NoSchema(fmt.Sprint(err)); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// TestCheckOfAViewThatDoesNotCompile: on SQLite a view of a table that is gone, and one with a function of the application's, end nothing but
// their own use, and Check says why.
func TestCheckOfAViewThatDoesNotCompile(t *testing.T) {
	db := tu.OpenWith(t, "CREATE TABLE gone (id INTEGER PRIMARY KEY, title TEXT); CREATE VIEW stale AS SELECT id, title FROM gone; CREATE VIEW odd AS SELECT id, title FROM tasks WHERE secret_function(id); DROP TABLE gone")
	for name, table := range map[string]*exosql.Table[tu.Task]{"stale": exosql.NewTable[tu.Task]("stale"), "odd": exosql.NewTable[tu.Task]("odd")} {
		exosql.NewColumn(table, "title", func(x *tu.Task) *string { return &x.Title })
		err := exosql.Check(t.Context(), db, table)
		if err == nil || !strings.Contains(err.Error(), name+": the table is there, but each query of it fails: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := exosql.Check(t.Context(), db, tu.Tags); err != nil {
		t.Errorf("a table beside them: %v", err)
	}
}
