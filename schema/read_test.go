package schema_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// TestReadPostgresJIT: nothing that reads the catalogue is compiled first, and the setting ends with the transaction.
func TestReadPostgresJIT(t *testing.T) {
	db := testutil.Admin(t, testutil.Server(t))
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("SET jit = on"); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := schema.ReadPostgres(t.Context(), tx, "public"); err != nil {
		t.Fatal(err)
	}
	var while, after string
	if err := errors.Join(tx.QueryRow("SHOW jit").Scan(&while), tx.Rollback(), db.QueryRow("SHOW jit").Scan(&after)); err != nil || while != "off" || after != "on" {
		t.Errorf("jit is %q while the catalogue is read, and %q then; %v", while, after, err)
	}
}

// TestReadSchemas: the schemas that are asked for, and the tables elsewhere that a
// deletion in them can reach; names are looked up along the path.
func TestReadSchemas(t *testing.T) {
	ctx := context.Background()
	tx, err := testutil.Admin(t, testutil.Server(t)).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	id := strings.ToLower(rand.Text()[:10])
	a, b, c := "exo_a_"+id, "exo_b_"+id, `exo C "`+id
	quoted := `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
	ddl := strings.NewReplacer("$a", a, "$b", b, "$c", quoted).Replace(`CREATE SCHEMA $a; CREATE SCHEMA $b; CREATE SCHEMA $c; SET LOCAL search_path TO $b, $a;
		CREATE TABLE $a.users (id int PRIMARY KEY); CREATE TABLE $b.users (id text PRIMARY KEY); CREATE TABLE $a.only (x int);
		CREATE TYPE $c."Mood Of" AS ENUM ('x'); CREATE TABLE $c."Order" (id int REFERENCES $a.users ON DELETE CASCADE, "select" $c."Mood Of"); CREATE TABLE $c.apart (y int)`)
	if _, err := tx.Exec(ddl); err != nil {
		t.Fatal(err)
	}
	d, err := schema.ReadPostgres(ctx, tx, a)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range d.Tables {
		got = append(got, x.Name.String())
	}
	if want := fmt.Sprintf("%s.Order %s.only %s.users", c, a, a); strings.Join(got, " ") != want {
		t.Errorf("read %q, want %q", got, want)
	}
	if len(d.Enums) != 1 || d.Enums[0].Name != (schema.Name{Schema: c, Name: "Mood Of"}) {
		t.Errorf("enums %v: the one that is used is of a schema that was not asked for", d.Enums)
	}
	if x := d.Table(schema.Name{Schema: c, Name: "Order"}).Column("select"); x.Type != quoted+`."Mood Of"` || x.Kind != schema.Text || x.Enum == nil {
		t.Errorf("%+v", x)
	}
	all, err := schema.ReadPostgres(ctx, tx, a, b, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Tables) != 5 {
		t.Errorf("%d tables, want 5", len(all.Tables))
	}
	if x := all.Table(schema.Name{Name: "users"}); x == nil || x.Schema != b {
		t.Errorf("users without a schema is %v, want that of %s, which is first in the path", x, b)
	}
	if x := all.Table(schema.Name{Name: "only"}); x == nil || x.Schema != a {
		t.Errorf("only: %v", x)
	}
	if all.Table(schema.Name{Name: "apart"}) != nil {
		t.Error("a table that is not in the path was found without its schema")
	}
	if r := all.Role; r.Name == "" || !r.Superuser {
		t.Errorf("role %+v", r)
	}
	again, err := schema.ReadPostgres(ctx, tx, c, b, a)
	if err != nil || show(t, again) != show(t, all) {
		t.Errorf("a second reading differs (%v)", err)
	}
	if got, err := schema.ReadPostgres(ctx, tx); err != nil || got.Table(schema.Name{Schema: c, Name: "apart"}) == nil || got.Table(schema.Name{Schema: "pg_catalog", Name: "pg_class"}) != nil {
		t.Errorf("all: %v", err)
	}
}

// TestReadFails: an error says what could not be read, and a definition that is
// not understood is never taken for a column without a collation.
func TestReadFails(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range []string{`CREATE TABLE a (x TEXT COLLATE NOCASE)`, `PRAGMA writable_schema = on`, `UPDATE sqlite_schema SET sql = 'CREATE TABLE a (x, y)' WHERE name = 'a'`} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	d, err := schema.ReadSQLite(context.Background(), db)
	if l := d.Left(schema.Name{Name: "a"}); err != nil || l == nil || len(d.Tables) != 0 || !strings.HasPrefix(l.Reason(), "its definition can't be read: its columns are not those that SQLite reports; ") {
		t.Errorf("%v %+v", err, d)
	}
	var e *schema.ReadError
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.ReadSQLite(context.Background(), db); !errors.As(err, &e) || e.What != "the list of tables" || e.Unwrap() == nil {
		t.Errorf("of a closed database: %v", err)
	}
	if _, err := schema.ReadPostgres(context.Background(), db); !errors.As(err, &e) {
		t.Errorf("of a closed database: %v", err)
	}
}

// TestKinds: what declared types of SQLite mean.
func TestKinds(t *testing.T) {
	for typ, want := range map[string]schema.Kind{"INTEGER": schema.Int, "unsigned big int": schema.Int, "VARCHAR(20)": schema.Text, "": schema.Unknown, "BLOB": schema.Bytes, "double precision": schema.Float,
		"boolean": schema.Bool, "timestamp with time zone": schema.Time, "datetime": schema.Time, "Date": schema.Date, "numeric(10,2)": schema.Decimal, "interval": schema.Interval, "uuid": schema.UUID, "jsonb": schema.JSON, "point": schema.Unknown, "foo": schema.Unknown} {
		d, _, err := live(t, schema.SQLite, "CREATE TABLE a (x "+typ+")")
		if err != nil || d.Tables[0].Columns[0].Kind != want {
			t.Errorf("%q: %v %+v, want %q", typ, err, d, want)
		}
	}
}

// TestOrder: the order of statements does not show.
func TestOrder(t *testing.T) {
	parts := []string{"CREATE TABLE b (x int PRIMARY KEY, y int)", "CREATE TABLE a (x int UNIQUE)", "CREATE TABLE c (z int)", "CREATE VIEW w AS SELECT 1", "CREATE VIEW v AS SELECT 1"}
	more := []string{"CREATE INDEX j ON b (y)", "CREATE INDEX i ON b (x, y)"}
	for _, engine := range []schema.Engine{schema.SQLite, schema.Postgres} {
		read := func(statements ...string) string {
			d, _, err := live(t, engine, strings.Join(statements, ";\n"))
			if err != nil {
				t.Fatal(err)
			}
			return brief(t, d)
		}
		first := read(append(parts, more...)...)
		second := read(parts[4], parts[2], parts[1], parts[0], parts[3], more[1], more[0])
		if first != second || strings.Count(first, "\n") != 5 {
			t.Errorf("%s: %s", engine, difference(first, second))
		}
	}
}
