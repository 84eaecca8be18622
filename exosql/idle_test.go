package exosql_test

import (
	"testing"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Between queries the wall admits nothing: what the last plan could read, an
// idle connection can't. The twin admits it.
func TestIdleConnectionDenies(t *testing.T) {
	db := tu.Open(t)
	if rows, err := exosql.Grant(db, tu.Orgs, exosql.AllRows[tu.Org]()).All(t.Context()); err != nil || len(rows) == 0 {
		t.Fatal(rows, err)
	}
	if err := exosql.OpenAll(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	const read = "SELECT id FROM orgs"
	for range 8 { // each of the connections, the one just used among them
		if err := exosql.Guarded(t.Context(), db, read); err == nil {
			t.Fatal("an idle connection reads what the last query could")
		}
	}
	if err := exosql.Guarded(t.Context(), db, read, "orgs.id"); err != nil {
		t.Errorf("the twin: %v", err)
	}
}
