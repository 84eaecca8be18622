package checks_test

import (
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestCheckSecured: policies that do not bind the role are a warning, since scopes alone decide which rows are read, unless the host has opened
// the database for policies.
func TestCheckSecured(t *testing.T) {
	url := tu.Postgres.URL(t)
	tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TABLE plain (a int PRIMARY KEY, b int NOT NULL)", "ALTER TABLE plain ENABLE ROW LEVEL SECURITY", "CREATE POLICY p ON plain USING (false)")})
	for _, secured := range []bool{false, true} {
		db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{RowSecurity: secured})
		plain := exosql.NewTable[kit.Pair]("plain")
		a := exosql.NewKey(plain, "a", func(p *kit.Pair) *int64 { return &p.A })
		err := exosql.Check(t.Context(), db, exosql.Granted(exosql.NewFacet(plain, "pair", a).Of(exosql.Grant(db, plain, exosql.AllRows[kit.Pair]()))))
		if (err != nil) != secured {
			t.Errorf("secured: %t: %v", secured, err)
		}
	}
}
