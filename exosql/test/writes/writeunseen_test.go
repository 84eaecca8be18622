package writes_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// What holds for the rows that are written, and a look at the catalogue or at an expression could miss. Each case is refused by the
// write and named by Check; its twin asks the database by hand what the write would have done.

type wuItem struct {
	ID, Org    int64
	Code, Rank string
}

// wuGrants are items of tenant 1, or of all if a column is labelled, of which programs change a column and no other.
func wuGrants(db *exosql.DB, col, changed, labelled string) codemode.Grants {
	items := exosql.NewTable[wuItem]("items")
	id := exosql.NewKey(items, "id", func(o *wuItem) *int64 { return &o.ID })
	org := exosql.NewColumn(items, "org_id", func(o *wuItem) *int64 { return &o.Org })
	code := func(o *wuItem) *string { return &o.Code }
	cols := map[string]*exosql.Column[wuItem, string]{"rank": exosql.NewColumn(items, "rank", func(o *wuItem) *string { return &o.Rank })}
	switch col { // names are constants
	case "match":
		cols[col] = exosql.NewColumn(items, "match", code)
	case "glob":
		cols[col] = exosql.NewColumn(items, "glob", code)
	case "regexp":
		cols[col] = exosql.NewColumn(items, "regexp", code)
	default:
		cols[col] = exosql.NewColumn(items, "b", code)
	}
	if c := cols[labelled]; c != nil {
		c.WithLabel("pay")
	}
	scope := exosql.Grant(db, items, org.Eq(1))
	if labelled != "" {
		scope = exosql.Grant(db, items, exosql.AllRows[wuItem]())
	}
	return codemode.Grants{"items": exosql.NewFacet(items, "item", id, cols[col], cols["rank"]).AllowUpdate(cols[changed]).Of(scope)}
}

// wuByHand is what a query gives after a statement that is undone, or that it is refused.
func wuByHand(t *testing.T, raw *sql.DB, statement, look string) (got string) {
	t.Helper()
	tx, err := raw.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(statement); err != nil {
		return "refused"
	}
	if err := tx.QueryRow(look).Scan(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestUnseenColumns: an expression reads a column whose name is a word of the language, or stands behind what looks like a type, or in
// single quotes: a value of others would be told to be taken, a row would leave its tenant, and a
// labelled value would be learned.
func TestUnseenColumns(t *testing.T) {
	const (
		unique  = ", a TEXT NOT NULL DEFAULT '', ref TEXT GENERATED ALWAYS AS ($1) STORED UNIQUE"
		tenant  = ", org_id {int} GENERATED ALWAYS AS (length($1)) STORED NOT NULL"
		check   = ", CHECK (rank < $1)"
		org     = ", org_id {int} NOT NULL"
		taken   = "is unique among the rows of all tenants"
		leaves  = "a write changes the generated column org_id"
		told    = "depends on labelled values"
		theirs  = "INSERT INTO items (id, org_id, $c, rank) VALUES (1, 1, 'm', 'a'), (2, 2, 'theirs', 'a')"
		derived = "INSERT INTO items (id, $c, rank) VALUES (1, 'm', 'a'), (2, 'mm', 'a')"
	)
	type wuCase struct {
		engine, col, expr, ddl, rows, changed, labelled, why string
		hand                                                 [2]string // the two values that the database tells apart
	}
	cases := map[string]wuCase{
		"an alias":                {"postgres", "b", "XMLFOREST(a AS x, b AS y)::text", org + unique, theirs, "b", "", taken, [2]string{"theirs", "nobodys"}},
		"an alias behind":         {"postgres", "b", "XMLFOREST(b AS y, a AS x)::text", org + unique, theirs, "b", "", taken, [2]string{"theirs", "nobodys"}},
		"a name in single quotes": {"sqlite", "b", "'items'.'b'", org + check, theirs, "rank", "b", told, [2]string{"b", "z"}},
	}
	for _, col := range []string{"match", "glob", "regexp", "b"} { // b is what was always seen
		cases[col+", of which a key is calculated"] = wuCase{"", col, col + " || ''", org + unique, theirs, col, "", taken, [2]string{"theirs", "nobodys"}}
		cases[col+", of which the tenant is calculated"] = wuCase{"", col, col + " || ''", tenant, derived, col, "", leaves, [2]string{"o", "oo"}}
		cases[col+", which is labelled"] = wuCase{"", col, col, org + check, theirs, "rank", col, told, [2]string{"b", "z"}}
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, c := range cases {
			if c.engine != "" && c.engine != e.Name {
				continue
			}
			t.Run(name, func(t *testing.T) {
				in := strings.NewReplacer("$1", c.expr, "$c", c.col).Replace
				db, raw := kit.File(t, e, kit.BreaksDDL(e, in("CREATE TABLE items (id {serial}, $c TEXT NOT NULL, rank TEXT NOT NULL"+c.ddl+"); CREATE INDEX items_by_org ON items (org_id)")), in(c.rows))
				set := func(v string) string {
					return wuByHand(t, raw, "UPDATE items SET "+c.changed+" = '"+v+"' WHERE id = 1", "SELECT org_id FROM items WHERE id = 1")
				}
				if a, b := set(c.hand[0]), set(c.hand[1]); a == b {
					t.Fatalf("by hand both give %s: nothing is told, and nothing leaves", a)
				}
				wbRefused(t, db, wuGrants(db, c.col, c.changed, c.labelled), raw, in("SELECT id, org_id, $c, rank FROM items ORDER BY 1"), "return items.where({ id: 1 }).update({ "+c.changed+`: "`+c.hand[0]+`" })`, c.why)
			})
		}
	})
}

// TestUnseenTriggers: a part's own trigger, made with that of the whole, acts though that of the whole is disabled. The twin is one that
// is disabled everywhere.
func TestUnseenTriggers(t *testing.T) {
	e := tu.Postgres
	const replica = "SET LOCAL session_replication_role = replica; "
	for name, c := range map[string]struct {
		alter, role string
		acts        bool
	}{
		"enabled":                    {"SELECT 1", "", true},
		"disabled at the whole only": {"ALTER TABLE ONLY items DISABLE TRIGGER up", "", true},
		"disabled in the middle":     {"ALTER TABLE ONLY middle DISABLE TRIGGER up", "", true},
		"disabled but for the part":  {"ALTER TABLE ONLY items DISABLE TRIGGER up; ALTER TABLE ONLY middle DISABLE TRIGGER up", "", true},
		"enabled at the part":        {"ALTER TABLE items DISABLE TRIGGER up; ALTER TABLE part ENABLE TRIGGER up", "", true},
		"always, at the part":        {"ALTER TABLE items DISABLE TRIGGER up; ALTER TABLE part ENABLE ALWAYS TRIGGER up", "", true},
		"for replicas, at the part":  {"ALTER TABLE items DISABLE TRIGGER up; ALTER TABLE part ENABLE REPLICA TRIGGER up", replica, true},
		"disabled at the part":       {"ALTER TABLE items DISABLE TRIGGER up; ALTER TABLE items ENABLE TRIGGER up; ALTER TABLE middle DISABLE TRIGGER up; ALTER TABLE ONLY items DISABLE TRIGGER up", "", false},
		"disabled":                   {"ALTER TABLE items DISABLE TRIGGER up", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			db, raw := kit.File(t, e, `CREATE TABLE items (id bigint PRIMARY KEY, org_id bigint NOT NULL, b text NOT NULL, rank text NOT NULL DEFAULT '') PARTITION BY RANGE (id); CREATE INDEX ON items (org_id);
				CREATE TABLE middle PARTITION OF items FOR VALUES FROM (0) TO (1000) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF middle FOR VALUES FROM (0) TO (500); INSERT INTO items VALUES (1, 1, 'mine'), (2, 2, 'theirs');
				CREATE FUNCTION up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE items SET rank = 'hit' WHERE org_id <> NEW.org_id; RETURN NEW; END $$;
				CREATE TRIGGER up BEFORE UPDATE ON items FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION up(); `+c.alter)
			const look, program = "SELECT id, b, rank FROM items ORDER BY 1", `return items.where({ id: 1 }).update({ b: "new" })`
			if got := wuByHand(t, raw, c.role+"UPDATE items SET b = 'new' WHERE id = 1", "SELECT rank FROM items WHERE id = 2"); (got == "hit") != c.acts {
				t.Fatalf("by hand the row of another tenant is %q", got)
			}
			g := wuGrants(db, "b", "b", "")
			if c.acts {
				wbRefused(t, db, g, raw, look, program, "the trigger up of ")
				return
			}
			if res := kit.BreaksTool(t, g).Run(t.Context(), program); res.Err != nil || !strings.HasSuffix(kit.Cells(t, raw, look), "theirs|") {
				t.Errorf("%s %v leaves %s", res.JSON, res.Err, kit.Cells(t, raw, look))
			}
			if err := exosql.Check(t.Context(), db, exosql.Granted(g["items"])); err != nil && strings.Contains(err.Error(), "trigger") {
				t.Error(err)
			}
		})
	}
}

// TestDisabledKeys: a foreign key of which a trigger is disabled holds for no row: one that refers to none would come into scope with a
// new one. The twin is the key as it was made.
func TestDisabledKeys(t *testing.T) {
	e := tu.Postgres
	const (
		kids    = "CREATE TABLE kids (id {serial}, item_id {int} NOT NULL REFERENCES items, body TEXT NOT NULL); CREATE INDEX kids_by_item ON kids (item_id);"
		parts   = "CREATE SEQUENCE ids; CREATE TABLE kids (id bigint NOT NULL DEFAULT nextval('ids') PRIMARY KEY, item_id bigint NOT NULL REFERENCES items, body text NOT NULL) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF kids FOR VALUES FROM (0) TO (1000); CREATE INDEX ON kids (item_id);"
		dangles = "INSERT INTO kids (item_id, body) VALUES (2, 'of org 2')"
		// The trigger of a key, by the function that it calls.
		replica = `DO $$ DECLARE n text; BEGIN SELECT tgname INTO n FROM pg_trigger WHERE tgrelid = 'kids'::regclass AND tgfoid = '"RI_FKey_check_ins"'::regproc; EXECUTE format('ALTER TABLE kids ENABLE REPLICA TRIGGER %I', n); END $$; `
		always  = `DO $$ DECLARE n text; BEGIN SELECT tgname INTO n FROM pg_trigger WHERE tgrelid = 'kids'::regclass AND tgfoid = '"RI_FKey_check_ins"'::regproc; EXECUTE format('ALTER TABLE kids ENABLE ALWAYS TRIGGER %I', n); END $$; `
	)
	for name, c := range map[string]struct {
		ddl, alter, rows string
		holds            bool
	}{
		"as it was made":                {kids, "", "SELECT 1", true},
		"always":                        {kids, always, "SELECT 1", true},
		"of a table of parts":           {parts, "", "SELECT 1", true},
		"disabled where it is":          {kids, "ALTER TABLE kids DISABLE TRIGGER ALL; ", dangles, false},
		"disabled where it leads":       {kids, "ALTER TABLE items DISABLE TRIGGER ALL; ", "INSERT INTO items (id, org_id, code) VALUES (2, 2, 'theirs'); " + dangles + "; DELETE FROM items WHERE id = 2", false},
		"for replicas":                  {kids, replica, dangles, false},
		"disabled at a part":            {parts, "ALTER TABLE part DISABLE TRIGGER ALL; ", "INSERT INTO kids (item_id, body) VALUES (2, 'of org 2')", false},
		"disabled at a part of a whole": {parts + "ALTER TABLE kids DETACH PARTITION part; DROP TABLE part; CREATE TABLE part PARTITION OF kids FOR VALUES FROM (0) TO (1000) PARTITION BY RANGE (id); CREATE TABLE leaf PARTITION OF part FOR VALUES FROM (0) TO (1000);", "ALTER TABLE leaf DISABLE TRIGGER ALL; ", dangles, false},
	} {
		t.Run(name, func(t *testing.T) {
			db, raw := kit.File(t, e, kit.BreaksDDL(e, wbItems+c.ddl), "INSERT INTO items (org_id, code) VALUES (1, 'x'); "+c.alter+c.rows)
			const program = `const i = await items.insert({ code: "new" }); return items.where({ id: i.id }).kids()`
			if got := wuByHand(t, raw, "INSERT INTO items (id, org_id, code) VALUES (2, 1, 'new')", "SELECT coalesce(string_agg(k.body, ''), 'none') FROM kids AS k JOIN items AS i ON i.id = k.item_id WHERE i.org_id = 1"); (got == "none") != c.holds {
				t.Fatalf("by hand there comes into scope: %s", got)
			}
			g := wbGrants(db, false, nil)
			if !c.holds {
				wbRefused(t, db, g, raw, "SELECT org_id, code FROM items ORDER BY 1, 2", program, "would come into scope with a new row")
				return
			}
			if res := kit.BreaksTool(t, g).Run(t.Context(), program); string(res.JSON) != "[]" {
				t.Errorf("%s %v", res.JSON, res.Err)
			}
		})
	}
}
