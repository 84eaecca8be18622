package schema_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// TestReadPartsElsewhere: the parts of a table, and what it is a part of, are read wherever they lie: their rules hold for its rows. So
// are the classes of operators by which a rule takes more for equal than a column does, and keys that do not hold for all rows.
func TestReadPartsElsewhere(t *testing.T) {
	tx, err := testutil.Admin(t, testutil.Server(t)).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	id := strings.ToLower(rand.Text()[:10])
	a, b := "exo_a_"+id, "exo_b_"+id
	if _, err := tx.Exec(strings.NewReplacer("$a", a, "$b", b).Replace(`CREATE SCHEMA $a; CREATE SCHEMA $b;
		CREATE TABLE $b.whole (id int PRIMARY KEY, code text) PARTITION BY RANGE (id);
		CREATE TABLE $a.middle PARTITION OF $b.whole FOR VALUES FROM (0) TO (10) PARTITION BY RANGE (id);
		CREATE TABLE $b.part PARTITION OF $a.middle FOR VALUES FROM (0) TO (5);
		CREATE UNIQUE INDEX by_code ON $b.part (code bpchar_ops);
		CREATE TABLE $a.one (id int PRIMARY KEY); CREATE TABLE $b.apart (id int); ALTER TABLE $b.apart ADD FOREIGN KEY (id) REFERENCES $a.one NOT VALID`)); err != nil {
		t.Fatal(err)
	}
	d, err := schema.ReadPostgres(t.Context(), tx, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{b + ".whole", a + ".middle", b + ".part", b + ".apart"} {
		found := false
		for _, x := range d.Tables {
			found = found || x.Name.String() == name
		}
		if !found {
			t.Errorf("%s is not read", name)
		}
	}
	if apart := d.Table(schema.Name{Schema: b, Name: "apart"}); apart == nil || len(apart.ForeignKeys) != 1 || !apart.ForeignKeys[0].NotValid {
		t.Errorf("%+v", apart)
	}
	part := d.Table(schema.Name{Schema: b, Name: "part"})
	if part == nil || len(part.Indexes) != 1 || part.Indexes[0].Parts[0].OpClass != "bpchar_ops" {
		t.Errorf("%+v", part)
	}
}

// TestHiddenTable: a name means what comes first along the path, be it a view.
func TestHiddenTable(t *testing.T) {
	in := func(s string) schema.Name { return schema.Name{Schema: s, Name: "x"} }
	d := &schema.Database{Engine: schema.Postgres, Path: []string{"a", "b"}, Tables: []*schema.Table{{Name: in("b")}, {Name: in("c")}}, Views: []*schema.View{{Name: in("a")}}}
	if d.Table(schema.Name{Name: "x"}) != nil || d.View(schema.Name{Name: "x"}) == nil {
		t.Error("the view comes first")
	}
	if d.Table(in("b")) == nil || d.View(in("a")) == nil || d.View(in("b")) != nil {
		t.Error("a name with its schema means that alone")
	}
	if d.Path = []string{"b", "a"}; d.Table(schema.Name{Name: "x"}) == nil || d.View(schema.Name{Name: "x"}) != nil {
		t.Error("the table comes first")
	}
}

// readIn reads a schema of its own, in which statements were run, and is gone after the test.
func readIn(t *testing.T, statements string) *schema.Database {
	t.Helper()
	tx, err := testutil.Admin(t, testutil.Server(t)).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	name := "exo_" + strings.ToLower(rand.Text()[:10])
	if _, err := tx.Exec("CREATE SCHEMA " + name + "; SET LOCAL search_path = " + name + "; " + statements); err != nil {
		t.Fatal(statements, err)
	}
	d, err := schema.ReadPostgres(t.Context(), tx, name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestReadPartTriggers: a part's own copy of a trigger counts where it acts and what it is a copy of is disabled.
func TestReadPartTriggers(t *testing.T) {
	const disabled = "ALTER TABLE whole DISABLE TRIGGER up; "
	for alter, want := range map[string]string{
		"":       "whole",
		disabled: "-whole",
		disabled + "ALTER TABLE leaf ENABLE TRIGGER up":                                         "-whole leaf",
		disabled + "ALTER TABLE leaf ENABLE ALWAYS TRIGGER up":                                  "-whole leaf",
		disabled + "ALTER TABLE leaf ENABLE REPLICA TRIGGER up":                                 "-whole leaf",
		"ALTER TABLE ONLY whole DISABLE TRIGGER up":                                             "-whole part",
		"ALTER TABLE ONLY part DISABLE TRIGGER up":                                              "whole leaf",
		"ALTER TABLE part DISABLE TRIGGER up":                                                   "whole",
		"ALTER TABLE ONLY part DISABLE TRIGGER up; ALTER TABLE ONLY whole DISABLE TRIGGER up":   "-whole leaf",
		"ALTER TABLE ONLY whole DISABLE TRIGGER ALL; ALTER TABLE ONLY part DISABLE TRIGGER ALL": "-whole leaf", // those of the foreign key are the database's own
	} {
		for _, kind := range []string{"TRIGGER up BEFORE", "CONSTRAINT TRIGGER up AFTER"} {
			d := readIn(t, "CREATE TABLE one (id int PRIMARY KEY); CREATE TABLE whole (id int REFERENCES one, n int) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (9) PARTITION BY RANGE (id); CREATE TABLE leaf PARTITION OF part FOR VALUES FROM (0) TO (5); "+
				"CREATE FUNCTION up() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE "+kind+" UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION up(); "+alter)
			got := map[string]bool{}
			for _, x := range d.Tables {
				for _, tr := range x.Triggers {
					if tr.Name != "up" {
						t.Errorf("%s of %s is the database's own", tr.Name, x.Name)
					}
					got[map[bool]string{true: "-"}[tr.Disabled]+x.Name.Name] = true
				}
			}
			for _, name := range strings.Fields(want) {
				if !got[name] {
					t.Errorf("%s, %q: %v, want %s", kind, alter, got, want)
				}
			}
			if len(got) != len(strings.Fields(want)) {
				t.Errorf("%s, %q: %v, want %s", kind, alter, got, want)
			}
		}
	}
}

// TestReadDisabledKeys: a foreign key does not hold where one of its triggers does not act: at either end, or at a part.
func TestReadDisabledKeys(t *testing.T) {
	alone := func(of, on, function, how string) string {
		return "DO $$ DECLARE n text; BEGIN SELECT tgname INTO n FROM pg_trigger WHERE tgconstraint IN (SELECT oid FROM pg_constraint WHERE conrelid = '" + of + "'::regclass) AND tgrelid = '" + on + "'::regclass AND tgfoid = '\"" + function + "\"'::regproc; EXECUTE format('ALTER TABLE " + on + " " + how + " TRIGGER %I', n); END $$"
	}
	for alter, want := range map[string]string{
		"SELECT 1":                             "",
		"ALTER TABLE kids DISABLE TRIGGER ALL": "kids",
		"ALTER TABLE kids DISABLE TRIGGER ALL; ALTER TABLE kids ENABLE TRIGGER ALL": "", // which nobody can see any more
		"ALTER TABLE kids DISABLE TRIGGER USER":                                     "",
		"ALTER TABLE one DISABLE TRIGGER ALL":                                       "kids whole",
		"ALTER TABLE leaf DISABLE TRIGGER ALL":                                      "whole",
		"ALTER TABLE whole DISABLE TRIGGER ALL":                                     "whole",
		alone("kids", "kids", "RI_FKey_check_ins", "DISABLE"):                       "kids",
		alone("kids", "kids", "RI_FKey_check_upd", "ENABLE REPLICA"):                "kids",
		alone("kids", "kids", "RI_FKey_check_upd", "ENABLE ALWAYS"):                 "",
		alone("kids", "one", "RI_FKey_noaction_del", "DISABLE"):                     "kids",
		alone("kids", "one", "RI_FKey_noaction_upd", "ENABLE REPLICA"):              "kids",
		"ALTER TABLE apart DISABLE TRIGGER ALL":                                     "",
	} {
		d := readIn(t, "CREATE TABLE one (id int PRIMARY KEY); CREATE TABLE kids (id int REFERENCES one, n int CHECK (n > 0)); CREATE TABLE whole (id int REFERENCES one, n int) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (9) PARTITION BY RANGE (id); CREATE TABLE leaf PARTITION OF part FOR VALUES FROM (0) TO (5); "+
			"CREATE TABLE apart (id int UNIQUE DEFERRABLE); "+alter)
		var got []string
		for _, x := range d.Tables {
			for _, fk := range x.ForeignKeys {
				if fk.NotValid {
					got = append(got, x.Name.Name)
				}
			}
			for _, k := range x.Checks {
				if k.NotValid {
					t.Errorf("%s: a check is not held by triggers", alter)
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", alter, got, want)
		}
	}
}
