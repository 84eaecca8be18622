package gen_test

import (
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema/gen"
)

// TestStart: the starting point is in the form of exo repl wherever the key is one that
// exo repl can give, and says so where it is not. What it leaves out it names.
func TestStart(t *testing.T) {
	const children = `
CREATE TABLE a (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers);
CREATE TABLE b (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers);
CREATE TABLE c (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers);
CREATE TABLE d (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, payer_id INTEGER NOT NULL REFERENCES customers);
CREATE TABLE nokey (customer_id INTEGER NOT NULL REFERENCES customers);`
	var many strings.Builder
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q") {
		many.WriteString("CREATE TABLE x" + name + " (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers);\n")
	}
	for _, c := range []struct {
		name, ddl  string
		engine     tu.Engine
		want, lack []string
	}{
		{"links beyond the third", "CREATE TABLE customers (id INTEGER PRIMARY KEY, boss_id INTEGER REFERENCES customers);" + children, tu.SQLite,
			[]string{"Grants is what", "with -user KEY.", "func Grants(db *exosql.DB, key int64) codemode.Grants", "// \t// Further links: CustomerBoss, CustomerCustomersByBoss, CustomerDs, CustomerDsByPayer."},
			[]string{"more.", "Nokey"}},
		{"very many", "CREATE TABLE customers (id INTEGER PRIMARY KEY);" + many.String(), tu.SQLite, []string{"Further links: CustomerXds,", "CustomerXos, and 2 more."}, []string{"CustomerXps"}},
		{"no other", "CREATE TABLE customers (id INTEGER PRIMARY KEY);", tu.SQLite, []string{"func Grants("}, []string{"Further"}},
		{"a table of that name", "CREATE TABLE customers (id INTEGER PRIMARY KEY); CREATE TABLE grants (id INTEGER PRIMARY KEY);", tu.SQLite,
			[]string{"func GrantsOfCustomer(", "-func GrantsOfCustomer -user KEY."}, []string{"func Grants("}},
		{"a keyword", "CREATE TABLE customers (id INTEGER PRIMARY KEY); CREATE TABLE classes (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers);", tu.SQLite,
			[]string{`"classRow"`}, []string{`"class"`}},
		{"a UUID", "CREATE TABLE customers (id uuid PRIMARY KEY);", tu.Postgres, []string{"with -user KEY.", "func Grants(db *exosql.DB, key [16]byte)"}, nil},
		{"two keys", "CREATE TABLE customers (a bigint, b bigint, PRIMARY KEY (a, b));", tu.Postgres, []string{"exo repl can't give it one", "func Grants(db *exosql.DB, key int64, key2 int64)"}, []string{"-user"}},
		{"a decimal", "CREATE TABLE customers (a numeric PRIMARY KEY);", tu.Postgres, []string{"exo repl can't give it one"}, []string{"-user"}},
	} {
		db, _ := definition{c.name, c.engine, c.ddl}.live(t)
		p, err := gen.Declare(db, gen.Options{Package: "shop"})
		if err != nil {
			t.Fatal(c.name, err)
		}
		var text string
		for _, f := range p.Files {
			if f.Name == "facet_start.go" {
				text = string(f.Text)
			}
		}
		whole := strings.ReplaceAll(text, "\n// // ", " ") // comments that go over lines
		for _, w := range c.want {
			if !strings.Contains(text, w) && !strings.Contains(whole, w) {
				t.Errorf("%s: no %q in\n%s", c.name, w, text)
			}
		}
		for _, w := range c.lack {
			if strings.Contains(text, w) {
				t.Errorf("%s: %q in\n%s", c.name, w, text)
			}
		}
	}
}
