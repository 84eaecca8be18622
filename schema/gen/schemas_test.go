package gen_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
	"github.com/exoagent/exoagent/schema/gen"
)

// definition is a schema in one engine's words.
type definition struct {
	name   string // of the package: chinook, saas
	engine tu.Engine
	text   string
}

func (d definition) String() string { return d.name + "." + d.engine.Name }

// pack is the name of the Go package.
func (d definition) pack() string {
	if d.name == "saas" { // the same on both engines
		return d.name
	}
	return d.name + d.engine.Name
}

// golden are the schemas of testdata. Every file there is one, or what is made of one.
func golden(t testing.TB) (out []definition) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d schemas: %v", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name, engine, _ := strings.Cut(strings.TrimSuffix(filepath.Base(f), ".sql"), ".")
		e, ok := map[string]tu.Engine{"sqlite": tu.SQLite, "postgres": tu.Postgres}[engine]
		if !ok {
			t.Fatalf("%s is for no engine", f)
		}
		out = append(out, definition{name, e, string(text)})
	}
	return out
}

// all are those of testdata and the large one.
func all(t testing.TB, large int) []definition {
	return append(golden(t), definition{"saas", tu.SQLite, saas(tu.SQLite, large)}, definition{"saas", tu.Postgres, saas(tu.Postgres, large)})
}

// saas is a schema of up to 502 tables for many tenants: fifty parts of a product, each with
// an entity, its versions, comments, tags... The first 52 have each kind of table with each kind of column. Keys begin with
// the tenant, so that no foreign key leads out of one. Both engines' declarations are the same.
func saas(e tu.Engine, most int) string {
	words := strings.NewReplacer("INT", e.Pick("INTEGER", "bigint"), "TIME", e.Pick("DATETIME", "timestamptz"), "DECIMAL", "NUMERIC(12,2)", "DEFAULT NO ", e.Pick("DEFAULT 0 ", "DEFAULT false "))
	var b strings.Builder
	table := func(text string, args ...any) { fmt.Fprintf(&b, words.Replace(text)+";\n", args...) }
	table("CREATE TABLE tenants (id INT NOT NULL PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL CHECK (plan IN ('free', 'team', 'business')))")
	table("CREATE TABLE users (tenant_id INT NOT NULL REFERENCES tenants (id), id INT NOT NULL, email TEXT NOT NULL, password_hash TEXT, manager_id INT, PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, manager_id) REFERENCES users (tenant_id, id))")
	table("CREATE INDEX users_manager ON users (tenant_id, manager_id)")
	parts := strings.Fields(`invoice ticket project campaign contract asset shift course survey shipment order quote lead deal document folder
		meeting room vehicle route recipe batch sample device sensor alert incident release build service subscription payment refund budget expense
		report dashboard query dataset model page form template theme domain certificate backup policy audit case`)
	tables := 2
	for i, part := range parts {
		for j, kind := range []string{"", "version", "comment", "attachment", "tag", "watcher", "event", "setting", "share", "metric"} {
			if tables++; tables > most {
				break
			}
			if kind == "" {
				table("CREATE TABLE %[1]ss (tenant_id INT NOT NULL REFERENCES tenants (id), id INT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('open', 'closed')), amount DECIMAL, owner_id INT, due_at TIME, PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id))", part)
				table("CREATE INDEX %[1]ss_owner ON %[1]ss (tenant_id, owner_id)", part)
				continue
			}
			column := []string{"note TEXT", "value REAL", "position INT DEFAULT 0 NOT NULL", "payload JSON", "seen BOOLEAN DEFAULT NO NOT NULL"}[(i+j)%5]
			table("CREATE TABLE %[1]s_%[2]ss (tenant_id INT NOT NULL, id INT NOT NULL, %[1]s_id INT NOT NULL, user_id INT, "+column+", PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, %[1]s_id) REFERENCES %[1]ss (tenant_id, id), FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id))", part, kind)
			table("CREATE INDEX %[1]s_%[2]ss_parent ON %[1]s_%[2]ss (tenant_id, %[1]s_id)", part, kind)
			table("CREATE INDEX %[1]s_%[2]ss_user ON %[1]s_%[2]ss (tenant_id, user_id)", part, kind)
		}
	}
	return b.String()
}

// live makes the schema in a fresh database, and reads its catalogue there.
func (d definition) live(t testing.TB) (*schema.Database, string) {
	t.Helper()
	url := d.engine.URL(t)
	var out *schema.Database
	db := d.engine.OpenURL(t, url, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		err := d.engine.Exec(d.text)(ctx, db)
		if err != nil {
			return err
		}
		if d.engine.Name == tu.SQLite.Name {
			out, err = schema.ReadSQLite(ctx, db)
			return err
		}
		var at string
		if err := db.QueryRowContext(ctx, "SELECT current_schema()").Scan(&at); err != nil {
			return err
		}
		out, err = schema.ReadPostgres(ctx, db, at)
		return err
	}})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return out, url
}

// declare declares a catalogue as the golden files do.
func (d definition) declare(t testing.TB, db *schema.Database) *gen.Package {
	t.Helper()
	p, err := gen.Declare(db, gen.Options{Package: d.pack(), Source: "the definitions of " + d.name})
	if err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	return p
}
