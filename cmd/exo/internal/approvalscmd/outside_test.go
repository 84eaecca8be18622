package approvalscmd

import (
	"slices"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestOutside: a trigger that names another server or a file is found, and one that writes rows is not.
func TestOutside(t *testing.T) {
	url := tu.Postgres.URL(t)
	db := tu.Postgres.SQLDB(t, url)
	for name, body := range map[string]string{
		"calls":  "PERFORM dblink_exec('dbname=x', 'INSERT INTO t VALUES (1)')",
		"asks":   "PERFORM net.http_post('https://x.test')",
		"copies": "COPY (SELECT 1)\n\tTO PROGRAM 'curl x.test'",
		"stamps": "NEW.id := NEW.id + 0; PERFORM pg_notify('x', 'httpd copied')",
		"off":    "PERFORM dblink('x', 'y')",
	} {
		if _, err := db.Exec("CREATE TABLE of_" + name + " (id int); CREATE FUNCTION " + name + "() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN " + body + "; RETURN NEW; END $f$;" +
			"CREATE TRIGGER " + name + " BEFORE INSERT ON of_" + name + " FOR EACH ROW EXECUTE FUNCTION " + name + "()"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec("ALTER TABLE of_off DISABLE TRIGGER off"); err != nil {
		t.Fatal(err)
	}
	got, err := outsideOf(t.Context(), url)
	if want := []string{"asks of of_asks", "calls of of_calls", "copies of of_copies"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	if got, err := outsideOf(t.Context(), "sqlite:x"); got != nil || err != nil {
		t.Error(got, err)
	}
}
