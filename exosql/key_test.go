package exosql_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type keyed[V any] struct {
	ID  int64
	Key V
}

// byKey is two tables with a link over a column of type V.
type byKey[V any] struct {
	owners, items     *exosql.Table[keyed[V]]
	ownerID, itemID   *exosql.Column[keyed[V], int64]
	ownerKey, itemKey *exosql.Column[keyed[V], V]
	link              exosql.Link[keyed[V], keyed[V]]
}

func newByKey[V any](declare func(*exosql.Column[keyed[V], V]) *exosql.Column[keyed[V], V]) *byKey[V] {
	k := &byKey[V]{owners: exosql.NewTable[keyed[V]]("owners"), items: exosql.NewTable[keyed[V]]("items")}
	id, key := func(r *keyed[V]) *int64 { return &r.ID }, func(r *keyed[V]) *V { return &r.Key }
	k.ownerID, k.itemID = exosql.NewKey(k.owners, "id", id), exosql.NewKey(k.items, "id", id)
	k.ownerKey, k.itemKey = declare(exosql.NewColumn(k.owners, "key", key)), declare(exosql.NewColumn(k.items, "key", key))
	k.link = exosql.Many("items", k.ownerKey, k.itemKey)
	return k
}

func asIs[V any](c *exosql.Column[keyed[V], V]) *exosql.Column[keyed[V], V] { return c }

// ways counts the items of owner 1 in every way in which keys are compared: joins and
// left joins by a link, semi-joins of links and of scopes, Follow, and a program's ===.
func (k *byKey[V]) ways(t *testing.T, db *exosql.DB) string {
	t.Helper()
	item := exosql.NewFacet(k.items, "item", k.itemID, k.itemKey)
	owner := exosql.NewFacet(k.owners, "owner", k.ownerID, k.ownerKey, exosql.Via(k.link, item))
	mine := exosql.Grant(db, k.owners, k.ownerID.Eq(1))
	r := tu.NewRunner(t, map[string]exo.Object{"owners": owner.Of(mine), "items": item.Of(exosql.Follow(mine, k.link))}, exo.Limits{})
	all := tu.NewRunner(t, map[string]exo.Object{"owners": owner.Of(mine), "items": item.Of(exosql.Grant(db, k.items, exosql.AllRows[keyed[V]]()))}, exo.Limits{})
	o := r.Run(t, `return [await owners.items().count(), await owners.join(({ owner }) => owner.items()).count(), await items.count(),
		(await owners.leftJoin(({ owner }) => owner.items()).select(({ item }) => ({ id: item.id }))).filter((x) => x.id !== null).length]`)
	p := all.Run(t, `return [await owners.join(items, ({ owner, item }) => item.key === owner.key).count(), await owners.join(items, ({ owner, item }) => owner.key.eq(item.key)).count()]`)
	n, err := exosql.Follow(mine, k.link).Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(o.JSON, p.JSON, n)
}

// TestKeysAreComparedExactly: where a database takes different keys for equal, links,
// scopes and programs do not, and all of them agree.
func TestKeysAreComparedExactly(t *testing.T) {
	text := func(t *testing.T, db *exosql.DB) string { return newByKey(asIs[string]).ways(t, db) }
	enum := func(t *testing.T, db *exosql.DB) string {
		return newByKey(func(c *exosql.Column[keyed[string], string]) *exosql.Column[keyed[string], string] {
			return c.OneOf("ann", "bob")
		}).ways(t, db)
	}
	cases := func(t *testing.T, db *exosql.DB) string {
		return newByKey(func(c *exosql.Column[keyed[string], string]) *exosql.Column[keyed[string], string] {
			return c.OneOf("ann", "ANN")
		}).ways(t, db)
	}
	const lax = "CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
	decimal := func(t *testing.T, db *exosql.DB) string { return newByKey(asIs[exosql.Decimal]).ways(t, db) }
	times := func(t *testing.T, db *exosql.DB) string { return newByKey(asIs[time.Time]).ways(t, db) }
	for name, c := range map[string]struct {
		engine       tu.Engine
		before       string
		owners       string // the type of the key
		items        string
		key          string // owner 1's
		same, others string // keys of items that are owner 1's, and that are not
		raw          int    // what the unguarded twin finds: all that the database takes for equal; -1: it fails
		ways         func(*testing.T, *exosql.DB) string
	}{
		"citext":                {tu.Postgres, "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public", "public.citext", "public.citext", "'ann'", "'ann'", "'ANN'", 2, text},
		"citext and text":       {tu.Postgres, "", "public.citext", "text", "'ann'", "'ann'", "'ANN'", 1, text},
		"char and text":         {tu.Postgres, "", "char(5)", "text", "'ann'", "'ann'", "'ann  '", 1, text},
		"char and char":         {tu.Postgres, "", "char(5)", "char(9)", "'ann'", "'ann  '", "'anne'", 1, text}, // blanks at the end are no part of it, nor does a program see them
		"varchar and text":      {tu.Postgres, "", "varchar(9)", "text", "'ann'", "'ann'", "'ANN'", 1, text},
		"enum and enum":         {tu.Postgres, "CREATE TYPE who AS ENUM ('ann', 'bob')", "who", "who", "'ann'", "'ann'", "'bob'", 1, enum},
		"enum and text":         {tu.Postgres, "CREATE TYPE who AS ENUM ('ann', 'bob')", "who", "text", "'ann'", "'ann'", "'bob'", -1, text},
		"decimals":              {tu.Postgres, "", "numeric", "numeric(9,3)", "1.10", "1.1", "1.11", 1, decimal},
		"decimals as text":      {tu.SQLite, "", "TEXT", "TEXT", "'1.10'", "'1.1'", "'1.11'", 0, decimal},
		"large decimals":        {tu.SQLite, "", "TEXT", "NUMERIC", "'9007199254740993.0'", "'9007199254740993'", "'9007199254740992'", 1, decimal},
		"times":                 {tu.Postgres, "", "timestamptz", "timestamptz", "'2026-01-02T03:04:05.678Z'", "'2026-01-02T03:04:05.678Z'", "'2026-01-02T03:04:05.679Z'", 1, times},
		"times as text":         {tu.SQLite, "", "TEXT", "TEXT", "'2026-01-02T03:04:05.000Z'", "'2026-01-02 03:04:05'", "'2026-01-02 03:04:06'", 0, times},
		"NOCASE":                {tu.SQLite, "", "TEXT COLLATE NOCASE", "TEXT COLLATE NOCASE", "'ann'", "'ann'", "'ANN'", 2, text},
		"NOCASE and text":       {tu.SQLite, "", "TEXT COLLATE NOCASE", "TEXT", "'ann'", "'ann'", "'ANN'", 1, text},
		"text and NOCASE":       {tu.SQLite, "", "TEXT", "TEXT COLLATE NOCASE", "'ann'", "'ann'", "'ANN'", 2, text},
		"NOCASE OneOf":          {tu.SQLite, "", "TEXT COLLATE NOCASE", "TEXT COLLATE NOCASE", "'ann'", "'ann'", "'ANN'", 2, cases},
		"RTRIM":                 {tu.SQLite, "", "TEXT COLLATE RTRIM", "TEXT COLLATE RTRIM", "'ann'", "'ann'", "'ann  '", 2, text},
		"a locale":              {tu.Postgres, lax, "text COLLATE lax", "text COLLATE lax", "'straße'", "'straße'", "'STRASSE'", 2, text},
		"a locale and text":     {tu.Postgres, lax, "text COLLATE lax", "text", "'ann'", "'ann'", "'ANN'", 2, text},
		"text and a locale":     {tu.Postgres, lax, "text", "varchar(9) COLLATE lax", "'ann'", "'ann'", "'ANN'", 2, text},
		"a locale OneOf":        {tu.Postgres, lax, "text COLLATE lax", "text COLLATE lax", "'ann'", "'ann'", "'ANN'", 2, cases},
		"a domain of a locale":  {tu.Postgres, lax + "; CREATE DOMAIN who AS text COLLATE lax", "who", "who", "'ann'", "'ann'", "'ANN'", 2, text},
		"a domain of citext":    {tu.Postgres, "CREATE DOMAIN who AS public.citext", "who", "public.citext", "'ann'", "'ann'", "'ANN'", 2, text},
		"citext of a locale":    {tu.Postgres, lax, "public.citext COLLATE lax", "public.citext COLLATE lax", "'ann'", "'ann'", "'ANN'", 2, text},
		"citext OneOf":          {tu.Postgres, "", "public.citext", "public.citext", "'ann'", "'ann'", "'ANN'", 2, cases},
		"citext and char":       {tu.Postgres, "", "public.citext", "char(5)", "'ann'", "'ann'", "'ANN'", 1, text},
		"text on SQLite":        {tu.SQLite, "", "TEXT", "TEXT", "'ann'", "'ann'", "'ANN'", 1, text},
		"text with two locales": {tu.Postgres, "", `text COLLATE "C"`, `text COLLATE "POSIX"`, "'ann'", "'ann'", "'ANN'", -1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			url := c.engine.URL(t)
			if c.engine.Name == "postgres" { // where the operators of citext are
				url = tu.WithParam(t, url, "search_path", tu.Param(t, url, "search_path")+",public")
			}
			setup := []string{c.before, fmt.Sprintf("CREATE TABLE owners (id {int} PRIMARY KEY, key %s NOT NULL)", c.owners), fmt.Sprintf("CREATE TABLE items (id {int} PRIMARY KEY, key %s NOT NULL)", c.items),
				fmt.Sprintf("INSERT INTO owners VALUES (1, %s)", c.key), fmt.Sprintf("INSERT INTO items VALUES (1, %s), (2, %s)", c.same, c.others)}
			raw := -1
			db := c.engine.OpenURL(t, url, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
				if err := c.engine.Exec(setup...)(ctx, db); err != nil {
					return err
				}
				var n int
				if db.QueryRowContext(ctx, "SELECT count(*) FROM items WHERE key IN (SELECT key FROM owners WHERE id = 1)").Scan(&n) == nil {
					raw = n
				}
				return nil
			}})
			if raw != c.raw {
				t.Errorf("the twin: the database's own = finds %d, want %d", raw, c.raw)
			}
			if c.ways == nil {
				return // no query of such a link is answered
			}
			if got := c.ways(t, db); got != "[1,1,1,1][1,1]1" {
				t.Errorf("got %s, want 1 everywhere", got)
			}
		})
	}
}

// TestKeysUseIndexes: links over keys of ordinary types are followed by an index.
func TestKeysUseIndexes(t *testing.T) {
	tu.NotQuick(t)
	for name, c := range map[string]struct {
		engine        tu.Engine
		owners, items string
		served        bool
		index         string // "" is one of the key
	}{
		"bigint": {tu.Postgres, "bigint", "bigint", true, ""}, "bigint and int": {tu.Postgres, "bigint", "int", true, ""},
		"text": {tu.Postgres, "text", "text", true, ""}, "varchar": {tu.Postgres, "varchar(20)", "varchar(40)", true, ""}, "varchar and text": {tu.Postgres, "varchar(20)", "text", true, ""},
		"citext":          {tu.Postgres, "public.citext", "public.citext", true, ""}, // by its own equality, beside the exact one
		"citext and text": {tu.Postgres, "text", "public.citext", false, ""},         // what it costs to be exact; Check says so
		"NOCASE":          {tu.SQLite, "TEXT COLLATE NOCASE", "TEXT COLLATE NOCASE", true, ""}, "a locale": {tu.Postgres, "text COLLATE lax", "text COLLATE lax", true, ""}, "chars": {tu.Postgres, "char(5)", "char(9)", true, ""},
		"text of citext": {tu.Postgres, "public.citext", "public.citext", true, "(key::text)"},
		"char":           {tu.Postgres, "text", "char(9)", false, ""}, "text of char": {tu.Postgres, "text", "char(9)", true, "(key::text)"},
		"name": {tu.Postgres, "text", "name", false, ""}, "enum": {tu.Postgres, "who", "who", true, ""}, // without OneOf
		"integer": {tu.SQLite, "INTEGER", "INTEGER", true, ""}, "texts": {tu.SQLite, "TEXT", "TEXT", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := c.engine.URL(t)
			if c.engine.Name == tu.Postgres.Name { // where the operators of citext are
				url = tu.WithParam(t, url, "search_path", tu.Param(t, url, "search_path")+",public")
			}
			still := c.engine.Pick("", " WITH (autovacuum_enabled = off)") // with statistics of one row every plan costs the same
			db := c.engine.OpenURL(t, url, &exosql.OpenOptions{Setup: c.engine.Exec(c.engine.Pick("", "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public; CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false); CREATE TYPE who AS ENUM ('ann')"),
				fmt.Sprintf("CREATE TABLE owners (id {int} PRIMARY KEY, key %s NOT NULL)%s", c.owners, still), fmt.Sprintf("CREATE TABLE items (id {int} PRIMARY KEY, key %s NOT NULL)%s", c.items, still), "CREATE INDEX items_key ON items ("+cmp.Or(c.index, "key")+")")})
			var texts []string
			if strings.Contains(strings.ToLower(c.owners), "int") {
				newByKey(asIs[int64]).ways(t, db)
			} else {
				k := newByKey(asIs[string])
				k.ways(t, db)
				found, err := exosql.Findings(t.Context(), db, k.link)
				if err != nil {
					t.Fatal(err)
				}
				if says := slices.ContainsFunc(found, func(f exosql.Finding) bool { return f.Kind == exosql.NoIndex && f.Column == "key" && f.Fix != "" }); says == c.served {
					t.Errorf("Check says that no index serves: %t: %v", says, found)
				}
			}
			for _, p := range exosql.PlanTexts(db) {
				if strings.Contains(p, `"items"`) && strings.Contains(p, `"owners"`) && !strings.Contains(p, "LEFT JOIN") && !strings.Contains(p, "OFFSET") {
					texts = append(texts, p)
				}
			}
			if len(texts) < 3 {
				t.Fatalf("%d plans", len(texts))
			}
			admin := tu.Admin(t, url)
			if c.engine.Name == "sqlite" {
				var err error
				if admin, err = sql.Open("sqlite", strings.TrimPrefix(url, "sqlite:")); err != nil {
					t.Fatal(err)
				}
			}
			defer admin.Close()
			for _, text := range texts {
				if got := explain(t, c.engine, admin, text); regexp.MustCompile(`Index Cond: \(+key|SEARCH .*items_key`).MatchString(got) != c.served {
					t.Errorf("served by the index: %t, want %t:\n%s\n%s", !c.served, c.served, text, got)
				}
			}
		})
	}
}

// explain is the plan of a statement of one argument, made as if reading a whole table
// were very costly: it shows an index that can serve.
func explain(t *testing.T, e tu.Engine, db *sql.DB, text string) string {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if e.Name == "postgres" {
		if _, err := tx.Exec("SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off"); err != nil {
			t.Fatal(err)
		}
	}
	args := make([]any, max(strings.Count(text, "?"), strings.Count(text, "$")))
	for i := range args {
		args[i] = 1
	}
	rows, err := tx.Query(e.Pick("EXPLAIN QUERY PLAN ", "EXPLAIN ")+text, args...)
	if err != nil {
		t.Fatal(text, err)
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var line string
		var a, b, c any
		if e.Name == "sqlite" {
			err = rows.Scan(&a, &b, &c, &line)
		} else {
			err = rows.Scan(&line)
		}
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// TestShadowedOperators: operators and functions that somebody made in a schema in front
// of pg_catalog fool whoever runs on the path as it is, and no query of ours.
func TestShadowedOperators(t *testing.T) {
	url := tu.Postgres.URL(t)
	own := tu.Param(t, url, "search_path")
	evil := own + "_evil"
	tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Fill()})
	admin := tu.Admin(t, tu.Server(t))
	statements := []string{"CREATE SCHEMA " + evil, "CREATE FUNCTION " + evil + ".set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT $2'"}
	for _, typ := range []string{"bigint", "text", "varchar", "boolean"} {
		statements = append(statements, fmt.Sprintf("CREATE FUNCTION %s.yes(%s, %[2]s) RETURNS boolean LANGUAGE sql AS 'SELECT true'", evil, typ),
			fmt.Sprintf("CREATE OPERATOR %s.= (LEFTARG = %s, RIGHTARG = %[2]s, FUNCTION = %[1]s.yes)", evil, typ))
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP SCHEMA IF EXISTS " + evil + " CASCADE"); err != nil {
			t.Error(err)
		}
	})
	if _, err := admin.Exec(strings.Join(statements, ";")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{evil + ",pg_catalog," + own, evil + "," + own} {
		fooled := tu.WithParam(t, url, "search_path", path)
		twin, err := sql.Open("pgx", fooled)
		if err != nil {
			t.Fatal(err)
		}
		defer twin.Close()
		for query, guards := range map[string]bool{
			"SELECT count(*) FROM members WHERE org_id = 1::bigint":                            strings.Contains(path, "pg_catalog"),
			"SELECT count(*) FROM members WHERE name::varchar = 'ACME ann'::varchar":           true, // also behind pg_catalog, which has none for varchar
			"SELECT count(*) FROM members WHERE cast(name AS text) = cast('ACME ann' AS text)": strings.Contains(path, "pg_catalog"),
		} {
			var n int
			if err := twin.QueryRow(query).Scan(&n); err != nil || (n == 4) != guards {
				t.Errorf("the twin on %s: %s: %d rows of 4, %v", path, query, n, err)
			}
		}
		db := tu.Postgres.OpenURL(t, fooled, nil)
		r := tu.As(t, db, tu.Acme, exo.Limits{})
		o := r.Run(t, `return [await org.members().count(), await org.members().where((m) => m.name === 'ACME ann').count(), await org.projects().lead().count(), await tasks.where((t) => t.done === true).count()]`)
		if o.JSON != "[2,1,1,1]" {
			t.Errorf("on %s: %s, want [2,1,1,1]", path, o)
		}
		if err := exosql.Check(t.Context(), db, tu.Members); err != nil && strings.Contains(err.Error(), "no such") {
			t.Errorf("Check on %s: %v", path, err)
		}
	}
}
