package undo_test

// This file attacks the script by names. SQLite has no script: its driver keeps the images.

import (
	"crypto/rand"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql/internal/kit"
	"github.com/exoagent/exoagent/exosql/internal/undo"
	"github.com/exoagent/exoagent/internal/sqlname"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// TestNamesEndNoBody: a schema, role, table, column or value whose name has the quotes of a function's body does not end it: the script runs, and its
// trigger keeps a row. The twin has the quotes that every name could know, and does not run.
func TestNamesEndNoBody(t *testing.T) {
	for _, name := range []string{`x$exo$; DROP TABLE rows; --`, `$exo$`, `a$exox$ $exo$`, `a$exo`, `"$exo$"`, `it's $exo$ \`, `{in}`, `$exo$; ROLLBACK; SELECT $exo$`} {
		url := kit.OwnDatabase(t)
		db := tu.Postgres.SQLDB(t, url)
		exec := func(text string) error {
			_, err := db.Exec(text)
			return err
		}
		role := name + rand.Text()
		quoted, quotedRole := sqlname.Quote(name), sqlname.Quote(role)
		on := quoted + "." + quoted
		if err := exec("CREATE SCHEMA " + quoted + "; CREATE ROLE " + quotedRole + "; CREATE TABLE " + on + " (" + quoted + " text PRIMARY KEY)"); err != nil {
			t.Fatal(name, err)
		}
		t.Cleanup(func() {
			if err := exec("DROP OWNED BY " + quotedRole + "; DROP ROLE " + quotedRole); err != nil {
				t.Error(err)
			}
		})
		live, err := schema.ReadPostgres(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		script := undo.Script(name, role, time.Hour, live, []schema.Name{{Schema: name, Name: name}})
		quote := regexp.MustCompile(`AS (\$exox*\$)\n`).FindStringSubmatch(script)
		if quote == nil {
			t.Fatalf("%s: there is no body in\n%s", name, script)
		}
		if strings.Contains(name, "$exo$") {
			if err := exec(strings.ReplaceAll(script, quote[1], "$exo$")); err == nil {
				t.Errorf("%s: the twin has no error, so this test shows nothing", name)
			}
			_ = exec("ROLLBACK")
		}
		if err := exec(script); err != nil {
			t.Errorf("%s: %v\n%s", name, err, script)
			continue
		}
		if err := exec("BEGIN; SET LOCAL exo.run = 'on'; INSERT INTO " + on + " VALUES ('" + strings.ReplaceAll(name, "'", "''") + "'); COMMIT"); err != nil {
			t.Error(name, err)
		}
		if got := tu.Rows(t, db, "SELECT rel = '"+strings.ReplaceAll(on, "'", "''")+"'::regclass, after = (SELECT r::text FROM "+on+" AS r) FROM "+quoted+".exo_undo"); !strings.Contains(got, "true, true") {
			t.Errorf("%s: kept %s", name, got)
		}
	}
}
